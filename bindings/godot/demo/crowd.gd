class_name DemoCrowd
extends Node3D
## Balls that drift above the arena: a load for measuring. Where they are follows from the frame
## alone, so they need no state.

var world: FixsyncWorld3D
var _balls: Array[FixsyncCollider3D] = []
var _ids := PackedInt64Array()
var _places := PackedInt64Array()


func fill(count: int) -> void:
	var shape := FixsyncShape.new()
	shape.radius = "0.375"
	for i in count:
		var ball := FixsyncCollider3D.new()
		ball.shape = shape
		ball.layer = "ball"
		ball.raw_position = _place(i, 0)
		add_child(ball)
		_balls.append(ball)
	_places.resize(3 * count)


func _fixsync_tick(frame: int, _inputs: PackedInt64Array) -> void:
	if _balls.is_empty():
		return
	if _ids.is_empty():
		for ball in _balls:
			_ids.append(ball.id)
	for i in _balls.size():
		var place := _place(i, frame)
		_places[3 * i] = place.x
		_places[3 * i + 1] = place.y
		_places[3 * i + 2] = place.z
	world.stage.world.move_many(_ids, _places)


# Back and forth along x, each ball with its own speed and row.
func _place(i: int, frame: int) -> Vector3i:
	var length := 20 * Fixsync.ONE
	var at := posmod(frame * (600 + 37 * (i % 23)) + i * 50021, 2 * length)
	var x := (at if at < length else 2 * length - at) - 10 * Fixsync.ONE
	return Vector3i(x, 3 * Fixsync.ONE, (i % 14 - 7) * Fixsync.ONE)
