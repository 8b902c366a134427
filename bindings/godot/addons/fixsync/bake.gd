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
	var pose := _pose_of(level)
	level.set(&"baked", solids_under(level))
	if level is Node2D:
		level.set(&"baked_view", _numbers_of(FixsyncView2D.of(level)))
	if pose != FixsyncPlace.own(level):
		level.set_meta(
				FixsyncPlace.META, PackedInt64Array([pose[0].x, pose[0].y, pose[0].z, pose[1]]))
	for fault in faults:
		push_warning("%s: not in the level: %s" % [level.name, fault])
	for doubt in doubts:
		push_warning("%s: %s" % [level.name, doubt])


static func _place_of(level: Node) -> Variant:
	if level == level.owner:
		return level.call(&"get_transform")
	return FixsyncPlace.within(level, FixsyncPlace.frame_of(level, level.owner))


static func _pose_of(level: Node) -> Array:
	var place: Variant = _place_of(level)
	var view := FixsyncView2D.of(level)
	return FixsyncPlace.pose_from(place, view, 0) if FixsyncPlace.is_placed(place, view.pixels) else [
		Vector3i.ZERO, 0]


## The solids of the bodies under a level node, relative to it; faults and doubts are those of it.
static func solids_under(level: Node) -> PackedInt64Array:
	var place: Variant = _place_of(level)
	var view := FixsyncView2D.of(level)
	var pose := _pose_of(level)
	if level is Node3D:
		var upright := Transform3D(
				Basis(Vector3.UP, FixsyncDraw.angle_of(pose[1])), FixsyncDraw.units(pose[0]))
		return solids_3d(level, upright.affine_inverse() * place)
	return solids_2d(
			level, view.transform(pose[0], pose[1]).affine_inverse() * place, view.pixels,
			view.is_side, Fixsync.nearest(level.get(&"low")) / 65536.0,
			Fixsync.nearest(level.get(&"high")) / 65536.0, level.get(&"one_way_layer"))


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
	if solids_of(level).is_empty() and not (_bodies(level).is_empty()
			and level.find_children("*", "TileMapLayer", true, false).is_empty()):
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
		if not _is_placed(root, node, at, 1.0):
			continue
		var layer := _layer(body)
		var flat := Vector2(at.basis.x.y, at.basis.z.y)
		if node is CollisionPolygon3D:
			_polygon_3d(solids, node, at, layer)
		elif not node is CollisionShape3D or node.shape == null:
			faults.append("%s has no shape" % node.name)
		elif not at.basis.y.normalized().is_equal_approx(Vector3.UP):
			faults.append("%s is tilted: a solid stands upright" % node.name)
		elif not flat.is_zero_approx():
			faults.append("%s is sheared: a solid stands upright" % node.name)
		elif node.shape is BoxShape3D:
			var half: Vector3 = node.shape.size / 2.0
			var corners := PackedVector2Array()
			for sign: Vector2 in [Vector2(1, 1), Vector2(-1, 1), Vector2(-1, -1), Vector2(1, -1)]:
				var corner := at * Vector3(half.x * sign.x, 0.0, half.z * sign.y)
				corners.append(Vector2(corner.x, corner.z))
			var height := half.y * at.basis.y.length()
			_prism(solids, node, layer, at.origin.y - height, at.origin.y + height, corners)
		elif not node.shape is CylinderShape3D:
			faults.append("%s: %s is no box, cylinder or polygon"
					% [node.name, node.shape.get_class()])
		elif _is_round(node, Vector2(at.basis.x.x, at.basis.x.z), Vector2(at.basis.z.x, at.basis.z.z)):
			var height: float = node.shape.height / 2.0 * at.basis.y.length()
			_pillar(
					solids, node, Vector2(at.origin.x, at.origin.z),
					node.shape.radius * at.basis.x.length(), at.origin.y - height,
					at.origin.y + height, layer)
	return solids


