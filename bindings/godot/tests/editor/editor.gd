@tool
extends EditorPlugin
## Works in the editor as a person does: sets properties, moves, undoes, saves, opens again. Prints
## each fault, and "editor: N checks, M faults". made.gd then plays the scenes that it saved.

const DIMENSIONS: Array[int] = [2, 3]

var _checks := 0
var _faults := 0


func _enter_tree() -> void:
	_run.call_deferred()


func _run() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await get_tree().process_frame
	for dimensions in DIMENSIONS:
		await _properties_make_the_whole_trip(dimensions)
		await _scenes_are_instanced_elsewhere(dimensions)
		await _moves_are_undone_and_redone(dimensions)
		await _warnings_name_what_is_wrong(dimensions)
		await _a_doubt_of_a_level_is_said_once(dimensions)
	await _left_is_drawn_saved_and_struck()
	await _the_inspector_has_the_layers()
	await _a_world_has_a_sync_test()
	await _the_plugin_goes_and_comes()
	print("editor: %d checks, %d faults" % [_checks, _faults])
	get_tree().quit()


func _check(holds: bool, what: String) -> void:
	_checks += 1
	if not holds:
		_faults += 1
		print("FAULT ", what)


func _equal(got: Variant, want: Variant, what: String) -> void:
	_check(got == want, "%s: %s, not %s" % [what, got, want])


# ---- what a person does ----

func _frames(count := 4) -> void:
	for i in count:
		await get_tree().process_frame


func _open(path: String) -> Node:
	EditorInterface.open_scene_from_path(path)
	await _frames()
	while EditorInterface.get_edited_scene_root() == null \
			or EditorInterface.get_edited_scene_root().scene_file_path != path:
		await get_tree().process_frame
	return EditorInterface.get_edited_scene_root()


## Saves the open scene, closes it, and opens it again.
func _save(path: String) -> Node:
	EditorInterface.save_scene()
	await _frames()
	EditorInterface.reload_scene_from_path(path)
	await _frames()
	return EditorInterface.get_edited_scene_root()


func _change(node: Object, property: StringName, value: Variant) -> void:
	var undo := get_undo_redo()
	undo.create_action("set", UndoRedo.MERGE_DISABLE, EditorInterface.get_edited_scene_root())
	undo.add_do_property(node, property, value)
	undo.add_undo_property(node, property, node.get(property))
	undo.commit_action()


## Ctrl+Z, and with shift what undoes that.
func _undo(is_redo := false) -> void:
	var key := InputEventKey.new()
	key.keycode = KEY_Z
	key.ctrl_pressed = true
	key.shift_pressed = is_redo
	key.pressed = true
	get_tree().root.push_input(key)
	await _frames()


## A node with a script of the game's own, which does not run in the editor.
func _node(kind: String, dimensions: int, name: String, above: Node) -> Node:
	var is_collider := kind in ["character", "collider"]
	var node: Node = ClassDB.instantiate("%s%dD" % ["FixsyncNode" if is_collider else "Node", dimensions])
	node.set_script(load("res://own/%s_%dd.gd" % [kind, dimensions]))
	node.name = name
	if is_collider:
		var shape := FixsyncShape.new()
		shape.kind = FixsyncShape.Kind.BOX
		node.set(&"shape", shape)
	above.add_child(node)
	return node


func _plain(dimensions: int, name: String) -> Node:
	var node: Node = Node2D.new() if dimensions == 2 else Node3D.new()
	node.name = name
	return node


## A place in units: in 2D seen from the side, 64 pixels each.
func _put(node: Node, x: float, y: float) -> void:
	node.set(&"position", Vector2(x * 64.0, -y * 64.0) if node is Node2D else Vector3(x, y, 0.0))


func _body(dimensions: int, above: Node, x: float, y: float) -> void:
	var body: Node = StaticBody2D.new() if dimensions == 2 else StaticBody3D.new()
	var part: Node = CollisionShape2D.new() if dimensions == 2 else CollisionShape3D.new()
	if dimensions == 2:
		part.shape = RectangleShape2D.new()
		part.shape.size = Vector2(256, 64)
	else:
		part.shape = BoxShape3D.new()
		part.shape.size = Vector3(4, 1, 2)
	body.collision_layer = 4
	above.add_child(body)
	body.add_child(part)
	_put(body, x, y)


