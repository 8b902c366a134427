@tool
extends EditorInspectorPlugin
## The layers of the world as a list to choose from, what is wrong with a node, and why it is
## not a hit with another collider of the scene as it begins.


signal inspected(node: Node)

var _node: Node  # that is inspected
var _warnings: VBoxContainer


class Layers:
	extends EditorProperty
	## A layer, or several: of those that the world has.

	var _button := MenuButton.new()

	func _init() -> void:
		_button.flat = false
		_button.alignment = HORIZONTAL_ALIGNMENT_LEFT
		_button.clip_text = true
		add_child(_button)
		add_focusable(_button)
		_button.about_to_popup.connect(_fill)
		_button.get_popup().index_pressed.connect(_choose)

	func _update_property() -> void:
		var value: Variant = get_edited_object().get(get_edited_property())
		_button.text = value if value is String else ", ".join(value)
		_button.tooltip_text = _button.text

	## The names that can be chosen: those of the world, and those that are in use.
	func names() -> PackedStringArray:
		var world := FixsyncPlace.world_above(get_edited_object())
		var found: PackedStringArray = world.get(&"layers") if world != null else (
				PackedStringArray(["body", "attack", "wall"]))
		var value: Variant = get_edited_object().get(get_edited_property())
		for name: String in [value] if value is String else value:
			if not found.has(name):
				found.append(name)
		return found

	func _fill() -> void:
		var popup := _button.get_popup()
		var value: Variant = get_edited_object().get(get_edited_property())
		popup.clear()
		for name in names():
			if value is String:
				popup.add_radio_check_item(name)
			else:
				popup.add_check_item(name)
			popup.set_item_checked(-1, value == name if value is String else name in value)

	func _choose(index: int) -> void:
		choose(names()[index])

	## Chooses a layer; where there may be several, adds it or takes it out.
	func choose(name: String) -> void:
		var value: Variant = get_edited_object().get(get_edited_property())
		if value is String:
			emit_changed(get_edited_property(), name)
			return
		var changed: PackedStringArray = value.duplicate()
		if not name in changed:
			changed.append(name)
		else:
			changed.remove_at(changed.find(name))
		emit_changed(get_edited_property(), changed)


func _can_handle(object: Object) -> bool:
	return object is Node and FixsyncPlace.is_own(object)


func _parse_property(
	_object: Object, _type: Variant.Type, name: String, _hint: PropertyHint, _text: String,
	_usage: int, _wide: bool) -> bool:
	if not name in ["layer", "blocked_by", "one_way"]:
		return false
	add_property_editor(name, Layers.new())
	return true


func _parse_begin(object: Object) -> void:
	inspected.emit(object)
	var box := VBoxContainer.new()
	_node = object
	_warnings = VBoxContainer.new()
	box.add_child(_warnings)
	refresh()
	add_custom_control(box)
	if FixsyncPlace.is_world(object):
		_add_sync_test(box)
	if not FixsyncPlace.is_collider(object):
		return
	var choice := OptionButton.new()
	var answer := Label.new()
	answer.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	box.add_child(choice)
	box.add_child(answer)
	choice.add_item("Why no hit with ...?")
	var world := FixsyncPlace.world_above(object)
	var others: Array[Node] = []
	for node in FixsyncPlace.colliders(world):
		if node != object:
			others.append(node)
			choice.add_item(world.get_path_to(node))
	choice.disabled = others.is_empty()
	choice.item_selected.connect(func(index: int) -> void:
		answer.text = ""
		if index > 0:
			FixsyncPlace.sync_colliders(EditorInterface.get_edited_scene_root())
			answer.text = FixsyncWhy.of_nodes(world, object, others[index - 1]))


## A button that plays the saved scene in another process, and shows what does not roll back.
func _add_sync_test(box: VBoxContainer) -> void:
	var button := Button.new()
	var answer := Label.new()
	button.text = "Sync test"
	button.tooltip_text = "Plays the saved scene on random inputs, and steps each frame again."
	answer.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	box.add_child(button)
	box.add_child(answer)
	button.pressed.connect(func() -> void:
		answer.text = sync_test(EditorInterface.get_edited_scene_root().scene_file_path))


## The last lines of a sync test of a scene.
static func sync_test(scene: String) -> String:
	var output: Array = []
	OS.execute(OS.get_executable_path(), [
		"--headless", "--path", ProjectSettings.globalize_path("res://"), "-s",
		"res://addons/fixsync/synctest.gd", "--", scene], output)
	var lines := PackedStringArray()
	for line: String in "".join(output).split("\n"):
		if line.contains("sync test") or line.contains(": frame "):
			lines.append(line)
	return "\n".join(lines) if not lines.is_empty() else "The sync test did not end."


## Shows what is wrong now with the node that is inspected. Godot does not ask a node whose script
## does not run in the editor.
func refresh() -> void:
	if not (is_instance_valid(_warnings) and is_instance_valid(_node)):
		return
	for label in _warnings.get_children():
		label.free()
	for line in FixsyncCheck.warnings(_node):
		var label := Label.new()
		label.text = line
		label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
		label.add_theme_color_override(&"font_color", Color(1.0, 0.8, 0.4))
		_warnings.add_child(label)
