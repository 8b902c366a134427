@tool
class_name FixsyncPlace
extends RefCounted
## Turns where nodes are placed in the editor into integers. Scripts that extend a node of the
## add-on do not run in the editor, so nothing here calls their methods.
##
## A place is a position and a yaw, relative to the nearest node above that has a place of its own: a
## collider, the root of a scene, or the world. A collider keeps its place in raw_position and yaw;
## the root of another scene keeps it in metadata. So a scene may be instanced anywhere.

## The metadata of the root of a scene: x, y, z and yaw.
const META := &"fixsync_place"
const PIXELS := "fixsync/2d/pixels_per_unit"
const SIDE := "fixsync/2d/is_side_view"

const _PROPERTIES := [
	&"id", &"shape", &"layer", &"owner_id", &"starts_active", &"raw_position", &"yaw"]


static var has_plugin := false  ## Whether the plugin is enabled: it bakes a scene that is saved.


static func is_collider(node: Node) -> bool:
	return node is FixsyncCollider3D or node is FixsyncCollider2D


static func is_world(node: Node) -> bool:
	return node is FixsyncWorld3D or node is FixsyncWorld2D


static func is_level(node: Node) -> bool:
	return node is FixsyncLevel3D or node is FixsyncLevel2D


## Whether a node is one of the add-on's: a world, a level or a collider.
static func is_own(node: Node) -> bool:
	return is_collider(node) or is_world(node) or is_level(node)


## All colliders of a tree, in its order.
static func colliders(root: Node) -> Array[Node]:
	return all_of(root, is_collider)


## All nodes of a tree that hold for a test, in its order.
static func all_of(root: Node, test: Callable) -> Array[Node]:
	var found: Array[Node] = []
	if root != null:
		found.append(root)
		found.append_array(root.find_children("*", "", true, false))
	return found.filter(test)


## The world node above a node, or null.
static func world_above(node: Node) -> Node:
	while node != null and not is_world(node):
		node = node.get_parent()
	return node


## The node that the transform of a node is relative to, as in the engine. null: none, as under a
## plain Node or a CanvasLayer, or with top_level.
static func base_of(node: Node) -> Node:
	var above := node.get_parent()
	if node is Node3D:
		return above as Node3D if not node.top_level else null
	return above as CanvasItem if node is CanvasItem and not node.top_level else null


## The collider that one is a part of, the outermost one; or null. A part moves as its transform.
static func whole(collider: Node) -> Node:
	var found: Node = null
	var node := base_of(collider)
	while node != null and not is_world(node):
		if is_collider(node):
			found = node
		node = base_of(node)
	return found


## The nearest node above one that has a place of its own, or null. root is that of the edited
## scene. If the engine's transforms end before that, it is the world.
static func frame_of(node: Node, root: Node = null) -> Node:
	var above := base_of(node)
	while above != null and above != root and not is_world(above) and not is_collider(above):
		if not above.scene_file_path.is_empty() or above.has_meta(META) and not is_level(above):
			break
		above = base_of(above)
	return above if above != null else world_above(node.get_parent())


## The transform of a node in its frame, or in another node above it; for null, in its canvas.
static func within(node: Node, frame: Node) -> Variant:
	var place: Variant = node.call(&"get_transform")
	var above := base_of(node)
	while above != null and above != frame:
		place = above.call(&"get_transform") * place
		above = base_of(above)
	if above == null and (frame is Node3D if node is Node3D else frame is CanvasItem):
		place = within(frame, null).affine_inverse() * place
	return place


# ---- places as integers ----

## The place that a node keeps: [position, yaw].
static func own(node: Node) -> Array:
	if is_collider(node):
		return [node.get(&"raw_position"), node.get(&"yaw")]
	var numbers: PackedInt64Array = node.get_meta(META, PackedInt64Array([0, 0, 0, 0]))
	return [Vector3i(numbers[0], numbers[1], numbers[2]), numbers[3]]


## The place of b in the frame of a.
static func joined(a: Array, b: Array) -> Array:
	return [a[0] + turned(b[0], a[1]), (a[1] + b[1]) & 65535]


## A vector, turned by a yaw.
static func turned(v: Vector3i, yaw: int) -> Vector3i:
	match yaw:
		0:
			return v
		16384:
			return Vector3i(-v.z, v.y, v.x)
		32768:
			return Vector3i(-v.x, v.y, -v.z)
		49152:
			return Vector3i(v.z, v.y, -v.x)
	return (
			Fixsync.forward(yaw, v.x) + Fixsync.forward((yaw + 16384) & 65535, v.z)
			+ Vector3i(0, v.y, 0))


## The place of a collider or a level in its world; of a part, in the collider that it moves with.
static func pose_of(node: Node) -> Array:
	var end := whole(node) if is_collider(node) else null
	var pose := own(node)
	var frame := frame_of(node)
	while frame != null and frame != end and not is_world(frame):
		pose = joined(own(frame), pose)
		frame = frame_of(frame)
	return pose


## Puts a node at a place of its world: a collider, or the root of a scene with colliders.
static func put(node: Node, raw: Vector3i, yaw: int, view: FixsyncView2D) -> void:
	if is_collider(node):
		node.raw_position = raw
		node.yaw = yaw
	else:
		node.set_meta(META, PackedInt64Array([raw.x, raw.y, raw.z, yaw]))
	if node is Node3D:
		node.transform = Transform3D(
				Basis(Vector3.UP, FixsyncDraw.angle_of(yaw)), FixsyncDraw.units(raw))
	elif node is Node2D:
		node.transform = view.transform(raw, yaw)