func _make(root: Node, path: String) -> Node:
	for node in root.find_children("*", "", true, false):
		if node.owner == null:
			node.owner = root
	var packed := PackedScene.new()
	packed.pack(root)
	ResourceSaver.save(packed, path)
	root.free()
	return await _open(path)


# ---- properties ----

## Another value than the default, of the same type.
func _other(node: Object, property: Dictionary) -> Variant:
	match property.name:
		"file":
			return ""
		"layer":
			return "guard"
		"id":
			return 5 if node.name == "Fighter" else 7
		"owner_id":
			return 4
		"shape":
			var shape := FixsyncShape.new()
			shape.kind = FixsyncShape.Kind.CAPSULE
			shape.radius = "0.75"
			return shape
		"pairs":
			return PackedStringArray(["body guard"])
		"layers":
			return PackedStringArray(["body", "guard", "wall", "ledge"])
		"one_way":
			return PackedStringArray(["ledge"])
	var value: Variant = node.get(property.name)
	match property.type:
		TYPE_BOOL:
			return not value
		TYPE_INT:
			return value + 1
		TYPE_FLOAT:
			return value / 2.0
		TYPE_STRING:
			return str(value.to_float() + 0.25)
		TYPE_PACKED_STRING_ARRAY:
			return PackedStringArray(["guard", "wall"])
	return value


## The properties of an own script's class that the inspector shows.
func _shown_of(node: Object) -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	var is_own := false
	for property: Dictionary in node.get_property_list():
		if property.usage & PROPERTY_USAGE_CATEGORY:
			is_own = property.hint_string.ends_with(".gd")
		elif is_own and property.usage & PROPERTY_USAGE_EDITOR and property.type != TYPE_CALLABLE \
				and not property.usage & PROPERTY_USAGE_READ_ONLY and property.name != "flipped":
			found.append(property)
	return found


func _properties_make_the_whole_trip(dimensions: int) -> void:
	var path := "res://made/properties_%dd.tscn" % dimensions
	var root := _plain(dimensions, "Root")
	var world := _node("world", dimensions, "World", root)
	var level := _node("level", dimensions, "Level", world)
	_body(dimensions, level, 0, -1)
	_node("collider", dimensions, "Blade", _node("character", dimensions, "Fighter", world))
	root = await _make(root, path)
	var wanted := {}
	for name: String in ["World", "World/Level", "World/Fighter", "World/Fighter/Blade"]:
		var node := root.get_node(name)
		_check(not node.get_script().is_tool(), name + " has a script of its own")
		for property in _shown_of(node):
			_check(typeof(node.get(property.name)) == property.type or property.name == "shape",
					"%s: no default of %s" % [name, property.name])
			var value: Variant = _other(node, property)
			_change(node, property.name, value)
			wanted[name + ":" + property.name] = value
	_check(wanted.size() >= 27, "properties: %d" % wanted.size())
	root = await _save(path)
	var text := FileAccess.get_file_as_string(path)
	var plain := {}
	for key: String in wanted:
		var got: Variant = root.get_node(key.get_slice(":", 0)).get(key.get_slice(":", 1))
		if wanted[key] is FixsyncShape:
			_equal(got.row(), wanted[key].row(), key)
			continue
		_equal(got, wanted[key], key)
		plain[key] = var_to_str(wanted[key])
	_check("blocked_by = PackedStringArray(\"guard\", \"wall\")" in text, "blocked_by is saved")
	var file := FileAccess.open("res://made/properties_%dd.txt" % dimensions, FileAccess.WRITE)
	file.store_var(plain)


# ---- scenes in scenes ----

