class_name FixsyncLines2D
extends Node2D
## The lines of the level and of all colliders of a world while it runs, as the kernel has them.

var _view: FixsyncView2D
var _level: Array[PackedVector2Array] = []
var _rows := PackedInt64Array()
var _hitting := {}


func _init(view: FixsyncView2D) -> void:
	_view = view
	z_index = RenderingServer.CANVAS_ITEM_Z_MAX


## Draws the solids of a level from now on.
func show_level(level: FixsyncLevel) -> void:
	for index in level.count():
		var seen := level.outline(index, 24)
		var line := PackedVector2Array()
		var box := Rect2(_view.screen(Vector3i(seen[4], seen[0], seen[5])), Vector2.ZERO)
		for i in seen[2] + 1:
			var at := 4 + 2 * (i % seen[2])
			line.append(_view.screen(Vector3i(seen[at], 0, seen[at + 1])))
			for height in [seen[0], seen[1]]:
				box = box.expand(_view.screen(Vector3i(seen[at], height, seen[at + 1])))
		if _view.is_side:
			line = [
				box.position, Vector2(box.end.x, box.position.y), box.end,
				Vector2(box.position.x, box.end.y), box.position]
		_level.append(line)


## Draws the rows of FixsyncWorld.colliders. hitting has the ids that hit now.
func show_rows(rows: PackedInt64Array, hitting: Dictionary) -> void:
	_rows = rows
	_hitting = hitting
	queue_redraw()


func _draw() -> void:
	for line in _level:
		draw_polyline(line, FixsyncDraw.LEVEL)
	for at in range(0, _rows.size(), 16):
		var place := _view.transform(
				Vector3i(_rows[at + 7], _rows[at + 8], _rows[at + 9]), _rows[at + 4])
		var offset := _view.screen(Vector3i(_rows[at + 10], _rows[at + 11], _rows[at + 12]))
		var colour := FixsyncDraw.colour(_rows[at + 3] != 0, _hitting.has(_rows[at]))
		for line in _view.lines(FixsyncDraw.shape_of(_rows, at)):
			draw_polyline(place * (Transform2D(0.0, offset) * line), colour)
