extends TestSuite
## What is drawn, read from the picture. It needs a screen: run ./test, which has a virtual one.


class Overlay:
	extends Control
	var root: Node

	func _draw() -> void:
		FixsyncDraw.over(self, root)
		draw_rect(Rect2(0, 0, 8, 8), Color.BLUE)  # as the editor draws its rulers


## The picture of a node in a viewport of 256 x 256 pixels.
func _picture(node: Node) -> Image:
	var viewport := SubViewport.new()
	viewport.size = Vector2i(256, 256)
	viewport.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	viewport.add_child(node)
	add_child(viewport)
	for i in 3:
		await RenderingServer.frame_post_draw
	var picture := viewport.get_texture().get_image()
	viewport.free()
	return picture


## The smallest rectangle around all pixels that are near to a colour.
func _seen(picture: Image, colour: Color) -> Rect2i:
	var seen := Rect2i()
	for y in picture.get_height():
		for x in picture.get_width():
			var at := picture.get_pixel(x, y)
			if Vector3(at.r - colour.r, at.g - colour.g, at.b - colour.b).length() < 0.1:
				var pixel := Rect2i(x, y, 1, 1)
				seen = pixel if seen.size == Vector2i.ZERO else seen.merge(pixel)
	return seen


func _near(got: Rect2i, want: Rect2i, what: String) -> void:
	var off := maxi(
			(got.position - want.position).abs()[(got.position - want.position).abs().max_axis_index()],
			(got.end - want.end).abs()[(got.end - want.end).abs().max_axis_index()])
	check(got.size != Vector2i.ZERO and off <= 2, "%s: %s, not %s" % [what, got, want])


func _box() -> FixsyncShape:
	var shape := FixsyncShape.new()
	shape.kind = FixsyncShape.Kind.BOX
	return shape


func _body(dimensions: int) -> Node:
	var body: Node = StaticBody2D.new() if dimensions == 2 else StaticBody3D.new()
	var part: Node = CollisionShape2D.new() if dimensions == 2 else CollisionShape3D.new()
	if dimensions == 2:
		part.shape = RectangleShape2D.new()
		part.shape.size = Vector2(128, 64)
		body.position = Vector2(128, 192)
	else:
		part.shape = BoxShape3D.new()
		part.shape.size = Vector3(4, 1, 2)
	body.collision_layer = 4
	body.add_child(part)
	return body


func test_what_the_editor_draws_after_the_colliders_is_where_it_belongs() -> void:
	var root := Node2D.new()
	var collider := FixsyncCollider2D.new()
	collider.shape = _box()
	collider.position = Vector2(160, 96)
	root.add_child(collider)
	var overlay := Overlay.new()
	overlay.root = root
	root.add_child(overlay)
	var picture := await _picture(root)
	_near(_seen(picture, Color.GREEN), Rect2i(128, 64, 64, 64), "the collider")
	_near(_seen(picture, Color.BLUE), Rect2i(0, 0, 8, 8), "what follows")


func test_draw_colliders_draws_the_level_of_2d() -> void:
	for is_side: bool in [false, true]:
		var world := FixsyncWorld2D.new()
		world.is_side_view = is_side
		world.draw_colliders = true
		world.starts_alone = false
		var level := FixsyncLevel2D.new()
		level.add_child(_body(2))
		world.add_child(level)
		var collider := FixsyncCollider2D.new()
		collider.shape = _box()
		collider.raw_position = Vector3i(2, -1, 0) * 65536 if is_side else Vector3i(2, 0, 1) * 65536
		world.add_child(collider)
		add_child(world)
		level.bake()
		world.start()
		world.tick(PackedInt64Array([0, 0]))
		remove_child(world)
		var picture := await _picture(world)
		_near(_seen(picture, FixsyncDraw.LEVEL), Rect2i(64, 160, 128, 64), "the level")
		_near(_seen(picture, Color.GREEN), Rect2i(96, 32, 64, 64), "the collider")


func test_draw_colliders_draws_the_level_of_3d() -> void:
	var world := FixsyncWorld3D.new()
	world.draw_colliders = true
	world.starts_alone = false
	var level := FixsyncLevel3D.new()
	level.add_child(_body(3))
	world.add_child(level)
	var camera := Camera3D.new()
	camera.projection = Camera3D.PROJECTION_ORTHOGONAL
	camera.size = 8.0  # units: 32 pixels each
	camera.position.z = 20.0
	world.add_child(camera)
	add_child(world)
	level.bake()
	world.start()
	world.tick(PackedInt64Array([0, 0]))
	remove_child(world)
	var picture := await _picture(world)
	_near(_seen(picture, FixsyncDraw.LEVEL), Rect2i(64, 112, 128, 32), "the level")
