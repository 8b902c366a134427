extends TestSuite
## Nodes that join and leave a match: spawned, freed and added, also in frames that are taken back.

const LATE := 8
const FRAMES := 400


## Flies, and is gone after some frames or when it hits.
class Ball:
	extends FixsyncCollider3D
	var left := 40
	var speed := 0

	func _fixsync_state() -> Array[StringName]:
		return [&"left", &"speed"]

	func _fixsync_tick(_frame: int, _inputs: PackedInt64Array) -> void:
		left -= 1
		set_pose(get_raw_position() + Vector3i(speed, 0, 0), get_yaw())
		if left == 0:
			stage.host.despawn(self)

	func _fixsync_hit(_mine: int, other: int, kind: int, _contact: int) -> void:
		var target := stage.nodes.get(other) as Target
		if kind == Fixsync.ENTER and target != null:
			target.health -= 1
			stage.host.despawn(self)


class Target:
	extends FixsyncCollider3D
	var health := 1000
	var place := 0

	func _fixsync_state() -> Array[StringName]:
		return [&"health", &"place"]

	func _fixsync_tick(_frame: int, inputs: PackedInt64Array) -> void:
		place = (place + inputs[1]) % 200
		set_pose(Vector3i(4 * 65536, 0, (place - 100) * 1024), 0)


## Throws balls as its player says: by spawn, or as a beginner does, by add_child.
class Thrower:
	extends Node
	var world: FixsyncWorld3D
	var scene: PackedScene
	var adds := false
	var thrown := 0

	func _fixsync_state() -> Array[StringName]:
		return [&"thrown"]

	func _fixsync_tick(_frame: int, inputs: PackedInt64Array) -> void:
		if inputs[1] % 5 != 0:
			return
		thrown += 1
		var ball: Ball
		if adds:
			ball = scene.instantiate()
			ball.speed = 8000
			world.add_child(ball)
		else:
			ball = world.spawn(scene, Vector3i(0, 0, (thrown % 5 - 2) * 20000), 0,
					7 + inputs[1] % 3)
			ball.speed = 8000 + 500 * (thrown % 3)


class Play:
	extends Node
	var world := FixsyncWorld3D.new()
	var scene := PackedScene.new()
	var thrower := Thrower.new()
	var reported := PackedStringArray()
	var heard := PackedStringArray()

	func _init() -> void:
		var shape := FixsyncShape.new()
		var ball := Ball.new()
		ball.shape = shape
		ball.layer = "attack"
		scene.pack(ball)
		ball.free()
		var target := Target.new()
		target.name = "Target"
		target.shape = shape
		world.add_child(target)
		target.hit_entered.connect(func(other: Node) -> void:
			heard.append("in %s %s" % [other is Ball, is_instance_valid(other)]))
		target.hit_exited.connect(func(other: Node) -> void:
			heard.append("out %s" % [other is Ball]))
		thrower.world = world
		thrower.scene = scene
		world.add_child(thrower)
		world.pairs = PackedStringArray(["body attack"])
		world.starts_alone = false
		world.record = true
		add_child(world)
		world.hit_entered.connect(func(f: int, a: int, b: int, _c: int) -> void:
			reported.append("%d in %d %d" % [f, a, b]))
		world.hit_exited.connect(func(f: int, a: int, b: int) -> void:
			reported.append("%d out %d %d" % [f, a, b]))
		world.frame_confirmed.connect(func(f: int, hash: int) -> void:
			reported.append("%d %d" % [f, hash]))

	## Plays with the second player's inputs `late` frames late. outside(frame) makes changes.
	func play(frames: int, late: int, outside := Callable()) -> Play:
		world.start()
		var random := FixsyncRandom.create(11)
		var keys := PackedInt64Array()
		for frame in frames + late:
			if frame < frames:
				keys.append(random.below(64))
				if outside.is_valid():
					outside.call(frame)
				TestLate.put(world, 0, frame, 0)
			if frame >= late:
				TestLate.put(world, 1, frame - late, keys[frame - late])
			TestLate.play_to(world, mini(frame, frames - 1))
		world.end_log()
		return self


