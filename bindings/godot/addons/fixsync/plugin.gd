@tool
extends EditorPlugin
## Adds "Why no hit?" to the inspector of colliders, and makes a float in place of an int an error.

const _NARROWING := "debug/gdscript/warnings/narrowing_conversion"

var _why: EditorInspectorPlugin


func _enter_tree() -> void:
	_why = preload("inspector.gd").new()
	add_inspector_plugin(_why)


func _exit_tree() -> void:
	remove_inspector_plugin(_why)


func _enable_plugin() -> void:
	ProjectSettings.set_setting(_NARROWING, 2)
	ProjectSettings.save()
