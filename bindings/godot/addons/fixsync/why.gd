@tool
class_name FixsyncWhy
extends RefCounted
## Answers in words why a pair is not a hit.

## The answer for two colliders of a world, or a collider and a solid. names: of ids.
static func of_pair(world: FixsyncWorld, a: int, b: int, names := {}) -> String:
	var row := world.explain(a, b)
	if row.is_empty():
		return Fixsync.take_error()
	var name_a: String = names.get(a, _id(a))
	var name_b: String = names.get(b, _id(b))
	if row[0] == 0:
		return "%s and %s are a hit." % [name_a, name_b]
	var text := Fixsync.explanation_text(row, name_a, name_b)
	return "%s and %s are not a hit: %s." % [name_a, name_b, text]


static func _id(id: int) -> String:
	return str(id) if id < Fixsync.LEVEL else "solid %d" % (id - Fixsync.LEVEL)


## The answer for two collider nodes of a scene as it begins: for the editor.
static func of_nodes(world: Node, a: Node, b: Node) -> String:
	var copy := FixsyncPlace.copy_of(world)
	var faults := FixsyncCheck.of_match(copy)
	if not faults.is_empty():
		copy.free()
		return "The match does not start: %s" % " ".join(faults)
	var stage := FixsyncStage.new(copy)
	var node_a := copy.get_node(world.get_path_to(a))
	var node_b := copy.get_node(world.get_path_to(b))
	var names := {node_a.id: a.name, node_b.id: b.name}
	var text := ""
	for node: Node in [node_a, node_b]:
		if not node.is_in_match():
			text = "%s is not in the match: its process_mode is disabled." % node.name
	if text.is_empty():
		text = of_pair(stage.world, node_a.id, node_b.id, names)
	copy.free()
	return text
