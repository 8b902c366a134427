class_name FixsyncLines3D
extends Node3D
## The lines of all colliders of a world while it runs: one draw call for all of a shape.

var _groups := {}  # numbers of a shape: its MultiMesh


## Draws the rows of FixsyncWorld.colliders. hitting has the ids that hit now.
func show_rows(rows: PackedInt64Array, hitting: Dictionary) -> void:
	var members := {}  # numbers of a shape: the places in rows
	for at in range(0, rows.size(), 16):
		var shape := _shape(rows, at)
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


func _shape(rows: PackedInt64Array, at: int) -> PackedInt64Array:
	return [rows[at + 1], rows[at + 5], rows[at + 13], rows[at + 14], rows[at + 15]]


## The row that FixsyncShape.row gives, of a kind, a half angle and three sizes.
func _row(shape: PackedInt64Array) -> PackedInt64Array:
	var row := PackedInt64Array([shape[0]])
	var next := 2
	for size: StringName in FixsyncShape.SIZES[shape[0]]:
		if size == &"half_angle":
			row.append(shape[1])
		else:
			row.append(shape[next])
			next += 1
	return row


func _group(shape: PackedInt64Array) -> MultiMesh:
	if not _groups.has(shape):
		var multi := MultiMesh.new()
		multi.transform_format = MultiMesh.TRANSFORM_3D
		multi.use_colors = true
		multi.mesh = FixsyncDraw.mesh(_row(shape))
		multi.instance_count = 16
		var shown := MultiMeshInstance3D.new()
		shown.multimesh = multi
		shown.material_override = FixsyncDraw.material()
		shown.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
		add_child(shown)
		_groups[shape] = multi
	return _groups[shape]