func _start() -> Play:
	var play := Play.new()
	add_child(play)
	return play


func _same(straight: Play, rolled: Play, what: String) -> void:
	check(straight.reported.size() > FRAMES, what + ": too few signals")
	check(rolled.reported == straight.reported, what + ": signals or hashes differ")
	check(rolled.heard == straight.heard, what + ": signals of nodes differ")
	var log := straight.world.take_log()
	check(rolled.world.take_log() == log, what + ": logs differ")
	var file := FileAccess.open("user://%s.jsonl" % what.replace(" ", "_"), FileAccess.WRITE)
	file.store_string(log)
	file.close()


func test_what_rules_spawn_and_despawn_rolls_back() -> void:
	for adds: bool in [false, true]:
		var straight := _start()
		var rolled := _start()
		straight.thrower.adds = adds
		rolled.thrower.adds = adds
		straight.play(FRAMES, 0)
		rolled.play(FRAMES, LATE)
		_same(straight, rolled, "add_child" if adds else "spawn")
		check(straight.heard.size() > 20, "%d heard" % straight.heard.size())
		check(straight.heard.has("in true true"), "the other node of a hit")
		check(straight.heard.has("out true"), "it is there until its hit has ended")
		await get_tree().process_frame
		var counts: Array[int] = []
		for play: Play in [straight, rolled]:
			counts.append(play.world.find_children("*", "", true, false).size())
			equal(play.world.stage.world.count(), play.world.stage.nodes.size(), "no collider alone")
		equal(counts[0], counts[1], "nodes that are left")
		straight.free()
		rolled.free()


func test_a_spawned_node_is_the_same_after_its_frame_was_taken_back() -> void:
	var play := _start()
	play.world.start()
	var spawned := {}
	play.world.child_entered_tree.connect(func(node: Node) -> void:
		if node is Ball:
			spawned[node.get_instance_id()] = true)
	for frame in 9:
		TestLate.put(play.world, 0, frame, 0)
		TestLate.play_to(play.world, frame)  # the other's input is predicted: 0, which throws
	var before := spawned.size()
	for frame in 9:
		TestLate.put(play.world, 1, frame, 10 if frame < 4 else 3)
	TestLate.play_to(play.world, 8)
	equal(before, 9, "a ball a frame was predicted")
	equal(spawned.size(), 9, "none was made again")
	await get_tree().process_frame
	var balls := 0
	for node in play.world.get_children():
		balls += int(node is Ball)
	equal(balls, 4, "those that were wrong are gone")
	equal(play.world.stage.world.count(), 5, "and their colliders")
	play.free()


func test_changes_from_outside_belong_to_a_frame() -> void:
	var plays: Array[Play] = []
	for late: int in [0, LATE]:
		var play := _start()
		var made: Array[Node] = []
		play.play(FRAMES, late, func(frame: int) -> void:
			if frame == 50:
				made.append(play.world.spawn(play.scene, Vector3i(3, 4, 5), 0))
				made[0].speed = 100
				made[0].left = 300
			elif frame == 60:
				var wall := FixsyncCollider3D.new()
				wall.shape = FixsyncShape.new()
				wall.raw_position = Vector3i(200000, 0, 0)
				play.world.add_child(wall)
			elif frame == 150:
				play.world.despawn(made[0]))
		plays.append(play)
	_same(plays[0], plays[1], "from outside")
	for play in plays:
		play.free()


func test_a_node_that_is_freed_leaves_without_a_crash() -> void:
	var play := _start()
	var part := FixsyncCollider3D.new()
	part.shape = FixsyncShape.new()
	play.world.get_node("Target").add_child(part)
	play.world.start()
	for frame in 30:
		if frame == 5:
			part.free()
		elif frame == 10:
			play.world.get_node("Target").queue_free()
			await get_tree().process_frame
		elif frame == 20:
			play.thrower.queue_free()
			await get_tree().process_frame
		play.world.tick(PackedInt64Array([1, 1]))
		if frame == 5:
			equal(play.world.stage.world.count(), 1, "a part")
		elif frame == 10:
			equal(play.world.stage.world.count(), 0, "its collider left in the next frame")
	equal(play.world.confirmed(), 30, "frames")
	play.free()


