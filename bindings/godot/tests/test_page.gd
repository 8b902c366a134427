extends TestSuite
## The programs of docs/godot.md, in the scene that it describes.


func _shape(kind: FixsyncShape.Kind, radius: String) -> FixsyncShape:
	var shape := FixsyncShape.new()
	shape.kind = kind
	shape.radius = radius
	return shape


func _fight(is_recorded := false) -> FixsyncWorld3D:
	var world := FixsyncWorld3D.new()
	world.record = is_recorded
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
	equal(hits, [6, 66, 126, 186], "blue's swings, each once")
	equal(world.collider(0).health, 60, "red's health")
	fight.free()


func test_the_log_of_the_page_has_each_frame_and_an_end() -> void:
	var fight: Node3D = load("res://page/fight.gd").new()
	var world := _fight(true)
	world.starts_alone = false
	fight.add_child(world)
	var log: Node = load("res://page/log.gd").new()
	log.world = world
	fight.add_child(log)
	add_child(fight)
	for i in 200:
		fight._physics_process(0.0)
		log._process(0.0)
	var confirmed := world.confirmed()
	fight.free()
	# ./test verifies this file, as all others of its kind.
	var lines := FileAccess.get_file_as_string("user://fight.jsonl").strip_edges().split("\n")
	check(confirmed > 150, "%d frames" % confirmed)
	equal(lines.size(), confirmed + 2, "a line for each frame, the first and the last")


class Player:
	extends Node
	var keys := 0


## What an add-on calls that saves and loads states itself.
class Adapter:
	extends Node
	var world: FixsyncWorld3D
	var players: Array[Node] = []

	func _save_state() -> Dictionary:
		return {"frame": world.head()}

	func _load_state(state: Dictionary) -> void:
		world.rewind(state.frame)

	func _network_process(_input: Dictionary) -> void:
		var inputs := PackedInt64Array()
		for node in players:
			inputs.append(node.keys)
		world.play(inputs)

	func _on_tick_retired(tick: int) -> void:
		world.settle(mini(tick, world.head()))


func test_an_add_on_that_loads_states_itself_plays_the_same_match() -> void:
	var straight := _fight()
	add_child(straight)
	var rolled := _fight()
	var adapter := Adapter.new()
	var players: Array[Node] = [Player.new(), Player.new()]
	adapter.world = rolled
	adapter.players = players
	for node: Node in [rolled, adapter, players[0], players[1]]:
		add_child(node)
	var reported: Array[PackedStringArray] = [[], []]
	for i in 2:
		var world: FixsyncWorld3D = [straight, rolled][i]
		world.frame_confirmed.connect(func(frame: int, hash: int) -> void:
			reported[i].append("%d %d" % [frame, hash]))
		world.hit_entered.connect(func(frame: int, a: int, b: int, _c: int) -> void:
			reported[i].append("%d: %d %d" % [frame, a, b]))
	var random := FixsyncRandom.create(1)
	var keys := PackedInt64Array()
	var states: Array[Dictionary] = []
	for frame in 300:
		keys.append(random.below(4))
		straight.tick(PackedInt64Array([0, keys[frame]]))
		# As an add-on does: load the state of six ticks ago, and play up to now.
		states.append(adapter._save_state())
		var first := maxi(0, frame - 6)
		adapter._load_state(states[first])
		for again in range(first, frame + 1):
			players[1].keys = keys[again] if again <= frame - 6 else 0
			states[again] = adapter._save_state()
			adapter._network_process({})
		adapter._on_tick_retired(maxi(0, frame - 5))
	check(reported[1].size() > 250, "%d signals" % reported[1].size())
	check(reported[0].slice(0, reported[1].size()) == reported[1], "the same signals, each once")
	for node: Node in [straight, rolled, adapter, players[0], players[1]]:
		node.free()


## A world with a floor that is a collider, and one of the page's programs in it.
func _with(node: Node, kind := FixsyncShape.Kind.BOX) -> FixsyncWorld3D:
	var world := FixsyncWorld3D.new()
	world.pairs = PackedStringArray(["body attack"])
	node.shape = _shape(kind, "0.5")
	world.add_child(node)
	return world


func _play(world: FixsyncWorld3D, frames: int, keys: Callable) -> void:
	for frame in frames:
		world.tick(PackedInt64Array([keys.call(frame), 0]))


func test_the_thrower_and_the_ball_of_the_page() -> void:
	var ball: FixsyncCollider3D = load("res://page/ball.gd").new()
	ball.shape = _shape(FixsyncShape.Kind.SPHERE, "0.25")
	ball.layer = "attack"
	var packed := PackedScene.new()
	packed.pack(ball)
	ball.free()
	var thrower: FixsyncCharacter3D = load("res://page/thrower.gd").new()
	thrower.ball = packed
	thrower.owner_id = 1
	var world := _with(thrower)
	var target := FixsyncCollider3D.new()
	target.shape = _shape(FixsyncShape.Kind.SPHERE, "0.5")
	target.raw_position = Vector3i(4 * 65536, 0, 0)
	target.owner_id = 2
	world.add_child(target)
	add_child(world)
	var heard: Array[Node] = []
	target.hit_entered.connect(func(other: Node) -> void: heard.append(other))
	_play(world, 50, func(frame: int) -> int: return 4 if frame < 30 else 0)
	equal(heard.size(), 2, "balls that hit")
	equal(world.stage.world.count(), 2, "they are gone")
	world.free()


class Lift:
	extends FixsyncCollider3D

	func _fixsync_tick(_frame: int, _inputs: PackedInt64Array) -> void:
		stage.carry(self, Vector3i(0, 1024, 0))


