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
const NO_WORLD := "There is no world above it: it joins a match where its scene is under one."

const _PROPERTIES := [
	&"id", &"shape", &"layer", &"owner_id", &"starts_active", &"raw_position", &"yaw"]


static var has_plugin := false  ## Whether the plugin is enabled: it bakes a scene that is saved.


static func is_collider(node: Node) -> bool:
	return node is FixsyncCollider3D or node is FixsyncCollider2D


static func is_world(node: Node) -> bool:
	return node is FixsyncWorld3D or node is FixsyncWorld2D


static func is_level(node: Node) -> bool:
	return node is FixsyncLevel3D or node is FixsyncLevel2D


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


## The collider that one is a part of, the outermost one; or null.
static func whole(collider: Node) -> Node:
	var found: Node = null
	var node := collider.get_parent()
	while node != null and not is_world(node):
		if is_collider(node):
			found = node
		node = node.get_parent()
	return found


## The nearest node above one that has a place of its own, or null. root is that of the edited scene.
static func frame_of(node: Node, root: Node = null) -> Node:
	var above := node.get_parent()
	while above != null and above != root and not is_world(above) and not is_collider(above):
		if not above.scene_file_path.is_empty() or above.has_meta(META) and not is_level(above):
			break
		above = above.get_parent()
	return above


## The transform of a node in its frame, or in another node above it.
static func within(node: Node, frame: Node) -> Variant:
	var place: Variant = node.transform
	var above := node.get_parent()
	while above != null and above != frame:
		if above is Node3D and node is Node3D or above is Node2D and node is Node2D:
			place = above.transform * place
		above = above.get_parent()
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
	var pose := pose_from(place, view, _depth(node))
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
	var pose := pose_from(place, FixsyncView2D.of(node), 0)
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


static func _depth(node: Node) -> int:
	return Fixsync.nearest(node.get(&"depth")) if node is Node2D and is_collider(node) else 0


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


# ---- warnings ----

## Warns if a collider is not where it is drawn: it was placed without the plugin, or by a script.
static func check(node: Node) -> void:
	if not node.is_inside_tree():
		return
	var moves_with := whole(node)
	var place: Variant = within(
			node, world_above(node.get_parent()) if moves_with == null else moves_with)
	var drawn: Vector3i = pose_from(place, FixsyncView2D.of(node), _depth(node))[0]
	var pose := pose_of(node)
	if not place.origin.is_zero_approx() and (drawn - pose[0]).length() > 1024.0:
		push_warning(
				"%s is drawn at %s and begins at %s: enable the plugin, and save its scene; a script"
				% [node.name, drawn, pose[0]] + " places it with raw_position, or by spawn")


## What is wrong with a collider, a line each: for the editor.
static func warnings(node: Node) -> PackedStringArray:
	var found := PackedStringArray()
	if node.get(&"shape") == null:
		found.append("A collider needs a shape.")
	var world := world_above(node.get_parent())
	if world == null:
		if node.is_inside_tree() and node.owner != null:
			found.append(NO_WORLD)
	else:
		if (node is Node2D) != (world is Node2D):
			found.append("It is a node of %s, and its world is of %s."
					% (["2D", "3D"] if node is Node2D else ["3D", "2D"]))
		var names: PackedStringArray = world.get(&"layers")
		for property: StringName in [&"layer", &"blocked_by", &"one_way"]:
			var used: Variant = node.get(property)
			for name: String in [used] if used is String else used if used != null else []:
				if not names.has(name):
					found.append("%s: '%s' is no layer of the world: %s."
							% [property, name, ", ".join(names)])
		for other in colliders(world):
			if other != node and node.get(&"id") >= 0 and other.get(&"id") == node.get(&"id"):
				found.append("%s has the id %d too." % [other.name, node.get(&"id")])
	found.append_array(_warnings_of_place(node))
	return found


static func _warnings_of_place(node: Node) -> PackedStringArray:
	var found := PackedStringArray()
	var place: Variant = within(node, world_above(node.get_parent()))
	var is_side := FixsyncView2D.of(node).is_side
	if node is Node3D:
		if not place.basis.get_scale().is_equal_approx(Vector3.ONE):
			found.append("It is scaled, and its shape is not: set the sizes of the shape.")
		elif not place.basis.y.is_equal_approx(Vector3.UP):
			found.append("It is tilted, and its collider stands upright: turn it about Y only.")
	elif node is Node2D:
		var size := Vector2(place.x.length(), place.y.length())
		if not size.is_equal_approx(Vector2.ONE):
			found.append("It is scaled, and its shape is not: set the sizes of the shape.")
		elif is_side and (not is_zero_approx(place.x.y) or place.y.y < 0.0):
			found.append("It is turned, and its collider stands upright: seen from the side, it can"
					+ " only be flipped.")
		elif not is_side and place.determinant() < 0.0:
			found.append("It is mirrored, and its collider is not: seen from above, turn it.")
	if whole(node) != null and found.is_empty():
		var shape: FixsyncShape = node.get(&"shape")
		var turn: int = pose_of(node)[1]
		if shape != null and not shape.kind in FixsyncShape.ROUND and turn % 32768 != 0:
			found.append("A part has the yaw of the collider that it moves with: do not turn it.")
	return found


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
