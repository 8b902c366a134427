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
		adapter.first_tick = first_tick
		for node: Node in [duel, inputs[0], inputs[1], adapter, netfox]:
			if node != adapter:
				add_child(node)

	func _ready() -> void:
		adapter.rollback = netfox
		adapter.history = netfox
		add_child(adapter)


func test_two_peers_at_a_third_loss_confirm_the_same_frames_once() -> void:
	print("netfox is not here: a stand-in of its interface plays the adapter")
	var peers: Array[Peer] = [Peer.new(0, 5), Peer.new(1, 5)]
	var random := FixsyncRandom.create(3)
	var flight: Array = []
	var pending: Array[PackedInt64Array] = [[], []]
	for peer in peers:
		add_child(peer)
		peer.duel.world.start()
	for tick in 1000:
		for packet: Array in flight.duplicate():
			if packet[0] <= tick:
				flight.erase(packet)
				var to: int = packet[1]
				peers[to].netfox.receive(peers[to].inputs[1 - to], packet[2])
		for i in 2:
			var keys := random.below(64) if random.chance(1, 4) else random.below(2) * 16
			pending[i].append(-1 if random.chance(1, 200) else keys if tick < 900 else 0)
			if random.chance(1, 8):
				continue  # a slow frame: the next loop has two ticks
			peers[i].netfox.loop(pending[i])
			pending[i].clear()
			if not random.chance(3, 10):
				flight.append([tick + 7 + random.below(6), 1 - i, peers[i].netfox.packet()])
	var reported: Array[PackedStringArray] = [peers[0].duel.reported, peers[1].duel.reported]
	var shared := mini(reported[0].size(), reported[1].size())
	check(peers[0].duel.world.confirmed() > 900, "only %d frames" % peers[0].duel.world.confirmed())
	check(reported[0].slice(0, shared) == reported[1].slice(0, shared), "signals or hashes differ")
	check(shared > 1000, "too few signals: %d" % shared)
	check(peers[0].duel.taken_back > 10, "%d taken back" % peers[0].duel.taken_back)
	print("%d frames, %d signals, %d predicted, %d taken back" % [
		peers[0].duel.world.confirmed(), reported[0].size(), peers[0].duel.predicted,
		peers[0].duel.taken_back])
	var seen := {}
	for line in reported[0]:
		seen[line] = true
	equal(seen.size(), reported[0].size(), "signals that came once")
	for peer in peers:
		peer.free()
