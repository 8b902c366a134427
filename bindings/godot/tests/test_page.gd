extends TestSuite
## The programs of docs/godot.md, in the scene that it describes.


func _shape(kind: FixsyncShape.Kind, radius: String) -> FixsyncShape:
	var shape := FixsyncShape.new()
	shape.kind = kind
	shape.radius = radius
	return shape


func _fight() -> FixsyncWorld3D:
	var world := FixsyncWorld3D.new()
	world.name = "World"
	world.pairs = ["body attack"]
	var level := FixsyncLevel3D.new()
	var ground := StaticBody3D.new()
	ground.collision_layer = 4
	var part := CollisionShape3D.new()
	part.shape = BoxShape3D.new()
	part.shape.size = Vector3(20, 1, 20)
	part.position.y = -0.5
	ground.add_child(part)
	level.add_child(ground)
	world.add_child(level)
	for i in 2:
		var fighter: FixsyncCharacter3D = load("res://page/fighter.gd").new()
		fighter.shape = _shape(FixsyncShape.Kind.CAPSULE, "0.5")
		fighter.raw_position = Vector3i(-65536 if i == 0 else 65536, 65536, 0)
		fighter.yaw = 0 if i == 0 else 32768
		fighter.player = i
		fighter.owner_id = i + 1
		var blade := FixsyncCollider3D.new()
		blade.name = "Blade"
		blade.shape = _shape(FixsyncShape.Kind.SECTOR, "2")
		blade.layer = "attack"
		blade.starts_active = false
		fighter.add_child(blade)
		world.add_child(fighter)
	world.starts_alone = false
	add_child(world)
	level.bake()
	world.start()
	remove_child(world)
	return world


func test_the_fight_of_the_page_hits_once() -> void:
	var fight: Node3D = load("res://page/fight.gd").new()
	var world := _fight()
	world.starts_alone = false
	fight.add_child(world)
	add_child(fight)
	var hits: Array[int] = []
	world.hit_entered.connect(func(frame: int, _a: int, _b: int, _c: int) -> void:
		hits.append(frame))
	for i in 200:
		fight._physics_process(0.0)
	equal(hits, [58, 118, 178], "blue's swings, each once")
	equal(world.collider(0).health, 70, "red's health")
	fight.free()


class Player:
	extends Node
	var keys := 0


func test_the_snippet_for_other_add_ons_plays_the_same_match() -> void:
	var straight := _fight()
	add_child(straight)
	var rolled := _fight()
	var adapter: Node = load("res://page/rollback_world.gd").new()
	var players: Array[Node] = [Player.new(), Player.new()]
	adapter.world = rolled
	adapter.players = players
	for node: Node in [rolled, adapter, players[0], players[1]]:
		add_child(node)
	var told: Array[PackedStringArray] = [[], []]
	for i in 2:
		var world: FixsyncWorld3D = [straight, rolled][i]
		world.frame_confirmed.connect(func(frame: int, hash: int) -> void:
			told[i].append("%d %d" % [frame, hash]))
		world.hit_entered.connect(func(frame: int, a: int, b: int, _c: int) -> void:
			told[i].append("%d: %d %d" % [frame, a, b]))
	var random := FixsyncRandom.create(1)
	var keys := PackedInt64Array()
	var states: Array[Dictionary] = []
	for frame in 300:
		keys.append(random.below(4))
		straight.put_input(0, frame, 0)
		straight.put_input(1, frame, keys[frame])
		straight.play_to(frame)
		# As an add-on does: load the state of six ticks ago, and play up to now.
		states.append(adapter._save_state())
		var first := maxi(0, frame - 6)
		adapter._load_state(states[first])
		for again in range(first, frame + 1):
			players[1].keys = keys[again] if again <= frame - 6 else 0
			states[again] = adapter._save_state()
			adapter._network_process({})
		adapter._on_tick_retired(maxi(0, frame - 5))
	check(told[1].size() > 250, "%d signals" % told[1].size())
	check(told[0].slice(0, told[1].size()) == told[1], "the same signals, each once")
	for node: Node in [straight, rolled, adapter, players[0], players[1]]:
		node.free()
