@tool
@icon("icons/world_{d}.svg")
class_name FixsyncWorld{D}
extends Node{D}
## A world of colliders that rolls back. Its signals come once for each confirmed frame, in order.
##
## Colliders, levels and rules are the nodes under it. A node with a method _fixsync_tick(frame,
## inputs) has rules, one with _fixsync_hit(mine, other, kind, contact) hears hits of its
## colliders, and one with _fixsync_state() names its properties that a frame depends on.

## A hit began in a confirmed frame. a and b are ids, a < b; contact is 1 (touching) or 2. Colliders
## have a signal of this name too, with the other node.
signal hit_entered(frame: int, a: int, b: int, contact: int)
## A hit of the last frame goes on in a confirmed frame.
signal hit_stayed(frame: int, a: int, b: int, contact: int)
## A hit of the last frame ended in a confirmed frame.
signal hit_exited(frame: int, a: int, b: int)
## An event of the game's own, in a confirmed frame.
signal game_event(frame: int, kind: int, a: int, b: int, value: int)
## A frame that is not confirmed has this event: begin a spark, a sound. kind is 1, 2, 3 for
## entered, stayed and exited, or a kind of the game's own, and contact its value.
signal hit_predicted(frame: int, a: int, b: int, kind: int, contact: int)
## A predicted event was wrong: stop the spark.
signal hit_taken_back(frame: int, a: int, b: int, kind: int, contact: int)
## A frame is the first that differs from that of another peer or, with `check`, when it is stepped
## again. text names the parts and what differs; it is an error too.
signal desynced(frame: int, text: String)
## After all events of a frame; hash is that of the world right after its step.
signal frame_confirmed(frame: int, hash: int)

# The editor knows the default of a typed constant, also where a script of the game extends this one.
const _LAYERS: PackedStringArray = ["body", "attack", "wall"]
const _NONE: PackedStringArray = []

## The greatest number of colliders at a time.
@export_range(1, 65536) var capacity := 64:
	set(value):
		capacity = value
		update_configuration_warnings()
## The names of the layers; a layer is its place in this list.
@export var layers := _LAYERS:
	set(value):
		layers = value
		update_configuration_warnings()
## Pairs of layers that meet, such as "body attack". None: all meet.
@export var pairs := _NONE:
	set(value):
		pairs = value
		update_configuration_warnings()
## Whether shapes that only touch are a hit.
@export_enum("Touching:1", "Overlapping:2") var hit_when := 1
## How many players give inputs.
@export_range(1, 64) var players := 2:
	set(value):
		players = value
		update_configuration_warnings()
2:## How many pixels a unit has.
2:@export_range(1.0, 4096.0, 1.0) var pixels_per_unit := 64.0
2:## Whether the screen shows the world from the side, with gravity; else from above.
2:@export var is_side_view := false
## Frames that may be predicted.
@export_range(1, 256) var window := 12:
	set(value):
		window = value
		update_configuration_warnings()
## Frames a second, for the match log.
@export_range(1, 1000) var tick_rate := 60
## Keeps a match log: take_log().
@export var record := false
## The simulation's name in the log, which then has inputs and the hash of the own state, for
## `fixsync diff`. Empty: it has commands, for `fixsync replay` and `fixsync view`.
@export var simulation := ""
## Frames from an input of tick to its frame.
@export_range(0, 64) var input_delay := 0
## The sync test of tick: frames that each frame is stepped again, to name what does not roll back.
## 0: none.
@export_range(0, 64) var check := 0
## Moves the nodes to where their colliders are, after each frame that is played.
@export var moves_nodes := true
## Draws the lines of the level and of all colliders while the game runs: green, grey if inactive,
## red while they hit.
@export var draw_colliders := false
## Begins when the node is ready. Else call start, on all peers with the same nodes.
@export var starts_alone := true

## For tick: by player the number of the machine that plays it, 0 for this one. Empty: all here.
var peers := PackedInt64Array()
var match_name := ""  ## For tick: peers of a match with another name do not connect.
var stage: FixsyncStage  ## The world and all that it keeps; null before start.
var _has_complained := false  # that it did not start: once


func _notification(what: int) -> void:
	if what == NOTIFICATION_READY and starts_alone and not Engine.is_editor_hint():
		start()


## Builds the world out of the nodes under this one, at frame 0. It does not start while a node has
## a fault: the error names all, as the inspector does.
func start() -> void:
	var faults := FixsyncCheck.of_match(self)
	_has_complained = not faults.is_empty()
	stage = null
	if faults.is_empty():
		stage = FixsyncStage.new(self)
	else:
		push_error("%s does not start: %s" % [name, " ".join(faults)])


func _has_started() -> bool:
	if stage == null and not _has_complained:
		_has_complained = true
		push_error("%s has not started: call start, or set starts_alone" % name)
	return stage != null


