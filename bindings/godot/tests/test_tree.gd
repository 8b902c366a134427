extends TestSuite
## What users do with nodes of a match: reparent, duplicate, pack, disable, place, and get wrong.

const LATE := 8


## Walks, jumps, picks up what it meets, and drops it: as the player's input says.
class Carrier:
	extends FixsyncCharacter3D
	var player := 0
	var score := 0
	var fall := 0
	var by_engine := false  # with reparent()
	var picks := true

	func _fixsync_state() -> Array[StringName]:
		return [&"score", &"fall"]

	func _fixsync_tick(_frame: int, inputs: PackedInt64Array) -> void:
		var keys := inputs[player]
		# The engine's own template asks before it moves.
		if is_on_floor() and keys & 4:
			fall = 12000
		elif is_on_wall() or is_on_ceiling():
			score += 1
		else:
			fall = maxi(fall - 1000, -20000)
		move(Vector3i(((keys & 3) - 1) * 9000, fall, 0))
		if get_raw_position().y < -65536 * 3:
			set_pose(start_position, start_yaw)
		for part: FixsyncCollider3D in parts.duplicate():
			if keys & 8 and part.name == "Sword":
				if by_engine:
					part.reparent(stage.host)
				else:
					part.attach(null)
			elif keys == 16:
				set_shape(stage.host.get_meta(&"low"))
			elif keys == 17:
				set_owner_id(5)
			elif keys == 18:
				part.set_layer("wall")
			elif keys == 19:
				part.set_layer("attack")

	func _fixsync_hit(mine: int, other: int, kind: int, _contact: int) -> void:
		var node: Node = stage.nodes.get(other)
		if mine != id:
			score += 10
		elif picks and kind == Fixsync.ENTER and node != null and node.name == "Sword":
			if by_engine:
				node.reparent(self)
			else:
				node.attach(self, Vector3i(50000, 10000, 0))


func _shape(kind: FixsyncShape.Kind, radius: String) -> FixsyncShape:
	var shape := FixsyncShape.new()
	shape.kind = kind
	shape.radius = radius
	return shape


func _collider(above: Node, name: String, raw := Vector3i.ZERO) -> FixsyncCollider3D:
	var node := FixsyncCollider3D.new()
	node.name = name
	node.shape = _shape(FixsyncShape.Kind.SPHERE, "0.5")
	node.raw_position = raw
	node.position = FixsyncDraw.units(raw)
	above.add_child(node)
	return node


func _fight(by_engine := false) -> FixsyncWorld3D:
	var world := FixsyncWorld3D.new()
	world.starts_alone = false
	world.record = true
	world.set_meta(&"low", _shape(FixsyncShape.Kind.CAPSULE, "0.25"))
	for i in 2:
		var carrier := Carrier.new()
		carrier.name = ["A", "B"][i]
		carrier.shape = _shape(FixsyncShape.Kind.CAPSULE, "0.5")
		carrier.player = i
		carrier.owner_id = i + 1
		carrier.by_engine = by_engine
		carrier.raw_position = Vector3i((2 * i - 1) * 120000, 70000, 0)
		world.add_child(carrier)
	var sword := _collider(world.get_node("A"), "Sword", Vector3i(40000, 0, 0))
	sword.layer = "attack"
	var gem := _collider(sword, "Gem", Vector3i(10000, 5000, 0))
	gem.layer = "attack"
	for x in range(-4, 5):
		var tile := _collider(world, "Floor%d" % x, Vector3i(x * 65536, -65536 * (1 if x % 4 else 0), 0))
		tile.shape = _shape(FixsyncShape.Kind.BOX, "1")
		tile.layer = "wall"
	add_child(world)
	return world


