extends TestSuite
## Peers that send each other packets over a bad line, and the sync test with planted faults.

const FRAMES := 600


## Health that a rule takes, in an order and from places that a fault decides.
class Fighter:
	extends FixsyncCharacter3D
	static var shared := 0
	var player := 0
	var health := 100000
	var unsaved := 0
	var fault := ""
	var speed := 0.0
	var seen := {}

	func _fixsync_state() -> Array[StringName]:
		return [&"health"]

	func _fixsync_tick(frame: int, inputs: PackedInt64Array) -> void:
		var keys := inputs[player]
		move(Vector3i(((keys & 3) - 1) * 6000, -3000, 0))
		match fault:
			"unsaved":
				unsaved += keys & 1
				health -= unsaved
			"static":
				shared += 1
				health -= shared % 7
			"clock":
				health -= Time.get_ticks_usec() % 5
			"order":  # of objects, by numbers that the engine gives
				health -= get_instance_id() % 7
			"dictionary":  # the order of insertion, which predictions change
				seen[inputs[0] * 4 + inputs[1]] = true
				health -= seen.keys()[seen.size() / 2]
			"float":
				speed = speed * 0.9 + keys
				health -= int(speed)
			"seen":
				unsaved += keys & 1
			"world":
				unsaved += 1
				set_pose(get_raw_position() + Vector3i(0, 0, unsaved % 3), 0)
			"spawned":
				if frame % 8 == 0:
					stage.spawn(stage.host.get_meta(&"ball"), get_raw_position(), 0, owner_id)

	func _fixsync_hit(_mine: int, _other: int, kind: int, _contact: int) -> void:
		health -= kind * 3

	func _fixsync_shown() -> int:
		return health + (unsaved if fault == "seen" else 0)


class Ball:
	extends FixsyncCollider3D
	var left := 6

	func _fixsync_state() -> Array[StringName]:
		return [&"left"]

	func _fixsync_tick(_frame: int, _inputs: PackedInt64Array) -> void:
		left -= 1
		set_pose(get_raw_position() + Vector3i(9000, 0, 0), 0)
		if left == 0:
			stage.despawn(self)


func _world(fault := "", peers: Array = [], check := 0) -> FixsyncWorld3D:
	var world := FixsyncWorld3D.new()
	world.peers = PackedInt64Array(peers)
	world.check = check
	world.record = true
	world.simulation = "peers"
	world.input_delay = 1
	var ball := Ball.new()
	ball.shape = FixsyncShape.new()
	var scene := PackedScene.new()
	scene.pack(ball)
	ball.free()
	world.set_meta(&"ball", scene)
	for i in 2:
		var fighter := Fighter.new()
		fighter.name = ["Red", "Blue"][i]
		fighter.shape = FixsyncShape.new()
		fighter.player = i
		fighter.owner_id = i + 1
		fighter.fault = fault
		fighter.raw_position = Vector3i((2 * i - 1) * 34000, 65536, 0)
		world.add_child(fighter)
	var ground := FixsyncCollider3D.new()
	ground.name = "Floor"
	ground.shape = FixsyncShape.new()
	ground.shape.kind = FixsyncShape.Kind.BOX
	ground.shape.half_x = "50"
	ground.layer = "wall"
	ground.raw_position = Vector3i(0, -65536, 0)
	world.add_child(ground)
	add_child(world)
	world.hit_predicted.connect(func(_f: int, _a: int, _b: int, _k: int, _c: int) -> void:
		if fault == "predicted":
			world.get_node("Red").health -= 1)
	return world


## Two peers over a line of 80 ms that loses a twentieth.
func _match(faults: Array, frames := FRAMES, one_late := 0) -> Array:
	var worlds: Array[FixsyncWorld3D] = [_world(faults[0], [0, 1]), _world(faults[1], [1, 0])]
	var told: Array[PackedStringArray] = [[], []]
	var desyncs: Array[PackedStringArray] = [[], []]
	var flight: Array = []
	var random := FixsyncRandom.create(9)
	for i in 2:
		worlds[i].frame_confirmed.connect(func(f: int, hash: int) -> void:
			told[i].append("%d %d" % [f, hash]))
		worlds[i].desynced.connect(func(_f: int, text: String) -> void: desyncs[i].append(text))
	for frame in frames:
		for row: Array in flight.duplicate():
			if row[0] <= frame:
				flight.erase(row)
				equal(worlds[row[1]].receive(1, row[2]), Fixsync.OK, "a packet")
		for i in 2:
			if frame >= one_late * i:
				worlds[i].tick(PackedInt64Array([random.below(4)]))
			if not random.chance(1, 20):
				flight.append([frame + 4 + random.below(3), 1 - i, worlds[i].packet(1)])
	return [worlds, told, desyncs]


