class_name DemoShot
extends FixsyncCollider2D
## A stone that was thrown: it flies straight the way its thrower faces, and is gone when it hits.

var left := 70  # frames


func _fixsync_state() -> Array[StringName]:
	return [&"left"]


func _fixsync_tick(_frame: int, _inputs: PackedInt64Array) -> void:
	left -= 1
	set_pose(get_raw_position() + Fixsync.forward(get_yaw(), 12288), get_yaw())
	if left == 0:
		stage.despawn(self)


func _fixsync_hit(_mine: int, other: int, kind: int, _contact: int) -> void:
	if kind != Fixsync.ENTER:
		return
	if stage.nodes.get(other) is DemoFighter:
		stage.nodes[other].hurt(flipped, 6)
	stage.despawn(self)