func _play(world: FixsyncWorld3D, frames: int, late: int, random_seed := 3) -> PackedStringArray:
	var told := PackedStringArray()
	world.hit_entered.connect(func(f: int, a: int, b: int, _c: int) -> void:
		told.append("%d in %d %d" % [f, a, b]))
	world.frame_confirmed.connect(func(f: int, hash: int) -> void: told.append("%d %d" % [f, hash]))
	world.start()
	var random := FixsyncRandom.create(random_seed)
	var keys := PackedInt64Array()
	for frame in frames + late:
		if frame < frames:
			keys.append(random.below(24))
			TestLate.put(world, 0, frame, random.below(8))
		if frame >= late:
			TestLate.put(world, 1, frame - late, keys[frame - late])
		TestLate.play_to(world, mini(frame, frames - 1))
	return told


func test_a_weapon_that_changes_hands_and_all_that_rules_read_rolls_back() -> void:
	for by_engine: bool in [false, true]:
		var straight := _fight(by_engine)
		var rolled := _fight(by_engine)
		var told := _play(straight, 600, 0)
		check(told.size() > 620, "hits: %d" % (told.size() - 600))
		check(_play(rolled, 600, LATE) == told, "signals or hashes differ, reparent: %s" % by_engine)
		for name: String in ["A", "B"]:
			equal(rolled.get_node(name).score, straight.get_node(name).score, "score of " + name)
		check(straight.get_node("B").score > 0, "B struck or met walls")
		for world: FixsyncWorld3D in [straight, rolled]:
			var sword: FixsyncCollider3D = world.find_child("Sword", true, false)
			var holder: Node = sword.get_parent()
			var other: Node = straight.find_child("Sword", true, false).get_parent()
			check(holder.name == other.name or holder == world and other == straight, "who has it")
			var kernel := world.stage.world
			var gem: Node = sword.get_node("Gem")
			equal(kernel.offset(gem.id) - kernel.offset(sword.id), Vector3i(10000, 5000, 0),
					"the gem goes with the sword")
			_is_drawn_where_it_hits(world, "after it changed hands, reparent: %s" % by_engine)
		straight.free()
		rolled.free()


## Each collider is drawn where its shape is.
func _is_drawn_where_it_hits(world: Node, what: String) -> void:
	var kernel: FixsyncWorld = world.stage.world
	for id: int in world.stage.nodes:
		var node: Node = world.stage.nodes[id]
		var place: Variant = FixsyncPlace.within(node, world)
		var drawn: Vector3i = FixsyncPlace.pose_from(
				place, FixsyncView2D.of(node), FixsyncPlace.depth_of(node))[0]
		var hits := kernel.position(id) + FixsyncPlace.turned(kernel.offset(id), kernel.yaw(id))
		check((drawn - hits).length() < 100.0, "%s: %s is drawn at %s and hits at %s"
				% [what, node.name, drawn, hits])


func test_a_reparented_part_is_all_of_the_other() -> void:
	var world := _fight()
	world.start()
	var a: Carrier = world.get_node("A")
	var b: Carrier = world.get_node("B")
	var sword: FixsyncCollider3D = a.get_node("Sword")
	a.picks = false
	world.tick(PackedInt64Array([0, 0]))
	sword.reparent(b)
	for frame in 4:
		world.tick(PackedInt64Array([2, 2]))
	equal([a.parts.size(), b.parts.size()], [0, 2], "parts")
	equal(world.stage.world.owner(sword.id), 2, "owner")
	equal(sword.get_raw_position(), b.get_raw_position(), "it moves with B")
	_is_drawn_where_it_hits(world, "reparented")
	world.despawn(a)
	for frame in range(4, 8):
		world.tick(PackedInt64Array([2, 2]))
	await get_tree().process_frame
	check(is_instance_valid(sword) and sword.is_in_match() and not is_instance_valid(a),
			"it stays when A goes")
	world.free()


