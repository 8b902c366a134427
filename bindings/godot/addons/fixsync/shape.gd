@tool
@icon("icons/shape.svg")
class_name FixsyncShape
extends "kinds.gd"
## The shape of a collider. Sizes are decimals in units, such as "0.5".
##
## A size is text, because text is exact: it becomes the nearest multiple of 1/65536, the same on
## every machine. It lies in 1/65536 to just under 8192 units.

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
	for size: StringName in SIZES[kind]:
		if size != &"half_angle":
			raw.append(Fixsync.nearest(get(size)))
	return raw


## The shape as FixsyncWorld takes it.
func row() -> PackedInt64Array:
	var numbers := PackedInt64Array([kind])
	for size: StringName in SIZES[kind]:
		numbers.append(half_angle if size == &"half_angle" else Fixsync.nearest(get(size)))
	return numbers


## What is wrong with its sizes, a line each.
func faults() -> PackedStringArray:
	var found := PackedStringArray()
	for at: int in SIZES[kind].size():
		var size: StringName = SIZES[kind][at]
		var value: Variant = get(size)
		if value is int:
			if value < 1 or value > 32768:
				found.append("%s must be 1 to 32768, not %d." % [size, value])
		elif not is_decimal(value, 8192.0) or Fixsync.nearest(value) < LEAST[kind][at]:
			found.append("%s must be a decimal %s and below 8192, not '%s'."
					% [size, "above 0" if LEAST[kind][at] > 0 else "of 0", value])
		elif size == &"inner_radius" and Fixsync.nearest(value) >= Fixsync.nearest(radius):
			found.append("inner_radius must be below radius, %s, not %s." % [radius, value])
	return found


## Whether a text is a decimal such as "0.5" nearer to 0 than a limit.
static func is_decimal(text: String, limit: float) -> bool:
	return (
			text.is_valid_float() and not "e" in text.to_lower()
			and absf(text.to_float()) < limit - 1.0 / 65536.0)


func _decimal(text: String, old: String) -> String:
	if text.is_valid_float() and not "e" in text.to_lower():
		emit_changed.call_deferred()
		return text
	push_error("a size must be a decimal such as 0.5, not '%s'" % text)
	return old


func _validate_property(property: Dictionary) -> void:
	var is_size := SIZES.any(func(sizes: Array) -> bool: return property.name in sizes)
	if is_size and not property.name in SIZES[kind]:
		property.usage = PROPERTY_USAGE_NO_EDITOR