func _scenes_are_instanced_elsewhere(dimensions: int) -> void:
	# 2D scenes without a world are seen as the project is.
	ProjectSettings.set_setting(FixsyncPlace.SIDE, true)
	ProjectSettings.set_setting(FixsyncPlace.PIXELS, 64.0)
	var arena := _plain(dimensions, "Arena")
	var level := _node("level", dimensions, "Level", arena)
	_body(dimensions, level, 0.5, -0.5)
	_put(level, 0.5, 0)
	_put(_node("collider", dimensions, "Trap", arena), 2, 1)
	var path := "res://made/arena_%dd.tscn" % dimensions
	await _make(arena, path)
	var root := await _save(path)
	_equal(root.get_node("Trap").get(&"raw_position"), Vector3i(131072, 65536, 0), "in its scene")
	_check(root.get_node("Level").get(&"baked").size() == 13, "a level with an own script is baked")

	# An inherited scene, with the trap elsewhere.
	var child := "res://made/tower_%dd.tscn" % dimensions
	var tower: Node = load(path).instantiate(PackedScene.GEN_EDIT_STATE_MAIN_INHERITED)
	var packed := PackedScene.new()
	tower.name = "Tower"
	packed.pack(tower)
	ResourceSaver.save(packed, child)
	tower.free()
	root = await _open(child)
	_change(root.get_node("Trap"), &"position",
			Vector2(192, -128) if dimensions == 2 else Vector3(3, 2, 0))
	root = await _save(child)
	_equal(root.get_node("Trap").get(&"raw_position"), Vector3i(196608, 131072, 0), "inherited")

	var outer := _plain(dimensions, "Outer")
	var world := _node("world", dimensions, "World", outer)
	world.set(&"is_side_view", true)
	for place: Array in [["Left", -10.0, path], ["Right", 10.0, path], ["Tower", 30.0, child]]:
		var node: Node = load(place[2]).instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
		node.name = place[0]
		world.add_child(node)
		node.owner = outer
		_put(node, place[1], 5.0)
	var right := world.get_node("Right")
	if dimensions == 2:
		right.set(&"scale", Vector2(-1, 1))
	else:
		right.set(&"rotation", Vector3(0, PI, 0))
	path = "res://made/outer_%dd.tscn" % dimensions
	await _make(outer, path)
	root = await _save(path)
	_equal(root.get_node("World/Left").get_meta(FixsyncPlace.META, null),
			PackedInt64Array([-655360, 327680, 0, 0]), "the place of an instance")
	_equal(root.get_node("World/Right").get_meta(FixsyncPlace.META, null),
			PackedInt64Array([655360, 327680, 0, 32768]), "of one that is turned")


# ---- undo ----

func _moves_are_undone_and_redone(dimensions: int) -> void:
	var path := "res://made/undo_%dd.tscn" % dimensions
	var root := _plain(dimensions, "Root")
	var world := _node("world", dimensions, "World", root)
	world.set(&"is_side_view", true)
	_node("character", dimensions, "Fighter", world)
	root = await _make(root, path)
	var fighter := root.get_node("World/Fighter")
	_change(fighter, &"position", Vector2(128, -64) if dimensions == 2 else Vector3(2, 1, 0))
	_equal(fighter.get(&"raw_position"), Vector3i(131072, 65536, 0), "after a move")
	await _undo()
	_equal(fighter.get(&"raw_position"), Vector3i.ZERO, "after undo")
	await _undo(true)
	_equal(fighter.get(&"raw_position"), Vector3i(131072, 65536, 0), "after redo")
	var twin := fighter.duplicate()
	fighter.add_sibling(twin)
	twin.name = "Twin"
	twin.owner = root
	_put(twin, -3, 1)
	root = await _save(path)
	_equal(root.get_node("World/Twin").get(&"raw_position"), Vector3i(-196608, 65536, 0), "a copy")
	_equal(root.get_node("World/Fighter").get(&"raw_position"), Vector3i(131072, 65536, 0), "saved")
	_equal(root.get_node("World/Twin").get(&"blocked_by"), PackedStringArray(["wall"]), "of a copy")


# ---- warnings ----

func _a_doubt_of_a_level_is_said_once(dimensions: int) -> void:
	var path := "res://made/doubt_%dd.tscn" % dimensions
	var root := _plain(dimensions, "Root")
	var level := _node("level", dimensions, "Level", _node("world", dimensions, "World", root))
	level.get_parent().set(&"is_side_view", true)
	level.set_script(FixsyncLevel2D if dimensions == 2 else FixsyncLevel3D)
	_body(dimensions, level, 0, -1)
	level.get_child(0).name = "Floor"
	level.get_child(0).collision_layer = 5
	await _make(root, path)
	var ear := TestEar.new()
	OS.add_logger(ear)
	EditorInterface.save_scene()
	OS.remove_logger(ear)
	root = await _save(path)
	var text := "Level: Floor is on the collision layers 1, 3: a solid is on one, and this on 1"
	_equal(ear.heard.count(text), 1, "warnings of a floor on two layers")
	_check(root.get_node("World/Level").get(&"baked").size() == 13, "it is baked")