## The same in 2D, with the tiles of each TileMapLayer. Seen from above, yaw turns from x towards y,
## and all solids reach from low to high. Seen from the side, y is height, and only upright
## rectangles are solids. one_way_layer: the collision layer of shapes with one_way_collision; 0:
## that of their body.
static func solids_2d(
	root: Node, place: Transform2D, pixels: float, side: bool, low: float, high: float,
	one_way_layer := 0
) -> PackedInt64Array:
	faults.clear()
	doubts.clear()
	var shrink := Transform2D().scaled(Vector2.ONE / pixels)
	var solids := PackedInt64Array()
	for node in _bodies(root):
		var at: Transform2D = place * FixsyncPlace.within(node, root)
		if not _is_placed(root, node, at, pixels):
			continue
		var layer := _layer(node.get_parent())
		if node.one_way_collision:
			layer = _one_way(node, at, side, one_way_layer, layer)
		if node is CollisionPolygon2D:
			_flat(solids, node, layer, low, high, shrink * at * node.polygon, side)
		elif node.shape is RectangleShape2D:
			var half: Vector2 = node.shape.size / 2.0
			var corners := PackedVector2Array([
				-half, Vector2(half.x, -half.y), half, Vector2(-half.x, half.y)])
			_flat(solids, node, layer, low, high, shrink * at * corners, side)
		elif not node.shape is CircleShape2D or side:
			faults.append("%s is no rectangle, circle or polygon of this view" % node.name)
		elif _is_round(node, at.x, at.y):
			_pillar(
					solids, node, at.origin / pixels, node.shape.radius * at.x.length() / pixels,
					low, high, layer)
	for tiles: TileMapLayer in root.find_children("*", "TileMapLayer", true, false):
		var at: Transform2D = place * FixsyncPlace.within(tiles, root)
		if tiles.tile_set != null and tiles.enabled and tiles.collision_enabled \
				and _is_placed(root, tiles, at, pixels):
			_tiles(solids, tiles, shrink * at, side, low, high, one_way_layer)
	for tiles in root.find_children("*", "TileMap", true, false):
		faults.append("%s is a TileMap: make TileMapLayer nodes of it" % tiles.name)
	return solids


# The polygons of the cells of a layer. Rectangles that make a larger one become one solid.
static func _tiles(
	solids: PackedInt64Array, tiles: TileMapLayer, at: Transform2D, side: bool, low: float,
	high: float, one_way_layer: int) -> void:
	var boxes := {}  # layer: boxes
	var odd := 0
	var cells := tiles.get_used_cells()
	cells.sort_custom(func(a: Vector2i, b: Vector2i) -> bool:
		return a.y < b.y or a.y == b.y and a.x < b.x)
	for index in tiles.tile_set.get_physics_layers_count():
		var bits := tiles.tile_set.get_physics_layer_collision_layer(index)
		var of_layer := _layer_of("%s, physics layer %d," % [tiles.name, index], bits)
		var has_one_way := false
		for cell in cells:
			var tile := tiles.get_cell_tile_data(cell)
			var turn := tiles.get_cell_alternative_tile(cell)
			for polygon in tile.get_collision_polygons_count(index) if tile != null else 0:
				var points := tile.get_collision_polygon_points(index, polygon)
				for i in points.size():
					var point := points[i]
					if turn & TileSetAtlasSource.TRANSFORM_TRANSPOSE:
						point = Vector2(point.y, point.x)
					if turn & TileSetAtlasSource.TRANSFORM_FLIP_H:
						point.x = -point.x
					if turn & TileSetAtlasSource.TRANSFORM_FLIP_V:
						point.y = -point.y
					points[i] = at * (point + tiles.map_to_local(cell))
				var layer := of_layer
				if tile.is_collision_polygon_one_way(index, polygon):
					layer = of_layer if one_way_layer == 0 else one_way_layer - 1
					if not has_one_way:
						_one_way(tiles, at, side, one_way_layer, of_layer)
					has_one_way = true
				var box := _box_of(points)
				if box.has_area():
					boxes.get_or_add(layer, []).append(box)
				elif side:
					odd += 1
				else:
					_polygon(solids, tiles, layer, low, high, points)
	if odd > 0:
		faults.append("%s: %d polygons of its tiles: from the side a solid is an upright rectangle"
				% [tiles.name, odd])
	for layer: int in boxes:
		for box: Rect2 in _merged(_merged(boxes[layer], 0), 1):
			_stand(solids, tiles, layer, low, high, box, side)


# Boxes in the order of rows. Those that follow one another along an axis are one.
static func _merged(boxes: Array, axis: int) -> Array:
	var found := []
	var ends := {}  # where a box ends, and its sides: its place in found
	for box: Rect2 in boxes:
		var across := 1 - axis
		var sides := [snappedf(box.position[across], 1e-4), snappedf(box.end[across], 1e-4)]
		var start := [snappedf(box.position[axis], 1e-4)] + sides
		var at: int = ends.get(start, -1)
		if at >= 0:
			ends.erase(start)
			found[at] = found[at].merge(box)
		else:
			at = found.size()
			found.append(box)
		ends[[snappedf(box.end[axis], 1e-4)] + sides] = at
	return found


