class_name DuelFighter
extends FixsyncCharacter3D
## A fighter: walks, swings a blade (a sector), dashes. Its rules are integers alone, so every
## machine plays the same fight.

enum Keys { LEFT = 1, RIGHT = 2, UP = 4, DOWN = 8, SWING = 16, DASH = 32 }

const FALL := 16  # kind of the game's own event: its value counts the falls
const HEALTH := 100
const DAMAGE := 20
const SWING_FRAMES := 24
const CUT_FIRST := 6  # the blade cuts in these frames of a swing
const CUT_LAST := 11
const DASH_FRAMES := 10
const DASH_REST := 40
const STUN_FRAMES := 14
const PUSH_FRAMES := 6

@export var player := 0
@export var blade: FixsyncCollider3D
@export var colour := Color.RED

var health := HEALTH
var falls := 0
var swing := 0  # frames since it began; 0: none
var dash := 0  # frames until the next dash; the first of them are the dash
var stun := 0
var has_cut := false  # this swing has hurt already
var pushed := Vector3i.ZERO
var fall_speed := 0

var _walk_speed := Fixsync.fixed("0.078125")
var _dash_speed := Fixsync.fixed("0.375")
var _push_speed := Fixsync.fixed("0.125")
var _gravity := Fixsync.fixed("0.0078125")


## All that the next frame depends on beside the world: fixsync keeps it with each frame.
func _fixsync_state() -> Array[StringName]:
	return [
		&"health", &"falls", &"swing", &"dash", &"stun", &"has_cut", &"pushed", &"fall_speed"]


func _fixsync_tick(_frame: int, inputs: PackedInt64Array) -> void:
	var keys := inputs[player]
	var motion := Vector3i.ZERO
	if stun > 0:
		stun -= 1
		motion = pushed if stun >= STUN_FRAMES - PUSH_FRAMES else Vector3i.ZERO
	elif dash > DASH_REST:
		motion = Fixsync.forward(get_yaw(), _dash_speed)
	elif swing == 0:
		motion = _walk(keys)
		if keys & Keys.SWING:
			swing = 1
			has_cut = false
		elif keys & Keys.DASH and dash == 0:
			dash = DASH_FRAMES + DASH_REST
	swing = 0 if swing == 0 else (swing + 1) % SWING_FRAMES
	dash = maxi(0, dash - 1)
	blade.set_active(swing >= CUT_FIRST and swing <= CUT_LAST)
	motion.y = -fall_speed
	move(motion)
	fall_speed = 0 if is_on_floor() else fall_speed + _gravity


func _walk(keys: int) -> Vector3i:
	var toward := Vector3i(
		int(keys & Keys.RIGHT != 0) - int(keys & Keys.LEFT != 0), 0,
		int(keys & Keys.DOWN != 0) - int(keys & Keys.UP != 0))
	if toward == Vector3i.ZERO:
		return toward
	turn(Fixsync.yaw_of(toward.x, toward.z))
	return Fixsync.with_length(toward, _walk_speed)


## A hit of this fighter's blade on the other one hurts once a swing.
func _fixsync_hit(mine: int, other: int, kind: int, _contact: int) -> void:
	if mine != blade.id or kind == Fixsync.EXIT or has_cut:
		return
	var victim := stage.nodes.get(other) as DuelFighter
	if victim != null:
		has_cut = true
		victim.hurt(get_yaw())


func hurt(from_yaw: int) -> void:
	health -= DAMAGE
	stun = STUN_FRAMES
	swing = 0
	pushed = Fixsync.forward(from_yaw, _push_speed)
	blade.set_active(false)
	if health > 0:
		return
	falls += 1
	health = HEALTH
	stun = 0
	stage.add_event(FALL, id, id, falls)
	set_pose(raw_position, yaw)


# ---- what is only seen ----

var _fan: MeshInstance3D


func _ready() -> void:
	for part: String in ["Mesh", "Nose"]:
		var paint := StandardMaterial3D.new()
		paint.albedo_color = colour if part == "Mesh" else colour.lightened(0.5)
		(get_node(part) as MeshInstance3D).material_override = paint
	var points := FixsyncDraw.plan(blade.shape.row())
	var mesh := ImmediateMesh.new()
	mesh.surface_begin(Mesh.PRIMITIVE_TRIANGLES)
	for i in points.size() - 1:
		for point: Vector2 in [Vector2.ZERO, points[i], points[i + 1]]:
			mesh.surface_add_vertex(Vector3(point.x, 0.0, point.y))
	mesh.surface_end()
	var glow := StandardMaterial3D.new()
	glow.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	glow.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	glow.cull_mode = BaseMaterial3D.CULL_DISABLED
	glow.albedo_color = Color(colour.lightened(0.4), 0.6)
	_fan = MeshInstance3D.new()
	_fan.mesh = mesh
	_fan.material_override = glow
	add_child(_fan)


func _process(_delta: float) -> void:
	_fan.visible = swing > 0 and swing <= CUT_LAST
	_fan.transparency = 0.0 if swing >= CUT_FIRST else 0.6