func test_a_node_that_is_freed_while_frames_are_predicted_is_warned_of_and_plays_on() -> void:
	var play := _start()
	play.world.start()
	for frame in 30:
		if frame == 10:
			play.world.get_node("Target").queue_free()
			await get_tree().process_frame
		TestLate.put(play.world, 0, frame, 1)
		if frame >= 8:
			TestLate.put(play.world, 1, frame - 8, frame % 7)
		TestLate.play_to(play.world, frame)
	equal(play.world.head(), 30, "frames")
	check(play.world.confirmed() > 20, "confirmed")
	play.free()


func test_a_node_that_is_moved_in_the_tree_stays_in_the_match() -> void:
	var play := _start()
	play.world.start()
	var group := Node3D.new()
	play.world.add_child(group)
	var target: Node = play.world.get_node("Target")
	for frame in 5:
		if frame == 2:
			target.reparent(group)
		play.world.tick(PackedInt64Array([1, 1]))
	equal(play.world.stage.nodes[0], target, "the same id")
	check(target.global_position.distance_to(FixsyncDraw.units(target.get_raw_position())) < 0.001,
			"it stands at %s" % target.global_position)
	play.free()


func test_ids_are_the_least_free_ones_and_rest_for_a_frame() -> void:
	var play := _start()
	play.thrower.free()
	var rule := Rule.new()
	rule.world = play.world
	rule.scene = play.scene
	play.world.add_child(rule)
	play.world.start()
	for frame in 4:
		play.world.tick(PackedInt64Array([1, 1]))
	equal(rule.seen, PackedInt64Array([1, 2, 1]), "ids")
	play.free()


## Spawns, then despawns and spawns in one frame, then spawns.
class Rule:
	extends Node
	var world: FixsyncWorld3D
	var scene: PackedScene
	var seen := PackedInt64Array()
	var first: Node

	func _fixsync_tick(frame: int, _inputs: PackedInt64Array) -> void:
		if frame == 1:
			world.despawn(first)
		if frame < 3:
			var ball: Ball = world.spawn(scene, Vector3i(0, 500000, 0))
			seen.append(ball.id)
			if frame == 0:
				first = ball


## Despawns the target unless the second player holds a key.
class Remover:
	extends Node
	var world: FixsyncWorld3D

	func _fixsync_tick(_frame: int, inputs: PackedInt64Array) -> void:
		var target: FixsyncCollider3D = world.get_node("Target")
		if inputs[1] == 0 and target.is_in_match():
			world.despawn(target)


func test_a_despawn_that_was_predicted_wrong_comes_back_without_a_warning() -> void:
	var play := _start()
	play.thrower.free()
	var remover := Remover.new()
	remover.world = play.world
	play.world.add_child(remover)
	play.world.start()
	var target: FixsyncCollider3D = play.world.get_node("Target")
	for frame in 3:
		TestLate.put(play.world, 0, frame, 0)
		TestLate.play_to(play.world, frame)
	check(not target.visible and not target.is_in_match(), "it is out")
	var ear := TestEar.new()
	OS.add_logger(ear)
	for frame in 3:
		TestLate.put(play.world, 1, frame, 1)
	TestLate.play_to(play.world, 2)
	OS.remove_logger(ear)
	check(target.visible and target.is_in_match() and target.can_process(), "it is back")
	equal(ear.heard, PackedStringArray(), "warnings")
	play.free()


