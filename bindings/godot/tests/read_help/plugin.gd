@tool
extends EditorPlugin
## Prints "help of N classes", and each class of the extension without a description of itself or
## of a method.


func _enter_tree() -> void:
	_read.call_deferred()


func _read() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await get_tree().process_frame
	# The editor still reads the help of scripts in a thread of its own.
	await get_tree().create_timer(0.5).timeout
	var count := 0
	for name in ClassDB.get_class_list():
		if not name.begins_with("Fixsync") or ClassDB.class_get_api_type(name) != ClassDB.API_EXTENSION:
			continue
		var help := await _help_of(name)
		if help.is_empty() or "There is currently no description" in help:
			print("no help: ", name)
		count += 1
	print("help of %d classes" % count)
	get_tree().quit()


func _help_of(name: String) -> String:
	var editor := EditorInterface.get_script_editor()
	editor.goto_help("class_name:" + name)
	for i in 20:
		await get_tree().process_frame
		for node: RichTextLabel in editor.find_children("*", "RichTextLabel", true, false):
			var text := node.get_parsed_text()
			if node.is_visible_in_tree() and text.contains(name) and text.contains("Inherits:"):
				return text
	return ""
