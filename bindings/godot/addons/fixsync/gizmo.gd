@tool
extends EditorNode3DGizmoPlugin
## Draws the shapes of 3D colliders in the editor: grey if they do not start active.


func _init() -> void:
	create_material("active", FixsyncDraw.colour(true, false))
	create_material("inactive", FixsyncDraw.colour(false, false))


func _get_gizmo_name() -> String:
	return "fixsync"


func _has_gizmo(node: Node3D) -> bool:
	return node is FixsyncCollider3D


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var node := gizmo.get_node_3d()
	var shape: FixsyncShape = node.get(&"shape")
	if shape != null:
		var name := "active" if node.get(&"starts_active") else "inactive"
		gizmo.add_lines(FixsyncDraw.lines(shape.row()), get_material(name, gizmo))
