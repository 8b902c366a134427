@tool
@icon("icons/level_{d}.svg")
class_name FixsyncLevel{D}
extends Node{D}
## The walls and floors of a fixsync world: a file, or the static bodies and areas under this node.
##
3:## Upright boxes, cylinders and polygons of a StaticBody3D or Area3D become solids. The lowest
3:## collision layer of the body is the layer: Godot's layer 1 is the first of the world's layers.
2:## Rectangles, circles and polygons of a StaticBody2D, an Area2D or the tiles of a TileMapLayer
2:## become solids; seen from the side, only upright rectangles. The lowest collision layer of the
2:## body is the layer: Godot's layer 1 is the first of the world's layers.
## They are baked when the scene is saved, or with the button; a game reads only the baked numbers.

# The editor knows the default of a typed constant, also where a script of the game extends this one.
const _NONE: PackedInt64Array = []

## A level of `fixsync level map.tmj -o map.fxlevel`. Its solids come before the baked ones.
@export_file("*.fxlevel") var file := ""
2:## Heights of the solids in units, seen from above; seen from the side, how deep they are.
2:@export var low := "-1"
2:## The upper one.
2:@export var high := "1"
2:## The collision layer, 1 to 32, of shapes with one_way_collision: characters name it in one_way.
2:## 0: that of their body.
2:@export_range(0, 32) var one_way_layer := 0
## Bakes the solids now.
@export_tool_button("Bake", "Bake") var bake_now := bake
## The baked solids, in raw numbers, relative to the world or to the scene that they are in.
@export_storage var baked := _NONE
2:## Pixels of a unit and whether they were seen from the side, when the solids were baked.
2:@export_storage var baked_view := _NONE


## Turns the bodies under this node into solids. Call it before the world starts if a script made
## them, from numbers that are the same on all machines.
func bake() -> void:
	FixsyncBake.bake(self)
	update_configuration_warnings()


## The solids of the file and the baked ones, one after the other, as FixsyncLevel.create takes
## them.
func solids() -> PackedInt64Array:
	return FixsyncBake.solids_of(self)


func _get_configuration_warnings() -> PackedStringArray:
	return FixsyncCheck.warnings(self)


func _notification(what: int) -> void:
	if what == NOTIFICATION_EDITOR_PRE_SAVE and not FixsyncPlace.has_plugin:
		bake()
