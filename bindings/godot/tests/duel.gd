class_name TestDuel
extends Node
## A match of the demo's fighters without a line, and all that it reported.

var world := FixsyncWorld3D.new()
var reported := PackedStringArray()  # the signals of confirmed frames, in order
var predicted := 0
var taken_back := 0
var standing := {}  # predicted events that were not taken back: how many


## spawner: another node of the world.
func _init(spawner: Node = null) -> void:
	world.capacity = 32
	world.layers = ["body", "attack", "wall"]
	world.pairs = ["body attack", "attack wall"]
	world.starts_alone = false
	world.moves_nodes = false
	world.record = true
	world.add_child(load("res://tests/duel/arena.tscn").instantiate())
	for i in 2:
		var node: Node = load("res://tests/duel/fighter.tscn").instantiate()
		node.name = ["Red", "Blue"][i]
		node.player = i
		node.id = i
		node.owner_id = i + 1
		node.raw_position = Vector3i(-98304 if i == 0 else 98304, 65536, 0)
		node.yaw = 0 if i == 0 else 32768
		world.add_child(node)
	if spawner != null:
		spawner.world = world
		world.add_child(spawner)
	add_child(world)
	world.hit_entered.connect(_tell.bind("entered"))
	world.hit_stayed.connect(_tell.bind("stayed"))
	world.hit_exited.connect(func(f: int, a: int, b: int) -> void: _tell(f, a, b, 0, "exited"))
	world.game_event.connect(func(f: int, kind: int, a: int, b: int, value: int) -> void:
		_tell(f, a, b, value, str(kind)))
	world.frame_confirmed.connect(func(f: int, hash: int) -> void: _tell(f, 0, 0, hash, "frame"))
	world.hit_predicted.connect(func(f: int, a: int, b: int, kind: int, contact: int) -> void:
		predicted += 1
		_count([f, a, b, kind, contact], 1))
	world.hit_taken_back.connect(func(f: int, a: int, b: int, kind: int, contact: int) -> void:
		taken_back += 1
		_count([f, a, b, kind, contact], -1))


func _tell(frame: int, a: int, b: int, contact: int, name: String) -> void:
	reported.append("%d %s %d %d %d" % [frame, name, a, b, contact])


func _count(row: Array, by: int) -> void:
	standing[row] = standing.get(row, 0) + by


## The keys of both players. What a player presses never stays the same for two frames, so every
## prediction is wrong.
static func keys(frames: int, random_seed: int) -> Array[PackedInt64Array]:
	var random := FixsyncRandom.create(random_seed)
	var all: Array[PackedInt64Array] = [[], []]
	for frame in frames:
		for i in 2:
			var next := random.below(64)
			# It swings often, and walks at the other fighter.
			next |= 16 if random.chance(1, 3) else 0
			if frame > 0 and next == all[i][-1]:
				next ^= 1
			all[i].append(next)
	return all


## Plays frames with both players on this machine.
func play(frames: int, random_seed: int) -> void:
	world.start()
	var all := keys(frames, random_seed)
	for frame in frames:
		world.tick(PackedInt64Array([all[0][frame], all[1][frame]]))


## Plays frames as two peers, whose packets come `late` frames late.
static func play_peers(duels: Array[TestDuel], frames: int, late: int, random_seed: int) -> void:
	var all := keys(frames + 64, random_seed)
	var flight: Array = []
	for i in 2:
		duels[i].world.peers = PackedInt64Array([i, 1 - i])
		duels[i].world.start()
	while mini(duels[0].world.confirmed(), duels[1].world.confirmed()) < frames:
		for i in 2:
			duels[i].world.tick(PackedInt64Array([all[i][duels[i].world.head()]]))
		flight.append([duels[0].world.packet(1), duels[1].world.packet(1)])
		if flight.size() > late:
			var packets: Array = flight.pop_front()
			for i in 2:
				duels[i].world.receive(1, packets[1 - i])
