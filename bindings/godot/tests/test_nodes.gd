extends TestSuite
## The nodes of the add-on: what they read from a scene, how they show a world.


func _shape(kind: FixsyncShape.Kind, sizes: Dictionary) -> FixsyncShape:
	var shape := FixsyncShape.new()
	shape.kind = kind
	for name: String in sizes:
		shape.set(name, sizes[name])
	return shape


func _body(shape: Shape3D, at: Vector3, turn := 0.0) -> StaticBody3D:
	var body := StaticBody3D.new()
	body.collision_layer = 4
	body.position = at
	body.rotation.y = turn
	var part := CollisionShape3D.new()
	part.shape = shape
	body.add_child(part)
	return body


func test_shapes_are_rows_of_exact_numbers() -> void:
	var capsule := _shape(FixsyncShape.Kind.CAPSULE, {"radius": "0.375", "half_height": "1.5"})
	equal(capsule.row(), Fixsync.capsule(24576, 98304), "capsule")
	var box := _shape(FixsyncShape.Kind.BOX, {"half_x": "1", "half_y": "2", "half_z": "0.1"})
	equal(box.row(), Fixsync.box(65536, 131072, 6554), "box, 0.1 is rounded")
	var sector := _shape(FixsyncShape.Kind.SECTOR, {"radius": "2", "inner_radius": "0.5"})
	equal(sector.row(), Fixsync.sector(131072, 8192, 32768, 32768), "sector")
	sector.radius = "two"
	equal(sector.radius, "2", "text that is no decimal changes nothing")
	for kind: int in FixsyncShape.Kind.values():
		sector.kind = kind as FixsyncShape.Kind
		var lines := FixsyncDraw.lines(sector.row())
		check(lines.size() > 8 and lines.size() % 2 == 0, "lines of kind %d" % kind)


func test_yaw_and_godots_angle_are_one_another() -> void:
	for yaw: int in [0, 1, 8192, 16384, 32767, 32768, 65535]:
		equal(FixsyncDraw.yaw_of(FixsyncDraw.angle_of(yaw)), yaw, "yaw")
		var way := Vector3.RIGHT.rotated(Vector3.UP, FixsyncDraw.angle_of(yaw))
		var forward := FixsyncDraw.units(Fixsync.forward(yaw, Fixsync.ONE))
		check(way.distance_to(forward) < 0.0001, "yaw %d faces %s, not %s" % [yaw, way, forward])


func test_a_collider_takes_its_place_from_integers_and_shows_it() -> void:
	var world := FixsyncWorld3D.new()
	var whole := FixsyncCollider3D.new()
	var part := FixsyncCollider3D.new()
	whole.shape = _shape(FixsyncShape.Kind.SPHERE, {"radius": "0.5"})
	part.shape = whole.shape
	whole.raw_position = Vector3i(65536, 0, -65536)
	whole.yaw = 16384
	part.raw_position = Vector3i(131072, 0, 0)
	part.position = Vector3(2, 0, 0)
	whole.add_child(part)
	world.add_child(whole)
	world.draw_colliders = true
	world.position = Vector3(7, 0, 0)
	add_child(world)
	equal([whole.id, part.id], [0, 1], "ids are given in the order of the tree")
	world.tick(PackedInt64Array([0, 0]))
	check(whole.global_position.is_equal_approx(Vector3(8, 0, -1)), "at %s" % whole.global_position)
	check(part.global_position.is_equal_approx(Vector3(8, 0, 1)), str(part.global_position))
	var query := world.stage.world.query(Fixsync.sphere(1), Vector3i(65536, 0, 65536))
	equal(query, PackedInt64Array([1]), "the part is where its node is")
	whole.set_pose(Vector3i(0, 65536, 0), 0)
	equal(part.get_raw_position(), Vector3i(0, 65536, 0), "a part moves with its whole")
	equal(world.get_child_count(true) - world.get_child_count(), 1, "lines are drawn")
	world.draw_colliders = false
	world.tick(PackedInt64Array([0, 0]))
	await get_tree().process_frame
	equal(world.get_child_count(true) - world.get_child_count(), 0, "and are not")
	world.free()