func _warnings_name_what_is_wrong(dimensions: int) -> void:
	var root := _plain(dimensions, "Root")
	var world := _node("world", dimensions, "World", root)
	for name: String in ["One", "Two"]:
		_node("character", dimensions, name, world).set(&"id", 3)
	root = await _make(root, "res://made/warnings_%dd.tscn" % dimensions)
	var one := root.get_node("World/One")
	_check("Two has the id 3 too." in FixsyncCheck.warnings(one), "the same id twice")
	one.set(&"layer", "bdoy")
	_check("'bdoy' is no layer" in "\n".join(FixsyncCheck.warnings(one)), "an unknown layer")
	one.set(&"scale", Vector2(2, 2) if dimensions == 2 else Vector3(2, 2, 2))
	_check("scaled" in "\n".join(FixsyncCheck.warnings(one)), "a scale")
	one.set(&"scale", Vector2.ONE if dimensions == 2 else Vector3.ONE)
	if dimensions == 3:
		one.set(&"rotation", Vector3(0.3, 0, 0))
		_check("tilted" in "\n".join(FixsyncCheck.warnings(one)), "a tilt")
	_put(one, NAN, 0.0)
	_check("finite" in "\n".join(FixsyncCheck.warnings(one)), "a place that is no number")
	_put(one, 0.0, 0.0)
	one.set(&"id", -7)
	_check("id must be -1 to 63, not -7" in "\n".join(FixsyncCheck.warnings(one)), "a wrong id")
	for setting: Array in [
		["layers", PackedStringArray(["body", "body"]), "twice"], ["capacity", 1, "raise capacity"],
		["pairs", PackedStringArray(["body sword"]), "'sword'"], ["window", 0, "1 to 256"]]:
		var of := root.get_node("World")
		var before: Variant = of.get(setting[0])
		EditorInterface.inspect_object(of)
		await _frames(8)
		_change(of, setting[0], setting[1])
		await _frames()
		_check(setting[2] in "\n".join(FixsyncCheck.warnings(of)), "a world's " + setting[0])
		_equal(_said(setting[2]), 1, "the inspector says it of a world with a script of its own")
		_change(of, setting[0], before)
	one.set(&"shape", null)
	_check("needs a shape" in "\n".join(FixsyncCheck.warnings(one)), "no shape")
	var strange := _node("collider", 5 - dimensions, "Strange", one.get_parent())
	_check("its world is of %dD" % dimensions in "\n".join(FixsyncCheck.warnings(strange)),
			"a node of other dimensions")
	var lone := _node("collider", dimensions, "Lone", root)
	lone.owner = root
	_check("no world above" in "\n".join(FixsyncCheck.warnings(lone)), "no world")


# ---- facing left ----

func _left_is_drawn_saved_and_struck() -> void:
	var path := "res://made/left.tscn"
	var root := _plain(2, "Root")
	var world := _node("world", 2, "World", root)
	world.set(&"is_side_view", true)
	for name: String in ["Right", "Mirrored", "Flipped"]:
		var fighter := _node("character", 2, name, world)
		_put(_node("collider", 2, "Sword", fighter), 1.5, 0.5)
	root = await _make(root, path)
	var mirrored := root.get_node("World/Mirrored")
	var flipped := root.get_node("World/Flipped")
	_change(mirrored, &"scale", Vector2(-1, 1))
	_equal([mirrored.get(&"flipped"), mirrored.get(&"yaw")], [true, 32768], "scale.x = -1 is left")
	EditorInterface.inspect_object(flipped)
	await _frames()
	_change(flipped, &"flipped", true)
	_check(flipped.get_global_transform().x.x < 0.0, "flipped is drawn mirrored")
	_equal(flipped.get(&"yaw"), 32768, "the yaw of left")
	await _undo()
	_check(flipped.get_global_transform().x.x > 0.0, "undone, it is not")
	_equal([flipped.get(&"flipped"), flipped.get(&"yaw")], [false, 0], "undone")
	await _undo(true)
	root = await _save(path)
	for name: String in ["Mirrored", "Flipped"]:
		var node := root.get_node("World/" + name)
		_equal([node.get(&"flipped"), node.get(&"yaw")], [true, 32768], name + " is saved")
		_check(node.get_global_transform().x.x < 0.0, name + " is drawn mirrored again")
		_equal(node.get_node("Sword").get(&"raw_position"), Vector3i(98304, 32768, 0), "its sword")
	_equal(root.get_node("World/Right").get(&"yaw"), 0, "the other faces right")


