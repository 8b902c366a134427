extends TestSuite
## What is not in a recorded match: errors, numbers, characters, bodies, rollback, hitboxes.

const BALL: Array[int] = [0, 65536]


func refused(result: Variant, want: Variant, text: String) -> void:
	if want == null:
		check(result == null, text)
	else:
		equal(result, want, text)
	equal(Fixsync.take_error(), text, "error")


func test_a_misuse_is_an_error_with_name_value_and_range() -> void:
	var world := FixsyncWorld.create(8)
	var ball := Fixsync.sphere(65536)
	world.add(1, ball, Vector3i())
	var before := world.save()
	refused(FixsyncWorld.create(0), null, "FixsyncWorld.create: capacity must be 1..2147483648, not 0")
	refused(world.add(8, ball, Vector3i()), false, "FixsyncWorld.add: id must be 0..7, not 8")
	refused(world.add(1, ball, Vector3i()), false,
		"FixsyncWorld.add: id 1 is taken: remove it first, or choose another of 0..7")
	refused(world.add(2, [0, 0], Vector3i()), false,
		"FixsyncWorld.add: radius must be 1..536870911, not 0")
	var most := FixsyncShape.Kind.size() - 1
	refused(world.add(2, [9, 5], Vector3i()), false,
			"FixsyncWorld.add: kind must be 0..%d, not 9" % most)
	refused(world.add(2, [3, 5], Vector3i()), false,
		"FixsyncWorld.add: shape must have 3 sizes for a box, not 1")
	refused(world.add(2, ball, Vector3i(), 65536), false,
		"FixsyncWorld.add: yaw must be 0..65535, not 65536")
	refused(world.move(2, Vector3i()), false, "FixsyncWorld.move: id 2 is not in the world")
	refused(world.move_many([1, 2], [0, 0, 0, 1, 1, 1]), false,
		"FixsyncWorld.move_many: ids[1]: id 2 is not in the world")
	refused(world.move_many([1], [0, 0, 2147483648]), false,
		"FixsyncWorld.move_many: positions[0]: z must be -2147483648..2147483647, not 2147483648")
	refused(world.apply([2, 0, 1]), false,
		"FixsyncWorld.apply: size of commands must be a multiple of 18, not 3")
	refused(world.call("move", 1.5, Vector3i()), false, "FixsyncWorld.move: id must be int, not float")
	refused(world.call("move", 1, Vector3()), false,
		"FixsyncWorld.move: position must be Vector3i, not Vector3")
	refused(world.call("query", [0, 1.5], Vector3i()), PackedInt64Array(),
		"FixsyncWorld.query: shape[1] must be int, not float")
	refused(ClassDB.class_call_static("FixsyncWorld", "create", 4, 1, [], world), null,
		"FixsyncWorld.create: level must be a FixsyncLevel, not FixsyncWorld")
	refused(ClassDB.class_call_static("FixsyncWorld", "create", 4, 1, [], self), null,
		"FixsyncWorld.create: level must be a FixsyncLevel, not another object")
	refused(FixsyncWorld.new().frame(), 0,
		"FixsyncWorld.frame: it was not made by FixsyncWorld.create")
	refused(world.load(before.slice(0, 20)), false,
		"FixsyncWorld.load: state is refused at byte 0 of 20: "
		+ "not a saved state, or one that this world cannot hold")
	refused(Fixsync.overlap([0, 1], Vector3i(), -1, [0, 1], Vector3i(), 0), -1,
		"Fixsync.overlap: yaw_a must be 0..65535, not -1")
	var gone := Node.new()
	gone.free()
	refused(ClassDB.class_call_static("FixsyncRecorder", "create", gone, ""), null,
		"FixsyncRecorder.create: world must be a FixsyncWorld, not null")
	equal(world.save(), before, "the state")


func test_a_result_of_null_does_not_keep_the_object_before_it() -> void:
	for capacity: int in [4, 0, 4, 0]:
		var world := FixsyncWorld.create(capacity)
		equal(world == null, capacity == 0, "null for %d" % capacity)
	Fixsync.take_error()


func test_a_log_says_its_semantics_and_what_its_game_says() -> void:
	var data := Fixsync.hex(Fixsync.hash64([1, 2]))
	var said := "\"build\":\"v1\",\"data\":\"%s\"}" % data
	var log := FixsyncRecorder.create(FixsyncWorld.create(4), "{" + said)
	var own := ",\"semantics\":%d," % Fixsync.semantics()
	check(log.take_text().ends_with(own + said + "\n"), "the first line")


