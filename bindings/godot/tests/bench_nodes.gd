extends SceneTree
## Moving circles as Area2D, as nodes of the add-on, and in the kernel alone: microseconds of CPU
## time of a frame of the whole engine, all threads, less those of an empty one. On both sides each
## node has a script of one line that moves it; what these scripts take alone is a column of its own.
## The rounds of all take turns; the least counts.

const COUNTS: Array[int] = [100, 1000]
const ROUNDS := 8


class Empty:
	extends Node2D

	func frame(_number: int) -> void:
		pass

	static func place(i: int) -> Vector3i:
		return Vector3i(i % 32 * 98304, 0, i / 32 * 98304)


class Area:
	extends Area2D
	var start := Vector2.ZERO
	var phase := 0

	func _init() -> void:
		var part := CollisionShape2D.new()
		part.shape = CircleShape2D.new()
		part.shape.radius = 32.0
		add_child(part)

	func _physics_process(_delta: float) -> void:
		position = start + Vector2((Engine.get_physics_frames() + phase) % 64 * 0.75, 0.0)


## The script of Area alone.
class Moved:
	extends Node2D
	var start := Vector2.ZERO
	var phase := 0

	func _physics_process(_delta: float) -> void:
		position = start + Vector2((Engine.get_physics_frames() + phase) % 64 * 0.75, 0.0)


class Areas:
	extends Empty

	func _init(count: int, kind: GDScript) -> void:
		for i in count:
			var area: Node2D = kind.new()
			area.start = Vector2(place(i).x, place(i).z) / 1024.0
			area.phase = i * 7
			add_child(area)


class Circle:
	extends FixsyncCollider2D
	var phase := 0

	func _fixsync_tick(frame: int, _inputs: PackedInt64Array) -> void:
		set_pose(start_position + Vector3i((frame + phase) % 64 * 768, 0, 0), 0)


class Nodes:
	extends Empty
	var world := FixsyncWorld2D.new()
	var again := 0

	func _init(count: int, new_again := 0) -> void:
		again = new_again
		world.capacity = count
		world.window = 12
		world.players = 1
		var shape := FixsyncShape.new()
		for i in count:
			var circle := Circle.new()
			circle.shape = shape
			circle.raw_position = place(i)
			circle.phase = i * 7
			world.add_child(circle)
		add_child(world)

	func frame(_number: int) -> void:
		var next := world.head()
		if again > 0:
			world.rewind(maxi(0, next - again))
			while world.head() <= next:
				world.play(PackedInt64Array([0]))
			world.settle(maxi(0, next - again))
		else:
			world.tick(PackedInt64Array([0]))


## The scripts of Nodes alone.
class Rules:
	extends Nodes

	func frame(number: int) -> void:
		var inputs := PackedInt64Array([0])
		for node in world.get_children():
			node._fixsync_tick(number, inputs)


class Kernel:
	extends Empty
	var world: FixsyncWorld
	var ids := PackedInt64Array()
	var places := PackedInt64Array()

	func _init(count: int) -> void:
		world = FixsyncWorld.create(count)
		for i in count:
			ids.append(i)
			world.add(i, Fixsync.sphere(32768), place(i))
		for at in 64:
			for i in count:
				places.append_array([place(i).x + (at + i * 7) % 64 * 768, 0, place(i).z])

	func frame(number: int) -> void:
		var size := 3 * ids.size()
		world.move_many(ids, places.slice(number % 64 * size, (number % 64 + 1) * size))
		world.step()


func _initialize() -> void:
	_run.call_deferred()


func _run() -> void:
	print("microseconds   Area2D scripts    nodes scripts  8 again   kernel  nodes / Area2D, no scripts")
	for count in COUNTS:
		var made: Array[Callable] = [
			func() -> Empty: return Empty.new(), func() -> Empty: return Areas.new(count, Area),
			func() -> Empty: return Areas.new(count, Moved),
			func() -> Empty: return Nodes.new(count), func() -> Empty: return Rules.new(count),
			func() -> Empty: return Nodes.new(count, 8), func() -> Empty: return Kernel.new(count)]
		var least: Array[float] = [INF, INF, INF, INF, INF, INF, INF]
		for round in ROUNDS:
			for i in made.size():
				least[i] = minf(least[i], await _measure(made[i], 300 if count < 500 else 60))
		for i in range(1, least.size()):
			least[i] -= least[0]
		print("%-12d %8.0f %7.0f %8.0f %7.0f %8.0f %8.0f %7.2f %.2f" % ([count] + least.slice(1) + [
			least[3] / least[1], (least[3] - least[4]) / (least[1] - least[2])]))
	quit()


## Nanoseconds that all threads of this process have run.
func _cpu_time() -> int:
	OS.delay_usec(100)  # the time of a thread is counted when it sleeps
	var total := 0
	for thread in DirAccess.get_directories_at("/proc/self/task"):
		var file := FileAccess.open("/proc/self/task/%s/schedstat" % thread, FileAccess.READ)
		total += int(file.get_line().get_slice(" ", 0))
	return total


func _measure(make: Callable, frames: int) -> float:
	var scene: Empty = make.call()
	root.add_child(scene)
	var number := 0
	for i in 15:
		scene.frame(number)
		number += 1
		await physics_frame
	var start := _cpu_time()
	for i in frames:
		scene.frame(number)
		number += 1
		await physics_frame
	var taken := (_cpu_time() - start) / 1000.0 / frames
	scene.free()
	return taken
