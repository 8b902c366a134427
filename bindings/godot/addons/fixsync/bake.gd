@tool
class_name FixsyncBake
extends RefCounted
## Turns static bodies into the solids of a level, in the editor.
##
## Floats become raw numbers here, once, and the bytes are saved with the scene: no machine that
## plays the game computes them again.

## Why the last bake left something out, a line for each.
static var faults := PackedStringArray()
## Bodies of the last bake that are on more than one collision layer, or on none, a line for each.
static var doubts := PackedStringArray()


## Bakes the bodies under a level node into it, and its place.
static func bake(level: Node) -> void:
	var root := level.owner
	var place: Variant = level.transform
	if level != root:
		place = FixsyncPlace.within(level, FixsyncPlace.frame_of(level, root))
	var view := FixsyncView2D.of(level)
	var pose := FixsyncPlace.pose_from(place, view, 0)
	var solids := PackedInt64Array()
	if level is Node3D:
		var upright := Transform3D(
				Basis(Vector3.UP, FixsyncDraw.angle_of(pose[1])), FixsyncDraw.units(pose[0]))
		solids = solids_3d(level, upright.affine_inverse() * place)
	else:
		var upright := view.transform(pose[0], pose[1])
		solids = solids_2d(
				level, upright.affine_inverse() * place, view.pixels, view.is_side,
				Fixsync.nearest(level.get(&"low")) / 65536.0,
				Fixsync.nearest(level.get(&"high")) / 65536.0)
		level.set(&"baked_view", _numbers_of(view))
	level.set(&"baked", solids)
	if pose != FixsyncPlace.own(level):
		level.set_meta(
				FixsyncPlace.META, PackedInt64Array([pose[0].x, pose[0].y, pose[0].z, pose[1]]))
	for fault in faults:
		push_warning("%s: not in the level: %s" % [level.name, fault])
	for doubt in doubts:
		push_warning("%s: %s" % [level.name, doubt])


static func _numbers_of(view: FixsyncView2D) -> PackedInt64Array:
	return [roundi(view.pixels * 65536.0), int(view.is_side)]


## The solids of a level node, relative to it: those of its file, then the baked ones.
static func solids_of(level: Node) -> PackedInt64Array:
	var rows := read(level.file)
	rows.append_array(level.baked)
	return rows


## The solids of a level node where they are in its world.
static func placed(level: Node) -> PackedInt64Array:
	var view := FixsyncView2D.of(level)
	if level is Node2D and not level.baked.is_empty() and level.baked_view != _numbers_of(view):
		push_error("%s was baked for %s pixels a unit, seen from the %s: open its scene, and save it"
				% [level.name, level.baked_view[0] / 65536, ["top", "side"][level.baked_view[1]]]
				if level.baked_view.size() == 2 else "%s: bake it again" % level.name)
	if solids_of(level).is_empty() and not _bodies(level).is_empty():
		push_warning("%s has bodies and no solids: enable the plugin, and save its scene; a script"
				% level.name + " calls bake before the world starts")
	var frame := FixsyncPlace.frame_of(level)
	while frame != null and not FixsyncPlace.is_world(frame):
		var is_still: bool = frame.get(&"transform") in [Transform2D(), Transform3D(), null]
		if not is_still and not FixsyncPlace.is_collider(frame) \
				and not frame.has_meta(FixsyncPlace.META):
			push_warning(("%s is moved, and its level %s is not: enable the plugin, and save the scene"
					+ " that it is in") % [frame.name, level.name])
		frame = FixsyncPlace.frame_of(frame)
	var pose := FixsyncPlace.pose_of(level)
	var rows := solids_of(level)
	if pose == [Vector3i.ZERO, 0]:
		return rows
	var moved := PackedInt64Array()
	var at := 0
	while at < rows.size():
		var count := rows[at + 2]
		var low: int = rows[at + 3] + pose[0].y
		var high: int = rows[at + 4] + pose[0].y
		var points: Array[Vector2i] = []
		for i in maxi(1, count):
			var point := Vector3i(rows[at + 5 + 2 * i], 0, rows[at + 6 + 2 * i])
			point = FixsyncPlace.turned(point, pose[1]) + pose[0]
			points.append(Vector2i(point.x, point.z))
		if count == 0:
			_add(moved, level, FixsyncLevel.pillar(
				points[0].x, points[0].y, rows[at + 7], low, high, rows[at + 1]))
			at += 8
		else:
			_prism_of(moved, level, rows[at + 1], low, high, points)
			at += 5 + 2 * count
	return moved


