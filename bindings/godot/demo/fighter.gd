class_name DemoFighter
extends FixsyncCharacter2D
## A fighter: runs, jumps twice, swings a sword, throws. Its rules are integers alone, so every machine
## plays the same fight.

enum Keys { LEFT = 1, RIGHT = 2, JUMP = 4, SWING = 8, THROW = 16 }

const SHOT := preload("shot.tscn")
const KO := 16  # kind of the game's own event: its value counts them
const REST := 45  # frames between throws
const EDGE := 13 * 65536  # beyond it, or below BOTTOM, a fighter is out
const BOTTOM := -8 * 65536

@export var player := 0
@export var colour := Color.RED

var damage := 0  # percent: the more, the farther it flies
var kos := 0
var swing := 0  # frames that are left
var rest := 0  # frames to the next throw
var stun := 0
var jumps := 0
var held := 0  # the keys of the last frame
var velocity := Vector3i.ZERO

var _cuts := PackedByteArray()  # frames of the swing in which the sword cuts
var _run := Fixsync.fixed("0.125")
var _jump := Fixsync.fixed("0.25")
var _gravity := Fixsync.fixed("0.01171875")
@onready var sword: FixsyncCollider2D = $Sword
@onready var animation: AnimationPlayer = $Animation


func _ready() -> void:
	_cuts = sword.active_frames(animation, &"swing")
	($Body as Polygon2D).color = colour


## All that the next frame depends on beside the world: fixsync keeps it with each frame.
func _fixsync_state() -> Array[StringName]:
	return [
		&"damage", &"kos", &"swing", &"rest", &"stun", &"jumps", &"held", &"velocity"]


func _fixsync_tick(_frame: int, inputs: PackedInt64Array) -> void:
	var keys := inputs[player]
	var pressed := keys & ~held
	held = keys
	stun = maxi(0, stun - 1)
	rest = maxi(0, rest - 1)
	swing = maxi(0, swing - 1)
	velocity.y -= _gravity
	if stun == 0:
		_act(keys, pressed)
	var cut := _cuts.size() - swing
	sword.set_active(swing > 0 and _cuts[cut] == 1)
	velocity = move(velocity)
	if is_on_floor():
		jumps = 2
	var at := get_raw_position()
	if absi(at.x) > EDGE or at.y < BOTTOM:
		_fall()


func _act(keys: int, pressed: int) -> void:
	var toward := int(keys & Keys.RIGHT != 0) - int(keys & Keys.LEFT != 0)
	velocity.x = toward * _run
	if toward != 0 and swing == 0:
		flipped = toward < 0
	if pressed & Keys.JUMP and jumps > 0:
		jumps -= 1
		velocity.y = _jump
	if pressed & Keys.SWING and swing == 0:
		swing = _cuts.size()
	elif pressed & Keys.THROW and rest == 0:
		rest = REST
		var ahead := -Fixsync.ONE if flipped else Fixsync.ONE
		stage.spawn(SHOT, get_raw_position() + Vector3i(ahead, 16384, 0), get_yaw(), owner_id)


func _fall() -> void:
	kos += 1
	damage = 0
	stun = 0
	velocity = Vector3i.ZERO
	stage.add_event(KO, id, id, kos)
	set_pose(start_position + Vector3i(0, 4 * Fixsync.ONE, 0), start_yaw)


## A hit of this fighter's sword on the other one.
func _fixsync_hit(mine: int, other: int, kind: int, _contact: int) -> void:
	if mine == sword.id and kind == Fixsync.ENTER and stage.nodes.get(other) is DemoFighter:
		stage.nodes[other].hurt(flipped, 12)


## Takes a blow that came from somebody who faces left, or right.
func hurt(from_left: bool, power: int) -> void:
	damage += power
	stun = 12 + damage / 8
	swing = 0
	var push := Fixsync.ONE / 16 + damage * 160
	velocity = Vector3i(-push if from_left else push, push / 2, 0)


# ---- what is only seen ----

func _process(_delta: float) -> void:
	var frame := _cuts.size() - swing if swing > 0 else 0
	animation.play(&"swing")
	animation.seek(frame / 60.0, true)
	animation.pause()
	modulate = Color.WHITE if stun == 0 else Color(1.0, 0.6, 0.6)