# A polygon of the screen's plane, in units.
static func _flat(
	solids: PackedInt64Array, node: Node, layer: int, low: float, high: float,
	polygon: PackedVector2Array, side: bool) -> void:
	var box := _box_of(polygon)
	if not side:
		_polygon(solids, node, layer, low, high, polygon)
	elif box.has_area():
		_stand(solids, node, layer, low, high, box, side)
	else:
		faults.append("%s: from the side a solid is an upright rectangle" % node.name)


# The box that a polygon is; without an area if it is none.
static func _box_of(polygon: PackedVector2Array) -> Rect2:
	if polygon.size() != 4:
		return Rect2()
	var box := Rect2(polygon[0], Vector2.ZERO)
	for point in polygon:
		box = box.expand(point)
	for i in 4:
		var next := polygon[(i + 1) % 4] - polygon[i]
		var is_edge := is_equal_approx(absf(next.x), box.size.x) and absf(next.y) < 1e-4 \
				or is_equal_approx(absf(next.y), box.size.y) and absf(next.x) < 1e-4
		if not is_edge:
			return Rect2()
	return box


static func _stand(
	solids: PackedInt64Array, node: Node, layer: int, low: float, high: float, box: Rect2,
	side: bool) -> void:
	var far := box.end
	var near := box.position
	if side:
		_prism(solids, node, layer, -far.y, -near.y, [
			Vector2(far.x, high), Vector2(near.x, high), Vector2(near.x, low), Vector2(far.x, low)])
	else:
		_prism(solids, node, layer, low, high, [
			near, Vector2(far.x, near.y), far, Vector2(near.x, far.y)])


# Whether a shape has a place and a size. Says so if it does not move with its level.
static func _is_placed(root: Node, node: Node, at: Variant, pixels: float) -> bool:
	if not FixsyncPlace.is_placed(at, pixels):
		faults.append("%s is at %s: its numbers must be finite, and less than 32767 units"
				% [node.name, at.origin])
		return false
	var size: Vector3 = at.basis.get_scale() if at is Transform3D else Vector3(
			at.x.length(), at.y.length(), 1.0)
	if size.abs()[size.abs().min_axis_index()] < 0.001:
		faults.append("%s has a scale of 0" % node.name)
		return false
	var above := FixsyncPlace.base_of(node)
	while above != null and above != root:
		above = FixsyncPlace.base_of(above)
	if above == null:
		doubts.append("%s does not move with the level: transforms end above it, as at a plain Node"
				% node.name)
	return true


static func _is_round(node: Node, x: Vector2, y: Vector2) -> bool:
	if is_equal_approx(x.length(), y.length()) and is_zero_approx(x.normalized().dot(y.normalized())):
		return true
	faults.append("%s: its circle is scaled unevenly or skewed" % node.name)
	return false


static func _pillar(
	solids: PackedInt64Array, node: Node, middle: Vector2, radius: float, low: float, high: float,
	layer: int) -> void:
	_add(solids, node, FixsyncLevel.pillar(
			_q(middle.x), _q(middle.y), _q(radius), _q(low), _q(high), layer))


# The layer of a shape with one_way_collision.
static func _one_way(node: Node, at: Transform2D, side: bool, of_level: int, of_body: int) -> int:
	if not side:
		doubts.append("%s has one_way_collision, which a view from above has not" % node.name)
	elif at.y.y <= 0.0:
		doubts.append("%s has one_way_collision, and its top is not up" % node.name)
	elif of_level == 0:
		doubts.append("%s has one_way_collision: name a layer in one_way_layer of the level, and in"
				% node.name + " one_way of the characters")
	else:
		return of_level - 1
	return of_body


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
	return _layer_of(body.name, body.collision_layer)


static func _layer_of(name: String, bits: int) -> int:
	var on := PackedStringArray()
	for layer in 32:
		if bits & 1 << layer:
			on.append(str(layer + 1))
	if on.size() != 1:
		var doubt := ("%s is on the collision layers %s: a solid is on one, and this on %s"
				% [name, "1 to 32" if on.size() == 32 else ", ".join(on), on[0]]
				if on.size() > 1 else "%s is on no collision layer: its solid is on 1" % name)
		if not doubt in doubts:
			doubts.append(doubt)
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
	if points.size() < 3 or low >= high:
		faults.append("%s has no area" % node.name)
		return
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
