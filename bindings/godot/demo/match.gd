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
var _playing := false
var _log: FileAccess
var _hashes := {}  # frame: hash, of the last confirmed frames
var _own := 0  # inputs of this side so far
var _entered := 0
var _predicted := 0
var _taken_back := 0
var _desync := -1
var _begun := 0  # milliseconds, and frames drawn, when the match began
var _drawn := 0
var _frames := 1 << 40  # of the match


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
	world.hit_entered.connect(func(_f: int, _a: int, _b: int, _c: int) -> void: _entered += 1)
	world.hit_predicted.connect(_on_predicted)
	world.hit_taken_back.connect(func(_f: int, _a: int, _b: int, _k: int, _c: int) -> void:
		_taken_back += 1)
	world.game_event.connect(_on_game_event)
	world.frame_confirmed.connect(_on_confirmed)
	world.start()
	_connect()


func _connect() -> void:
	var port := int(_options.get("port", str(DemoLine.PORT)))
	if _options.has("host") or _options.has("join"):
		var error := _line.host(port) if _me == 0 else _line.join(_options.join, port)
		status.text = "waiting for the other player" if error == OK else error_string(error)
		_line.peer_joined.connect(func() -> void: _playing = true)
		_line.peer_left.connect(func() -> void: status.text = "the other player left")
	else:
		_other_bot = DemoKeys.new(99)
		_playing = true


func _physics_process(_delta: float) -> void:
	if _other_bot == null:
		_line.receive(func(frame: int, keys: int) -> void:
			world.put_input(1 - _me, frame, keys))
	if not _playing:
		return
	if _begun == 0:
		_begun = Time.get_ticks_msec()
		_drawn = Engine.get_frames_drawn()
	if world.free_frames() > 0 and _own < _frames: # else it waits for the other side
		_put(0 if _own < INPUT_DELAY else _bot_or_keys())
	world.play_to(_own - 1 - (INPUT_DELAY if _own < _frames else 0))
	if _other_bot == null:
		var last := world.confirmed() - 1
		_line.send(world.head(), last + 1, _hashes.get(last, 0))
		_compare()
	_write_log()
	_show()
	if world.confirmed() >= _frames:
		_finish()


func _bot_or_keys() -> int:
	if _options.has("bot"):
		return _keys.bot(fighters[_me], fighters[1 - _me])
	return DemoKeys.pressed()


func _put(keys: int) -> void:
	world.put_input(_me, _own, keys)
	if _other_bot == null:
		_line.put(keys)
	else:
		world.put_input(1, _own, _other_bot.bot(fighters[1], fighters[0]))
	_own += 1


# ---- what the world tells ----

func _on_confirmed(frame: int, hash: int) -> void:
	_hashes[frame] = hash
	_hashes.erase(frame - 600)


## Both sides say the hash of their last confirmed frame: equal, or the fight fell apart.
func _compare() -> void:
	var frame := _line.remote_hash[0] - 1 if _line.remote_hash.size() > 0 else -1
	if _hashes.has(frame) and _hashes[frame] != _line.remote_hash[1] and _desync < 0:
		_desync = frame
		push_error("desync at frame %d" % frame)


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
	if _desync >= 0:
		status.text = "desync at frame %d" % _desync


func _write_log() -> void:
	if _log != null:
		_log.store_string(world.take_log())


func _finish() -> void:
	set_physics_process(false)
	if _log != null:
		world.end_log()
		_write_log()
		_log.close()
		_log = null
	print("frames %d entered %d predicted %d taken back %d desync %d, %d drawn a second" % [
		world.confirmed(), _entered, _predicted, _taken_back, _desync,
		(Engine.get_frames_drawn() - _drawn) * 1000 / maxi(1, Time.get_ticks_msec() - _begun)])
	var until := Time.get_ticks_msec() + 4000
	while _other_bot == null and Time.get_ticks_msec() < until: # the other side may lack packets
		_line.receive(func(_frame: int, _value: int) -> void: pass)
		_line.send(_frames, _frames, _hashes.get(_frames - 1, 0))
		if _line.remote_hash.size() > 0 and _line.remote_hash[0] >= _frames:
			until = mini(until, Time.get_ticks_msec() + 500)
		await get_tree().physics_frame
	_line.close()
	if _options.has("shot"):
		get_viewport().get_texture().get_image().save_png(_options.shot)
	get_tree().quit(0 if _desync < 0 else 1)
