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


## The transform of a node in its world: a world node may be anywhere.
static func within(node: Node) -> Variant:
	var world := world_above(node.get_parent())
	if world == null:
		return node.global_transform
	return world.global_transform.affine_inverse() * node.global_transform


## Warns if a collider is not where it is drawn: the plugin was not enabled when it was placed.
static func check(node: Node) -> void:
	var raw: Vector3i = node.raw_position
	if node.position.is_zero_approx() or whole(node) != null or not node.is_inside_tree():
		return
	var drawn := _raw(node, within(node).origin)
	if (drawn - raw).length() > 1024.0:
		push_warning("%s is drawn at %s and begins at raw_position %s: enable the plugin, and save"
				% [node.name, drawn, raw])


## Gives all colliders of a tree raw_position and yaw of their place in the editor.
static func sync(root: Node) -> void:
	for node in colliders(root):
		var above := whole(node)
		var place: Variant = within(node)
		if node is FixsyncCollider3D:
			node.set(&"yaw", FixsyncDraw.yaw_of(place.basis.get_euler().y))
		else:
			var is_side := FixsyncView2D.of(node).is_side
			node.set(&"yaw", 0 if is_side else FixsyncDraw.yaw_of(-place.get_rotation()))
		if above != null:
			place = above.global_transform.affine_inverse() * node.global_transform
		node.set(&"raw_position", _raw(node, place.origin))


static func _raw(node: Node, place: Variant) -> Vector3i:
	if node is FixsyncCollider3D:
		return FixsyncDraw.raw(place)
	var view := FixsyncView2D.of(node)
	var old: Vector3i = node.get(&"raw_position")
	return view.raw(place, old.z if view.is_side else old.y)


## A copy of a world node whose colliders have the add-on's own scripts, because those run in the
## editor.
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