## Q2.30 of the y of the normal of the steepest floor.
static func floor_y(degrees: int) -> int:
	return maxi(1, Fixsync.direction(Fixsync.degrees(degrees)).x)


# ---- the editor ----

## Gives all nodes of a scene the integers of their places, and bakes its levels. Returns a line for
## each node of another scene that must be saved again, for what it keeps is not where it is.
static func sync(root: Node) -> PackedStringArray:
	var stale := PackedStringArray()
	var frames := {}
	for node in all_of(root, func(node: Node) -> bool: return is_collider(node) or is_level(node)):
		if is_collider(node):
			_sync_collider(root, node, stale)
		elif is_saved_with(root, node):
			FixsyncBake.bake(node)
		var frame := frame_of(node, root)
		while frame != null and not is_world(frame) and node != root:
			if not is_collider(frame):
				frames[frame] = true
			frame = null if frame == root else frame_of(frame, root)
	for frame: Node in frames:
		_sync_root(root, frame, stale)
	return stale


## Gives the colliders of a scene their places.
static func sync_colliders(root: Node) -> void:
	for node in colliders(root):
		_sync_collider(root, node, PackedStringArray())


## Whether what a node keeps is saved with a scene.
static func is_saved_with(root: Node, node: Node) -> bool:
	var owner := node.owner
	return node == root or owner == null or owner == root or root.is_editable_instance(owner)


static func _sync_collider(root: Node, node: Node, stale: PackedStringArray) -> void:
	var view := FixsyncView2D.of(node)
	var place: Variant = within(node, frame_of(node, root) if node != root else node.get_parent())
	if not is_placed(place, view.pixels):
		return  # FixsyncCheck says so
	var pose := pose_from(place, view, depth_of(node))
	if not is_saved_with(root, node):
		if not _is_near(pose, own(node)):
			_add_stale(stale, node)
		return
	if node.get(&"raw_position") != pose[0]:
		node.set(&"raw_position", pose[0])
	if node.get(&"yaw") != pose[1]:
		node.set(&"yaw", pose[1])
	if node is Node2D and node.get(&"flipped") != (view.is_side and pose[1] == 32768):
		node.set(&"flipped", view.is_side and pose[1] == 32768)


static func _sync_root(root: Node, node: Node, stale: PackedStringArray) -> void:
	if not (node is Node3D or node is Node2D):
		return
	var place: Variant = node.transform if node == root else within(node, frame_of(node, root))
	var view := FixsyncView2D.of(node)
	if not is_placed(place, view.pixels):
		return
	var pose := pose_from(place, view, 0)
	if _is_near(pose, own(node)) and pose == own(node):
		return
	if is_saved_with(root, node):
		node.set_meta(META, PackedInt64Array([pose[0].x, pose[0].y, pose[0].z, pose[1]]))
	else:
		_add_stale(stale, node)


# Once for all instances of a scene.
static func _add_stale(stale: PackedStringArray, node: Node) -> void:
	var line := "%s: open %s, and save it" % [node.name, node.owner.scene_file_path]
	if not line in stale:
		stale.append(line)


## The depth of a 2D collider in raw numbers; 0 for one that is not valid.
static func depth_of(node: Node) -> int:
	var text: Variant = node.get(&"depth") if is_collider(node) else null
	return Fixsync.nearest(text) if text is String and FixsyncShape.is_decimal(text, 32768.0) else 0


## Whether a transform has a place in a world: finite numbers, less than 32768 units.
static func is_placed(place: Variant, pixels: float) -> bool:
	if not place.is_finite():
		return false
	var most: float = place.origin.abs()[place.origin.abs().max_axis_index()]
	return most < 32767.5 * (1.0 if place is Transform3D else pixels)


## The place that is nearest to a transform. depth is that of 2D.
static func pose_from(place: Variant, view: FixsyncView2D, depth: int) -> Array:
	if place is Transform3D:
		return [FixsyncDraw.raw(place.origin), FixsyncDraw.yaw_of(place.basis.get_euler().y)]
	var raw := view.raw(place.origin, depth)
	if view.is_side:
		return [raw, 32768 if place.x.x < 0.0 else 0]
	return [raw, FixsyncDraw.yaw_of(-place.get_rotation())]


static func _is_near(a: Array, b: Array) -> bool:
	var turn: int = (a[1] - b[1]) & 65535
	return (a[0] - b[0]).length() <= 64.0 and mini(turn, 65536 - turn) <= 16


# ---- copies ----

## A copy of a world node whose nodes have the add-on's own scripts, because those run in the
## editor.
static func copy_of(world: Node) -> Node:
	var copy := world.duplicate(Node.DUPLICATE_SCRIPTS)
	_give_script(copy, FixsyncWorld3D if copy is FixsyncWorld3D else FixsyncWorld2D, [
		&"capacity", &"layers", &"pairs", &"hit_when", &"players", &"window", &"pixels_per_unit",
		&"is_side_view"])
	for node in colliders(copy):
		_give_script(
				node, FixsyncCollider3D if node is FixsyncCollider3D else FixsyncCollider2D,
				_PROPERTIES + [&"depth"])
	return copy


static func _give_script(node: Node, script: Script, properties: Array) -> void:
	var values := {}
	for property: StringName in properties:
		values[property] = node.get(property)
	node.set_script(script)
	for property: StringName in properties:
		if values[property] != null:
			node.set(property, values[property])
