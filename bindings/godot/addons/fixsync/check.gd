@tool
class_name FixsyncCheck
extends RefCounted
## What is wrong with a node, a line each: for the editor, and before a match. A node with a fault
## cannot play; a doubt is a warning.

const NO_WORLD := "There is no world above it: it joins a match where its scene is under one."
const _TEXT := "%s must be %s, not %s%s."


## All lines of a node: its configuration warnings.
static func warnings(node: Node) -> PackedStringArray:
	var found := faults(node)
	if FixsyncPlace.is_world(node):
		return found
	if FixsyncPlace.world_above(node.get_parent()) == null and node.is_inside_tree() \
			and node.owner != null:
		found.append(NO_WORLD)
	if FixsyncPlace.is_level(node):
		found.append_array(_doubts_of_level(node))
	elif FixsyncPlace.is_collider(node):
		found.append_array(_doubts_of_collider(node))
	return found


## Why a world cannot start, with the path of each node.
static func of_match(world: Node) -> PackedStringArray:
	var found := PackedStringArray()
	for node in FixsyncPlace.all_of(world, func(_node: Node) -> bool: return true):
		if node == world or FixsyncPlace.world_above(node) == world:
			for fault in faults(node):
				found.append("%s: %s" % [node.name if node == world else world.get_path_to(node), fault])
	return found


## Why a node cannot play.
static func faults(node: Node) -> PackedStringArray:
	if FixsyncPlace.is_world(node):
		return _faults_of_world(node)
	if FixsyncPlace.is_level(node):
		return _faults_of_level(node)
	return _faults_of_collider(node) if FixsyncPlace.is_collider(node) else PackedStringArray()


# ---- values ----

static func _whole(
		found: PackedStringArray, node: Node, name: StringName, least: int, most: int,
		hint := "") -> void:
	var value: Variant = node.get(name)
	if value is int and (value < least or value > most):
		found.append(_TEXT % [name, "%d to %d" % [least, most], value, hint])


static func _decimal(
		found: PackedStringArray, node: Node, name: StringName, least: float, most: float) -> void:
	var value: Variant = node.get(name)
	if value is String and not FixsyncShape.is_decimal(value, most) \
			or value is String and value.to_float() < least:
		found.append(_TEXT % [
			name, "a decimal of %s to less than %s" % [least, most], "'%s'" % value, ""])


static func _layers(found: PackedStringArray, node: Node, names: PackedStringArray) -> void:
	for property: StringName in [&"layer", &"blocked_by", &"one_way"]:
		var used: Variant = node.get(property)
		for name: String in [used] if used is String else used if used != null else []:
			if not names.has(name):
				found.append("%s: '%s' is no layer of the world: %s."
						% [property, name, ", ".join(names)])


# ---- worlds ----

static func _faults_of_world(world: Node) -> PackedStringArray:
	var found := PackedStringArray()
	_whole(found, world, &"capacity", 1, 65536)
	_whole(found, world, &"players", 1, 64)
	_whole(found, world, &"window", 1, 256)
	_whole(found, world, &"tick_rate", 1, 1000)
	_whole(found, world, &"hit_when", 1, 2)
	_whole(found, world, &"input_delay", 0, 64)
	_whole(found, world, &"check", 0, 64)
	var pixels: Variant = world.get(&"pixels_per_unit")
	if pixels != null and not (pixels >= 1.0 and pixels <= 4096.0):
		found.append(_TEXT % ["pixels_per_unit", "1 to 4096", pixels, ""])
	var names: PackedStringArray = world.get(&"layers")
	if names.size() > 32 or names.is_empty():
		found.append("layers must be 1 to 32 names, not %d." % names.size())
	for at in names.size():
		if names.find(names[at]) < at:
			found.append("layers has '%s' twice." % names[at])
		elif names[at].is_empty() or " " in names[at]:
			found.append("layers: '%s' must be a name without spaces." % names[at])
	for pair: String in world.get(&"pairs"):
		var both := pair.split(" ", false)
		if both.size() != 2:
			found.append("pairs: '%s' must be two names of layers, such as 'body attack'." % pair)
			continue
		for name in both:
			if not names.has(name):
				found.append("pairs: '%s' of '%s' is no layer: %s." % [name, pair, ", ".join(names)])
	var count := 0
	for node in FixsyncPlace.colliders(world):
		count += int(FixsyncPlace.world_above(node) == world)
	if count > world.get(&"capacity"):
		found.append("It has %d colliders, more than capacity, %d: raise capacity."
				% [count, world.get(&"capacity")])
	if FixsyncPlace.world_above(world.get_parent()) != null:
		found.append("It is in another world, %s."
				% FixsyncPlace.world_above(world.get_parent()).name)
	return found