func test_an_id_of_the_match_is_not_copied_or_saved() -> void:
	var world := _fight()
	world.start()
	var ear := TestEar.new()
	OS.add_logger(ear)
	var first := world.get_node("Floor1")
	var copy := first.duplicate()
	var packed := PackedScene.new()
	packed.pack(first)
	var again := packed.instantiate()
	for node: Node in [copy, again]:
		equal(node.id, -1, "id of a copy")
		world.add_child(node)
	world.tick(PackedInt64Array([0, 0]))
	OS.remove_logger(ear)
	check(copy.id != again.id and copy.is_in_match() and again.is_in_match(), "both are in")
	equal(Array(ear.heard).filter(func(line: String) -> bool: return "taken" in line), [], "errors")
	first.given_id = 7
	world.free()


func test_what_is_set_in_a_match_names_what_to_call() -> void:
	var world := _fight()
	world.start()
	var a: Carrier = world.get_node("A")
	var ear := TestEar.new()
	OS.add_logger(ear)
	var before := world.stage.world.save()
	a.shape = _shape(FixsyncShape.Kind.SPHERE, "1")
	a.layer = "wall"
	a.owner_id = 9
	a.starts_active = false
	a.raw_position = Vector3i.ONE
	a.yaw = 5
	a.id = 60
	a.shape.radius = "2"
	await get_tree().process_frame
	OS.remove_logger(ear)
	var words := [
		"shape", "layer", "owner_id", "starts_active", "raw_position", "yaw", "id", "shape"]
	var calls := ["set_shape ", "set_layer ", "set_owner_id ", "set_active ", "set_pose ", "turn ",
		"set it before", "set_shape with another one"]
	equal(ear.heard.size(), words.size(), "errors: %s" % ear.heard)
	for i in mini(ear.heard.size(), words.size()):
		check(("A.%s is" % words[i]) in ear.heard[i] and calls[i] in ear.heard[i], ear.heard[i])
	check(world.stage.world.save() == before, "nothing changed")
	world.free()


# ---- placing ----

## Ways of placing: a name, words of a warning or "" if it is drawn where it hits, dimensions.
const WAYS := [
	["plain", "", 23], ["under a moved node", "", 23], ["under a Node", "", 23],
	["top_level", "", 23], ["part under a Node", "no part of", 23],
	["under a CanvasLayer", "CanvasLayer", 2], ["under a Control", "Control", 2], ["turned", "", 3],
	["turned from above", "", 2],
	["scaled", "scaled", 23], ["under a scaled node", "scaled", 23], ["skewed", "skewed", 2],
	["sheared", "sheared", 3],
	["mirrored", "mirrored", 2], ["flipped", "", 20], ["tilted", "tilted", 3],
	["not finite", "finite", 23], ["too far", "32767", 23], ["instanced", "", 23],
	["instanced under a Node", "", 23], ["in a group of an instance", "", 23], ["part", "", 23],
	["part of a part", "", 23], ["part under a group", "", 23],
	["part with top_level", "no part of", 23],
]


func _make(dimensions: int, name: String, above: Node, at: Vector2) -> Node:
	var node: Node = FixsyncCollider2D.new() if dimensions == 2 else FixsyncCollider3D.new()
	node.shape = _shape(FixsyncShape.Kind.SPHERE, "0.5")
	return _put(node, name, above, at)


func _group(dimensions: int, name: String, above: Node, at: Vector2) -> Node:
	return _put(Node2D.new() if dimensions == 2 else Node3D.new(), name, above, at)


func _put(node: Node, name: String, above: Node, at: Vector2) -> Node:
	node.name = name
	above.add_child(node)
	node.position = at * 64.0 if node is Node2D or node is Control else Vector3(at.x, -at.y, 0.0)
	return node


## A scene with a collider, as the editor saves it.
func _saved(dimensions: int, with_group: Node) -> PackedScene:
	var root := _group(dimensions, "Scene", self, Vector2.ZERO)
	var above := root
	if with_group != null:
		root.add_child(with_group)
		above = with_group
	_make(dimensions, "Inner", above, Vector2(1, 1))
	for node in root.find_children("*", "", true, false):
		node.owner = root
	FixsyncPlace.sync(root)
	var packed := PackedScene.new()
	packed.pack(root)
	root.free()
	ResourceSaver.save(packed, "user://scene.tscn")
	return ResourceLoader.load("user://scene.tscn", "", ResourceLoader.CACHE_MODE_IGNORE)