func test_two_worlds_do_not_know_each_other() -> void:
	var plays: Array[Play] = [_start(), _start()]
	var alone := _start()
	for play: Play in plays + [alone]:
		play.world.start()
	for frame in 60:
		for play: Play in plays + [alone]:
			play.world.tick(PackedInt64Array([frame % 7, frame % 7]))
	equal(plays[0].reported, plays[1].reported, "equal worlds")
	equal(plays[0].reported, alone.reported, "and one alone")
	plays[0].free()
	plays[1].world.tick(PackedInt64Array([0, 0]))
	equal(plays[1].world.confirmed(), 61, "the other goes on")
	plays[1].free()
	alone.free()


func test_a_scene_change_in_the_middle() -> void:
	var holder := Node3D.new()
	var packed := PackedScene.new()
	packed.pack(holder)
	holder.free()
	var play := _start()
	remove_child(play)
	get_tree().root.add_child(play)
	get_tree().current_scene = play
	play.world.start()
	var left := [false]
	play.world.frame_confirmed.connect(func(frame: int, _hash: int) -> void:
		if frame == 2:
			left[0] = true
			get_tree().change_scene_to_packed(packed))
	for frame in 5:
		if is_instance_valid(play):
			play.world.tick(PackedInt64Array([5, 5]))
	await get_tree().process_frame
	await get_tree().process_frame
	check(left[0] and not is_instance_valid(play), "the old scene is gone")
	equal(get_tree().current_scene is Node3D, true, "the new one is there")
	get_tree().current_scene.free()


func test_a_spawned_scene_brings_all_its_colliders_to_its_place() -> void:
	var shape := FixsyncShape.new()
	var root := Node3D.new()
	var post := FixsyncCollider3D.new()
	post.shape = shape
	post.raw_position = Vector3i(65536, 0, 0)
	post.position = Vector3(1, 0, 0)
	root.add_child(post)
	post.owner = root
	var packed := PackedScene.new()
	packed.pack(root)
	root.free()
	var world := FixsyncWorld3D.new()
	world.players = 1
	world.position = Vector3(0, 9, 0)
	add_child(world)
	var trap := world.spawn(packed, Vector3i(2, 0, 3) * 65536, 16384)
	for frame in 3:
		if frame == 2:
			world.despawn(trap)
		world.tick(PackedInt64Array([0]))
		if frame == 0:
			var id: int = trap.get_child(0).id
			equal(world.stage.world.position(id), Vector3i(2, 0, 4) * 65536, "its collider")
			equal(world.stage.world.yaw(id), 16384, "turned")
			var drawn: Vector3 = trap.get_child(0).global_position
			check(drawn.distance_to(Vector3(2, 9, 4)) < 0.001, "drawn at %s" % drawn)
	equal(world.stage.world.count(), 0, "it is out")
	await get_tree().process_frame
	check(not is_instance_valid(trap), "and freed")
	world.free()


func test_a_scene_that_is_spawned_facing_left_is_mirrored() -> void:
	var fighter := FixsyncCharacter2D.new()
	var sword := FixsyncCollider2D.new()
	for node: FixsyncCollider2D in [fighter, sword]:
		node.shape = FixsyncShape.new()
	sword.raw_position = Vector3i(65536, 0, 0)
	sword.position = Vector2(64, 0)
	fighter.add_child(sword)
	sword.owner = fighter
	var packed := PackedScene.new()
	packed.pack(fighter)
	fighter.free()
	var world := FixsyncWorld2D.new()
	world.is_side_view = true
	world.players = 1
	add_child(world)
	var left: FixsyncCharacter2D = world.spawn(packed, Vector3i(0, 65536, 0), 32768, 5)
	world.tick(PackedInt64Array([0]))
	check(left.flipped, "it faces left")
	equal(world.stage.world.owner(left.get_child(0).id), 5, "the owner of a part")
	var found := world.stage.world.query(Fixsync.sphere(1), Vector3i(-65536, 65536, 0))
	check(left.get_child(0).id in found, "the sword strikes left")
	check(absf(left.get_child(0).global_position.x + 64.0) < 0.01, "and is drawn there")
	left.flipped = false
	world.tick(PackedInt64Array([0]))
	check(absf(left.get_child(0).global_position.x - 64.0) < 0.01, "turned, it is drawn right")
	world.free()
