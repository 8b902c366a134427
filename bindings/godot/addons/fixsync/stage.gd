class_name FixsyncStage
extends RefCounted
## The common part of FixsyncWorld3D and FixsyncWorld2D: the world, its history, the game's rules.
##
## A frame is a call of _fixsync_tick of each node that has it, in the order of the scene tree, the
## step, and a call of _fixsync_hit for each hit of a node's colliders. FixsyncHistory alone decides
## which events are predicted, taken back and confirmed.

var world: FixsyncWorld  ## The colliders as they are now.
var history: FixsyncHistory  ## The frames that may be stepped again.
var inputs: FixsyncInputs  ## The inputs of all players.
var recorder: FixsyncRecorder  ## The match log, or null.
var level: FixsyncLevel  ## The solids, or null.
var nodes := {}  ## The collider nodes, by id.

var host: Node  ## The world node: it has the signals.
var _kept: Array = []  # [node, property, type]: the game's own state
var _own := PackedByteArray()
var _ticking: Array[Node] = []
var _hearing := {}  # id: the nodes that hear its hits
var _game_events := PackedInt64Array()  # rows of this frame
var _view: FixsyncView2D
var _lines: FixsyncLines3D


## Builds the world out of the nodes under a host: levels, colliders, rules, state.
func _init(new_host: Node) -> void:
	host = new_host
	_view = FixsyncView2D.of(host)
	level = _read_level()
	world = FixsyncWorld.create(host.capacity, host.hit_when, _masks(), level)
	_add_colliders()
	if not Engine.is_editor_hint():
		_add_rules()
	inputs = FixsyncInputs.create(host.players, maxi(256, 8 * host.window))
	history = FixsyncHistory.create(world, host.window, save_own())
	if host.record:
		recorder = FixsyncRecorder.create(world, host.tick_rate)
	world.keep_commands(true)


# ---- layers ----

## The number of a layer by its name.
func layer(name: String) -> int:
	var at: int = host.layers.find(name)
	if at < 0 or at > 31:
		push_error("layer must be one of %s, not '%s'" % [", ".join(host.layers), name])
	return clampi(at, 0, 31)


## A bit for each layer of a list of names.
func mask(names: PackedStringArray) -> int:
	var bits := 0
	for name in names:
		bits |= 1 << layer(name)
	return bits


func _masks() -> PackedInt64Array:
	var masks := PackedInt64Array()
	if host.pairs.is_empty():
		return masks
	masks.resize(32)
	for pair: String in host.pairs:
		var names := pair.split(" ", false)
		if names.size() != 2:
			push_error("a pair of layers must be two names, not '%s'" % pair)
			continue
		var a := layer(names[0])
		var b := layer(names[1])
		masks[a] |= 1 << b
		masks[b] |= 1 << a
	return masks


# ---- building ----

func _read_level() -> FixsyncLevel:
	var solids := PackedInt64Array()
	var has_level := false
	for node in host.find_children("*", "", true, false):
		if node is FixsyncLevel3D or node is FixsyncLevel2D:
			has_level = true
			solids.append_array(node.solids())
	return FixsyncLevel.create(solids) if has_level else null


func _add_colliders() -> void:
	var found: Array[Node] = []
	for node in host.find_children("*", "", true, false):
		if node is FixsyncCollider3D or node is FixsyncCollider2D:
			found.append(node)
			if node.id >= 0 and not nodes.has(node.id):
				nodes[node.id] = node
	var free := 0
	for node in found:
		if nodes.get(node.id) != node:
			while nodes.has(free):
				free += 1
			node.id = free
			nodes[free] = node
		node.enter(self)


func _add_rules() -> void:
	var all: Array[Node] = [host]
	all.append_array(host.find_children("*", "", true, false))
	for node in all:
		if node.has_method(&"_fixsync_state"):
			for property: StringName in node._fixsync_state():
				_keep(node, property)
		if node.has_method(&"_fixsync_tick"):
			_ticking.append(node)
		if node.has_method(&"_fixsync_hit"):
			for id: int in nodes:
				if node == nodes[id] or node.is_ancestor_of(nodes[id]):
					if not _hearing.has(id):
						_hearing[id] = []
					_hearing[id].append(node)
	_own.resize(12 * _kept.size())


# ---- the game's own state ----

func _keep(node: Node, property: StringName) -> void:
	var type := typeof(node.get(property))
	if type in [TYPE_BOOL, TYPE_INT, TYPE_VECTOR2I, TYPE_VECTOR3I]:
		_kept.append([node, property, type])
	else:
		push_error("%s.%s must be an int, a bool, a Vector2i or a Vector3i, not a %s"
				% [node.name, property, type_string(type)])


## The game's own state as bytes, 12 for each property.
func save_own() -> PackedByteArray:
	var at := 0
	for entry: Array in _kept:
		var value: Variant = entry[0].get(entry[1])
		match entry[2]:
			TYPE_VECTOR3I:
				_own.encode_s32(at, value.x)
				_own.encode_s32(at + 4, value.y)
				_own.encode_s32(at + 8, value.z)
			TYPE_VECTOR2I:
				_own.encode_s32(at, value.x)
				_own.encode_s32(at + 4, value.y)
			_:
				_own.encode_s64(at, value)
		at += 12
	return _own