func _placed(world: Node, way: String, d: int) -> Node:
	var at := Vector2(3, -2)
	match way:
		"plain":
			return _make(d, "It", world, at)
		"under a moved node":
			return _make(d, "It", _group(d, "Group", world, Vector2(4, 1)), at)
		"under a Node", "under a CanvasLayer":
			var group := Node.new() if way == "under a Node" else CanvasLayer.new()
			_group(d, "Moved", world, Vector2(5, 5)).add_child(group)
			return _make(d, "It", group, at)
		"under a Control":
			return _make(d, "It", _put(Control.new(), "Panel", world, Vector2(1, 1)), at)
		"top_level":
			var node := _make(d, "It", _group(d, "Moved", world, Vector2(5, 5)), at)
			node.top_level = true
			node.position = Vector2(64, 128) if d == 2 else Vector3(1, -2, 0)
			return node
		"part under a Node":
			var whole := _make(d, "Whole", world, Vector2(5, 5))
			var group := Node.new()
			whole.add_child(group)
			return _make(d, "It", group, at)
		"part with top_level":
			var node := _make(d, "It", _make(d, "Whole", world, Vector2(5, 5)), at)
			node.top_level = true
			return node
		"part":
			return _make(d, "It", _make(d, "Whole", world, Vector2(5, 5)), at)
		"part of a part":
			return _make(d, "It", _make(d, "Part", _make(d, "Whole", world, Vector2(5, 5)), at), at)
		"part under a group":
			return _make(d, "It", _group(d, "Hand", _make(d, "Whole", world, Vector2(5, 5)), at), at)
		"under a scaled node":
			var group := _group(d, "Group", world, Vector2(4, 1))
			group.scale *= 2.0
			return _make(d, "It", group, at)
		"instanced", "instanced under a Node", "in a group of an instance":
			var inner := _group(d, "Hand", self, Vector2(2, 2)) if "group" in way else null
			if inner != null:
				remove_child(inner)
			var scene := _saved(d, inner).instantiate()
			var above := world
			if way == "instanced under a Node":
				above = Node.new()
				world.add_child(above)
			_put(scene, "Scene", above, at)
			scene.owner = world
			return scene.find_child("Inner", true, false)
	var node := _make(d, "It", world, at)
	match way:
		"turned":
			node.rotation.y = 0.7
		"turned from above":
			node.rotation = 0.7
		"scaled":
			node.scale *= 1.5
		"skewed":
			node.skew = 0.4
		"sheared":
			node.basis = Basis(Vector3(1, 0, 0), Vector3.UP, Vector3(0.6, 0, 0.8))
		"mirrored", "flipped":
			node.scale.x = -1.0
		"tilted":
			node.rotation.x = 0.4
		"not finite":
			node.position.x = NAN
		"too far":
			node.position.x = 1e9
	return node


func test_a_node_hits_where_the_engine_draws_it_or_a_warning_says_why_not() -> void:
	var of_project: bool = ProjectSettings.get_setting(FixsyncPlace.SIDE)
	ProjectSettings.set_setting(FixsyncPlace.SIDE, false)
	for way: Array in WAYS:
		for d: int in [2, 3]:
			if not str(d) in str(way[2]):
				continue
			for at: Vector2 in [Vector2.ZERO, Vector2(7, 3)]:  # of the world
				var world: Node = FixsyncWorld2D.new() if d == 2 else FixsyncWorld3D.new()
				world.starts_alone = false
				if d == 2:
					world.is_side_view = way[0] == "flipped"
				_put(world, "World", self, at)
				var node := _placed(world, way[0], d)
				for other in world.find_children("*", "", true, false):
					if other.owner == null:
						other.owner = world
				FixsyncPlace.sync(world)
				var what := "%s in %dD, world at %s" % [way[0], d, at]
				var ear := TestEar.new()
				OS.add_logger(ear)
				var lines := FixsyncCheck.warnings(node)
				world.start()
				OS.remove_logger(ear)
				var said := "\n".join(lines)
				var at_start := "\n".join(ear.heard)
				if way[1].is_empty():
					equal(said, "", what)
					equal(at_start, "", what)
					_is_drawn_where_it_hits(world, what)
				else:
					check(way[1] in said, "%s: no warning but '%s'" % [what, said])
					check(way[1] in at_start, "%s: at start '%s'" % [what, at_start])
				if world.stage != null:
					world.tick(PackedInt64Array([0, 0]))
					if not way[0] in ["not finite", "too far"]:
						_is_drawn_where_it_hits(world, what + ", played")
				world.free()
	ProjectSettings.set_setting(FixsyncPlace.SIDE, of_project)