# ---- levels ----

static func _faults_of_level(level: Node) -> PackedStringArray:
	var found := PackedStringArray()
	var file: String = level.get(&"file")
	if not file.is_empty() and not FileAccess.file_exists(file):
		found.append("file: there is no %s." % file)
	_decimal(found, level, &"low", -32767.0, 32768.0)
	_decimal(found, level, &"high", -32767.0, 32768.0)
	if level is Node2D and found.is_empty():
		var low: String = level.get(&"low")
		var high: String = level.get(&"high")
		if low.to_float() >= high.to_float():
			found.append("low must be below high, not %s and %s." % [low, high])
	return found


static func _doubts_of_level(level: Node) -> PackedStringArray:
	var found := PackedStringArray()
	if level.get(&"file").is_empty() and level.get(&"baked").is_empty():
		found.append("No solids: set a file, or add static bodies and press Bake.")
	if faults(level).is_empty():
		FixsyncBake.solids_under(level)
		for fault in FixsyncBake.faults:
			found.append("Not in the level: %s." % fault)
		for doubt in FixsyncBake.doubts:
			found.append(doubt + ".")
	return found


# ---- colliders ----

static func _faults_of_collider(node: Node) -> PackedStringArray:
	var found := PackedStringArray()
	var shape: FixsyncShape = node.get(&"shape")
	if shape == null:
		found.append("A collider needs a shape.")
	else:
		for fault in shape.faults():
			found.append("shape: " + fault)
	_whole(found, node, &"owner_id", -1, 4294967295)
	_whole(found, node, &"floor_max_degrees", 0, 89)
	_decimal(found, node, &"step_height", 0.0, 8192.0)
	_decimal(found, node, &"snap", 0.0, 8192.0)
	_decimal(found, node, &"depth", -32767.0, 32768.0)
	var ledges: Variant = node.get(&"one_way")
	if ledges != null and not ledges.is_empty():
		var walls: PackedStringArray = node.get(&"blocked_by")
		if walls.is_empty():
			found.append("one_way needs layers in blocked_by.")
		for name: String in ledges:
			if walls.has(name):
				found.append("one_way and blocked_by both have '%s'." % name)
	var world := FixsyncPlace.world_above(node.get_parent())
	if world == null:
		_whole(found, node, &"id", -1, 65535)
		return found
	_whole(found, node, &"id", -1, world.get(&"capacity") - 1,
			": that is the capacity of %s, less 1" % world.name)
	if (node is Node2D) != (world is Node2D):
		found.append("It is a node of %s, and its world is of %s."
				% (["2D", "3D"] if node is Node2D else ["3D", "2D"]))
	_layers(found, node, world.get(&"layers"))
	return found


static func _doubts_of_collider(node: Node) -> PackedStringArray:
	var found := PackedStringArray()
	var world := FixsyncPlace.world_above(node.get_parent())
	if world != null and node.get(&"id") >= 0:
		for other in FixsyncPlace.colliders(world):
			if other != node and other.get(&"id") == node.get(&"id"):
				found.append("%s has the id %d too." % [other.name, node.get(&"id")])
	found.append_array(_doubts_of_tree(node))
	found.append_array(_doubts_of_place(node))
	return found


