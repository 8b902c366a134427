@tool
@icon("icons/level_2d.svg")
class_name FixsyncLevel2D
extends Node2D
## The walls and floors of a fixsync world: a file, or the static bodies and areas under this node.
##
## Rectangles, circles and polygons of a StaticBody2D or Area2D become solids; seen from the side,
## only rectangles that are not turned. The lowest collision layer of the body is the layer:
## Godot's layer 1 is the first of the world's layers. They are baked when the scene is saved, or
## with the button; a game reads only the baked numbers.

## A level of `fixsync level map.tmj -o map.fxlevel`. Its solids come before the baked ones.
@export_file("*.fxlevel") var file := ""
## Heights of the solids in units, seen from above; seen from the side, how deep they are.
@export var low := "-1"
## The upper one.
@export var high := "1"
## Bakes the solids now.
@export_tool_button("Bake", "Bake") var bake_now := bake
## The baked solids, in raw numbers.
@export_storage var baked := PackedInt64Array()


## Turns the bodies under this node into solids. Call it before the world starts if a script made
## them, from numbers that are the same on all machines.
func bake() -> void:
	var view := FixsyncView2D.of(self)
	baked = FixsyncBake.solids_2d(
			self, view.pixels, view.is_side, Fixsync.nearest(low) / 65536.0,
			Fixsync.nearest(high) / 65536.0)
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
		return ["No solids: set a file, or add StaticBody2D nodes and press Bake."]
	return []
