@tool
extends EditorPlugin
## Draws colliders in the editor, saves their places as integers, adds "Why no hit?" to their
## inspector, and makes a float in place of an int an error.

const _NARROWING := "debug/gdscript/warnings/narrowing_conversion"

var _why: EditorInspectorPlugin
var _gizmo: EditorNode3DGizmoPlugin


func _enter_tree() -> void:
	_why = preload("inspector.gd").new()
	_gizmo = preload("gizmo.gd").new()
	add_inspector_plugin(_why)
	add_node_3d_gizmo_plugin(_gizmo)
	set_force_draw_over_forwarding_enabled()
	EditorInterface.get_inspector().property_edited.connect(_on_property_edited)


func _exit_tree() -> void:
	remove_inspector_plugin(_why)
	remove_node_3d_gizmo_plugin(_gizmo)


func _enable_plugin() -> void:
	ProjectSettings.set_setting(_NARROWING, 2)
	ProjectSettings.save()


## The editor is about to save.
func _apply_changes() -> void:
	FixsyncPlace.sync(EditorInterface.get_edited_scene_root())


func _on_property_edited(_property: String) -> void:
	for node in FixsyncPlace.colliders(EditorInterface.get_edited_scene_root()):
		if node is Node3D:
			node.update_gizmos()
	update_overlays()


func _forward_canvas_force_draw_over_viewport(overlay: Control) -> void:
	var root := EditorInterface.get_edited_scene_root()
	for node in FixsyncPlace.colliders(root):
		var shape: FixsyncShape = node.get(&"shape")
		if node is Node2D and shape != null:
			var view := FixsyncView2D.of(node)
			var colour := FixsyncDraw.colour(node.get(&"starts_active"), false)
			overlay.draw_set_transform_matrix(
					node.get_viewport_transform() * node.get_global_transform())
			for line in view.lines(shape):
				overlay.draw_polyline(line, colour)
