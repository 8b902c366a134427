@tool
class_name FixsyncDraw
extends RefCounted
## Lines of shapes, for the editor and for debug drawing. Drawing alone: nothing here decides a
## hit.
##
## A shape is its row, as FixsyncShape.row gives it.

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


## The lines of a shape at the origin with yaw 0, as a mesh of the colour of its material.
static func mesh(shape: PackedInt64Array) -> ArrayMesh:
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = lines(shape)
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
	var found: Array[PackedVector2Array] = [plan(shape)]
	if shape[0] == Fixsync.SECTOR and shape[2] == Fixsync.TURN / 2 and _inner(shape) > 0:
		found.append(_arc(0.0, TAU, _inner(shape)))
	return found


## The closed line of a shape seen from the side, in a screen's units, with y down.
static func side(shape: PackedInt64Array) -> Array[PackedVector2Array]:
	var line := PackedVector2Array()
	var high := _high(shape)
	if shape[0] == Fixsync.SPHERE or shape[0] == Fixsync.CAPSULE:
		for point in _arc(0.0, TAU, shape[1]):
			line.append(point + Vector2(0.0, signf(point.y) * high))
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
	var points := PackedVector2Array()
	if shape[0] == Fixsync.BOX:
		var half := Vector2(shape[1], shape[3]) / 65536.0
		points = [half, Vector2(-half.x, half.y), -half, Vector2(half.x, -half.y)]
	elif shape[0] == Fixsync.SECTOR and shape[2] < Fixsync.TURN / 2:
		var half := TAU * shape[2] / 65536.0
		points = _arc(-half, half, shape[1])
		if _inner(shape) > 0:
			var inner := _arc(-half, half, _inner(shape))
			inner.reverse()
			points.append_array(inner)
		else:
			points.append(Vector2.ZERO)
	else:
		points = _arc(0.0, TAU, shape[1])
	points.append(points[0])
	return points


## The lines of a shape in space, in pairs of points.
static func lines(shape: PackedInt64Array) -> PackedVector3Array:
	var pairs := PackedVector3Array()
	var high := _high(shape)
	for height: float in [0.0] if shape[0] == Fixsync.SPHERE else [-high, high]:
		for ring in above(shape):
			_ring(pairs, ring, height)
	if shape[0] == Fixsync.SPHERE or shape[0] == Fixsync.CAPSULE:
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


static func _high(shape: PackedInt64Array) -> float:
	match shape[0]:
		Fixsync.SPHERE:
			return 0.0
		Fixsync.SECTOR:
			return shape[3] / 65536.0
	return shape[2] / 65536.0


static func _inner(shape: PackedInt64Array) -> int:
	return shape[4] if shape.size() > 4 else 0


static func _arc(from: float, to: float, radius: int) -> PackedVector2Array:
	var points := PackedVector2Array()
	var whole := _SMALL_ARC if radius < Fixsync.ONE else _ARC
	var pieces := maxi(1, ceili(whole * (to - from) / TAU))
	for i in pieces + 1:
		points.append(Vector2.from_angle(lerpf(from, to, float(i) / pieces)) * (radius / 65536.0))
	return points


static func _ring(pairs: PackedVector3Array, points: PackedVector2Array, height: float) -> void:
	for i in points.size() - 1:
		pairs.append_array([
			Vector3(points[i].x, height, points[i].y),
			Vector3(points[i + 1].x, height, points[i + 1].y)])
