class_name DemoLift
extends FixsyncCollider2D
## Goes up and down, and takes along those who stand on it.

const FRAMES := 150  # of one way


func _fixsync_tick(frame: int, _inputs: PackedInt64Array) -> void:
	var up := 2048 if frame / FRAMES % 2 == 0 else -2048
	stage.carry(self, Vector3i(0, up, 0))
