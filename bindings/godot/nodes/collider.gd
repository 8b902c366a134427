@tool
@icon("icons/collider_{d}.svg")
class_name FixsyncCollider{D}
extends FixsyncNode{D}
## A collider of the FixsyncWorld{D} above it: a hurtbox, an attack, a trigger.
##
## Place it like any node. In the editor its place becomes raw_position and yaw, integers that are
## saved with the scene; a game reads only these. While the game runs, the node is where the
## collider is. A collider under another one is a part of it: it moves and turns with it, and
## raw_position is its offset.
2:## FixsyncView2D says how the screen lies in the world.

## A hit with another collider began, in a confirmed frame. other is its node; null for a solid of
## the level, and for a collider without a node.
signal hit_entered(other: Node)
## A hit ended, in a confirmed frame.
signal hit_exited(other: Node)

## Its id, less than the world's capacity. -1: the least free one, in the order of the tree.
@export var id := -1:
	set(value):
		if value == id or FixsyncCheck.may_set(self, "id", ""):
			id = value
			update_configuration_warnings()
## Its shape and sizes.
@export var shape: FixsyncShape:
	set(value):
		if value == shape or FixsyncCheck.may_set(self, "shape", "set_shape"):
			_hear(shape, value)
			shape = value
			update_configuration_warnings()
## A name of the world's layers.
@export var layer := "body":
	set(value):
		if value == layer or FixsyncCheck.may_set(self, "layer", "set_layer"):
			layer = value
			update_configuration_warnings()
## Colliders of one owner do not hit each other; 0: no owner. -1: the owner of the collider that it
## is a part of, else 0.
@export_range(-1, 4294967295) var owner_id := -1:
	set(value):
		if value == owner_id or FixsyncCheck.may_set(self, "owner_id", "set_owner_id"):
			owner_id = value
			update_configuration_warnings()
## Whether it is active when it joins the match.
@export var starts_active := true:
	set(value):
		if value == starts_active or FixsyncCheck.may_set(self, "starts_active", "set_active"):
			starts_active = value
2:## Seen from the side: faces left, drawn and struck mirrored; its yaw is 32768. In the editor it is
2:## the same as a scale.x of -1. Set it in _fixsync_tick and _fixsync_hit.
2:@export var flipped := false:
2:	get:
2:		return (get_yaw() + 16384 & 65535) > 32768 if is_in_match() else flipped
2:	set(value):
2:		flipped = value
2:		if is_in_match() and stage.view().is_side:
2:			turn(32768 if value else 0)
2:## Its place on the axis that the screen does not have, in units: the height seen from above, the
2:## depth seen from the side.
2:@export var depth := "0"
## Where it is when the match begins, in multiples of 1/65536; of a part, its offset. The editor
## sets it: relative to the world, or to the scene that it is in.
@export_custom(PROPERTY_HINT_NONE, "", PROPERTY_USAGE_DEFAULT | PROPERTY_USAGE_READ_ONLY)
var raw_position := Vector3i.ZERO:
	set(value):
		if value == raw_position or FixsyncCheck.may_set(self, "raw_position", "set_pose"):
			raw_position = value
## Its yaw when the match begins: 65536 steps are a turn, 0 is +X, 16384 is +Z.
@export_custom(PROPERTY_HINT_NONE, "", PROPERTY_USAGE_DEFAULT | PROPERTY_USAGE_READ_ONLY)
var yaw := 0:
	set(value):
		if value == yaw or FixsyncCheck.may_set(self, "yaw", "turn"):
			yaw = value

var kernel: FixsyncWorld  ## Its colliders, while that runs.
var stage: FixsyncStage  ## The world that it is in, while that runs.
var parts: Array[FixsyncCollider{D}] = []  ## The colliders that move with it.
var start_position := Vector3i.ZERO  ## Where in the world it joined the match.
var start_yaw := 0  ## Its yaw in the world when it joined.
var start_row := PackedInt64Array()  ## The row of its shape when it joined.
var spawn_owner := 0  ## The owner that spawn gave it, for an owner_id of -1.
var given_id := -2  ## The id that it was given, -1 for the least free one; -2 before the match.


