class_name FixsyncOwn
extends RefCounted
## The game's own state as bytes: 12 for each property that a member keeps, then the last move of
## each character.


## The own state of members.
static func save(members: Array[FixsyncStage.Member]) -> PackedByteArray:
	var own := PackedByteArray()
	var count := 0
	for member in members:
		count += member.kept.size()
	own.resize(12 * count)
	var at := 0
	for member in members:
		for entry: Array in member.kept:
			var value: Variant = member.node.get(entry[0]) if is_instance_valid(member.node) else 0
			match entry[1]:
				TYPE_VECTOR3I:
					own.encode_s32(at, value.x)
					own.encode_s32(at + 4, value.y)
					own.encode_s32(at + 8, value.z)
				TYPE_VECTOR2I:
					own.encode_s32(at, value.x)
					own.encode_s32(at + 4, value.y)
				_:
					own.encode_s64(at, value)
			at += 12
	for member in members:
		if member.mover != null:
			own.append_array(member.mover.save())
	return own


## Gives members the state that they saved.
static func restore(members: Array[FixsyncStage.Member], own: PackedByteArray) -> void:
	var at := 0
	for member in members:
		for entry: Array in member.kept:
			if is_instance_valid(member.node):
				member.node.set(entry[0], _value(own, at, entry[1]))
			at += 12
	for member in members:
		if member.mover != null:
			at = member.mover.load(own, at)


static func _value(own: PackedByteArray, at: int, type: int) -> Variant:
	match type:
		TYPE_VECTOR3I:
			return Vector3i(own.decode_s32(at), own.decode_s32(at + 4), own.decode_s32(at + 8))
		TYPE_VECTOR2I:
			return Vector2i(own.decode_s32(at), own.decode_s32(at + 4))
		TYPE_BOOL:
			return own.decode_s64(at) != 0
	return own.decode_s64(at)


## A line for each value that differs between two states of members: the first one's, the second's.
static func differences(
		members: Array[FixsyncStage.Member], a: PackedByteArray, b: PackedByteArray,
) -> PackedStringArray:
	var lines := PackedStringArray()
	var at := 0
	for member in members:
		for entry: Array in member.kept:
			if at + 12 > mini(a.size(), b.size()):
				return ["own states of %d and %d bytes" % [a.size(), b.size()]]
			var values := [_value(a, at, entry[1]), _value(b, at, entry[1])]
			if values[0] != values[1]:
				lines.append("%s.%s: %s and %s" % ([member.name(), entry[0]] + values))
			at += 12
	var ends: Array[int] = [at, at]
	for member in members:
		if member.mover != null and ends[0] >= 0 and ends[1] >= 0:
			var mover := FixsyncMover.create(member.id)
			var moves: Array[PackedByteArray] = []
			for i in 2:
				ends[i] = mover.load([a, b][i], ends[i])
				moves.append(mover.save())
			if moves[0] != moves[1]:
				lines.append("%s: the last move" % member.name())
	return lines
