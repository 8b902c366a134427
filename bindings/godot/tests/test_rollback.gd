extends TestSuite
## A match that rolls back tells what one tells that never does, and plants that break it.

const FRAMES := 10000
const LATE := 8


## Throws a ball each 16 frames and takes the old one away, each with a new id.
class Spawner:
	extends Node

	var world: FixsyncWorld3D
	var next_id := 8

	func _fixsync_state() -> Array[StringName]:
		return [&"next_id"]

	func _fixsync_tick(frame: int, inputs: PackedInt64Array) -> void:
		if (frame + inputs[1]) % 16 == 0:
			var kernel := world.stage.world
			if kernel.has(next_id):
				kernel.remove(next_id)
			next_id = 8 + (next_id - 7) % 8
			if not kernel.has(next_id):
				kernel.add(next_id, Fixsync.sphere(65536), Vector3i(0, 65536, 0), 0, 1)


## A match on this machine alone.
func _straight(frames: int, spawner: Node = null) -> TestDuel:
	var duel := TestDuel.new(spawner)
	add_child(duel)
	duel.play(frames, 7)
	return duel


## The same match as one of two peers plays it.
func _rolled(
		frames: int, spawners: Array[Node] = [null, null], lies := false) -> TestDuel:
	var duels: Array[TestDuel] = []
	for spawner in spawners:
		duels.append(TestDuel.new(spawner))
		add_child(duels[-1])
	var world := duels[0].world
	if lies:
		world.hit_predicted.connect(func(f: int, a: int, b: int, kind: int, contact: int) -> void:
			if kind == Fixsync.ENTER:
				world.hit_entered.emit(f, a, b, contact))
	TestDuel.play_peers(duels, frames, LATE, 7)
	duels[1].free()
	return duels[0]


## Whether both reported the same: the peer may be some frames on.
func _is_same(straight: TestDuel, rolled: TestDuel) -> bool:
	return rolled.reported.slice(0, straight.reported.size()) == straight.reported


func test_a_match_that_rolls_back_ten_thousand_frames_tells_the_same() -> void:
	var straight := _straight(FRAMES)
	var rolled := _rolled(FRAMES)
	check(straight.reported.size() > FRAMES + 200, "too few hits: %d" % straight.reported.size())
	check(_is_same(straight, rolled), "signals differ")
	rolled.world.end_log()
	var log := rolled.world.take_log()
	check(log.begins_with(straight.world.take_log()), "logs differ")
	equal(straight.predicted, 0, "predicted without a rollback")
	check(rolled.predicted > 100 and rolled.taken_back > 20,
			"predicted %d, taken back %d" % [rolled.predicted, rolled.taken_back])
	print("%d signals, %d predicted, %d taken back" % [
		straight.reported.size(), rolled.predicted, rolled.taken_back])
	var file := FileAccess.open("user://rolled.jsonl", FileAccess.WRITE)
	file.store_string(log)
	file.close()
	straight.free()
	rolled.free()


func test_what_is_predicted_and_not_taken_back_is_confirmed() -> void:
	var rolled := _rolled(600)
	var reported := {}
	for line in rolled.reported:
		reported[line] = reported.get(line, 0) + 1
	for row: Array in rolled.standing:
		var count: int = rolled.standing[row]
		var name := str(row[3])
		if row[3] < 4:
			name = ["", "entered", "stayed", "exited"][row[3]]
		var line := "%d %s %d %d %d" % [row[0], name, row[1], row[2], row[4]]
		var is_told: bool = reported.get(line, 0) == 1 or row[0] >= rolled.world.confirmed()
		check(count == 0 or count == 1 and is_told, "%s: %d" % [line, count])
	rolled.free()


func test_ids_that_come_and_go_roll_back() -> void:
	var straight := _straight(600, Spawner.new())
	var rolled := _rolled(600, [Spawner.new(), Spawner.new()])
	check(_is_same(straight, rolled), "signals differ")
	straight.free()
	rolled.free()


func test_a_signal_while_predicting_is_noticed() -> void:
	var straight := _straight(600)
	var rolled := _rolled(600, [null, null], true)
	check(not _is_same(straight, rolled), "the plant was not noticed")
	straight.free()
	rolled.free()
