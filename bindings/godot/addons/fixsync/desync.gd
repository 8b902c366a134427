class_name FixsyncDesync
extends RefCounted
## The first frame that differs from that of another peer, or when it is stepped again.

const _PARTS := ["inputs", "the world", "own state", "events", "_fixsync_shown"]

var frame := 0
var text := ""  ## What differs, for people.

var _world: PackedByteArray  # after the frame; empty: it is gone
var _own: PackedByteArray
var _members: Array[FixsyncStage.Member]
var _ids: PackedInt64Array
var _names: PackedStringArray


## nodes: by id. saves, again: by frame, the own state before it and who keeps it, of the last step
## and of the one before.
func _init(
		rollback: FixsyncRollback, nodes: Dictionary, saves: Dictionary, again: Dictionary,
) -> void:
	var found := rollback.desync()
	var gone := [PackedByteArray(), [] as Array[FixsyncStage.Member], [], [], []]
	var saved: Array = saves.get(found[0] + 1, gone)
	frame = found[0]
	_world = rollback.kept(0, Fixsync.PART_WORLD)
	_own = saved[0]
	_members = saved[1]
	for id: int in nodes:
		_ids.append(id)
		_names.append(nodes[id].name)
	var parts := PackedStringArray()
	for part in _PARTS.size():
		if found[4] >> part & 1:
			parts.append(_PARTS[part])
	var is_again := found[1] == 0
	text = "frame %d differs %s in %s" % [
		frame, "when it is stepped again" if is_again else "from peer %d" % found[1],
		", ".join(parts)]
	if found[3] == Fixsync.PART_SHOWN:
		var before: Array = again.get(frame + 1, saved)
		for i in mini(before[3].size(), saved[3].size()):
			if before[3][i] != saved[3][i]:
				text += ": %s: %d and %d" % [saved[4][i].name(), before[3][i], saved[3][i]]
				break
		text += ": _fixsync_state lacks a value"
	elif is_again:
		text += ": " + "; ".join(_named(
				rollback.kept(1, Fixsync.PART_WORLD), again.get(frame + 1, saved)[0], _world, _own))


## The state after the frame: FixsyncWorld3D.kept explains it.
func kept() -> PackedByteArray:
	return PackedByteArray() if _world.is_empty() else var_to_bytes([_world, _own])


## FixsyncWorld3D.differences explains it.
func differences(theirs: PackedByteArray) -> PackedStringArray:
	var rows: Variant = null if _world.is_empty() else bytes_to_var(theirs)
	if rows is Array and rows.size() == 2 and rows[0] is PackedByteArray \
			and rows[1] is PackedByteArray:
		return _named(_world, _own, rows[0], rows[1])
	return []


func _named(
		a: PackedByteArray, own_a: PackedByteArray, b: PackedByteArray, own_b: PackedByteArray,
) -> PackedStringArray:
	var lines := Fixsync.state_differences(a, b, _ids, _names)
	lines.append_array(FixsyncOwn.differences(_members, own_a, own_b))
	return lines.slice(0, 8)
