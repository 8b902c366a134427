extends TestSuite
## Recorded matches through the extension: events, answers and hashes are those of the logs, which
## the C kernel wrote. The folder traces has them as bytes (bindings/csharp/Tests/traces.py).

const FOLDER := "res://traces"


func test_recorded_matches_are_computed_again_to_the_bit() -> void:
	var names := Array(DirAccess.get_files_at(FOLDER)).filter(
		func(name: String) -> bool: return name.ends_with(".trace"))
	check(names.size() >= 9, "%d traces" % names.size())
	for name: String in names:
		_play(name)


func _play(name: String) -> void:
	var bytes := StreamPeerBuffer.new()
	bytes.data_array = FileAccess.get_file_as_bytes(FOLDER.path_join(name))
	var capacity := bytes.get_u32()
	var hit_when := bytes.get_u32()
	var masks := PackedInt64Array()
	for i in 32:
		masks.append(bytes.get_u32())
	var size := bytes.get_u32()
	var level: FixsyncLevel = null
	if size > 0:
		level = FixsyncLevel.from_bytes(bytes.get_data(size)[1])
	var world := FixsyncWorld.create(capacity, hit_when, masks, level)
	var recorder := FixsyncRecorder.create(world, "")
	var frames := bytes.get_u32()
	for frame in frames:
		var commands := PackedInt64Array()
		for i in bytes.get_u32():
			_command(bytes, commands)
		world.apply(commands)
		recorder.commands(commands)
		var questions: Array[PackedInt64Array] = []
		for i in bytes.get_u32():
			questions.append(_question(bytes))
			_record(recorder, questions[-1])
		var events := PackedInt64Array()
		for i in bytes.get_u32() * 4:
			events.append(bytes.get_u32())
		var found := world.step()
		if found != events:
			equal(found, events, "%s, frame %d, events" % [name, frame])
			return
		for question in questions:
			_ask(world, recorder, question, bytes, "%s, frame %d, answer" % [name, frame])
		recorder.step(found, world.hash())
		if world.hash() != bytes.get_64():
			check(false, "%s, frame %d, hash" % [name, frame])
			return
	recorder.finish()
	var out := FileAccess.open("user://%s.jsonl" % name.get_basename(), FileAccess.WRITE)
	out.store_string(recorder.take_text())
	equal(recorder.frames(), frames, "%s, frames" % name)
	equal(Fixsync.take_error(), "", "%s, errors" % name)


func _command(bytes: StreamPeerBuffer, rows: PackedInt64Array) -> void:
	rows.append(bytes.get_u32())
	rows.append(bytes.get_u32())
	rows.append(bytes.get_u32())  # id
	for i in 3:
		rows.append(bytes.get_u8())
	bytes.get_u8()
	rows.append(bytes.get_u16())
	rows.append(bytes.get_u16())
	rows.append(bytes.get_u32())
	for i in 9:
		rows.append(bytes.get_32())


## A row of query_many or cast_many.
func _question(bytes: StreamPeerBuffer) -> PackedInt64Array:
	var is_cast := bytes.get_u32() == 1
	var row := PackedInt64Array([bytes.get_u32(), bytes.get_u32()])
	for i in 6:
		row.append(bytes.get_32())
	row.append(bytes.get_u32())
	for i in 3 if is_cast else 0:
		row.append(bytes.get_32())
	for i in 4 if is_cast else 3:
		row.append(bytes.get_u32())
	return row


func _shape(row: PackedInt64Array) -> PackedInt64Array:
	match row[0]:
		Fixsync.SPHERE:
			return [row[0], row[2]]
		Fixsync.BOX:
			return [row[0], row[2], row[3], row[4]]
		Fixsync.SECTOR:
			return [row[0], row[2], row[1], row[3], row[4]]
	return [row[0], row[2], row[3]]


func _record(recorder: FixsyncRecorder, row: PackedInt64Array) -> void:
	var at := Vector3i(row[5], row[6], row[7])
	if row.size() == 12:
		recorder.query(_shape(row), at, row[8], row[9], row[10], row[11])
	else:
		var motion := Vector3i(row[9], row[10], row[11])
		recorder.cast(_shape(row), at, motion, row[8], row[12], row[13], row[14], row[15])


## Alone and as one of many: the same answer.
func _ask(world: FixsyncWorld, recorder: FixsyncRecorder, row: PackedInt64Array,
		bytes: StreamPeerBuffer, what: String) -> void:
	var at := Vector3i(row[5], row[6], row[7])
	var want := PackedInt64Array()
	var got: PackedInt64Array
	var many: PackedInt64Array
	if row.size() == 12:
		for i in bytes.get_u32():
			want.append(bytes.get_u32())
		got = world.query(_shape(row), at, row[8], row[9], row[10], row[11])
		many = world.query_many(row)
		recorder.ids(got)
	else:
		for i in bytes.get_u32():
			want.append(bytes.get_u32())
			want.append(bytes.get_u32())
			for k in 3:
				want.append(bytes.get_32())
		var motion := Vector3i(row[9], row[10], row[11])
		got = world.cast(_shape(row), at, motion, row[8], row[12], row[13], row[14], row[15])
		many = world.cast_many(row)
		recorder.hits(got)
	if got != want or many.slice(1) != want:
		equal(got, want, what)