# ---- inspector and plugin ----

func _the_inspector_has_the_layers() -> void:
	var root := await _open("res://made/left.tscn")
	var fighter := root.get_node("World/Right")
	EditorInterface.inspect_object(fighter)
	await _frames(8)
	var inspector := EditorInterface.get_inspector()
	var found := {}
	var why := -1.0
	var last := 0.0
	for node: Control in inspector.find_children("*", "Control", true, false):
		if node is EditorProperty and node.has_method(&"choose"):
			found[str(node.get_edited_property())] = node
		if node is EditorProperty:
			last = maxf(last, node.global_position.y)
		if node is OptionButton and node.text == "Why no hit with ...?":
			why = node.global_position.y
	_equal(found.keys(), ["blocked_by", "one_way", "layer"], "properties with a list of layers")
	_check(why >= 0.0 and why < last, "why no hit stands above the properties")
	_equal(found.layer.names(), PackedStringArray(["body", "attack", "wall"]), "the world's layers")
	found.layer.choose("attack")
	_equal(fighter.get(&"layer"), "attack", "a layer that was chosen")
	found.blocked_by.choose("body")
	_equal(fighter.get(&"blocked_by"), PackedStringArray(["wall", "body"]), "one more")
	found.blocked_by.choose("wall")
	_equal(fighter.get(&"blocked_by"), PackedStringArray(["body"]), "one less")
	_equal(_said("needs a shape"), 0, "warnings of a fighter with a shape")
	_change(fighter, &"shape", null)
	_equal(_said("needs a shape"), 1, "and without one, at once")
	await _undo()
	_equal(_said("needs a shape"), 0, "and with it again")
	for property: Dictionary in fighter.get_property_list():
		if property.name in ["raw_position", "yaw"]:
			_check(property.usage & PROPERTY_USAGE_READ_ONLY, property.name + " cannot be edited")


## How many labels of the inspector say something.
func _said(words: String) -> int:
	var labels := EditorInterface.get_inspector().find_children("*", "Label", true, false)
	return labels.filter(func(label: Label) -> bool: return words in label.text).size()


func _a_world_has_a_sync_test() -> void:
	var root := await _open("res://match.tscn")
	EditorInterface.inspect_object(root.get_node("World"))
	await _frames(8)
	var pressed := 0
	for button: Button in EditorInterface.get_inspector().find_children("*", "Button", true, false):
		if button.text == "Sync test":
			button.pressed.emit()
			pressed += 1
	_equal(pressed, 1, "buttons of a sync test")
	_equal(_said("8 back: nothing differs"), 1, "what it found")


func _the_plugin_goes_and_comes() -> void:
	const SETTING := "debug/gdscript/warnings/narrowing_conversion"
	var root := await _open("res://made/undo_3d.tscn")
	var fighter: Node3D = root.get_node("World/Fighter")
	EditorInterface.set_plugin_enabled("fixsync", false)
	await _frames()
	_check(_fixsync_gizmos(fighter) == 0, "no gizmo without the plugin")
	_equal(ProjectSettings.get_setting(SETTING), 1, "the setting is what it was")
	EditorInterface.set_plugin_enabled("fixsync", true)
	await _frames(8)
	_check(_fixsync_gizmos(fighter) == 1, "the open scene shows gizmos")
	_equal(ProjectSettings.get_setting(SETTING), 2, "narrowing is an error")


func _fixsync_gizmos(node: Node3D) -> int:
	var count := 0
	for gizmo: Node3DGizmo in node.get_gizmos():
		if gizmo is EditorNode3DGizmo and gizmo.get_plugin()._get_gizmo_name() == "fixsync":
			count += 1
	return count