# ---- process_mode, pause, hidden, two worlds ----

func test_disabled_nodes_are_out_and_hidden_ones_are_in_as_areas_are() -> void:
	var world := _fight()
	var group := Node3D.new()
	world.add_child(group)
	var off := _collider(group, "Off")
	group.process_mode = Node.PROCESS_MODE_DISABLED
	world.get_node("Floor1").visible = false
	world.start()
	check(not off.is_in_match(), "disabled")
	check(world.get_node("Floor1").is_in_match(), "hidden")
	var ear := TestEar.new()
	OS.add_logger(ear)
	group.process_mode = Node.PROCESS_MODE_INHERIT
	for frame in 2:
		world.tick(PackedInt64Array([0, 0]))
	check(off.is_in_match(), "enabled, it joins")
	equal(ear.heard, PackedStringArray(), "no errors")
	group.process_mode = Node.PROCESS_MODE_DISABLED
	OS.remove_logger(ear)
	check(off.is_in_match(), "in a match it stays")
	equal(ear.heard.size(), 1, "and a warning says what to call")
	check("set_active or despawn" in ear.heard[0], ear.heard[0])
	world.free()


func test_a_node_that_goes_to_another_world_is_gone_from_the_first_when_that_rolls_back() -> void:
	var worlds: Array[FixsyncWorld3D] = [_fight(), _fight()]
	for world in worlds:
		world.start()
	var b: Carrier = worlds[0].get_node("B")
	for frame in 20:
		if frame == 10:
			b.reparent(worlds[1])
		for world in worlds:
			TestLate.put(world, 0, frame, frame % 3)
			if frame >= 5:
				TestLate.put(world, 1, frame - 5, 4 + frame % 3)
			TestLate.play_to(world, frame)
		if frame == 10:
			check(b.stage == worlds[1].stage and b.is_in_match(), "it is in the second")
			check(not worlds[0].stage.nodes.values().has(b), "and not in the first")
	check(b.stage == worlds[1].stage and b.is_in_match(), "after a rollback too")
	equal(worlds[0].head(), 20, "the first played on")
	for world in worlds:
		world.free()


# ---- wrong settings ----

const WRONG := {
	"capacity": [0, 70000], "players": [0, 65], "window": [0, 257], "tick_rate": [0],
	"pairs": [["body"], ["body sword"]], "layers": [["body", "body", "attack", "wall"], []],
	"A.id": [64, -7], "A.owner_id": [-2, 1 << 32], "A.layer": ["bdoy"], "A.step_height": ["-1", "x"],
	"A.snap": ["9000"], "A.floor_max_degrees": [90, -1], "A.one_way": [["wall"], ["ledge"]],
	"A.shape": [null], "A.shape.radius": ["-0.5", "0", "0.000001", "9000"],
}


