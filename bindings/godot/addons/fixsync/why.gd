@tool
class_name FixsyncWhy
extends RefCounted
## Answers in words why a pair is not a hit.

const _CAUSES := {
	Fixsync.WHY_SAME: "they are the same collider",
	Fixsync.WHY_A_INACTIVE: "%s is not active",
	Fixsync.WHY_B_INACTIVE: "%s is not active",
	Fixsync.WHY_OWNER: "both have one owner",
	Fixsync.WHY_LAYERS: "their layers do not meet",
	Fixsync.WHY_SECTORS: "both are sectors, and one has a hole",
	Fixsync.WHY_HEIGHT: "one is above the other",
	Fixsync.WHY_BESIDE: "they are beside each other",
	Fixsync.WHY_CORNER: "only a rounded edge misses",
	Fixsync.WHY_GRAZES: "they touch, and only overlapping counts",
}
const _SECTOR := {
	Fixsync.SECTOR_BEYOND: "beyond the radius of the sector",
	Fixsync.SECTOR_OUTSIDE: "within the radius of the sector, but not in its wedge",
	Fixsync.SECTOR_HOLE: "in the hole of the sector",
}


## The answer for two colliders of a world, or a collider and a solid, a line for each cause.
static func of_pair(world: FixsyncWorld, a: int, b: int, names := {}) -> String:
	var row := world.explain(a, b)
	if row.is_empty():
		return Fixsync.take_error()
	var name_a: String = names.get(a, str(a))
	var name_b: String = names.get(b, str(b))
	if row[0] == 0:
		return "%s and %s are a hit." % [name_a, name_b]
	var lines := PackedStringArray(["%s and %s are not a hit:" % [name_a, name_b]])
	for cause: int in _CAUSES:
		if row[0] & cause:
			var words: String = _CAUSES[cause]
			if "%s" in words:
				words %= name_a if cause == Fixsync.WHY_A_INACTIVE else name_b
			lines.append("- " + words)
	if _SECTOR.has(row[2]):
		lines.append("- " + _SECTOR[row[2]])
	if row[0] & Fixsync.WHY_HEIGHT:
		lines.append("- heights: %s units too far apart" % _units(row[4]))
	if row[0] & Fixsync.WHY_BESIDE:
		if row[5] != Fixsync.NEVER:
			lines.append("- a reach %s units longer would do, at one height" % _units(row[5]))
		if row[7] != Fixsync.NEVER and row[7] > 0:
			lines.append("- so would a half angle %.3f degrees wider" % (row[7] * 360.0 / 65536.0))
	return "\n".join(lines)


static func _units(raw: int) -> String:
	return "%.4f" % (raw / 65536.0)


## The answer for two collider nodes of a scene as it begins: for the editor.
static func of_nodes(world: Node, a: Node, b: Node) -> String:
	var copy := FixsyncPlace.copy_of(world)
	var stage := FixsyncStage.new(copy)
	var node_a := copy.get_node(world.get_path_to(a))
	var node_b := copy.get_node(world.get_path_to(b))
	var names := {node_a.id: a.name, node_b.id: b.name}
	var text := of_pair(stage.world, node_a.id, node_b.id, names)
	copy.free()
	return text