func _get_configuration_warnings() -> PackedStringArray:
	return FixsyncCheck.warnings(self)


## Adds an instance of a scene to the match, and returns it. In _fixsync_tick and _fixsync_hit it
## joins at once, and leaves again if that frame is taken back; elsewhere it joins in the next
## frame that was not played yet: call it in the same frame on all peers. raw and new_yaw are the
## place of its root in the world. owner is for its colliders that have none of their own. parent
## is a node of the world; null: the world's node.
func spawn(
		scene: PackedScene, raw := Vector3i.ZERO, new_yaw := 0, owner := 0,
		parent: Node = null) -> Node:
	return stage.spawn(scene, raw, new_yaw, owner, parent) if _has_started() else null


## Takes a node out of the match with all colliders and rules under it. It comes back if that frame
## is taken back, and is freed when the frame is confirmed. Elsewhere than in _fixsync_tick and
## _fixsync_hit it is taken out in the next frame that was not played yet.
func despawn(node: Node) -> void:
	if _has_started():
		stage.despawn(node)


## Moves a platform, a collider, and its parts, with the characters that ride on it; it pushes those
## in its way. Call it in _fixsync_tick. Returns what FixsyncWorld.carry returns.
func carry(platform: Node, motion: Vector3i) -> PackedInt64Array:
	return stage.carry(platform, motion) if _has_started() else PackedInt64Array()


## Plays a frame with the inputs of the players of this machine, and goes back where predictions
## were wrong. Call it once a frame, after receive of all packets that came. While this machine is
## ahead of the others, one call in five plays none. False: not all peers are connected yet; send
## packets.
func tick(inputs: PackedInt64Array) -> bool:
	return stage.tick(inputs) if _has_started() else false


## The packet for a peer of tick: send it once a frame, by any way. It may be lost.
func packet(peer: int) -> PackedByteArray:
	return stage.rollback.packet(peer) if _has_started() and stage.peer() else PackedByteArray()


## Takes a packet of a peer of tick. Returns Fixsync.OK, or the status for which it was refused. An
## error says once if the peer has another match.
func receive(peer: int, bytes: PackedByteArray) -> int:
	return stage.receive(peer, bytes) if _has_started() else -1


## The state after the frame of desynced, for `differences` of the other peer: send it there. Empty
## without a desync, and if it is gone.
func kept() -> PackedByteArray:
	return stage.desync.kept() if _has_started() and stage.desync != null else PackedByteArray()


## A line for each field of a collider and each own value that differs: here, then in what the other
## peer's kept returned. None without a desync.
func differences(theirs: PackedByteArray) -> PackedStringArray:
	return (
			stage.desync.differences(theirs) if _has_started() and stage.desync != null
			else PackedStringArray())


## How the peers of tick run, as FixsyncRollback.pace.
func pace() -> PackedInt64Array:
	return stage.rollback.pace() if _has_started() and stage.peer() else PackedInt64Array()


## For an add-on that keeps the inputs: goes back to before a frame.
func rewind(frame: int) -> void:
	if _has_started():
		stage.rewind(frame)


## For an add-on that keeps the inputs: steps the next frame with an input for each player.
func play(inputs: PackedInt64Array) -> void:
	if _has_started():
		stage.play(inputs)


## For an add-on that keeps the inputs: all frames before this one were stepped on the real inputs.
func settle(frame: int) -> void:
	if _has_started():
		stage.settle(frame)


## The frame that is stepped next.
func head() -> int:
	return stage.head if _has_started() else 0


## The first frame that is not confirmed.
func confirmed() -> int:
	return stage.first if _has_started() else 0


## The collider node with an id, or null, as for a solid of the level.
func collider(id: int) -> Node:
	return stage.nodes.get(id) if _has_started() else null


## Adds an event of the game's own to the frame that is played, from _fixsync_tick or _fixsync_hit.
## kind: 16 or more.
func add_event(kind: int, a: int, b: int, value: int) -> void:
	if _has_started():
		stage.add_event(kind, a, b, value)


## Why two colliders, or a collider and a solid, are not a hit now.
func why(a: int, b: int) -> String:
	return FixsyncWhy.of_pair(stage.world, a, b) if _has_started() else ""


## The text of the match log since the last call; with `record`. Write it to a file.
func take_log() -> String:
	return stage.recorder.take_text() if _has_started() and _records() else ""


## Ends the match log: later frames are not in it.
func end_log() -> void:
	if _has_started() and _records() and not stage.is_log_ended:
		stage.is_log_ended = true
		stage.recorder.finish()


func _records() -> bool:
	if stage.recorder == null:
		push_error("%s keeps no log: set record before it starts" % name)
	return stage.recorder != null
