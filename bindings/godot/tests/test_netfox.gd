extends TestSuite
## The adapter for netfox on a stand-in of netfox's interface: two peers, 30 % loss.


class Keys:
	extends Node
	var keys := 0


class Peer:
	extends Node
	var duel := TestDuel.new()
	var inputs: Array[Node] = [Keys.new(), Keys.new()]
	var adapter := FixsyncNetfox.new()
	var netfox: NetfoxStandIn

	func _init(me: int, first_tick: int) -> void:
		netfox = NetfoxStandIn.new(inputs, inputs[me], adapter)
		duel.world.window = 48
		adapter.world = duel.world
		adapter.inputs = inputs
		adapter.history = netfox
		adapter.first_tick = first_tick
		for node: Node in [duel, inputs[0], inputs[1], adapter, netfox]:
			add_child(node)


func test_two_peers_at_a_third_loss_confirm_the_same_frames_once() -> void:
	print("netfox is not here: a stand-in of its interface plays the adapter")
	var peers: Array[Peer] = [Peer.new(0, 5), Peer.new(1, 5)]
	var random := FixsyncRandom.create(3)
	var flight: Array = []
	for peer in peers:
		add_child(peer)
		peer.duel.world.start()
	for tick in 1500:
		for packet: Array in flight.duplicate():
			if packet[0] <= tick:
				flight.erase(packet)
				var to: int = packet[1]
				peers[to].netfox.receive(peers[to].inputs[1 - to], packet[2])
		for i in 2:
			peers[i].netfox.loop(random.below(64) if tick < 1400 else 0)
			if not random.chance(3, 10):
				flight.append([tick + 1 + random.below(6), 1 - i, peers[i].netfox.packet()])
	var told: Array[PackedStringArray] = [peers[0].duel.told, peers[1].duel.told]
	var shared := mini(told[0].size(), told[1].size())
	check(peers[0].duel.world.confirmed() > 1450, "only %d frames" % peers[0].duel.world.confirmed())
	check(told[0].slice(0, shared) == told[1].slice(0, shared), "signals or hashes differ")
	check(shared > 1500, "too few signals: %d" % shared)
	check(peers[0].duel.taken_back > 10, "nothing was taken back")
	var seen := {}
	for line in told[0]:
		seen[line] = true
	equal(seen.size(), told[0].size(), "signals that came once")
	for peer in peers:
		peer.free()
