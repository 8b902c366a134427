extends Node2D
## A platform fighter of two over ENet. Options come after --: host, join=ADDRESS, port=N, loss=PERCENT,
## delay=TICKS, seed=N, bot, frames=N, log=PATH, lines, fast, shot=PATH. Without host or join, a
## bot is the other player, over a line in this process.

const INPUT_DELAY := 2  # frames between a key and its effect

@export var world: FixsyncWorld2D
@export var fighters: Array[DemoFighter]
@export var labels: Array[Label]
@export var status: Label
@export var spark: CPUParticles2D

var _line := DemoLine.new()
var _options := {}
var _me := 0
var _keys: DemoKeys
var _other_bot: DemoKeys  # without a line
var _log: FileAccess
var _entered := 0
var _predicted := 0
var _taken_back := 0
var _desync := ""
var _begun := 0  # milliseconds, and frames drawn, when the match began
var _drawn := 0
var _frames := 1 << 40  # of the match
var _ends_at := 0  # milliseconds: the other side may need packets until then


func _ready() -> void:
	for option in OS.get_cmdline_user_args():
		var parts := option.trim_prefix("--").split("=")
		_options[parts[0]] = parts[1] if parts.size() > 1 else "1"
	_frames = int(_options.get("frames", str(_frames)))
	var random_seed := int(_options.get("seed", "1"))
	_me = 1 if _options.has("join") else 0
	_keys = DemoKeys.new(random_seed + _me)
	_line.loss = int(_options.get("loss", "0"))
	_line.delay = int(_options.get("delay", "0"))
	_line.seed_faults(random_seed + _me)
	if _options.has("fast"):
		Engine.physics_ticks_per_second = 960
		Engine.max_physics_steps_per_frame = 64
	if _options.has("log"):
		world.record = true
		_log = FileAccess.open(_options.log, FileAccess.WRITE)
	world.draw_colliders = _options.has("lines")
	world.hit_entered.connect(func(frame: int, _a: int, _b: int, _c: int) -> void:
		_entered += int(frame < _frames))
	world.hit_predicted.connect(_on_predicted)
	world.hit_taken_back.connect(func(_f: int, _a: int, _b: int, _k: int, _c: int) -> void:
		_taken_back += 1)
	world.game_event.connect(_on_game_event)
	world.frame_confirmed.connect(_on_confirmed)
	world.desynced.connect(func(_frame: int, text: String) -> void: _desync = text)
	world.input_delay = INPUT_DELAY
	_connect()
	world.start()


func _connect() -> void:
	var port := int(_options.get("port", str(DemoLine.PORT)))
	if not _options.has("host") and not _options.has("join"):
		_other_bot = DemoKeys.new(99)
		return
	var error := _line.host(port) if _me == 0 else _line.join(_options.join, port)
	status.text = "waiting for the other player" if error == OK else error_string(error)
	_line.peer_left.connect(func() -> void: status.text = "the other player left")
	world.peers = [0, 1] if _me == 0 else [1, 0]


func _physics_process(_delta: float) -> void:
	for packet in _line.receive():
		world.receive(1, packet)
	var inputs := PackedInt64Array([_bot_or_keys()])
	if _other_bot != null:
		inputs.append(_other_bot.bot(fighters[1], fighters[0]))
	if world.tick(inputs):
		_show()
	if _other_bot == null:
		_line.send(world.packet(1))
	if _log != null:
		_log.store_string(world.take_log())
	if _ends_at > 0 and Time.get_ticks_msec() > _ends_at:
		_finish()


func _bot_or_keys() -> int:
	if _options.has("bot"):
		return _keys.bot(fighters[_me], fighters[1 - _me])
	return DemoKeys.pressed()


# ---- what the world tells ----

func _on_confirmed(frame: int, _hash: int) -> void:
	if frame == 0:
		_begun = Time.get_ticks_msec()
		_drawn = Engine.get_frames_drawn()
	if frame + 1 == _frames:
		_ends_at = Time.get_ticks_msec() + (2000 if _other_bot == null else 0)
		if _log != null:
			world.end_log()


func _on_predicted(_frame: int, a: int, b: int, kind: int, _contact: int) -> void:
	_predicted += 1
	if kind == Fixsync.ENTER:
		var victim := world.collider(mini(a, b)) as Node2D
		if victim != null:
			spark.global_position = victim.global_position
			spark.restart()


func _on_game_event(_frame: int, kind: int, a: int, _b: int, value: int) -> void:
	if kind == DemoFighter.KO:
		print("fighter %d is out: %d" % [a, value])


func _show() -> void:
	for i in 2:
		labels[i].text = "%d %%  out %d" % [fighters[i].damage, fighters[i].kos]
	status.text = "frame %d, confirmed %d, %d fps" % [
		world.head(), world.confirmed(), Engine.get_frames_per_second()]
	if not _desync.is_empty():
		status.text = _desync


func _finish() -> void:
	set_physics_process(false)
	if _log != null:
		_log.store_string(world.take_log())
		_log.close()
	print("frames %d entered %d predicted %d taken back %d, %d drawn a second" % [
		_frames, _entered, _predicted, _taken_back,
		(Engine.get_frames_drawn() - _drawn) * 1000 / maxi(1, Time.get_ticks_msec() - _begun)])
	_line.close()
	if _options.has("shot"):
		get_viewport().get_texture().get_image().save_png(_options.shot)
	get_tree().quit(0 if _desync.is_empty() else 1)
