@tool
@icon("icons/collider_2d.svg")
class_name FixsyncCollider2D
extends Node2D
## A collider of the FixsyncWorld2D above it: a hurtbox, an attack, a trigger.
##
## Place it like any node. In the editor its place becomes raw_position and yaw, integers that are
## saved with the scene; a game reads only these. While the game runs, the node is where the
## collider is. A collider under another one is a part of it: it moves and turns with it, and
## raw_position is its offset. FixsyncView2D says how the screen lies in the world.

## Its id, less than the world's capacity. -1: the least free one, in the order of the tree.
@export var id := -1
## Its shape and sizes.
@export var shape: FixsyncShape:
	set(value):
		shape = value
		update_configuration_warnings()
## A name of the world's layers.
@export var layer := "body"
## Colliders of one owner do not hit each other; 0: no owner. -1: the owner of the collider that it
## is a part of, else 0.
@export_range(-1, 4294967295) var owner_id := -1
## Whether it is active when the match begins.
@export var starts_active := true
## Where it is when the match begins, in multiples of 1/65536; of a part, its offset.
@export var raw_position := Vector3i.ZERO
## Its yaw when the match begins: 65536 steps are a turn, 0 is +X, 16384 is +Z.
@export_range(0, 65535) var yaw := 0

var stage: FixsyncStage  ## The world that it is in, while that runs.
var parts: Array[FixsyncCollider2D] = []  ## The colliders that move with it.

var _colour := Color.WHITE


# ---- while the world runs ----

## Where it is now; for a part, where the collider is that it is a part of.
func get_raw_position() -> Vector3i:
	return stage.world.position(id)


## Its yaw now.
func get_yaw() -> int:
	return stage.world.yaw(id)


## Whether it is active now.
func is_active() -> bool:
	return stage.world.is_active(id)


## Puts it, and its parts, at a position. Call this and the next two only in _fixsync_tick and
## _fixsync_hit.
func set_pose(raw: Vector3i, new_yaw: int) -> void:
	stage.world.set_pose(id, raw, new_yaw)
	for part in parts:
		part.set_pose(raw, new_yaw)


## Turns it, and its parts.
func turn(new_yaw: int) -> void:
	stage.world.turn(id, new_yaw)
	for part in parts:
		part.turn(new_yaw)


## Makes it active or not; an inactive collider hits nothing.
func set_active(active: bool) -> void:
	if stage.world.is_active(id) != active:
		stage.world.set_active(id, active)


## Adds it to a world; the world node calls it.
func enter(new_stage: FixsyncStage) -> void:
	stage = new_stage
	FixsyncPlace.check(self)
	var above := FixsyncPlace.whole(self)
	var start := raw_position
	var offset := Vector3i.ZERO
	if above != null:
		above.parts.append(self)
		offset = raw_position
		start = above.get_raw_position()
		yaw = above.get_yaw()
		if owner_id < 0:
			owner_id = above.owner_id
	owner_id = maxi(owner_id, 0)
	if shape == null:
		push_error("%s has no shape" % name)
		return
	stage.world.add(
			id, shape.row(), start, yaw, stage.layer(layer), owner_id, offset, starts_active)


## Puts the node where the collider is; a part moves with the collider above it.
func show_pose(raw: Vector3i, now_yaw: int) -> void:
	if FixsyncPlace.whole(self) == null:
		var view := stage.view()
		var angle := 0.0 if view.is_side else TAU * now_yaw / 65536.0
		global_transform = stage.host.global_transform * Transform2D(angle, view.screen(raw))


## Colours the lines: grey if it is not active, red while it hits.
func show_state(active: bool, hits: bool) -> void:
	var colour := FixsyncDraw.colour(active, hits)
	if colour != _colour:
		_colour = colour
		queue_redraw()


# ---- drawing ----

func _draw() -> void:
	if shape != null and stage != null and stage.draws():
		for line in stage.view().lines(shape):
			draw_polyline(line, _colour)


func _get_configuration_warnings() -> PackedStringArray:
	return ["A collider needs a shape."] if shape == null else []
