extends SceneTree
## Random calls of every method: wrong types, objects that were freed, objects of others, huge
## arrays. It passes if it comes to its end. `-- SEED COUNT`.

const CLASSES: Array[String] = [
	"Fixsync", "FixsyncWorld", "FixsyncLevel", "FixsyncMover", "FixsyncFrameData", "FixsyncBody",
	"FixsyncNodes", "FixsyncHistory", "FixsyncRollback", "FixsyncRecorder",
	"FixsyncRandom",
]
const NUMBERS: Array[int] = [
	0, 1, 2, 3, 4, 5, 15, 16, 31, 32, 63, 64, 65535, 65536, -1, 2147483647, 2147483648, -2147483648,
	4294967295, 4294967296, 9223372036854775807, -9223372036854775807, 536870911, 536870912,
]

var _chance := RandomNumberGenerator.new()
var _scripts := {}  # the methods of each class
var _objects: Array[Object] = []
var _table := PackedByteArray()
var _states: Array[PackedByteArray] = []
var _freed: Array = []
var _host := Node3D.new()


func _initialize() -> void:
	_run.call_deferred()


func _run() -> void:
	var words := OS.get_cmdline_user_args()
	_chance.seed = int(words[0])
	var count := int(words[1])
	_table = FileAccess.get_file_as_bytes("res://fighter.table")
	var node := Node.new()
	node.free()
	_freed = [node]
	root.add_child(_host)
	for name in CLASSES:
		var methods: Array[Dictionary] = []
		for method in ClassDB.class_get_method_list(name, true):
			methods.append(method)
		_scripts[name] = methods
	_fill()
	var done := 0
	var errors := 0
	while done < count:
		var name: String = CLASSES[_chance.randi() % CLASSES.size()]
		var methods: Array = _scripts[name]
		var method: Dictionary = methods[_chance.randi() % methods.size()]
		var arguments: Array = []
		for argument: Dictionary in method.args:
			arguments.append(_value(argument) if _chance.randf() < 0.93 else _anything())
		if _chance.randf() < 0.05:
			arguments.append(_anything())
		if _chance.randf() < 0.1 and arguments.size() > 0:
			arguments.resize(arguments.size() - 1)
		var got: Variant = null
		if method.flags & METHOD_FLAG_STATIC:
			got = ClassDB.class_call_static.callv([name, method.name] + arguments)
		else:
			var object := _object_of(name)
			got = object.callv(method.name, arguments)
		if Fixsync.take_error() != "":
			errors += 1
		if got is Object and got != null:
			_objects.append(got)
			if _objects.size() > 200:
				_objects.remove_at(_chance.randi() % 150)
				_fill()
		elif got is PackedByteArray and got.size() > 0 and got.size() < 5000:
			_states.append(got)
			if _states.size() > 50:
				_states.remove_at(0)
		done += 1
	_objects.clear()
	await process_frame
	print("%d calls, %d refused" % [done, errors])
	print("1 passed, 0 failed" if errors > 0 and errors < done else "0 passed, 1 failed")
	quit()


## A few objects with something in them.
func _fill() -> void:
	var level := FixsyncLevel.create(FixsyncLevel.pillar(200000, 0, 65536, 0, 262144))
	var world := FixsyncWorld.create(16, 1, PackedInt64Array(), level)
	for id in 6:
		world.add(id, Fixsync.capsule(32768, 32768), Vector3i(id * 40000, 0, 0), 0, id)
	world.step()
	var frames := FixsyncFrameData.from_bytes(_table)
	var body := FixsyncBody.create(frames)
	body.add(world, PackedInt64Array([10, 11, 12, 13]), 9, Vector3i(5, 6, 7))
	var fresh: Array[Object] = [
		world, level, frames, body, FixsyncMover.create(1), FixsyncNodes.create(_host, 8, 0, 65536),
		FixsyncHistory.create(world, 6),
		FixsyncRecorder.create(world, ""), FixsyncRandom.create(5), _peer(world, [0, 0], 3),
		_peer(world, [0, 1], 0),
		FixsyncWorld.new(), FixsyncBody.new(),
	]
	_objects.append_array(fresh)


func _peer(world: FixsyncWorld, peers: PackedInt64Array, back: int) -> FixsyncRollback:
	var own := PackedByteArray([1, 2])
	return FixsyncRollback.create(world, Crypto.new().generate_random_bytes(16), 0, 0, peers, own, 4, 1,
			back)