## Nodes at which the engine's transforms end, or do more.
static func _doubts_of_tree(node: Node) -> PackedStringArray:
	var found := PackedStringArray()
	var last := node
	while FixsyncPlace.base_of(last) != null and not FixsyncPlace.is_world(last):
		last = FixsyncPlace.base_of(last)
		if last is Control:
			found.append("%s is a Control: its place depends on the window." % last.name)
	if FixsyncPlace.is_world(last):
		return found
	var above := last.get_parent()
	var holder: Node = null
	while above != null and not FixsyncPlace.is_world(above):
		if above is CanvasLayer:
			found.append("It is drawn on the CanvasLayer %s, whose place is not the world's."
					% above.name)
		if FixsyncPlace.is_collider(above):
			holder = above
		above = above.get_parent()
	if holder != null:
		found.append("It is no part of %s, and stays when that moves: %s." % [
			holder.name, "%s has top_level" % last.name if last.get(&"top_level")
			else "%s is a %s, where transforms end" % [
				last.get_parent().name, last.get_parent().get_class()]])
	return found


static func _doubts_of_place(node: Node) -> PackedStringArray:
	var found := PackedStringArray()
	if not (node is Node3D or node is Node2D):
		return found
	var place: Variant = FixsyncPlace.within(node, FixsyncPlace.world_above(node.get_parent()))
	var view := FixsyncView2D.of(node)
	if not place.is_finite():
		found.append("Its transform has numbers that are not finite.")
	elif not FixsyncPlace.is_placed(place, view.pixels):
		found.append("It must be less than 32767 units from the world, not at %s." % place.origin)
	elif node is Node3D:
		if not place.basis.get_scale().is_equal_approx(Vector3.ONE):
			found.append("It is scaled, and its shape is not: set the sizes of the shape.")
		elif not place.basis.y.is_equal_approx(Vector3.UP):
			found.append("It is tilted, and its collider stands upright: turn it about Y only.")
		elif not place.basis.is_equal_approx(place.basis.orthonormalized()):
			found.append("It is sheared, and its shape is not.")
	else:
		var size := Vector2(place.x.length(), place.y.length())
		if not size.is_equal_approx(Vector2.ONE):
			found.append("It is scaled, and its shape is not: set the sizes of the shape.")
		elif not is_zero_approx(place.x.dot(place.y)):
			found.append("It is skewed, and its shape is not.")
		elif view.is_side and (not is_zero_approx(place.x.y) or place.y.y < 0.0):
			found.append("It is turned, and its collider stands upright: seen from the side, it can"
					+ " only be flipped.")
		elif not view.is_side and place.determinant() < 0.0:
			found.append("It is mirrored, and its collider is not: seen from above, turn it.")
	if FixsyncPlace.whole(node) != null and found.is_empty():
		var shape: FixsyncShape = node.get(&"shape")
		var turn: int = FixsyncPlace.pose_of(node)[1]
		if shape != null and not shape.kind in FixsyncShape.ROUND and turn % 32768 != 0:
			found.append("A part has the yaw of the collider that it moves with: do not turn it.")
	return found


# ---- while the game runs ----

## Warns if a collider is not where it is drawn: it was placed without the plugin, or by a script.
static func place(node: Node) -> void:
	if not node.is_inside_tree():
		return
	var moves_with := FixsyncPlace.whole(node)
	var seen: Variant = FixsyncPlace.within(
			node, FixsyncPlace.world_above(node.get_parent()) if moves_with == null else moves_with)
	for doubt in _doubts_of_tree(node) + _doubts_of_place(node):
		push_warning("%s: %s" % [node.name, doubt])
	var view := FixsyncView2D.of(node)
	if not FixsyncPlace.is_placed(seen, view.pixels):
		return
	var drawn: Vector3i = FixsyncPlace.pose_from(seen, view, FixsyncPlace.depth_of(node))[0]
	var pose := FixsyncPlace.pose_of(node)
	if not seen.origin.is_zero_approx() and (drawn - pose[0]).length() > 1024.0:
		push_warning(
				"%s is drawn at %s and begins at %s: enable the plugin, and save its scene; a script"
				% [node.name, drawn, pose[0]] + " places it with raw_position, or by spawn")


## Whether a property may be set: not that of a node in a match, which says what to call.
static func may_set(node: Node, property: String, method: String) -> bool:
	if node.stage == null or not node.is_in_match():
		return true
	push_error("%s.%s is what it joins the match with: %s" % [
		node.name, property, "call %s in _fixsync_tick or _fixsync_hit" % method
		if not method.is_empty() else "set it before"])
	return false
