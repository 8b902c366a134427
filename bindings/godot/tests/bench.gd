extends SceneTree
## Frames in GDScript, beside those of bench.c: "name nanoseconds" a line.

const COUNTS: Array[int] = [16, 100, 1000]

var _ids := PackedInt64Array()
var _to: Array[PackedInt64Array] = []


func _arena(n: int) -> FixsyncWorld:
	var world := FixsyncWorld.create(n, 1, PackedInt64Array(), null, 4096)
	var ball := Fixsync.sphere(65536)
	_ids.clear()
	for i in n:
		_ids.append(i)
		world.add(i, ball, Vector3i(i % 32 * 98304, 0, i / 32 * 98304))
	_to.clear()
	for frame in 64:
		var rows := PackedInt64Array()
		for i in n:
			rows.append_array([i % 32 * 98304 + (frame + i) % 64 * 512, 0, i / 32 * 98304])
		_to.append(rows)
	return world


func _init() -> void:
	for n in COUNTS:
		var world := _arena(n)
		var best := INF
		for round in 40:
			var frames := 40000 / n
			var start := Time.get_ticks_usec()
			for at in frames:
				world.move_many(_ids, _to[at % 64])
				world.step()
			best = minf(best, 1000.0 * (Time.get_ticks_usec() - start) / frames)
		print("frame_of_%d %d" % [n, best])
	_rollback()
	_calls()
	quit()


func _rollback() -> void:
	var world := _arena(16)
	world.move_many(_ids, _to[0])
	world.step()
	var history := FixsyncHistory.create(world, 16)
	var best := INF
	for round in 300:
		var start := Time.get_ticks_usec()
		for again in 10:
			history.back(1, world)
			for at in range(1, 9):
				world.move_many(_ids, _to[(at + round) % 64])
				history.push(world, false, world.step())
		best = minf(best, 100.0 * (Time.get_ticks_usec() - start))
	print("rollback_of_8 %d" % best)


## A typed call: less the loop around it.
func _calls() -> void:
	var world := _arena(16)
	var at := Vector3i(5, 6, 7)
	var move := INF
	var frame := INF
	var empty := INF
	for round in 60:
		var start := Time.get_ticks_usec()
		for i in 20000:
			pass
		empty = minf(empty, Time.get_ticks_usec() - start)
		start = Time.get_ticks_usec()
		for i in 20000:
			world.move(3, at)
		move = minf(move, Time.get_ticks_usec() - start)
		start = Time.get_ticks_usec()
		for i in 20000:
			world.frame()
		frame = minf(frame, Time.get_ticks_usec() - start)
	print("call_of_move %.1f" % ((move - empty) / 20.0))
	print("call_of_frame %.1f" % ((frame - empty) / 20.0))
