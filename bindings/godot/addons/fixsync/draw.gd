@tool
class_name FixsyncDraw
extends RefCounted
## Lines of shapes, for the editor and for debug drawing. Drawing alone: nothing here decides a
## hit.

const _ARC := 32  # pieces of a whole circle

static var _meshes := {}  # row of a shape: its lines; colour: its material


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
static func raw(units: Vector3) -> Vector3i:
	return Vector3i((units * 65536.0).round())


## The lines of a shape at the origin with yaw 0, in pairs of points; equal shapes share a mesh.
static func mesh(shape: FixsyncShape) -> ArrayMesh:
	var key := shape.row()
	if not _meshes.has(key):
		var arrays := []
		arrays.resize(Mesh.ARRAY_MAX)
		arrays[Mesh.ARRAY_VERTEX] = lines(shape)
		_meshes[key] = ArrayMesh.new()
		_meshes[key].add_surface_from_arrays(Mesh.PRIMITIVE_LINES, arrays)
	return _meshes[key]


## The colour of the lines of a collider.
static func colour(active: bool, hits: bool) -> Color:
	return Color.GRAY if not active else Color.RED if hits else Color.GREEN


## A material of that colour, unshaded.
static func material(active: bool, hits: bool) -> StandardMaterial3D:
	var key := colour(active, hits)
	if not _meshes.has(key):
		_meshes[key] = StandardMaterial3D.new()
		_meshes[key].shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
		_meshes[key].albedo_color = key
	return _meshes[key]


## The closed lines of a shape seen from above, in units; x is along yaw 0.
static func above(shape: FixsyncShape) -> Array[PackedVector2Array]:
	var found: Array[PackedVector2Array] = [plan(shape)]
	if shape.kind == FixsyncShape.Kind.SECTOR and shape.half_angle == 32768:
		if shape.sizes()[2] > 0:
			found.append(_arc(0.0, TAU, shape.sizes()[2]))
	return found


## The closed line of a shape seen from the side, in a screen's units, with y down.
static func side(shape: FixsyncShape) -> Array[PackedVector2Array]:
	var size := shape.sizes()
	var line := PackedVector2Array()
	var high: float = size[1] / 65536.0 if size.size() > 1 else 0.0
	if shape.kind == FixsyncShape.Kind.SPHERE or shape.kind == FixsyncShape.Kind.CAPSULE:
		for point in _arc(0.0, TAU, size[0]):
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
static func plan(shape: FixsyncShape) -> PackedVector2Array:
	var size := shape.sizes()
	var points := PackedVector2Array()
	if shape.kind == FixsyncShape.Kind.BOX:
		var half := Vector2(size[0], size[2]) / 65536.0
		points = [half, Vector2(-half.x, half.y), -half, Vector2(half.x, -half.y)]
	elif shape.kind == FixsyncShape.Kind.SECTOR and shape.half_angle < 32768:
		var half := TAU * shape.half_angle / 65536.0
		points = _arc(-half, half, size[0])
		if size[2] > 0:
			var inner := _arc(-half, half, size[2])
			inner.reverse()
			points.append_array(inner)
		else:
			points.append(Vector2.ZERO)
	else:
		points = _arc(0.0, TAU, size[0])
	points.append(points[0])
	return points


## The lines of a shape in space, in pairs of points.
static func lines(shape: FixsyncShape) -> PackedVector3Array:
	var size := shape.sizes()
	var pairs := PackedVector3Array()
	var high := (size[0] if shape.kind == FixsyncShape.Kind.SPHERE else size[1]) / 65536.0
	if shape.kind == FixsyncShape.Kind.SPHERE or shape.kind == FixsyncShape.Kind.CAPSULE:
		var middle := 0.0 if shape.kind == FixsyncShape.Kind.SPHERE else high
		for height: float in [-middle, middle]:
			_ring(pairs, plan(shape), height)
		for turn: float in [0.0, TAU / 4]:
			var side := PackedVector3Array()
			for point in _arc(0.0, TAU, size[0]):
				side.append(Vector3(point.x, point.y + signf(point.y) * middle, 0.0)
						.rotated(Vector3.UP, turn))
			for i in side.size():
				pairs.append_array([side[i], side[(i + 1) % side.size()]])
		return pairs
	for height: float in [-high, high]:
		for ring in above(shape):
			_ring(pairs, ring, height)
	var corners := plan(shape)
	for i in range(0, corners.size(), 1 if corners.size() < 6 else maxi(1, corners.size() / 4)):
		var corner := Vector3(corners[i].x, high, corners[i].y)
		pairs.append_array([corner, Vector3(corner.x, -high, corner.z)])
	return pairs


static func _arc(from: float, to: float, radius: int) -> PackedVector2Array:
	var points := PackedVector2Array()
	var pieces := maxi(1, ceili(_ARC * (to - from) / TAU))
	for i in pieces + 1:
		points.append(Vector2.from_angle(lerpf(from, to, float(i) / pieces)) * (radius / 65536.0))
	return points


static func _ring(pairs: PackedVector3Array, points: PackedVector2Array, height: float) -> void:
	for i in points.size() - 1:
		pairs.append_array([
			Vector3(points[i].x, height, points[i].y),
			Vector3(points[i + 1].x, height, points[i + 1].y)])
