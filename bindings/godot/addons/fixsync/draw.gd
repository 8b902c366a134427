@tool
class_name FixsyncDraw
extends RefCounted
## Lines of shapes, for the editor and for debug drawing. Drawing alone: nothing here decides a
## hit.
##
## A shape is its row, as FixsyncShape.row gives it.

const LEVEL := Color(0.5, 0.6, 0.9)  ## The colour of the lines of a level.
const _ARC := 24  # pieces of a whole circle
const _SMALL_ARC := 16  # of one below a unit: lines cost most of a frame


## Godot's angle about Y, in radians, for a yaw. Yaw turns +X to +Z, and Godot turns +X to -Z.
static func angle_of(yaw: int) -> float:
	return -TAU * yaw / 65536.0


## The yaw that is nearest to a Godot angle about Y. For the editor: a game keeps yaws.
static func yaw_of(angle: float) -> int:
	return posmod(roundi(-angle * 65536.0 / TAU), 65536)


## A raw position in Godot's units.
static func units(raw: Vector3i) -> Vector3:
	return Vector3(raw) / 65536.0


## The raw position that is nearest. For the editor: a game keeps raw positions.
static func raw(place: Vector3) -> Vector3i:
	return Vector3i((place * 65536.0).round())


## The colour of the lines of a collider.
static func colour(active: bool, hits: bool) -> Color:
	return Color.GRAY if not active else Color.RED if hits else Color.GREEN


## The row of the shape of a collider, whose row of FixsyncWorld.colliders begins at an index.
static func shape_of(rows: PackedInt64Array, at: int) -> PackedInt64Array:
	var row := PackedInt64Array([rows[at + 1]])
	var next := at + 13
	for size: StringName in FixsyncShape.SIZES[rows[at + 1]]:
		if size == &"half_angle":
			row.append(rows[at + 5])
		else:
			row.append(rows[next])
			next += 1
	return row


## Draws the 2D colliders of a scene over the viewport of the editor, which draws its rulers after
## that, on the same control.
static func over(overlay: Control, root: Node) -> void:
	for node in FixsyncPlace.colliders(root):
		var shape: FixsyncShape = node.get(&"shape")
		if node is Node2D and shape != null:
			overlay.draw_set_transform_matrix(
					node.get_viewport_transform() * node.get_global_transform())
			for line in FixsyncView2D.of(node).lines(shape.row()):
				overlay.draw_polyline(line, colour(node.get(&"starts_active"), false))
	overlay.draw_set_transform_matrix(Transform2D.IDENTITY)


## Pairs of points as a mesh of lines, of the colour of its material.
static func mesh(pairs: PackedVector3Array) -> ArrayMesh:
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = pairs
	var made := ArrayMesh.new()
	made.add_surface_from_arrays(Mesh.PRIMITIVE_LINES, arrays)
	return made


## A material for lines: unshaded.
static func material() -> StandardMaterial3D:
	var made := StandardMaterial3D.new()
	made.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	made.vertex_color_use_as_albedo = true
	return made


## The closed lines of a shape seen from above, in units; x is along yaw 0.
static func above(shape: PackedInt64Array) -> Array[PackedVector2Array]:
	var seen := _outline(shape)
	var found: Array[PackedVector2Array] = [_closed(seen, 0, seen[2])]
	if seen[3] > 0:
		found.append(_closed(seen, seen[2], seen[3]))
	return found


## The closed line of a shape seen from the side, in a screen's units, with y down.
static func side(shape: PackedInt64Array) -> Array[PackedVector2Array]:
	var line := PackedVector2Array()
	var high := _high(shape)
	if shape[0] in FixsyncShape.ROUND:
		var around := plan(shape)
		var half := around.size() / 2
		for i in half + 1:
			line.append(around[i] + Vector2(0.0, high))
		for i in range(half, around.size()):
			line.append(around[i] - Vector2(0.0, high))
	else:
		var box := Rect2()
		for point in plan(shape):
			box = box.expand(point)
		line = [
			Vector2(box.position.x, -high), Vector2(box.end.x, -high),
			Vector2(box.end.x, high), Vector2(box.position.x, high)]
	line.append(line[0])
	return [line]


## The outline of a shape seen from above, as a closed line; x is along yaw 0.
static func plan(shape: PackedInt64Array) -> PackedVector2Array:
	return above(shape)[0]


## The lines of a shape in space, in pairs of points.
static func lines(shape: PackedInt64Array) -> PackedVector3Array:
	var pairs := PackedVector3Array()
	var high := _high(shape)
	for height: float in [0.0] if high == 0.0 else [-high, high]:
		for ring in above(shape):
			_ring(pairs, ring, height)
	if shape[0] in FixsyncShape.ROUND:
		for turn: float in [0.0, TAU / 4]:
			var around := PackedVector3Array()
			for point in side(shape)[0]:
				around.append(Vector3(point.x, point.y, 0.0).rotated(Vector3.UP, turn))
			for i in around.size() - 1:
				pairs.append_array([around[i], around[i + 1]])
		return pairs
	var corners := plan(shape)
	for i in range(0, corners.size(), 1 if corners.size() < 6 else maxi(1, corners.size() / 4)):
		var corner := Vector3(corners[i].x, high, corners[i].y)
		pairs.append_array([corner, Vector3(corner.x, -high, corner.z)])
	return pairs


## Half the height of a shape, of a round one without its ends.
static func _high(shape: PackedInt64Array) -> float:
	var ends := shape[1] if shape[0] in FixsyncShape.ROUND else 0
	return (_outline(shape)[1] - ends) / 65536.0


## y_low, y_high, the numbers of vertices of the outside and of the hole; the vertices.
static func _outline(shape: PackedInt64Array) -> PackedInt64Array:
	var segments := _SMALL_ARC if shape[1] < Fixsync.ONE else _ARC
	var seen := Fixsync.outline(shape, Vector3i.ZERO, 0, segments)
	return seen if seen.size() > 4 else PackedInt64Array([0, 0, 1, 0, 0, 0])  # an invalid shape


static func _closed(seen: PackedInt64Array, first: int, count: int) -> PackedVector2Array:
	var points := PackedVector2Array()
	for i in count + 1:
		var at := 4 + 2 * (first + i % count)
		points.append(Vector2(seen[at], seen[at + 1]) / 65536.0)
	return points


static func _ring(pairs: PackedVector3Array, points: PackedVector2Array, height: float) -> void:
	for i in points.size() - 1:
		pairs.append_array([
			Vector3(points[i].x, height, points[i].y),
			Vector3(points[i + 1].x, height, points[i + 1].y)])
