@tool
class_name FixsyncView2D
extends RefCounted
## How the plane of a screen lies in a world: seen from above, the screen's (x, y) are the world's
## (x, z); seen from the side, they are (x, -y). Yaw turns as a screen's rotation does from above.
## From the side a yaw of 32768 faces left, and mirrors what is drawn.

var pixels := 64.0  ## Of a unit.
var is_side := false  ## Whether the screen shows the world from the side.


## The view of the FixsyncWorld2D above a node; in a scene without one, that of the project's
## settings fixsync/2d, which the plugin keeps: 64 pixels a unit, from above.
static func of(node: Node) -> FixsyncView2D:
	var view := FixsyncView2D.new()
	while node != null and not node is FixsyncWorld2D:
		node = node.get_parent()
	if node != null:
		view.pixels = node.get(&"pixels_per_unit")
		view.is_side = node.get(&"is_side_view")
	else:
		view.pixels = ProjectSettings.get_setting(FixsyncPlace.PIXELS, 64.0)
		view.is_side = ProjectSettings.get_setting(FixsyncPlace.SIDE, false)
	return view


## The place on the screen of a raw position.
func screen(raw: Vector3i) -> Vector2:
	return Vector2(raw.x, -raw.y if is_side else raw.z) * (pixels / 65536.0)


## The transform of a node at a place.
func transform(raw: Vector3i, yaw: int) -> Transform2D:
	if not is_side:
		return Transform2D(TAU * yaw / 65536.0, screen(raw))
	var is_left := (yaw + 16384 & 65535) > 32768
	return Transform2D(Vector2(-1.0 if is_left else 1.0, 0.0), Vector2.DOWN, screen(raw))


## The nearest raw position. `depth` is kept on the axis that the screen does not have.
func raw(screen_position: Vector2, depth: int) -> Vector3i:
	var plane := Vector2i((screen_position * (65536.0 / pixels)).round())
	return Vector3i(plane.x, -plane.y, depth) if is_side else Vector3i(plane.x, depth, plane.y)


## The closed lines of a shape, a row of numbers, around its collider, in pixels.
func lines(row: PackedInt64Array) -> Array[PackedVector2Array]:
	var found := FixsyncDraw.side(row) if is_side else FixsyncDraw.above(row)
	for i in found.size():
		found[i] = Transform2D().scaled(Vector2(pixels, pixels)) * found[i]
	return found
