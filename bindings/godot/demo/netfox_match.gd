extends Node2D
## The demo over netfox instead of its own line. Copy netfox into addons, enable it, set the project
## settings that docs/godot.md names, and run this script's scene twice: `godot netfox_match.tscn --
## host`, `-- join=ADDRESS`. Other options: port=N, bot, frames=N.


class Player:
	extends Node
	var keys := 0


var _world: FixsyncWorld2D
var _fighters: Array[DemoFighter]
var _adapter := FixsyncNetfox.new()
var _players: Array[Node] = [Player.new(), Player.new()]
var _options := {}
var _keys: DemoKeys
var _hits := 0


func _ready() -> void:
	for option in OS.get_cmdline_user_args():
		var parts := option.trim_prefix("--").split("=")
		_options[parts[0]] = parts[1] if parts.size() > 1 else "1"
	if not has_node(^"/root/NetworkRollback"):
		push_error("netfox is missing: copy it into addons, and enable it")
		return
	_keys = DemoKeys.new(2 if _options.has("join") else 1)
	var scene: Node = preload("match.tscn").instantiate()
	scene.set_script(null)
	_world = scene.get_node("World")
	_world.window = 48
	_fighters = [_world.get_node("Red"), _world.get_node("Blue")]
	_world.hit_entered.connect(func(_f: int, _a: int, _b: int, _c: int) -> void: _hits += 1)
	_world.frame_confirmed.connect(_on_confirmed)
	add_child(scene)
	_world.start()
	_adapter.name = "Adapter"
	_adapter.world = _world
	_adapter.inputs = _players
	for i in 2:
		_players[i].name = "P%d" % (i + 1)
		_adapter.add_child(_players[i])
	add_child(_adapter)
	get_node(^"/root/NetworkTime").connect(&"before_tick", _on_before_tick)
	var peer := ENetMultiplayerPeer.new()
	var port := int(_options.get("port", "7778"))
	if _options.has("join"):
		peer.create_client(_options.join, port)
	else:
		peer.create_server(port, 1)
		multiplayer.peer_connected.connect(_on_joined)
	multiplayer.multiplayer_peer = peer


# The server names the tick of frame 0, some seconds ahead.
func _on_joined(id: int) -> void:
	await get_tree().create_timer(2.0).timeout
	_begin.rpc(id, get_node(^"/root/NetworkTime").tick + 90)


@rpc("authority", "call_local", "reliable")
func _begin(guest: int, first_tick: int) -> void:
	_players[0].set_multiplayer_authority(1)
	_players[1].set_multiplayer_authority(guest)
	var synchronizer: Node = load("res://addons/netfox/rollback/rollback-synchronizer.gd").new()
	synchronizer.name = "RollbackSynchronizer"
	synchronizer.root = _adapter
	synchronizer.enable_prediction = true
	var properties: Array[String] = ["P1:keys", "P2:keys"]
	synchronizer.input_properties = properties
	_adapter.add_child(synchronizer)
	synchronizer.process_settings()
	_adapter.first_tick = first_tick


func _on_before_tick(_delta: float, _tick: int) -> void:
	var me := 1 if _options.has("join") else 0
	_players[me].keys = (
			_keys.bot(_fighters[me], _fighters[1 - me]) if _options.has("bot")
			else DemoKeys.pressed())


func _on_confirmed(frame: int, hash: int) -> void:
	var frames := int(_options.get("frames", "0"))
	if frame + 1 == frames:
		print("frames %d entered %d hash %s" % [frames, _hits, Fixsync.hex(hash)])
		await get_tree().create_timer(3.0).timeout  # the other side may need the last inputs
		get_tree().quit()