func test_two_peers_over_a_bad_line_play_one_match() -> void:
	var ear := TestEar.new()
	OS.add_logger(ear)
	var got := _match(["spawned", "spawned"], FRAMES, 20)
	OS.remove_logger(ear)
	equal(ear.heard, PackedStringArray(), "errors and warnings")
	var told: Array[PackedStringArray] = got[1]
	var shared := mini(told[0].size(), told[1].size())
	check(shared > FRAMES - 80, "confirmed frames: %d" % shared)
	check(told[0].slice(0, shared) == told[1].slice(0, shared), "hashes differ")
	equal(got[2], [PackedStringArray(), PackedStringArray()] as Array[PackedStringArray], "desyncs")
	check(got[0][0].pace()[1] > 100, "frames stepped again: %d" % got[0][0].pace()[1])
	equal(got[0][0].receive(1, PackedByteArray([1, 2, 3])), Fixsync.E_PACKET, "no packet")
	for world: FixsyncWorld3D in got[0]:
		world.free()


func test_peers_that_differ_say_frame_part_and_field() -> void:
	for fault: String in ["unsaved", "static", "clock", "order", "dictionary", "float", "predicted"]:
		var got := _match([fault, fault], 900)
		for texts: PackedStringArray in got[2]:
			equal(texts.size(), 1, fault + ": desyncs")
			check(texts.size() > 0 and "from peer 1 in own state" in texts[0], "%s: %s" % [fault, texts])
		var worlds: Array[FixsyncWorld3D] = got[0]
		var lines := worlds[0].differences(worlds[1].kept())
		check(lines.size() > 0 and ".health: " in lines[0], "%s: %s" % [fault, lines])
		if fault == "static":
			_write_logs(worlds)
		for world in worlds:
			world.free()
	var got := _match(["seen", ""], 300)
	check("_fixsync_shown" in "".join(got[2][0]), "a value that is only seen: %s" % got[2][0])
	for world: FixsyncWorld3D in got[0]:
		world.free()
	got = _match(["world", "world"], 300)
	var text := "\n".join(got[0][0].differences(got[0][1].kept()))
	check("(Red), z: " in text or "(Blue), z: " in text, "a collider: %s" % text)
	equal(got[0][0].differences(PackedByteArray([1, 2, 3])), PackedStringArray(), "no state")
	for world: FixsyncWorld3D in got[0]:
		world.free()


## For ./test, which names what differs between the two.
func _write_logs(worlds: Array[FixsyncWorld3D]) -> void:
	DirAccess.make_dir_absolute("user://peers")
	for i in 2:
		worlds[i].end_log()
		var file := FileAccess.open("user://peers/%d.jsonl" % i, FileAccess.WRITE)
		file.store_string(worlds[i].take_log())
		file.close()


func test_the_sync_test_names_what_does_not_roll_back() -> void:
	# It cannot see what is the same each time on one machine: the order of objects.
	for row: Array in [
		["unsaved", "Red.health:"], ["static", ".health:"], ["clock", ".health:"],
		["float", ".health:"], ["dictionary", ".health:"], ["predicted", "Red.health:"], ["order", ""],
		["seen", "_fixsync_shown"], ["world", "the world"], ["", ""],
		["spawned", ""]]:
		var world := _world(row[0], [], 6)
		var said := PackedStringArray()
		var frames: Array[int] = []
		world.desynced.connect(func(frame: int, text: String) -> void:
			said.append(text)
			frames.append(frame))
		var random := FixsyncRandom.create(4)
		for frame in 300:
			world.tick(PackedInt64Array([random.below(4), random.below(4)]))
		if row[1].is_empty():
			equal(said, PackedStringArray(), row[0] + ": a good game")
			check(world.confirmed() > 280, "confirmed: %d" % world.confirmed())
		else:
			equal(said.size(), 1, row[0] + ": said")
			var most := 40 if row[0] == "predicted" else 14  # the first hit is later
			check(said.size() > 0 and row[1] in said[0] and frames[0] < most,
					"%s: %s" % [row[0], said])
		world.free()


func test_a_peer_of_another_match_is_an_error_that_says_why() -> void:
	var wrong := {
		"match_name": ["other", "another match_name"], "players": [3, "other players"],
		"window": [9, "window is 12 here, 9 there"], "hit_when": [2, "other nodes"],
	}
	for key: String in wrong:
		var worlds: Array[FixsyncWorld3D] = [_world("", [0, 1]), _world("", [1, 0])]
		worlds[1].set(key, wrong[key][0])
		worlds[1].peers = PackedInt64Array([1, 0, 0] if key == "players" else [1, 0])
		worlds[1].start()
		var ear := TestEar.new()
		OS.add_logger(ear)
		for i in 3:
			worlds[0].receive(1, worlds[1].packet(1))
		OS.remove_logger(ear)
		equal(ear.heard.size(), 1, "%s: errors %s" % [key, ear.heard])
		check(ear.heard.size() > 0 and wrong[key][1] in ear.heard[0], "%s: %s" % [key, ear.heard])
		check(not worlds[0].tick(PackedInt64Array([0])), key + ": no tick")
		for world in worlds:
			world.free()


func test_the_two_ways_of_playing_do_not_mix() -> void:
	var world := _world()
	check(world.tick(PackedInt64Array([0, 0])), "a tick")
	world.play(PackedInt64Array([0, 0]))
	world.rewind(0)
	world.settle(1)
	equal(world.head(), 1, "play does nothing then")
	world.start()
	world.play(PackedInt64Array([0, 0]))
	check(not world.tick(PackedInt64Array([0, 0])), "and no tick after play")
	equal(world.packet(1), PackedByteArray(), "nor a packet")
	world.free()