func test_places_in_the_editor_become_integers() -> void:
	var whole := FixsyncCollider3D.new()
	var part := FixsyncCollider3D.new()
	whole.position = Vector3(1.5, 0.1, -2)
	whole.rotation.y = -PI / 2
	part.position = Vector3(0.25, 0, 1)
	whole.add_child(part)
	add_child(whole)
	FixsyncPlace.sync(whole)
	equal(whole.raw_position, Vector3i(98304, 6554, -131072), "to the nearest")
	equal(whole.yaw, 16384, "-90 degrees is a quarter turn to +Z")
	equal(part.raw_position, Vector3i(16384, 0, 65536), "an offset in its whole")
	whole.free()
	# Without a world above it, a 2D scene is seen as the project is.
	var of_project: bool = ProjectSettings.get_setting(FixsyncPlace.SIDE)
	ProjectSettings.set_setting(FixsyncPlace.SIDE, false)
	var flat := FixsyncCollider2D.new()
	flat.position = Vector2(96, -32)
	flat.rotation = PI / 2
	add_child(flat)
	FixsyncPlace.sync(flat)
	equal(flat.raw_position, Vector3i(98304, 0, -32768), "64 pixels a unit, from above")
	equal(flat.yaw, 16384, "a quarter turn")
	ProjectSettings.set_setting(FixsyncPlace.SIDE, true)
	flat.scale.x = -1.0
	flat.rotation = 0.0
	FixsyncPlace.sync(flat)
	equal([flat.raw_position, flat.yaw, flat.flipped], [Vector3i(98304, 32768, 0), 32768, true],
			"from the side, mirrored")
	ProjectSettings.set_setting(FixsyncPlace.SIDE, of_project)
	flat.free()


func test_a_level_is_baked_from_bodies() -> void:
	var level := FixsyncLevel3D.new()
	var box := BoxShape3D.new()
	box.size = Vector3(2, 1, 4)
	var pillar := CylinderShape3D.new()
	pillar.radius = 0.75
	pillar.height = 3.0
	var tilted := _body(box, Vector3.ZERO)
	tilted.rotation.x = 0.3
	var rock := StaticBody3D.new()
	var polygon := CollisionPolygon3D.new()
	polygon.polygon = [
		Vector2(0, 0), Vector2(4, 0), Vector2(4, 4), Vector2(2, 1), Vector2(0, 4)]
	polygon.depth = 2.0
	rock.rotation.x = PI / 2
	rock.name = "Rock"
	rock.collision_layer = 5
	rock.add_child(polygon)
	var air := _body(SphereShape3D.new(), Vector3.ZERO)
	air.name = "Air"
	air.collision_layer = 0
	for body: Node in [
		_body(box, Vector3(1, 0.5, 2)), _body(box, Vector3.ZERO, PI / 2),
		_body(pillar, Vector3(-5, 1.5, 0)), tilted, rock, air]:
		level.add_child(body)
	add_child(level)
	level.bake()
	equal(FixsyncBake.faults.size(), 2, "the tilted one and the ball are left out")
	var baked := FixsyncLevel.create(level.solids())
	check(baked != null and baked.count() >= 5, "boxes, a pillar, a polygon in pieces")
	equal(baked.solid(0), PackedInt64Array([
		5, 2, 4, 0, 65536, 131072, 262144, 0, 262144, 0, 0, 131072, 0]), "a box is a prism")
	equal(FixsyncBake.doubts, PackedStringArray([
		"Air is on no collision layer: its solid is on 1",
		"Rock is on the collision layers 1, 3: a solid is on one, and this on 1"]), "doubts")
	equal(baked.query(Fixsync.sphere(1), Vector3i(98304, 0, 0)).size(), 3, "boxes and polygon")
	equal(baked.query(Fixsync.sphere(1), Vector3i(98304, 0, 131072)).size(), 1, "in the notch")
	var bytes := FileAccess.open("user://level.fxlevel", FileAccess.WRITE)
	bytes.store_buffer(baked.to_bytes())
	bytes.close()
	level.file = "user://level.fxlevel"
	equal(level.solids().size(), 2 * level.baked.size(), "solids of a file come before")
	level.free()