func test_the_lift_takes_a_rider_along() -> void:
	var lift: FixsyncCollider3D = Lift.new()
	lift.layer = "wall"
	var world := _with(lift)
	var rider := FixsyncCharacter3D.new()
	rider.shape = _shape(FixsyncShape.Kind.BOX, "0.5")
	rider.raw_position = Vector3i(0, 65536, 0)
	world.add_child(rider)
	add_child(world)
	rider.move(Vector3i(0, -100, 0))
	_play(world, 100, func(_frame: int) -> int: return 0)
	equal(lift.get_raw_position(), Vector3i(0, 102400, 0), "the lift")
	check(absi(rider.get_raw_position().y - 102400 - 65536) < 16, "the rider stands on it at %s"
			% rider.get_raw_position())
	world.free()


class Swinger:
	extends FixsyncCharacter3D

	var player := 0
	var swing := 0  # frames that are left of it
	var _cuts := PackedByteArray()
	@onready var blade: FixsyncCollider3D = $Blade
	@onready var animation: AnimationPlayer = $Animation

	func _ready() -> void:
		_cuts = blade.active_frames(animation, &"swing")

	func _fixsync_state() -> Array[StringName]:
		return [&"swing"]

	func _fixsync_tick(_frame: int, inputs: PackedInt64Array) -> void:
		swing = maxi(0, swing - 1)
		if inputs[player] & 8 and swing == 0:
			swing = _cuts.size()
		blade.set_active(swing > 0 and _cuts[_cuts.size() - swing] == 1)

	func _process(_delta: float) -> void:
		animation.play(&"swing")
		animation.seek((_cuts.size() - swing) / 60.0, true)
		animation.pause()


func test_a_swing_cuts_in_the_frames_of_its_animation() -> void:
	var swinger: FixsyncCharacter3D = Swinger.new()
	var blade := FixsyncCollider3D.new()
	blade.name = "Blade"
	blade.layer = "attack"
	blade.starts_active = false
	blade.shape = _shape(FixsyncShape.Kind.SPHERE, "0.5")
	swinger.add_child(blade)
	var player := AnimationPlayer.new()
	player.name = "Animation"
	var clip := Animation.new()
	clip.length = 0.25
	var track := clip.add_track(Animation.TYPE_VALUE)
	clip.track_set_path(track, "Blade:visible")
	clip.value_track_set_update_mode(track, Animation.UPDATE_DISCRETE)
	for key: Array in [[0.0, false], [0.1, true], [0.2, false]]:
		clip.track_insert_key(track, key[0], key[1])
	var library := AnimationLibrary.new()
	library.add_animation(&"swing", clip)
	player.add_animation_library(&"", library)
	swinger.add_child(player)
	var world := _with(swinger)
	add_child(world)
	equal(blade.active_frames(player, &"swing"),
			PackedByteArray([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0]), "active frames")
	var active := PackedInt64Array()
	_play(world, 1, func(_frame: int) -> int: return 0)
	for frame in range(1, 18):
		world.tick(PackedInt64Array([8 if frame == 1 else 0, 0]))
		if blade.is_active():
			active.append(frame)
	equal(active, PackedInt64Array([7, 8, 9, 10, 11, 12]), "frames in which it is active")
	world.free()


func test_the_carrier_of_the_page_picks_up_crouches_and_drops() -> void:
	var carrier: FixsyncCharacter3D = load("res://page/carrier.gd").new()
	carrier.low = _shape(FixsyncShape.Kind.SPHERE, "0.25")
	carrier.owner_id = 3
	var world := _with(carrier)
	world.layers = ["body", "attack", "wall", "weapon"]
	world.pairs = ["body weapon"]
	var sword := FixsyncCollider3D.new()
	sword.shape = _shape(FixsyncShape.Kind.SPHERE, "0.5")
	sword.layer = "weapon"
	world.add_child(sword)
	add_child(world)
	world.tick(PackedInt64Array([0, 0]))
	equal([sword.get_parent(), world.stage.world.owner(sword.id)], [carrier, 3], "picked up")
	for frame: int in [1, 2]:
		world.tick(PackedInt64Array([[16, 8][frame - 1], 0]))
		if frame == 1:
			equal(world.stage.world.shape(carrier.id), carrier.low.row(), "crouches")
	equal(world.stage.world.shape(carrier.id), carrier.shape.row(), "stands")
	equal([sword.get_parent(), world.stage.world.owner(sword.id)], [world, 0], "dropped")
	equal(sword.get_raw_position(), Vector3i(131072, 0, 0), "ahead")
	world.free()


func test_the_peers_of_the_page_play_one_match() -> void:
	var script := GDScript.new()
	script.source_code = (
			"extends 'res://page/online.gd'\nvar random := FixsyncRandom.create(2)\n"
			+ "func keys() -> int:\n\treturn random.below(4)")
	script.reload()
	var peers: Array[Node] = []
	var reported: Array[PackedStringArray] = [[], []]
	for i in 2:
		var node: Node = script.new()
		node.me = i
		var world := _fight()
		node.add_child(world)
		add_child(node)
		world.frame_confirmed.connect(func(f: int, hash: int) -> void:
			reported[i].append("%d %d" % [f, hash]))
		world.desynced.connect(func(_f: int, text: String) -> void: check(false, text))
		peers.append(node)
	for frame in 300:
		for node in peers:
			node._physics_process(0.0)
	var shared := mini(reported[0].size(), reported[1].size())
	check(shared > 200, "confirmed frames: %d" % shared)
	check(reported[0].slice(0, shared) == reported[1].slice(0, shared), "hashes differ")
	for node in peers:
		node.line.close()
		node.free()