func test_numbers_are_exact() -> void:
	equal(Fixsync.fixed("-1.5"), -98304, "fixed")
	refused(Fixsync.fixed("0.1"), 0,
		"Fixsync.fixed: text must be a multiple of 1/65536, not \"0.1\": nearest rounds")
	refused(Fixsync.fixed("1e3"), 0,
		"Fixsync.fixed: text must be a decimal such as \"-1.5\", not \"1e3\"")
	equal(Fixsync.nearest("0.1"), 6554, "nearest")
	equal(Fixsync.text(6554), "0.100006103515625", "text")
	for degrees: int in [0, 1, 45, 90, 359, 360, -1, -90]:
		var steps := Fixsync.degrees(degrees)
		check(absi(steps * 360 - posmod(degrees, 360) * 65536) <= 180 and steps < 65536, str(degrees))
	equal(Fixsync.direction(16384), Vector3i(0, 0, 1 << 30), "direction")
	equal(Fixsync.yaw_of(0, -5), 49152, "yaw_of")
	equal(Fixsync.mul(98304, -98304), -147456, "mul")
	equal(Fixsync.hypot(Vector3i(3, 4, 12) * 65536), 13 * 65536, "hypot")
	equal(Fixsync.slide(Vector3i(5, -7, 9), Vector3i(0, 1 << 30, 0)), Vector3i(5, 0, 9), "slide")
	equal(Fixsync.hex(-1), "ffffffffffffffff", "hex")
	equal(Fixsync.hash64(PackedByteArray()), -1205034819632174695, "hash of nothing")


## The methods of passed.c check each argument, and the status.
func test_what_is_passed_on_is_checked_first() -> void:
	const FITS := "the result must be within -2147483648..2147483647"
	refused(Fixsync.mul(1 << 30, 1 << 30), 0, "Fixsync.mul: " + FITS)
	refused(Fixsync.mul(1 << 31, 1), 0,
		"Fixsync.mul: a must be -2147483648..2147483647, not 2147483648")
	refused(Fixsync.div(5, 0), 0, "Fixsync.div: b must not be 0")
	refused(Fixsync.mul_div(5, 6, 0), 0, "Fixsync.mul_div: c must not be 0")
	refused(Fixsync.sqrt(-1), 0, "Fixsync.sqrt: a must be 0..2147483647, not -1")
	refused(Fixsync.lerp(0, 5, 65537), 0, "Fixsync.lerp: fraction must be 0..65536, not 65537")
	refused(Fixsync.clamp(5, 8, 7), 0, "Fixsync.clamp: low must be -2147483648..7, not 8")
	refused(Fixsync.approach(5, 8, -1), 0, "Fixsync.approach: most must be 0..2147483647, not -1")
	var far := Vector3i.ONE * 2000000000
	refused(Fixsync.dot(far, far), 0, "Fixsync.dot: " + FITS)
	refused(Fixsync.with_length(Vector3i(), 5), Vector3i(), "Fixsync.with_length: v must not be (0, 0, 0)")
	refused(Fixsync.turn_towards(0, 65536, 1), 0, "Fixsync.turn_towards: end must be 0..65535, not 65536")
	refused(Fixsync.yaw_of(1 << 32, 0), 0,
		"Fixsync.yaw_of: dx must be -4294967295..4294967295, not 4294967296")
	refused(Fixsync.faces(0, 0, 1, 1), false, "Fixsync.faces: half_angle must be 1..32768, not 0")
	refused(Fixsync.slide(Vector3i.ONE, Vector3i()), Vector3i(),
		"Fixsync.slide: motion and normal: a normal of (0, 0, 0), or with a component out of range")
	var sword := Fixsync.sector(65536, 8192, 65536)
	refused(Fixsync.side(sword, Vector3i(), 0, sword, Vector3i(), 0), -1,
		"Fixsync.side: shapes: not defined for these shapes")
	var world := FixsyncWorld.create(8)
	world.add(1, BALL, Vector3i())
	refused(world.contact(1, 2), -1, "FixsyncWorld.contact: id 2 is not in the world")
	refused(world.contact(1, Fixsync.LEVEL), -1,
		"FixsyncWorld.contact: id 2147483648 is not a solid of the level")
	refused(world.set_layer(1, 32), false, "FixsyncWorld.set_layer: layer must be 0..31, not 32")
	refused(world.set_owner(1, -1), false, "FixsyncWorld.set_owner: owner must be 0..4294967295, not -1")
	refused(world.set_pose(2, Vector3i(), 0), false, "FixsyncWorld.set_pose: id 2 is not in the world")
	var random := FixsyncRandom.create(0)
	refused(random.between(6, 5), 0,
		"FixsyncRandom.between: low must be -9223372036854775808..5, not 6")
	refused(random.chance(1, 0), false,
		"FixsyncRandom.chance: denominator must be 1..9223372036854775807, not 0")
	equal(random.state(), 0, "an error takes no number")


