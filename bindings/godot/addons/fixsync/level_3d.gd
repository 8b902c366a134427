@tool
@icon("icons/level_3d.svg")
class_name FixsyncLevel3D
extends Node3D
## The walls and floors of a fixsync world: a file, or the static bodies and areas under this node.
##
## Upright boxes, cylinders and polygons of a StaticBody3D or Area3D become solids. The lowest
## collision layer of the body is the layer: Godot's layer 1 is the first of the world's layers.
## They are baked when the scene is saved, or with the button; a game reads only the baked numbers.

## A level of `fixsync level map.tmj -o map.fxlevel`. Its solids come before the baked ones.
@export_file("*.fxlevel") var file := ""
## Bakes the solids now.
@export_tool_button("Bake", "Bake") var bake_now := bake
## The baked solids, in raw numbers.
@export_storage var baked := PackedInt64Array()


## Turns the bodies under this node into solids. Call it before the world starts if a script made
## them, from numbers that are the same on all machines.
func bake() -> void:
	baked = FixsyncBake.solids_3d(self)
	for fault in FixsyncBake.faults:
		push_warning("%s: not in the level: %s" % [name, fault])
	update_configuration_warnings()


## The solids, one after the other, as FixsyncLevel.create takes them.
func solids() -> PackedInt64Array:
	var rows := FixsyncBake.read(file)
	rows.append_array(baked)
	return rows


func _notification(what: int) -> void:
	if what == NOTIFICATION_EDITOR_PRE_SAVE:
		bake()


func _get_configuration_warnings() -> PackedStringArray:
	if file.is_empty() and baked.is_empty():
		return ["No solids: set a file, or add StaticBody3D nodes and press Bake."]
	return []