## A tile set of 32 pixels a tile: a full tile, its upper half one-way, a slope, a corner.
func _tile_set() -> TileSet:
	var tiles := TileSet.new()
	tiles.tile_size = Vector2i(32, 32)
	tiles.add_physics_layer()
	tiles.set_physics_layer_collision_layer(0, 4)
	var atlas := TileSetAtlasSource.new()
	atlas.texture = ImageTexture.create_from_image(Image.create(128, 32, false, Image.FORMAT_L8))
	atlas.texture_region_size = Vector2i(32, 32)
	tiles.add_source(atlas, 0)
	var shapes: Array[PackedVector2Array] = [
		[Vector2(-16, -16), Vector2(16, -16), Vector2(16, 16), Vector2(-16, 16)],
		[Vector2(-16, -16), Vector2(16, -16), Vector2(16, 0), Vector2(-16, 0)],
		[Vector2(-16, 16), Vector2(16, -16), Vector2(16, 16)],
		[Vector2(0, 0), Vector2(16, 0), Vector2(16, 16), Vector2(0, 16)]]
	for x in shapes.size():
		atlas.create_tile(Vector2i(x, 0))
		var tile := atlas.get_tile_data(Vector2i(x, 0), 0)
		tile.add_collision_polygon(0)
		tile.set_collision_polygon_points(0, 0, shapes[x])
		tile.set_collision_polygon_one_way(0, 0, x == 1)
	return tiles


func test_tiles_and_one_way_shapes_become_solids() -> void:
	var world := FixsyncWorld2D.new()
	world.layers = ["body", "attack", "wall", "ledge"]
	world.is_side_view = true
	world.pixels_per_unit = 32.0
	world.starts_alone = false
	var level := FixsyncLevel2D.new()
	level.name = "Level"
	level.one_way_layer = 4
	var tiles := TileMapLayer.new()
	tiles.tile_set = _tile_set()
	tiles.name = "Tiles"
	tiles.position = Vector2(0, 64)
	for x in 4:
		for y in 3:
			tiles.set_cell(Vector2i(x, y), 0, Vector2i.ZERO)
	tiles.set_cell(Vector2i(6, 0), 0, Vector2i(1, 0))
	tiles.set_cell(Vector2i(8, 0), 0, Vector2i(3, 0))
	tiles.set_cell(Vector2i(9, 0), 0, Vector2i(3, 0), TileSetAtlasSource.TRANSFORM_FLIP_H
			| TileSetAtlasSource.TRANSFORM_FLIP_V)
	tiles.set_cell(Vector2i(11, 0), 0, Vector2i(2, 0))
	level.add_child(tiles)
	var ledge := StaticBody2D.new()
	ledge.collision_layer = 4
	ledge.position = Vector2(-64, 0)
	var part := CollisionShape2D.new()
	part.name = "Plank"
	part.shape = RectangleShape2D.new()
	part.shape.size = Vector2(32, 8)
	part.one_way_collision = true
	ledge.add_child(part)
	level.add_child(ledge)
	world.add_child(level)
	add_child(world)
	level.bake()
	var u := 65536
	equal(FixsyncBake.doubts, PackedStringArray(), "doubts")
	equal(FixsyncBake.faults, PackedStringArray([
		"Tiles: 1 polygons of its tiles: from the side a solid is an upright rectangle"]), "a slope")
	var baked := FixsyncLevel.create(level.solids())
	equal(baked.count(), 5, "twelve tiles are one solid, and four more")
	for row: Array in [
		[Vector3i(2 * u, -4 * u, 0), 2, "the middle of the tiles"],
		[Vector3i(u / 16, -2 * u - u / 16, 0), 2, "their upper left corner"],
		[Vector3i(4 * u + u / 16, -3 * u, 0), -1, "beside them"],
		[Vector3i(6 * u + u / 2, -2 * u - u / 4, 0), 3, "the one-way tile"],
		[Vector3i(6 * u + u / 2, -2 * u - 3 * u / 4, 0), -1, "below its half"],
		[Vector3i(8 * u + 3 * u / 4, -2 * u - 3 * u / 4, 0), 2, "a lower right corner"],
		[Vector3i(8 * u + u / 4, -2 * u - u / 4, 0), -1, "not its upper left one"],
		[Vector3i(9 * u + u / 4, -2 * u - u / 4, 0), 2, "flipped"],
		[Vector3i(9 * u + 3 * u / 4, -2 * u - 3 * u / 4, 0), -1, "not its lower right one"],
		[Vector3i(-2 * u, 0, 0), 3, "the one-way body"]]:
		var found := baked.query(Fixsync.sphere(1), row[0])
		equal(baked.solid(found[0] - Fixsync.LEVEL)[1] if found.size() == 1 else -1, row[1], row[2])
	# A character jumps through the plank, and stands on it.
	var walker := FixsyncCharacter2D.new()
	walker.shape = _shape(FixsyncShape.Kind.BOX, {"half_x": "0.25", "half_y": "0.25"})
	walker.one_way = ["ledge"]
	walker.raw_position = Vector3i(-2 * u, -2 * u, 0)
	world.add_child(walker)
	world.start()
	walker.move(Vector3i(0, 4 * u, 0))
	equal(walker.get_raw_position().y, 2 * u, "through it")
	walker.move(Vector3i(0, -4 * u, 0))
	check(walker.is_on_floor() and walker.get_raw_position().y > 0, "and on it")
	level.one_way_layer = 0
	level.bake()
	equal(FixsyncBake.doubts.size(), 2, "one-way without a layer: %s" % FixsyncBake.doubts)
	world.is_side_view = false
	level.one_way_layer = 4
	level.bake()
	equal(FixsyncBake.faults, PackedStringArray(), "from above a slope is a solid")
	world.free()