func _object_of(name: String) -> Object:
	for _try in 40:
		var object := _objects[_chance.randi() % _objects.size()]
		if object.get_class() == name:
			return object
	return ClassDB.instantiate(name)


func _number() -> int:
	match _chance.randi() % 4:
		0:
			return NUMBERS[_chance.randi() % NUMBERS.size()]
		1:
			return _chance.randi() % 20
		2:
			return (_chance.randi() % 400000) - 200000
	return _chance.randi() % 4


func _numbers(size: int) -> PackedInt64Array:
	var found := PackedInt64Array()
	found.resize(size)
	for i in size:
		found[i] = _number()
	return found


func _shape() -> PackedInt64Array:
	match _chance.randi() % 6:
		0:
			return [0, 1 + _chance.randi() % 100000]
		1:
			return [1, 1 + _chance.randi() % 100000, _chance.randi() % 100000]
		2:
			return [2, 1 + _chance.randi() % 100000, 1 + _chance.randi() % 100000]
		3:
			return [3, 5000, 6000, 1 + _chance.randi() % 100000]
		4:
			return [4, 60000, 1 + _chance.randi() % 32768, 50000, _chance.randi() % 50000]
	return _numbers(_chance.randi() % 7)


## Mostly good rows of a command, an event, a hitbox …
func _rows() -> PackedInt64Array:
	var id := _chance.randi() % 10
	match _chance.randi() % 9:
		0:
			return [1 + _chance.randi() % 11, 255, id, 0, id % 3, 1, 5, 0, 1, _number(), 0, 0, 0, 0, 0,
				30000, 0, 0]
		1:
			return [id, id + 1, 1 + _chance.randi() % 3, 1]
		2:
			return [id, 2, 1, 1, 0, 5, 5, 5, 300, 0, 300, 300]
		3:
			return [1 + _chance.randi() % 11, 3, id, 2, 1, 1, 0, 5, 5, 5, 300, 0, 300, 300]
		4:
			return [0, 0, 30000, 0, 0, _number(), 0, 0, 0, 4294967295, 0]
		5:
			return [id, 0, 4, 20000, 20000, 759250125, 0]
		6:
			return range(id)
		7:
			return _shape()
	return _numbers([1, 2, 3, 4, 9, 16, 18, 36, 32, 11, 64][_chance.randi() % 11])


func _value(argument: Dictionary) -> Variant:
	match argument.type:
		TYPE_INT:
			return _number()
		TYPE_BOOL:
			return _chance.randi() % 2 == 0
		TYPE_VECTOR3I:
			return Vector3i(_number() % 4294967296, _number() % 4294967296, _number())
		TYPE_STRING:
			return ["", "1.5", "-0.25", "0.1", "x", "é\u0001\"", '{"tick_rate":60}', "9".repeat(3000)][
				_chance.randi() % 8]
		TYPE_PACKED_BYTE_ARRAY:
			if _states.is_empty() or _chance.randf() < 0.2:
				var bytes := PackedByteArray()
				bytes.resize(_chance.randi() % 300)
				for i in bytes.size():
					bytes[i] = _chance.randi() % 256
				return _table if _chance.randf() < 0.5 else bytes
			var state := _states[_chance.randi() % _states.size()].duplicate()
			if _chance.randf() < 0.3:
				state[_chance.randi() % state.size()] = _chance.randi() % 256
			return state
		TYPE_PACKED_STRING_ARRAY:
			return PackedStringArray(["boss", "é".repeat(100)].slice(0, _chance.randi() % 3))
		TYPE_PACKED_INT64_ARRAY:
			if _chance.randf() < 0.01:
				return _numbers(20000)
			return _shape() if "shape" in argument.name or argument.name in ["a", "b"] else _rows()
		TYPE_OBJECT:
			if argument.class_name == &"Node":
				return [_host, root, null][_chance.randi() % 3]
			return _object_of(argument.class_name)
	return null


func _anything() -> Variant:
	match _chance.randi() % 14:
		0:
			return 1.5
		1:
			return null
		2:
			return _freed[0]
		3:
			return self
		4:
			return _objects[_chance.randi() % _objects.size()]
		5:
			return [1, 2.5, "x"]
		6:
			return [1, 2, 3, 4]
		7:
			return {1: 2}
		8:
			return Vector3(1, 2, 3)
		9:
			return PackedFloat64Array([1, 2])
		10:
			return PackedInt32Array([1, 2])
		11:
			return &"name"
		12:
			return Callable(self, "_run")
	return INF
