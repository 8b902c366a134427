extends TestSuite
## Plays the scenes that the editor saved (editor/editor.gd).


func _open(name: String) -> Node:
	var root: Node = load("res://made/%s.tscn" % name).instantiate()
	add_child(root)
	return root


func test_each_property_is_that_of_the_editor() -> void:
	for dimensions: int in [2, 3]:
		var root := _open("properties_%dd" % dimensions)
		var wanted: Dictionary = FileAccess.open(
				"res://made/properties_%dd.txt" % dimensions, FileAccess.READ).get_var()
		for key: String in wanted:
			var node := root.get_node(key.get_slice(":", 0))
			equal(var_to_str(node.get(key.get_slice(":", 1))), wanted[key], key)
		var world: Node = root.get_node("World")
		world.start()
		var fighter: Node = world.get_node("Fighter")
		equal(fighter.mover.row().slice(0, 2), PackedInt64Array([5, 6]), "id and mask of its mover")
		equal(world.stage.world.layer(7), 1, "layer")
		equal(world.stage.world.owner(7), 4, "owner")
		root.free()


func test_scenes_in_scenes_are_where_they_are_drawn() -> void:
	for dimensions: int in [2, 3]:
		var root := _open("outer_%dd" % dimensions)
		var world: Node = root.get_node("World")
		var kernel: FixsyncWorld = world.stage.world
		equal(kernel.position(world.get_node("Left/Trap").id), Vector3i(-8, 6, 0) * 65536, "left")
		equal(kernel.position(world.get_node("Right/Trap").id), Vector3i(8, 6, 0) * 65536, "right")
		equal(kernel.position(world.get_node("Tower/Trap").id), Vector3i(33, 7, 0) * 65536, "tower")
		# Floors of 4 x 1 at (1, -0.5) of each: the middle of the right one is at 9.
		var middles: Array[int] = []
		for index in world.stage.level.count():
			var seen: PackedInt64Array = world.stage.level.outline(index)
			equal([seen[0], seen[1]], [4 * 65536, 5 * 65536], "heights of a floor")
			middles.append(mini(seen[4], mini(seen[6], seen[8])) + 131072)
		middles.sort()
		equal(middles, [-9 * 65536, 9 * 65536, 31 * 65536], "the middles of the floors")
		world.tick(PackedInt64Array([0, 0]))
		for name: String in ["Left", "Right", "Tower"]:
			var trap: Node = world.get_node(name + "/Trap")
			var now: Variant = trap.get_global_transform()
			var raw: Vector3i = kernel.position(trap.id)
			var drawn: Vector3i = FixsyncPlace.pose_from(
					now, FixsyncView2D.of(trap), 0)[0]
			check((drawn - raw).length() < 100.0, "%s is drawn at %s, not %s" % [name, drawn, raw])
		root.free()


func test_left_strikes_left() -> void:
	var root := _open("left")
	var world: FixsyncWorld2D = root.get_node("World")
	world.tick(PackedInt64Array([0, 0]))
	for name: String in ["Right", "Mirrored", "Flipped"]:
		var fighter: FixsyncCharacter2D = world.get_node(name)
		var at := 98304 if name == "Right" else -98304
		var sword: FixsyncCollider2D = fighter.get_node("Sword")
		var found := world.stage.world.query(Fixsync.sphere(1), Vector3i(at, 32768, 0))
		check(sword.id in found, "%s: the sword is not in %s" % [name, found])
		check(absf(sword.global_position.x - at / 1024.0) < 0.1, "%s: drawn at %s"
				% [name, sword.global_position])
		equal(fighter.flipped, name != "Right", name + " faces left")
	var right: FixsyncCharacter2D = world.get_node("Right")
	right.flipped = true
	equal([right.get_yaw(), right.flipped], [32768, true], "turned in the match")
	for frame in 2:
		world.tick(PackedInt64Array([0, 0]))
	check(right.global_transform.x.x < 0.0, "drawn mirrored")
	root.free()


func test_a_copy_plays_where_it_was_put() -> void:
	for dimensions: int in [2, 3]:
		var root := _open("undo_%dd" % dimensions)
		var world: Node = root.get_node("World")
		equal(world.get_node("Twin").get_raw_position(), Vector3i(-196608, 65536, 0), "the copy")
		equal(world.get_node("Fighter").get_raw_position(), Vector3i(131072, 65536, 0), "the other")
		root.free()