func test_a_body_that_cannot_be_a_solid_says_why() -> void:
	for d: int in [2, 3]:
		for way: Array in [
			["skewed", "upright rectangle", 2], ["not finite", "finite", 23], ["far", "32767", 23],
			["flat", "scale of 0", 23], ["sheared", "sheared", 3], ["oval", "unevenly", 3],
			["thin", "no area", 3]]:
			if not str(d) in str(way[2]):
				continue
			var level: Node = FixsyncLevel2D.new() if d == 2 else FixsyncLevel3D.new()
			var world: Node = FixsyncWorld2D.new() if d == 2 else FixsyncWorld3D.new()
			var body: Node = StaticBody2D.new() if d == 2 else StaticBody3D.new()
			var part: Node = CollisionShape2D.new() if d == 2 else CollisionShape3D.new()
			if d == 2:
				world.is_side_view = true
				part.shape = RectangleShape2D.new()
			else:
				part.shape = BoxShape3D.new() if way[0] != "oval" else CylinderShape3D.new()
			world.starts_alone = false
			part.name = "Part"
			body.collision_layer = 4
			body.add_child(part)
			level.add_child(body)
			world.add_child(level)
			add_child(world)
			match way[0]:
				"skewed":
					body.skew = 0.5
				"not finite":
					body.position.y = INF
				"far":
					body.position.x = 1e9
				"flat":
					body.scale.x = 1e-5
				"sheared":
					body.transform.basis = Basis(Vector3(1, 0.5, 0), Vector3.UP, Vector3(0, 0, 1))
				"oval":
					body.scale.x = 2.0
				"thin":
					part.shape.size.x = 0.0
			level.bake()
			equal(FixsyncBake.faults.size(), 1, "%s: %s" % [way[0], FixsyncBake.faults])
			var said := "\n".join(FixsyncCheck.warnings(level))
			check("Part" in said and way[1] in said, "%s in %dD: %s" % [way[0], d, said])
			equal(level.solids().size(), 0, way[0] + ": solids")
			world.free()


func test_a_view_of_two_dimensions_from_above_and_from_the_side() -> void:
	for is_side: bool in [false, true]:
		var world := FixsyncWorld2D.new()
		world.is_side_view = is_side
		world.pixels_per_unit = 32.0
		world.position = Vector2(100, 50)
		var level := FixsyncLevel2D.new()
		var body := StaticBody2D.new()
		body.collision_layer = 4
		body.position = Vector2(0, 64)
		var part := CollisionShape2D.new()
		part.shape = RectangleShape2D.new()
		part.shape.size = Vector2(320, 64)
		body.add_child(part)
		level.add_child(body)
		world.add_child(level)
		var walker := FixsyncCharacter2D.new()
		walker.shape = _shape(FixsyncShape.Kind.BOX, {})
		walker.raw_position = Vector3i(0, 65536, 0) if is_side else Vector3i.ZERO
		world.add_child(walker)
		world.starts_alone = false
		add_child(world)
		level.bake()
		world.start()
		equal(FixsyncBake.faults.size(), 0, "nothing is left out")
		# Down the screen: the wall stops it, at a raw unit from its face or less.
		walker.move(Vector3i(0, -655360, 0) if is_side else Vector3i(0, 0, 655360))
		var stop := walker.get_raw_position()
		check(walker.is_on_floor() if is_side else walker.is_on_wall(), "stopped at %s" % stop)
		world.tick(PackedInt64Array([0, 0]))
		var foot := walker.position.y + 16.0
		check(absf(foot - 32.0) < 0.1, "its lower edge is at %f" % foot)
		world.free()


