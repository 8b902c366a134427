@tool
@icon("icons/shape.svg")
class_name FixsyncShape
extends Resource
## The shape of a collider. Sizes are decimals in units, such as "0.5".
##
## A size is text, because text is exact: it becomes the nearest multiple of 1/65536, the same on
## every machine. It lies in 1/65536 to just under 8192 units.

enum Kind {
	SPHERE,  ## A ball: radius.
	CAPSULE,  ## A ball swept upwards: radius, half_height.
	CYLINDER,  ## Upright: radius, half_height.
	BOX,  ## Turns about Y only: half_x, half_y, half_z.
	SECTOR,  ## A piece of a disc, in front: radius, half_angle, half_height, inner_radius.
}

const _FIELDS := [
	[&"radius"], [&"radius", &"half_height"], [&"radius", &"half_height"],
	[&"half_x", &"half_y", &"half_z"], [&"radius", &"half_height", &"inner_radius"],
]

## The kind of shape, which decides the sizes that it has.
@export var kind := Kind.SPHERE:
	set(value):
		kind = value
		notify_property_list_changed()
		emit_changed()
## Of a sphere, capsule, cylinder or sector.
@export var radius := "0.5":
	set(value):
		radius = _decimal(value, radius)
## Of a capsule, without its ends; of a cylinder or sector.
@export var half_height := "0.5":
	set(value):
		half_height = _decimal(value, half_height)
## The radius of a sector's hole: points nearer to the apex are left out. "0": no hole.
@export var inner_radius := "0":
	set(value):
		inner_radius = _decimal(value, inner_radius)
## Half the size of a box along its own X.
@export var half_x := "0.5":
	set(value):
		half_x = _decimal(value, half_x)
## Half the height of a box.
@export var half_y := "0.5":
	set(value):
		half_y = _decimal(value, half_y)
## Half the size of a box along its own Z.
@export var half_z := "0.5":
	set(value):
		half_z = _decimal(value, half_z)
## Half the angle of a sector, in steps: 65536 are a whole turn, 8192 are 45 degrees, 32768 makes a
## whole disc.
@export_range(1, 32768) var half_angle := 8192:
	set(value):
		half_angle = value
		emit_changed()


## The sizes in raw numbers, in the order of the kind.
func sizes() -> PackedInt64Array:
	var raw := PackedInt64Array()
	for field: StringName in _FIELDS[kind]:
		raw.append(Fixsync.nearest(get(field)))
	return raw


## The shape as FixsyncWorld takes it.
func row() -> PackedInt64Array:
	var numbers := sizes()
	if kind == Kind.SECTOR:
		numbers.insert(1, half_angle)
	numbers.insert(0, kind)
	return numbers


func _decimal(text: String, old: String) -> String:
	if text.is_valid_float() and not "e" in text.to_lower():
		emit_changed.call_deferred()
		return text
	push_error("a size must be a decimal such as 0.5, not '%s'" % text)
	return old


func _validate_property(property: Dictionary) -> void:
	var fields: Array = _FIELDS[kind]
	var sizes_of_all := [
		&"radius", &"half_height", &"inner_radius", &"half_x", &"half_y", &"half_z"]
	var hidden: bool = property.name in sizes_of_all and not property.name in fields
	if hidden or property.name == "half_angle" and kind != Kind.SECTOR:
		property.usage = PROPERTY_USAGE_NO_EDITOR
