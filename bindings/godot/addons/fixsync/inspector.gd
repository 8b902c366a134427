@tool
extends EditorInspectorPlugin
## Below a collider's properties: why is it not a hit with another collider of the scene?
##
## It builds the world as it is when the match begins, out of the scene that is edited.


func _can_handle(object: Object) -> bool:
	return object is FixsyncCollider3D or object is FixsyncCollider2D


func _parse_end(object: Object) -> void:
	var box := VBoxContainer.new()
	var choice := OptionButton.new()
	var answer := Label.new()
	answer.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	box.add_child(choice)
	box.add_child(answer)
	choice.add_item("Why no hit with ...?")
	var world := FixsyncPlace.world_above(object)
	var others: Array[Node] = []
	for node in FixsyncPlace.colliders(world):
		if node != object:
			others.append(node)
			choice.add_item(world.get_path_to(node))
	choice.item_selected.connect(func(index: int) -> void:
		answer.text = ""
		if index > 0:
			FixsyncPlace.sync(world)
			answer.text = FixsyncWhy.of_nodes(world, object, others[index - 1]))
	add_custom_control(box)