## The solids of all static bodies and areas under a node. An upright box or polygon becomes
## a prism, a cylinder a solid cylinder. A concave polygon becomes several prisms.
static func solids_3d(root: Node, place := Transform3D()) -> PackedInt64Array:
	faults.clear()
	doubts.clear()
	var solids := PackedInt64Array()
	for node in _bodies(root):
		var body: CollisionObject3D = node.get_parent()
		var at: Transform3D = place * FixsyncPlace.within(node, root)
		var layer := _layer(body)
		if node is CollisionPolygon3D:
			_polygon_3d(solids, node, at, layer)
		elif not node is CollisionShape3D or node.shape == null:
			faults.append("%s has no shape" % node.name)
		elif not at.basis.y.normalized().is_equal_approx(Vector3.UP):
			faults.append("%s is tilted: a solid stands upright" % node.name)
		elif node.shape is BoxShape3D:
			var half: Vector3 = node.shape.size / 2.0
			var corners := PackedVector2Array()
			for sign: Vector2 in [Vector2(1, 1), Vector2(-1, 1), Vector2(-1, -1), Vector2(1, -1)]:
				var corner := at * Vector3(half.x * sign.x, 0.0, half.z * sign.y)
				corners.append(Vector2(corner.x, corner.z))
			var height := half.y * at.basis.y.length()
			_prism(solids, node, layer, at.origin.y - height, at.origin.y + height, corners)
		elif node.shape is CylinderShape3D:
			var height: float = node.shape.height / 2.0 * at.basis.y.length()
			_add(solids, node, FixsyncLevel.pillar(
				_q(at.origin.x), _q(at.origin.z), _q(node.shape.radius * at.basis.x.length()),
				_q(at.origin.y - height), _q(at.origin.y + height), layer))
		else:
			faults.append("%s: %s is no box, cylinder or polygon"
					% [node.name, node.shape.get_class()])
	return solids


## The same in 2D. Seen from above, yaw turns from x towards y, and all solids reach from low
## to high. Seen from the side, y is height, and only boxes that are not turned can stand upright.
static func solids_2d(
	root: Node, place: Transform2D, pixels: float, side: bool, low: float, high: float
) -> PackedInt64Array:
	faults.clear()
	doubts.clear()
	var solids := PackedInt64Array()
	for node in _bodies(root):
		var at: Transform2D = place * FixsyncPlace.within(node, root)
		var layer := _layer(node.get_parent())
		var polygon := PackedVector2Array()
		if node is CollisionPolygon2D:
			polygon = node.polygon
		elif node is CollisionShape2D and node.shape is RectangleShape2D:
			var half: Vector2 = node.shape.size / 2.0
			polygon = [-half, Vector2(half.x, -half.y), half, Vector2(-half.x, half.y)]
		elif node is CollisionShape2D and node.shape is CircleShape2D and not side:
			_add(solids, node, FixsyncLevel.pillar(
				_q(at.origin.x / pixels), _q(at.origin.y / pixels),
				_q(node.shape.radius * at.x.length() / pixels), _q(low), _q(high), layer))
			continue
		else:
			faults.append("%s is no rectangle, circle or polygon of this view" % node.name)
			continue
		polygon = at * polygon
		for i in polygon.size():
			polygon[i] /= pixels
		if not side:
			_polygon(solids, node, layer, low, high, polygon)
		elif node is CollisionShape2D and is_zero_approx(sin(2.0 * at.get_rotation())):
			var box := Rect2(polygon[0], Vector2.ZERO)
			for point in polygon:
				box = box.expand(point)
			_prism(solids, node, layer, -box.end.y, -box.position.y, [
				Vector2(box.end.x, high), Vector2(box.position.x, high),
				Vector2(box.position.x, low), Vector2(box.end.x, low)])
		else:
			faults.append("%s: from the side a solid is an unturned rectangle" % node.name)
	return solids