func test_why_names_the_causes() -> void:
	var world := FixsyncWorld3D.new()
	for x: int in [0, 3]:
		var ball := FixsyncCollider3D.new()
		ball.shape = _shape(FixsyncShape.Kind.SPHERE, {"radius": "1"})
		ball.raw_position = Vector3i(x * 65536, 0, 0)
		world.add_child(ball)
	world.get_child(1).starts_active = false
	add_child(world)
	var text := world.why(0, 1)
	var causes := "beside: they would meet if 0 were 1 unit thicker; 1 is not active"
	equal(text, "0 and 1 are not a hit: %s." % causes, "every cause")
	world.collider(1).set_active(true)
	world.collider(1).set_pose(Vector3i(65536, 0, 0), 0)
	equal(world.why(0, 1), "0 and 1 are a hit.", "a hit")
	check(not world.why(0, 99).is_empty(), "an id that is not there")
	world.free()


func test_the_editors_answer_is_that_of_the_scene_as_it_begins() -> void:
	var duel := TestDuel.new()
	var world := duel.world
	var text := FixsyncWhy.of_nodes(world, world.get_node("Red/Blade"), world.get_node("Blue"))
	check("Blade is not active" in text and "beyond the radius" in text, text)
	duel.free()


func test_a_level_that_was_never_baked_is_a_warning_and_no_error() -> void:
	var ear := TestEar.new()
	OS.add_logger(ear)
	for dimensions: int in [2, 3]:
		var world: Node = FixsyncWorld2D.new() if dimensions == 2 else FixsyncWorld3D.new()
		var level: Node = FixsyncLevel2D.new() if dimensions == 2 else FixsyncLevel3D.new()
		var body: Node = StaticBody2D.new() if dimensions == 2 else StaticBody3D.new()
		body.add_child(CollisionShape2D.new() if dimensions == 2 else CollisionShape3D.new())
		level.name = "Level"
		level.add_child(body)
		world.add_child(level)
		world.draw_colliders = true
		add_child(world)
		world.tick(PackedInt64Array([0, 0]))
		world.free()
	OS.remove_logger(ear)
	var text := ("Level has bodies and no solids: enable the plugin, and save its scene; a script"
			+ " calls bake before the world starts")
	equal(ear.heard, PackedStringArray([text, text]), "warnings")


func test_a_part_that_is_drawn_elsewhere_is_a_warning() -> void:
	var fighter := FixsyncCharacter3D.new()
	var sword := FixsyncCollider3D.new()
	for node: FixsyncCollider3D in [fighter, sword]:
		node.shape = FixsyncShape.new()
	fighter.raw_position = Vector3i(65536, 0, 0)
	fighter.position = Vector3(1, 0, 0)
	fighter.add_child(sword)
	sword.name = "Sword"
	sword.raw_position = Vector3i(65536, 0, -16384)
	sword.position = Vector3(1, 0.25, 0)
	sword.owner = fighter
	var packed := PackedScene.new()
	packed.pack(fighter)
	fighter.free()
	var world := FixsyncWorld3D.new()
	for i in 2:
		world.add_child(packed.instantiate())
	for node in world.get_children():
		node.owner = world
	equal(FixsyncPlace.sync(world), PackedStringArray(["Sword: open , and save it"]),
			"once for two instances")
	var ear := TestEar.new()
	OS.add_logger(ear)
	add_child(world)
	OS.remove_logger(ear)
	equal(ear.heard.size(), 2, "warnings: %s" % ear.heard)
	check("Sword is drawn at (65536, 16384, 0) and begins at (65536, 0, -16384)" in ear.heard[0],
			ear.heard[0])
	world.free()
