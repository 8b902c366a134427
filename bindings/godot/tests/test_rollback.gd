extends TestSuite
## A match that rolls back tells what one tells that never does, and plants that break it.

const FRAMES := 10000
const LATE := 8


class Forgetful:
	extends DuelFighter

	func _fixsync_state() -> Array[StringName]:
		return super().filter(func(name: StringName) -> bool: return name != &"swing")


## Throws a ball each 16 frames and takes the old one away, each with a new id.
class Spawner:
	extends Node

	var world: FixsyncWorld3D
	var next_id := 8
	var keeps := true

	func _fixsync_state() -> Array[StringName]:
		var names: Array[StringName] = []
		if keeps:
			names.append(&"next_id")
		return names

	func _fixsync_tick(frame: int, inputs: PackedInt64Array) -> void:
		if (frame + inputs[1]) % 16 == 0:
			var kernel := world.stage.world
			if kernel.has(next_id):
				kernel.remove(next_id)
			next_id = 8 + (next_id - 7) % 8
			if not kernel.has(next_id):
				kernel.add(next_id, Fixsync.sphere(65536), Vector3i(0, 65536, 0), 0, 1)


func _played(
	frames: int, late: int, fighter: GDScript = null, spawner: Node = null, lies := false
) -> TestDuel:
	var duel := TestDuel.new(fighter, spawner)
	if lies:
		duel.world.hit_predicted.connect(
			func(f: int, a: int, b: int, kind: int, contact: int) -> void:
				if kind == Fixsync.ENTER:
					duel.world.hit_entered.emit(f, a, b, contact))
	add_child(duel)
	duel.play(frames, late, 7)
	return duel


func test_a_match_that_rolls_back_ten_thousand_frames_tells_the_same() -> void:
	var straight := _played(FRAMES, 0)
	var rolled := _played(FRAMES, LATE)
	check(straight.reported.size() > FRAMES + 200, "too few hits: %d" % straight.reported.size())
	check(rolled.reported == straight.reported, "signals differ")
	var log := straight.world.take_log()
	check(rolled.world.take_log() == log, "logs differ")
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
	var rolled := _played(600, LATE)
	var reported := {}
	for line in rolled.reported:
		reported[line] = reported.get(line, 0) + 1
	for row: Array in rolled.standing:
		var count: int = rolled.standing[row]
		var name := str(row[3])
		if row[3] < 4:
			name = ["", "entered", "stayed", "exited"][row[3]]
		var line := "%d %s %d %d %d" % [row[0], name, row[1], row[2], row[4]]
		check(count == 0 or count == 1 and reported.get(line, 0) == 1, "%s: %d" % [line, count])
	rolled.free()


func test_ids_that_come_and_go_roll_back() -> void:
	var straight := _played(600, 0, null, Spawner.new())
	var rolled := _played(600, LATE, null, Spawner.new())
	check(rolled.reported == straight.reported, "signals differ")
	straight.free()
	rolled.free()


func test_a_signal_while_predicting_is_noticed() -> void:
	var straight := _played(600, 0)
	var rolled := _played(600, LATE, null, null, true)
	check(rolled.reported != straight.reported, "the plant was not noticed")
	straight.free()
	rolled.free()


func test_a_state_that_forgets_a_property_is_noticed() -> void:
	var straight := _played(600, 0, Forgetful)
	var rolled := _played(600, LATE, Forgetful)
	check(rolled.reported != straight.reported, "the plant was not noticed")
	check(rolled.world.take_log() != straight.world.take_log(), "the log did not notice it")
	straight.free()
	rolled.free()


func test_a_stale_id_is_noticed() -> void:
	var spawners: Array[Spawner] = [Spawner.new(), Spawner.new()]
	for spawner in spawners:
		spawner.keeps = false
	var straight := _played(600, 0, null, spawners[0])
	var rolled := _played(600, LATE, null, spawners[1])
	check(rolled.world.take_log() != straight.world.take_log(), "the plant was not noticed")
	straight.free()
	rolled.free()
