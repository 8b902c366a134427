extends TestSuite
## The rules of the demo: a fighter that leaves the stage is out, once, however often that was
## predicted.

const LATE := 8


class Play:
	extends Node
	var world: FixsyncWorld2D
	var red: DemoFighter
	var seen := PackedStringArray()
	var predicted := 0
	var taken_back := 0

	func _init() -> void:
		var scene: Node = load("res://match.tscn").instantiate()
		scene.set_script(null)  # the line, the keys, the labels
		world = scene.get_node("World")
		red = world.get_node("Red")
		red.damage = 50
		world.game_event.connect(func(f: int, kind: int, a: int, _b: int, value: int) -> void:
			seen.append("%d: %d of %d is %d" % [f, kind, a, value]))
		world.frame_confirmed.connect(func(f: int, hash: int) -> void:
			seen.append("%d %d" % [f, hash]))
		world.hit_predicted.connect(func(_f: int, _a: int, _b: int, kind: int, _c: int) -> void:
			predicted += int(kind == DemoFighter.KO))
		world.hit_taken_back.connect(func(_f: int, _a: int, _b: int, kind: int, _c: int) -> void:
			taken_back += int(kind == DemoFighter.KO))
		add_child(scene)

	func _ready() -> void:
		world.start()

	## Plays frames with red's inputs `late` frames late.
	func play(frames: int, late: int, keys: Callable) -> void:
		for frame in frames + late:
			if frame < frames:
				TestLate.put(world, 1, frame, 0)
			if frame >= late:
				TestLate.put(world, 0, frame - late, keys.call(frame - late))
			TestLate.play_to(world, mini(frame, frames - 1))


func _outs(seen: PackedStringArray) -> Array[String]:
	var found: Array[String] = []
	for line in seen:
		if ":" in line:
			found.append(line)
	return found


func test_a_fighter_that_falls_is_out_and_begins_above_its_start() -> void:
	var play := Play.new()
	add_child(play)
	var frame := 0
	while play.red.kos == 0 and frame < 400:
		play.world.tick(PackedInt64Array([DemoFighter.Keys.LEFT, 0]))
		frame += 1
	check(frame > 20 and frame < 400, "out after %d frames" % frame)
	equal(_outs(play.seen), ["%d: %d of 0 is 1" % [frame - 1, DemoFighter.KO]], "the event")
	equal(play.red.get_raw_position(), play.red.start_position + Vector3i(0, 4 * 65536, 0), "place")
	equal([play.red.damage, play.red.stun, play.red.velocity, play.red.flipped],
			[0, 0, Vector3i.ZERO, false], "as at the start")
	play.free()


func test_who_is_out_is_told_once_when_the_frame_is_confirmed() -> void:
	var plays: Array[Play] = [Play.new(), Play.new()]
	var keys := func(frame: int) -> int:
		# It runs left, but turns round while it is over the edge: what is predicted is wrong.
		return DemoFighter.Keys.LEFT if frame % 90 < 55 else DemoFighter.Keys.RIGHT
	for i in 2:
		add_child(plays[i])
		plays[i].play(600, LATE * i, keys)
	check(_outs(plays[0].seen).size() >= 2, "%s" % [_outs(plays[0].seen)])
	check(plays[0].seen == plays[1].seen, "signals or hashes differ: %s, %s"
			% [_outs(plays[0].seen), _outs(plays[1].seen)])
	check(plays[1].predicted >= _outs(plays[1].seen).size(), "none was predicted")
	var stayed: int = plays[1].predicted - plays[1].taken_back
	equal(stayed, _outs(plays[1].seen).size(), "those that stayed")
	equal(plays[1].red.kos, plays[0].red.kos, "what red keeps")
	for play in plays:
		play.free()


func test_an_out_that_was_predicted_wrong_is_taken_back() -> void:
	var edge := Play.new()
	add_child(edge)
	edge.play(400, 0, func(_frame: int) -> int: return DemoFighter.Keys.LEFT)
	var first := int(_outs(edge.seen)[0].get_slice(":", 0))
	edge.free()
	var play := Play.new()
	add_child(play)
	# It turns round, and jumps, shortly before it is out; that arrives after.
	play.play(first + 2, LATE, func(frame: int) -> int:
		return 1 if frame < first - 4 else DemoFighter.Keys.RIGHT | DemoFighter.Keys.JUMP)
	check(play.predicted > 0, "it was predicted")
	equal(play.taken_back, play.predicted, "and taken back")
	equal(play.red.kos, 0, "kos")
	equal(_outs(play.seen), [] as Array[String], "no event")
	play.free()
