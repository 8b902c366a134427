class_name FixsyncLines3D
extends Node3D
## The lines of the level and of all colliders of a world while it runs: one draw call for all of a
## shape.

var _groups := {}  # row of a shape: its MultiMesh


## Draws the solids of a level from now on.
func show_level(level: FixsyncLevel) -> void:
	var pairs := PackedVector3Array()
	for index in level.count():
		var seen := level.outline(index, 24)
		var count := seen[2]
		for i in count:
			var at := 4 + 2 * i
			var next := 4 + 2 * ((i + 1) % count)
			var low := Vector3(seen[at], seen[0], seen[at + 1]) / 65536.0
			var high := Vector3(low.x, seen[1] / 65536.0, low.z)
			var low_next := Vector3(seen[next], seen[0], seen[next + 1]) / 65536.0
			pairs.append_array(
					[low, low_next, high, Vector3(low_next.x, high.y, low_next.z), low, high])
	if pairs.is_empty():
		return
	var shown := MeshInstance3D.new()
	shown.mesh = FixsyncDraw.mesh(pairs)
	shown.material_override = FixsyncDraw.material()
	shown.material_override.albedo_color = FixsyncDraw.LEVEL
	add_child(shown)


## Draws the rows of FixsyncWorld.colliders. hitting has the ids that hit now.
func show_rows(rows: PackedInt64Array, hitting: Dictionary) -> void:
	var members := {}  # row of a shape: the places in rows
	for at in range(0, rows.size(), 16):
		var shape := FixsyncDraw.shape_of(rows, at)
		if not members.has(shape):
			members[shape] = []
		members[shape].append(at)
	for shape: PackedInt64Array in members:
		var multi := _group(shape)
		var places: Array = members[shape]
		multi.instance_count = maxi(multi.instance_count, places.size())
		multi.visible_instance_count = places.size()
		for i in places.size():
			var at: int = places[i]
			var turn := Basis(Vector3.UP, FixsyncDraw.angle_of(rows[at + 4]))
			var offset := Vector3(rows[at + 10], rows[at + 11], rows[at + 12]) / 65536.0
			var place := Vector3(rows[at + 7], rows[at + 8], rows[at + 9]) / 65536.0
			multi.set_instance_transform(i, Transform3D(turn, place + turn * offset))
			multi.set_instance_color(
					i, FixsyncDraw.colour(rows[at + 3] != 0, hitting.has(rows[at])))
	for shape: PackedInt64Array in _groups:
		if not members.has(shape):
			_groups[shape].visible_instance_count = 0


func _group(shape: PackedInt64Array) -> MultiMesh:
	if not _groups.has(shape):
		var multi := MultiMesh.new()
		multi.transform_format = MultiMesh.TRANSFORM_3D
		multi.use_colors = true
		multi.mesh = FixsyncDraw.mesh(FixsyncDraw.lines(shape))
		multi.instance_count = 16
		var shown := MultiMeshInstance3D.new()
		shown.multimesh = multi
		shown.material_override = FixsyncDraw.material()
		shown.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
		add_child(shown)
		_groups[shape] = multi
	return _groups[shape]
