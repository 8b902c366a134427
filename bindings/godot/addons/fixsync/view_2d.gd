@tool
class_name FixsyncView2D
extends RefCounted
## How the plane of a screen lies in a world: seen from above, the screen's (x, y) are the world's
## (x, z); seen from the side, they are (x, -y). Yaw turns as a screen's rotation does from above.

var pixels := 64.0  ## Of a unit.
var is_side := false  ## Whether the screen shows the world from the side.


## The view of the FixsyncWorld2D above a node; without one, 64 pixels a unit, from above.
static func of(node: Node) -> FixsyncView2D:
	var view := FixsyncView2D.new()
	while node != null and not node is FixsyncWorld2D:
		node = node.get_parent()
	if node != null:
		view.pixels = node.pixels_per_unit
		view.is_side = node.is_side_view
	return view


## The place on the screen of a raw position.
func screen(raw: Vector3i) -> Vector2:
	return Vector2(raw.x, -raw.y if is_side else raw.z) * (pixels / 65536.0)


## The nearest raw position. `depth` is kept on the axis that the screen does not have.
func raw(screen_position: Vector2, depth: int) -> Vector3i:
	var plane := Vector2i((screen_position * (65536.0 / pixels)).round())
	return Vector3i(plane.x, -plane.y, depth) if is_side else Vector3i(plane.x, depth, plane.y)


## The closed lines of a shape around its collider, in pixels.
func lines(shape: FixsyncShape) -> Array[PackedVector2Array]:
	var row := shape.row()
	var found := FixsyncDraw.side(row) if is_side else FixsyncDraw.above(row)
	for i in found.size():
		found[i] = Transform2D().scaled(Vector2(pixels, pixels)) * found[i]
	return found