func test_random_numbers_are_those_of_splitmix64() -> void:
	var random := FixsyncRandom.create(0)
	equal(Fixsync.hex(random.next()), "e220a8397b1dcdaf", "first")
	equal(Fixsync.hex(random.next()), "6e789e6aa1b965f4", "second")
	var state := random.state()
	var order := random.shuffle([1, 2, 3, 4, 5])
	random.set_state(state)
	equal(random.shuffle([1, 2, 3, 4, 5]), order, "the same order")
	order.sort()
	equal(order, PackedInt64Array([1, 2, 3, 4, 5]), "the same items")
	refused(random.below(0), 0, "FixsyncRandom.below: count must be 1..9223372036854775807, not 0")


func test_a_level_is_made_of_solids_and_of_bytes() -> void:
	var box := FixsyncLevel.solid_of(Fixsync.box(131072, 65536, 131072), Vector3i())
	var level := FixsyncLevel.create(box + FixsyncLevel.pillar(400000, 0, 65536, 0, 65536, 3))
	equal(level.count(), 2, "count")
	equal(level.solid(1), FixsyncLevel.pillar(400000, 0, 65536, 0, 65536, 3), "solid")
	equal(FixsyncLevel.from_bytes(level.to_bytes()).hash(), level.hash(), "hash")
	equal(level.query(BALL, Vector3i(400000, 0, 0)), PackedInt64Array([Fixsync.LEVEL + 1]), "query")
	refused(FixsyncLevel.create(box.slice(0, 9)), null,
		"FixsyncLevel.create: solids[0]: this solid has 13 numbers, not 9")
	refused(FixsyncLevel.create(FixsyncLevel.prism([0, 0, 0, 5, 5, 0], 0, 1)), null,
		"FixsyncLevel.create: solid 0: the vertices must be strictly convex, counterclockwise as yaw "
		+ "turns (+X to +Z), and span at most 2^30 - 2")


func test_a_character_walks_on_a_floor_and_its_moves_are_kept() -> void:
	var level := FixsyncLevel.create(
		FixsyncLevel.solid_of(Fixsync.box(655360, 65536, 655360), Vector3i(0, -65536, 0)))
	var world := FixsyncWorld.create(4, Fixsync.TOUCHING, PackedInt64Array(), level)
	world.keep_commands(true)
	world.add(1, Fixsync.capsule(32768, 32768), Vector3i(0, 131072, 0))
	var mover := FixsyncMover.create(1)
	for i in 20:
		check(mover.move(world, Vector3i(3000, -8000, 0)), "moved")
	check(mover.is_on_floor() and not mover.is_on_wall(), "on the floor")
	equal(mover.floor(), Fixsync.LEVEL, "floor")
	equal(world.position(1), Vector3i(60000, 65536, 0), "position")
	equal(world.command_count(), 21, "commands")
	var again := FixsyncWorld.create(4, Fixsync.TOUCHING, PackedInt64Array(), level)
	again.apply(world.take_commands())
	equal(again.hash(), world.hash(), "the same world")


func test_a_crowd_gives_way_and_goes_through_no_wall() -> void:
	var world := FixsyncWorld.create(4)
	world.keep_commands(true)
	var cube := Fixsync.box(65536, 65536, 65536)
	world.add(1, cube, Vector3i.ZERO)
	world.add(2, cube, Vector3i(-65536, 0, 0))
	world.add(3, cube, Vector3i(131172, 0, 0), 0, 1)
	world.step()
	var yields := PackedInt64Array()
	yields.resize(32)
	yields[0] = 1
	var movers := FixsyncMover.create(1).row() + FixsyncMover.create(2).row()
	var rows := world.separate_movers(yields, movers)
	equal(rows, PackedInt64Array([1, 100, 0, 0, 1, 2, -98304, 0, 0, 0]), "rows")
	equal(world.position(1), Vector3i(100, 0, 0), "position")
	equal(world.command_count(), 5, "commands")
	var twice := FixsyncMover.create(1).row() + FixsyncMover.create(1).row()
	refused(world.separate_movers(yields, twice), PackedInt64Array(),
			"FixsyncWorld.separate_movers: movers: a call that is not allowed at this point")