# ---- while the world runs ----

## Whether its collider is in the world, in the frame that is played.
func is_in_match() -> bool:
	return stage != null and stage.nodes.get(id) == self


## Where it is now; for a part, where the collider is that it is a part of.
func get_raw_position() -> Vector3i:
	return raw_position if kernel == null and _is_early() else kernel.position(id)


## Its yaw now.
func get_yaw() -> int:
	return yaw if kernel == null and _is_early() else kernel.yaw(id)


## Whether it is active now.
func is_active() -> bool:
	return starts_active if kernel == null and _is_early() else kernel.is_active(id)


## Turns it, and its parts. As set_pose, call this and the next five only in _fixsync_tick and
## _fixsync_hit: they roll back with the frame.
func turn(new_yaw: int) -> void:
	if kernel == null and _is_early():
		return
	kernel.turn(id, new_yaw)
	for part in parts:
		kernel.turn(part.id, new_yaw)


## Makes it active or not; an inactive collider hits nothing.
func set_active(active: bool) -> void:
	if kernel == null and _is_early():
		return
	if kernel.is_active(id) != active:
		kernel.set_active(id, active)


## Gives it another shape: to crouch, to grow. Its middle stays where it is. `shape` stays that with
## which it joined.
func set_shape(new_shape: FixsyncShape) -> void:
	if kernel != null or not _is_early():
		stage.set_shape(self, new_shape)


## Puts it on another layer, by its name.
func set_layer(new_layer: String) -> void:
	if kernel != null or not _is_early():
		stage.set_layer(self, new_layer)


## Gives it, and its parts without an owner_id, another owner: to change sides.
func set_owner_id(new_owner: int) -> void:
	if kernel != null or not _is_early():
		stage.set_owner_id(self, new_owner)


## Makes it a part of another collider, at an offset from that: to pick up a weapon. It moves, turns
## and strikes as that does, with its owner if owner_id is -1. null: it is on its own, where it is.
## After Godot's reparent() it is a part too, and stays where it is.
func attach(to: FixsyncCollider{D}, offset := Vector3i.ZERO) -> void:
	if kernel != null or not _is_early():
		stage.attach(self, to, offset)


## For each frame of an animation 1 if it shows this node, else 0: its track of `visible`. Read it
## when the match begins, and let a rule look up the frame. The track is read in the middle of each
## frame, so no rounding decides.
func active_frames(player: AnimationPlayer, animation: StringName, rate := 60) -> PackedByteArray:
	var frames := PackedByteArray()
	var clip := player.get_animation(animation)
	var path := NodePath("%s:visible" % player.get_node(player.root_node).get_path_to(self))
	var track := clip.find_track(path, Animation.TYPE_VALUE)
	if track < 0:
		push_error("%s has no track %s" % [animation, path])
		return frames
	for frame in roundi(clip.length * rate):
		var key := clip.track_find_key(track, (frame + 0.5) / rate)
		frames.append(int(key >= 0 and clip.track_get_key_value(track, key)))
	return frames


func _get_configuration_warnings() -> PackedStringArray:
	return FixsyncCheck.warnings(self)


# An id that the match gave is not saved with the scene, nor copied.
func _validate_property(property: Dictionary) -> void:
	if property.name == "id" and given_id == -1:
		property.usage &= ~PROPERTY_USAGE_STORAGE


func _notification(what: int) -> void:
	if (what == NOTIFICATION_DISABLED or what == NOTIFICATION_ENABLED) \
			and not Engine.is_editor_hint():
		FixsyncStage.on_mode_changed(self)


func _is_early() -> bool:
	push_error("%s is in no match yet: the world's start, or spawn, lets it join" % name)
	return true


func _hear(before: FixsyncShape, after: FixsyncShape) -> void:
	if before != null and before.changed.is_connected(_on_shape_changed):
		before.changed.disconnect(_on_shape_changed)
	if after != null:
		after.changed.connect(_on_shape_changed)


func _on_shape_changed() -> void:
	update_configuration_warnings()
	if is_in_match() and shape.row() != start_row:
		start_row = shape.row()
		FixsyncCheck.may_set(self, "shape", "set_shape with another one")
