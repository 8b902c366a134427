@tool
extends EditorPlugin
## Draws colliders in the editor, keeps their places as integers, adds "Why no hit?" and the layers
## to their inspector, and makes a float in place of an int an error.

const _NARROWING := "debug/gdscript/warnings/narrowing_conversion"

var _inspector: EditorInspectorPlugin
var _gizmo: EditorNode3DGizmoPlugin
var _flips := {}  # by instance: `flipped` of 2D colliders as it was synced last


func _enter_tree() -> void:
	FixsyncPlace.has_plugin = true
	_inspector = preload("inspector.gd").new()
	_gizmo = preload("gizmo.gd").new()
	add_inspector_plugin(_inspector)
	add_node_3d_gizmo_plugin(_gizmo)
	set_force_draw_over_forwarding_enabled()
	# One of them is emitted when an action is done first, the other when it is undone or redone.
	get_undo_redo().history_changed.connect(_on_edited)
	get_undo_redo().version_changed.connect(_on_edited)
	_inspector.inspected.connect(_remember_flip)
	for setting: Array in [[FixsyncPlace.PIXELS, 64.0], [FixsyncPlace.SIDE, false]]:
		if not ProjectSettings.has_setting(setting[0]):
			ProjectSettings.set_setting(setting[0], setting[1])
		ProjectSettings.set_initial_value(setting[0], setting[1])
		ProjectSettings.set_as_basic(setting[0], true)
	# The scene that is open has its gizmos already.
	for node in FixsyncPlace.colliders(EditorInterface.get_edited_scene_root()):
		if node is Node3D:
			get_tree().call_group_flags(
					SceneTree.GROUP_CALL_DEFERRED, &"_spatial_editor_group", &"_request_gizmo", node)
	update_overlays()


func _exit_tree() -> void:
	FixsyncPlace.has_plugin = false
	remove_inspector_plugin(_inspector)
	remove_node_3d_gizmo_plugin(_gizmo)
	update_overlays()


func _enable_plugin() -> void:
	_settings().set_project_metadata(
			"fixsync", "narrowing", ProjectSettings.get_setting(_NARROWING))
	ProjectSettings.set_setting(_NARROWING, 2)
	ProjectSettings.save()


func _disable_plugin() -> void:
	ProjectSettings.set_setting(
			_NARROWING, _settings().get_project_metadata("fixsync", "narrowing", 1))
	ProjectSettings.save()


func _settings() -> EditorSettings:
	return EditorInterface.get_editor_settings()


## The editor is about to save.
func _apply_changes() -> void:
	var root := EditorInterface.get_edited_scene_root()
	_keep_view(root)
	_flip(root)
	for line in FixsyncPlace.sync(root):
		push_warning("a scene in this one is out of date. " + line)
	for node in FixsyncPlace.all_of(root, FixsyncPlace.is_own):
		for line in FixsyncCheck.faults(node) if FixsyncPlace.is_level(node) else (
				FixsyncCheck.warnings(node)):
			if line != FixsyncCheck.NO_WORLD and FixsyncPlace.is_saved_with(root, node):
				push_warning("%s: %s" % [root.get_path_to(node), line])


## Scenes without a world of their own are seen as the last 2D world that was saved.
func _keep_view(root: Node) -> void:
	for world in FixsyncPlace.all_of(root, FixsyncPlace.is_world):
		if world is Node2D:
			var pixels: float = world.get(&"pixels_per_unit")
			var is_side: bool = world.get(&"is_side_view")
			if ProjectSettings.get_setting(FixsyncPlace.PIXELS) != pixels \
					or ProjectSettings.get_setting(FixsyncPlace.SIDE) != is_side:
				ProjectSettings.set_setting(FixsyncPlace.PIXELS, pixels)
				ProjectSettings.set_setting(FixsyncPlace.SIDE, is_side)
				ProjectSettings.save()


func _remember_flip(node: Node) -> void:
	if node is Node2D:
		_flips[node.get_instance_id()] = node.get(&"flipped")


## Mirrors the nodes whose `flipped` was edited.
func _flip(root: Node) -> void:
	for node in FixsyncPlace.colliders(root):
		if not (node is Node2D and FixsyncView2D.of(node).is_side):
			continue
		var frame := FixsyncPlace.frame_of(node, root) if node != root else node.get_parent()
		var is_drawn_left: bool = FixsyncPlace.within(node, frame).x.x < 0.0
		var is_left: bool = node.get(&"flipped")
		var before: bool = _flips.get(node.get_instance_id(), is_left)
		if is_left != before and is_left != is_drawn_left:
			node.scale.x = -node.scale.x
			is_drawn_left = is_left
		_flips[node.get_instance_id()] = is_drawn_left


func _on_edited() -> void:
	var root := EditorInterface.get_edited_scene_root()
	_flip(root)
	FixsyncPlace.sync_colliders(root)
	for node in FixsyncPlace.all_of(root, FixsyncPlace.is_own):
		node.update_configuration_warnings()
		if node is FixsyncCollider3D:
			node.update_gizmos()
	_inspector.refresh()
	update_overlays()


func _forward_canvas_force_draw_over_viewport(overlay: Control) -> void:
	FixsyncDraw.over(overlay, EditorInterface.get_edited_scene_root())