## The solids of a file of a level; none for an empty path.
static func read(path: String) -> PackedInt64Array:
	var rows := PackedInt64Array()
	if not path.is_empty():
		var level := FixsyncLevel.from_bytes(FileAccess.get_file_as_bytes(path))
		for index in level.count() if level != null else 0:
			rows.append_array(level.solid(index))
	return rows


static func _bodies(root: Node) -> Array[Node]:
	var found: Array[Node] = []
	for type: String in [
		"CollisionShape3D", "CollisionPolygon3D", "CollisionShape2D", "CollisionPolygon2D"]:
		found.append_array(root.find_children("*", type, true, false))
	return found.filter(func(node: Node) -> bool:
		var body := node.get_parent()
		return not node.disabled and (
				body is StaticBody3D or body is Area3D or body is StaticBody2D or body is Area2D))


# The lowest of the body's collision layers; Godot's layer 1 is layer 0.
static func _layer(body: Node) -> int:
	var on := PackedStringArray()
	for layer in 32:
		if body.collision_layer & 1 << layer:
			on.append(str(layer + 1))
	if on.size() != 1:
		doubts.append("%s is on the collision layers %s: a solid is on one, and this on %s"
				% [body.name, "1 to 32" if on.size() == 32 else ", ".join(on), on[0]]
				if on.size() > 1 else "%s is on no collision layer: its solid is on 1" % body.name)
	return 0 if on.is_empty() else int(on[0]) - 1


static func _q(units: float) -> int:
	return roundi(units * 65536.0)


# A polygon in the plane of its node that is as deep as the node says: its own z must be upright.
static func _polygon_3d(
	solids: PackedInt64Array, node: CollisionPolygon3D, at: Transform3D, layer: int) -> void:
	if not is_equal_approx(absf(at.basis.z.normalized().y), 1.0):
		faults.append("%s: turn the polygon flat, by 90 degrees about x" % node.name)
		return
	var half := node.depth / 2.0 * at.basis.z.length()
	var polygon := PackedVector2Array()
	for point in node.polygon:
		var corner := at * Vector3(point.x, point.y, 0.0)
		polygon.append(Vector2(corner.x, corner.z))
	_polygon(solids, node, layer, at.origin.y - half, at.origin.y + half, polygon)


static func _polygon(
	solids: PackedInt64Array, node: Node, layer: int, low: float, high: float,
	polygon: PackedVector2Array) -> void:
	var pieces := Geometry2D.decompose_polygon_in_convex(polygon)
	if pieces.is_empty():
		faults.append("%s: its edges cross" % node.name)
	for piece in pieces:
		_prism(solids, node, layer, low, high, piece)


# A prism: raw vertices counterclockwise from +X to +Z, without those that are on an edge.
static func _prism(
	solids: PackedInt64Array, node: Node, layer: int, low: float, high: float,
	polygon: PackedVector2Array) -> void:
	var points: Array[Vector2i] = []
	for point in polygon:
		points.append(Vector2i(_q(point.x), _q(point.y)))
	_prism_of(solids, node, layer, _q(low), _q(high), points)


static func _prism_of(
	solids: PackedInt64Array, node: Node, layer: int, low: int, high: int,
	points: Array[Vector2i]) -> void:
	var area := 0
	for i in points.size():
		area += _cross(points[0], points[i], points[(i + 1) % points.size()])
	if area < 0:
		points.reverse()
	var i := 0
	while i < points.size() and points.size() > 2:
		var n := points.size()
		if _cross(points[(i + n - 1) % n], points[i], points[(i + 1) % n]) > 0:
			i += 1
		else:
			points.remove_at(i)
			i = maxi(0, i - 1)
	var flat := PackedInt64Array()
	for point in points:
		flat.append_array([point.x, point.y])
	_add(solids, node, FixsyncLevel.prism(flat, low, high, layer))


static func _add(solids: PackedInt64Array, node: Node, solid: PackedInt64Array) -> void:
	if solid.is_empty():
		faults.append("%s: %s" % [node.name, Fixsync.take_error()])
	solids.append_array(solid)


static func _cross(a: Vector2i, b: Vector2i, c: Vector2i) -> int:
	return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
