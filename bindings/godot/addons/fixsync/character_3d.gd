@tool
@icon("icons/character_3d.svg")
class_name FixsyncCharacter3D
extends FixsyncCollider3D
## A collider that walks: along walls, up steps, on floors. Call move in _fixsync_tick.

## Layers that block it. None: those that meet its own layer.
@export var blocked_by: PackedStringArray = ["wall"]
## Layers that are a floor from above, and block no other way.
@export var one_way: PackedStringArray = []
## The highest step that it climbs, in units.
@export var step_height := "0.25"
## How far down it searches for a floor, in units.
@export var snap := "0.125"
## The least y of the normal of a floor: 2^30 is a flat floor, 759250125 a slope of 45 degrees.
@export_range(1, 1073741824) var floor_y_q30 := 759250125

var mover: FixsyncMover  ## The result of the last move. It is not part of the state.


## Adds it to a world with its mover; the world node calls it.
func enter(new_stage: FixsyncStage) -> void:
	super(new_stage)
	mover = FixsyncMover.create(
		id, stage.mask(blocked_by), 4, Fixsync.nearest(step_height), Fixsync.nearest(snap),
		floor_y_q30, stage.mask(one_way))


## Moves it, and its parts, by a motion in raw numbers. Returns the motion without the components
## into walls, floor and ceiling.
func move(motion: Vector3i) -> Vector3i:
	mover.move(stage.world, motion)
	var now_yaw := get_yaw()
	for part in parts:
		part.set_pose(mover.position(), now_yaw)
	return mover.motion()


## Whether the last move ended on a floor.
func is_on_floor() -> bool:
	return mover.is_on_floor()


## Whether the last move met a wall.
func is_on_wall() -> bool:
	return mover.is_on_wall()
