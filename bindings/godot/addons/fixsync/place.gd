@tool
class_name FixsyncPlace
extends RefCounted
## Turns where colliders are placed in the editor into integers. Scripts that extend a collider do
## not run in the editor, so nothing here calls their methods.

const _PROPERTIES := [
	&"id", &"shape", &"layer", &"owner_id", &"starts_active", &"raw_position", &"yaw"]


static func is_collider(node: Node) -> bool:
	return node is FixsyncCollider3D or node is FixsyncCollider2D


## All colliders of a tree, in its order.
static func colliders(root: Node) -> Array[Node]:
	var found: Array[Node] = []
	if root != null:
		found.append(root)
		found.append_array(root.find_children("*", "", true, false))
	return found.filter(is_collider)


## The world node above a node, or null.
static func world_above(node: Node) -> Node:
	while node != null and not (node is FixsyncWorld3D or node is FixsyncWorld2D):
		node = node.get_parent()
	return node


## The collider that one is a part of, or null.
static func whole(collider: Node) -> Node:
	var node := collider.get_parent()
	while node != null and not is_collider(node):
		if node is FixsyncWorld3D or node is FixsyncWorld2D:
			return null
		node = node.get_parent()
	return node


## Warns if a collider is not where it is drawn: the plugin was not enabled when it was placed.
static func check(node: Node) -> void:
	var raw: Vector3i = node.raw_position
	if node.position.is_zero_approx() or whole(node) != null or not node.is_inside_tree():
		return
	var drawn := raw
	if node is FixsyncCollider3D:
		drawn = FixsyncDraw.raw(node.global_position)
	else:
		var view := FixsyncView2D.of(node)
		drawn = view.raw(node.global_position, raw.z if view.is_side else raw.y)
	if (drawn - raw).length() > 1024.0:
		push_warning("%s is drawn at %s and begins at raw_position %s: enable the plugin, and save"
				% [node.name, drawn, raw])


## Gives all colliders of a tree raw_position and yaw of their place in the editor.
static func sync(root: Node) -> void:
	for node in colliders(root):
		var above := whole(node)
		var place: Variant = node.global_position
		if above != null:
			place = above.global_transform.affine_inverse() * place
		if node is FixsyncCollider3D:
			node.set(&"raw_position", FixsyncDraw.raw(place))
			node.set(&"yaw", FixsyncDraw.yaw_of(node.global_rotation.y))
		else:
			var view := FixsyncView2D.of(node)
			var old: Vector3i = node.get(&"raw_position")
			node.set(&"raw_position", view.raw(place, old.z if view.is_side else old.y))
			node.set(&"yaw", 0 if view.is_side else FixsyncDraw.yaw_of(-node.global_rotation))


## A copy of a world node whose colliders have the add-on's own scripts: those run in the editor.
static func copy_of(world: Node) -> Node:
	var copy := world.duplicate(Node.DUPLICATE_SCRIPTS)
	for node in colliders(copy):
		var values := {}
		for property: StringName in _PROPERTIES:
			values[property] = node.get(property)
		node.set_script(FixsyncCollider3D if node is FixsyncCollider3D else FixsyncCollider2D)
		for property: StringName in _PROPERTIES:
			node.set(property, values[property])
	return copy