func test_a_wrong_setting_is_one_error_that_names_it_and_what_the_inspector_says() -> void:
	for key: String in WRONG:
		for value: Variant in WRONG[key]:
			var world := _fight()
			var names := key.split(".")
			var node: Node = world if names.size() == 1 else world.get_node(NodePath(names[0]))
			if names.size() == 3:
				node.shape.set(names[2], value)
			else:
				node.set(names[-1], PackedStringArray(value) if value is Array else value)
			var ear := TestEar.new()
			OS.add_logger(ear)
			world.start()
			for frame in 3:
				world.tick(PackedInt64Array([1, 1]))
			OS.remove_logger(ear)
			var what := "%s = %s" % [key, value]
			equal(ear.heard.size(), 1, "%s: errors %s" % [what, ear.heard])
			var line := ear.heard[0] if ear.heard.size() > 0 else ""
			var named: String = "shape" if value == null else names[-1]
			check("does not start" in line and named in line, "%s: %s" % [what, line])
			if names.size() > 1:
				check("A: " in line, "%s: no node in %s" % [what, line])
			check(named in "\n".join(FixsyncCheck.warnings(node)), "%s: the inspector" % what)
			world.free()


func test_too_many_colliders_and_calls_before_start_are_one_error() -> void:
	var world := _fight()
	var ear := TestEar.new()
	OS.add_logger(ear)
	for frame in 3:
		world.tick(PackedInt64Array([0]))
	check(world.head() == 0 and world.take_log() == "" and world.why(0, 1) == "", "nothing")
	equal(ear.heard.size(), 1, "errors before start: %s" % ear.heard)
	ear.heard.clear()
	var a: Carrier = world.get_node("A")
	check(not a.is_on_floor() and a.move(Vector3i.ONE) == Vector3i.ZERO, "nothing")
	equal(ear.heard.size(), 2, "errors of A: %s" % ear.heard)
	ear.heard.clear()
	world.capacity = 5
	world.start()
	equal(ear.heard.size(), 1, "errors of a small world: %s" % ear.heard)
	check("raise capacity" in ear.heard[0], ear.heard[0])
	ear.heard.clear()
	world.capacity = 13
	world.start()
	_collider(world, "More")
	world.tick(PackedInt64Array([1, 1]))
	equal(ear.heard, PackedStringArray([
		"More does not join the match: more colliders than capacity, 13: raise capacity of %s."
		% world.name]), "one more")
	OS.remove_logger(ear)
	world.free()


func test_a_full_window_steps_nothing() -> void:
	var world := _fight()
	world.start()
	var ear := TestEar.new()
	OS.add_logger(ear)
	for i in 15:
		world.play(PackedInt64Array([0, 0]))
	OS.remove_logger(ear)
	equal([world.head(), world.stage.world.frame()], [12, 12], "frames")
	equal(ear.heard.size(), 3, "errors: %s" % ear.heard)
	world.settle(12)
	world.play(PackedInt64Array([0, 0]))
	equal([world.head(), world.stage.world.frame()], [13, 13], "frames")
	world.free()


class Mover:
	extends FixsyncCollider3D

	func _fixsync_tick(_frame: int, _inputs: PackedInt64Array) -> void:
		set_pose(get_raw_position() + Vector3i(65536, 0, 0), 0)


func test_the_engines_interpolation_draws_nodes_between_ticks() -> void:
	var world := FixsyncWorld3D.new()
	var mover := Mover.new()
	mover.shape = _shape(FixsyncShape.Kind.SPHERE, "0.5")
	world.add_child(mover)
	add_child(world)
	var ticks := Engine.physics_ticks_per_second
	get_tree().physics_interpolation = true
	Engine.physics_ticks_per_second = 10
	var between := 0
	for i in 5:
		await get_tree().physics_frame
		world.tick(PackedInt64Array([0, 0]))
		for k in 5:
			await get_tree().process_frame
			var x := mover.get_global_transform_interpolated().origin.x
			between += int(x > i + 0.01 and x < i + 0.99)
			check(x <= i + 1.001, "frame %d is drawn at %f" % [i, x])
	check(between > 3, "drawn between ticks: %d" % between)
	get_tree().physics_interpolation = false
	Engine.physics_ticks_per_second = ticks
	world.free()