func test_a_body_attacks_and_is_saved() -> void:
	var frames := FixsyncFrameData.from_bytes(FileAccess.get_file_as_bytes("res://traces/fighter.table"))
	var world := FixsyncWorld.create(16)
	var body := FixsyncBody.create(frames)
	world.keep_commands(true)
	refused(body.tick(world), false, "FixsyncBody.tick: the body is not in a world: add it first")
	check(body.add(world, range(frames.part_count()), 7, Vector3i(5, 6, 7)), "added")
	check(body.can_start(1) and body.start(world, 1), "started")
	equal([body.attack(), body.attack_frame(), body.phase()], [1, 0, Fixsync.PHASE_STARTUP], "attack")
	var state := body.save()
	var saved := world.save()
	while body.phase() == Fixsync.PHASE_STARTUP:
		body.tick(world)
	check(body.strike(3) and not body.strike(3), "strikes once")
	equal(body.victims(), PackedInt64Array([3]), "victims")
	equal(Fixsync.body_differences(state, body.save()).size() > 2, true, "differences")
	check(body.load(state) and world.load(saved), "loaded")
	equal(body.save(), state, "state")
	refused(body.start(world, 99), false, "FixsyncBody.start: attack must be 0..%d, not 99"
		% (frames.attack_count() - 1))


func test_a_state_says_what_differs() -> void:
	var world := FixsyncWorld.create(4)
	world.add(1, BALL, Vector3i())
	var history := FixsyncHistory.create(world, 5)
	world.keep_commands(true)
	for frame in 5:
		world.move(1, Vector3i(frame, 0, 0))
		check(history.push(world, false, world.step()), "push")
	var now := world.save()
	check(history.back(3, world), "back")
	equal([world.frame(), world.position(1)], [3, Vector3i(2, 0, 0)], "then")
	refused(history.push(world, false, PackedInt64Array()), false,
		"FixsyncHistory.push: frame of the world must be 4, not 3, with room in the window (2), "
		+ "and no final frame after one that is not")
	history.settle(2)
	check(history.confirm() and history.confirm() and not history.confirm(), "each frame once")
	equal([history.frame(), history.commands().size() / 18], [1, 1], "the last one")
	equal(Fixsync.state_differences(now, world.save(), [1], ["boss"]),
		PackedStringArray(["world, frame: 5 and 3",
			"collider 1 (boss), x: 4 and 2 (0.00006 and 0.00003 units)"]), "differences")


func test_a_world_grows_for_its_hits_and_many_answers_have_ends() -> void:
	var world := FixsyncWorld.create(200, Fixsync.TOUCHING, PackedInt64Array(), null, 0)
	for id in 100:
		world.add(id, BALL, Vector3i(id, 0, 0))
	equal(world.step().size(), 4 * 4950, "all meet all")
	var query: Array[int] = [0, 0, 65536, 0, 0, -130000, 0, 0, 0, 255, 0, 0]
	var found := world.query_many(query + query)
	equal(found.slice(2, found[0]), world.query(BALL, Vector3i(-130000, 0, 0)), "the first")
	equal(found.slice(found[0], found[1]), found.slice(2, found[0]), "the second")
	var touched := Vector3i(-131072, 0, 0)
	for own: int in [Fixsync.TOUCHING, Fixsync.OVERLAPPING]:
		var one := FixsyncWorld.create(4, own)
		one.add(1, BALL, Vector3i())
		for hit_when: int in [0, Fixsync.TOUCHING, Fixsync.OVERLAPPING]:
			var is_found := (hit_when if hit_when else own) == Fixsync.TOUCHING
			var ids := PackedInt64Array([1] if is_found else [])
			equal(one.query(BALL, touched, 0, 255, 0, hit_when), ids, "its own least contact")
			equal(one.nearest(BALL, touched, 0, 1, 255, 0, hit_when), ids, "of nearest")
			var why := one.explain_query(BALL, touched, 1, 0, 255, 0, hit_when)
			equal(why[0] == 0, is_found, "and why")
	refused(world.query(BALL, touched, 0, 255, 0, 3), PackedInt64Array(),
		"FixsyncWorld.query: hit_when must be 0..2, not 3")
	equal(world.explain(1, 2)[0], 0, "a hit has no cause")
	var other := FixsyncWorld.create(200, Fixsync.TOUCHING, PackedInt64Array(), null, 0)
	check(other.load(world.save()), "a smaller world grows to load it")
	equal(other.hash(), world.hash(), "hash")