## Gives the nodes the values that save_own saved.
func load_own(bytes: PackedByteArray) -> void:
	var at := 0
	for entry: Array in _kept:
		var value: Variant = bytes.decode_s64(at)
		match entry[2]:
			TYPE_VECTOR3I:
				value = Vector3i(
						bytes.decode_s32(at), bytes.decode_s32(at + 4), bytes.decode_s32(at + 8))
			TYPE_VECTOR2I:
				value = Vector2i(bytes.decode_s32(at), bytes.decode_s32(at + 4))
			TYPE_BOOL:
				value = value != 0
		entry[0].set(entry[1], value)
		at += 12


# ---- frames ----

## Steps all frames up to and including this one: first those that were predicted wrong, again. It
## stops where no more frames may be predicted. Then it emits the signals of confirmed frames.
func play_to(frame: int) -> void:
	var next := inputs.redo()
	var known := inputs.confirmed()
	history.settle(mini(next, known))
	rewind(next)
	while next <= frame and history.free_frames() > 0:
		step(inputs.take(next), next < known)
		next += 1
	tell_confirmed()
	if host.moves_nodes:
		_show()


## Goes back to before a frame, if it was stepped already.
func rewind(frame: int) -> void:
	if frame != history.head():
		history.back(frame, world)
		load_own(history.own())


## Steps the next frame with an input for each player.
func step(values: PackedInt64Array, is_final: bool) -> void:
	var frame := history.head()
	_game_events.clear()
	for node in _ticking:
		node._fixsync_tick(frame, values)
	var events := world.step()
	var hash := world.hash()
	var before := world.command_count()
	for at in range(0, events.size(), 4):
		_hear(events[at], events[at + 1], events[at + 2], events[at + 3])
		_hear(events[at + 1], events[at], events[at + 2], events[at + 3])
	var after := world.command_count() - before
	events.append_array(_game_events)
	history.push(world, is_final, world.take_commands(), events, save_own(), after, hash)
	var rows := history.gone()
	for at in range(0, rows.size(), 4):
		host.hit_taken_back.emit(frame, rows[at], rows[at + 1], rows[at + 2], rows[at + 3])
	rows = history.fresh()
	for at in range(0, rows.size(), 4):
		host.hit_predicted.emit(frame, rows[at], rows[at + 1], rows[at + 2], rows[at + 3])


func _hear(mine: int, other: int, kind: int, contact: int) -> void:
	if _hearing.has(mine):
		for node: Node in _hearing[mine]:
			node._fixsync_hit(mine, other, kind, contact)


## Adds an event of the game's own to this frame, from _fixsync_tick or _fixsync_hit.
func add_event(kind: int, a: int, b: int, value: int) -> void:
	if kind < Fixsync.GAME_EVENT:
		push_error("kind must be %d or more, not %d" % [Fixsync.GAME_EVENT, kind])
		return
	_game_events.append_array([a, b, kind, value])


## Emits the signals of the frames that became final, and records them.
func tell_confirmed() -> void:
	while history.confirm():
		_tell_frame()


func _tell_frame() -> void:
	var frame := history.frame()
	var hash := history.hash()
	var rows := history.events()
	if recorder != null:
		recorder.commands(history.commands())
		recorder.step_game(rows, hash)
	for at in range(0, rows.size(), 4):
		match rows[at + 2]:
			Fixsync.ENTER:
				host.hit_entered.emit(frame, rows[at], rows[at + 1], rows[at + 3])
			Fixsync.STAY:
				host.hit_stayed.emit(frame, rows[at], rows[at + 1], rows[at + 3])
			Fixsync.EXIT:
				host.hit_exited.emit(frame, rows[at], rows[at + 1])
			var kind:
				host.game_event.emit(frame, kind, rows[at], rows[at + 1], rows[at + 3])
	host.frame_confirmed.emit(frame, hash)


# ---- showing ----

## Whether colliders draw their lines.
func draws() -> bool:
	return host.draw_colliders


## The view of a FixsyncWorld2D.
func view() -> FixsyncView2D:
	return _view


func _show() -> void:
	var rows := world.colliders()
	var hitting := {}
	if draws():
		var hits := world.hits()
		for at in range(0, hits.size(), 3):
			hitting[hits[at]] = true
			hitting[hits[at + 1]] = true
	for at in range(0, rows.size(), 16):
		var node: Node = nodes.get(rows[at])
		if node != null:
			node.show_pose(Vector3i(rows[at + 7], rows[at + 8], rows[at + 9]), rows[at + 4])
			if node is FixsyncCollider2D:
				node.show_state(rows[at + 3] != 0, hitting.has(rows[at]))
	if draws() and host is FixsyncWorld3D:
		if _lines == null:
			_lines = FixsyncLines3D.new()
			host.add_child(_lines, false, Node.INTERNAL_MODE_BACK)
		_lines.show_rows(rows, hitting)
	elif _lines != null:
		_lines.queue_free()
		_lines = null
