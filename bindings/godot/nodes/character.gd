@tool
@icon("icons/character_{d}.svg")
class_name FixsyncCharacter{D}
extends FixsyncCollider{D}
## A collider that walks: along walls, up steps, on floors. Call move in _fixsync_tick.

# The editor knows the default of a typed constant, also where a script of the game extends this one.
const _WALLS: PackedStringArray = ["wall"]
const _NONE: PackedStringArray = []

## Layers that block it. None: those that meet its own layer.
@export var blocked_by := _WALLS:
	set(value):
		blocked_by = value
		update_configuration_warnings()
## Layers that are a floor from above, and block no other way.
@export var one_way := _NONE:
	set(value):
		one_way = value
		update_configuration_warnings()
## The highest step that it climbs, in units.
@export var step_height := "0.25"
## How far down it searches for a floor, in units.
@export var snap := "0.125"
## The steepest slope that is a floor, in degrees.
@export_range(0, 89) var floor_max_degrees := 45

## The result of the last move, a part of the state: it rolls back.
var mover: FixsyncMover


## Moves it, and its parts, by a motion in raw numbers. Returns the motion without the components
## into walls, floor and ceiling.
func move(motion: Vector3i) -> Vector3i:
	if mover == null and _is_early():
		return Vector3i.ZERO
	mover.move(kernel, motion)
	if not parts.is_empty():
		var now_yaw := get_yaw()
		for part in parts:
			kernel.set_pose(part.id, mover.position(), now_yaw)
	return mover.motion()


## Whether the last move ended on a floor, also that of an earlier frame.
func is_on_floor() -> bool:
	return (mover != null or not _is_early()) and mover.is_on_floor()


## Whether the last move met a wall.
func is_on_wall() -> bool:
	return (mover != null or not _is_early()) and mover.is_on_wall()


## Whether the last move met a ceiling.
func is_on_ceiling() -> bool:
	return (mover != null or not _is_early()) and mover.is_on_ceiling()
