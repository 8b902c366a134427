@tool
extends EditorPlugin
## Saves the scene that is open, as a person does, and quits.


func _enter_tree() -> void:
	_run.call_deferred()


func _run() -> void:
	while EditorInterface.get_edited_scene_root() == null:
		await get_tree().process_frame
	await get_tree().create_timer(0.5).timeout
	EditorInterface.save_scene()
	await get_tree().create_timer(0.5).timeout
	get_tree().quit()
