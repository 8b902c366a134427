@icon("icons/netfox.svg")
class_name FixsyncNetfox
extends Node
## Plays a fixsync world in netfox's rollback: the root of a RollbackSynchronizer.
##
## In the synchronizer, enable prediction, add each player's input as an input property, and leave
## state properties empty: the state is the world's. In the project settings, enable
## netfox/rollback/enable_input_broadcast, so that every peer plays the same inputs. The input
## redundancy must be so large that practically no input is lost for good.

@export var world: Node  ## A FixsyncWorld3D or FixsyncWorld2D.
@export var inputs: Array[Node]  ## The nodes with the input of each player, in their order.
@export var property := &"keys"  ## The property of them with the input, an int.

## The tick that is frame 0, the same on all peers: the server names it, in a reliable call.
var first_tick := -1
var rollback: Node  ## netfox's NetworkRollback.
var history: Node  ## netfox's NetworkHistoryServer.

var _known := PackedInt64Array()  # by player, the first frame whose input is not known
var _played: Array[PackedInt64Array] = []  # the inputs of the last frames, by frame % window


func _ready() -> void:
	if rollback == null:
		rollback = get_node(^"/root/NetworkRollback")
		history = get_node(^"/root/NetworkHistoryServer")
	rollback.connect(&"before_loop", _on_before_loop)


# netfox plays the last tick and those with new inputs. All ticks with an unknown input are wanted.
func _on_before_loop() -> void:
	_known.resize(inputs.size())
	if first_tick >= 0:
		rollback.notify_resimulation_start(first_tick + Array(_known).min())


func _rollback_tick(_delta: float, tick: int, _is_fresh: bool) -> void:
	var frame := tick - first_tick
	var first: int = world.confirmed()
	if first_tick < 0 or frame < first or frame > world.head() or frame >= first + world.window:
		return  # later frames wait until inputs come
	var values := PackedInt64Array()
	for player in inputs.size():
		values.append(inputs[player].get(property))
		if frame == _known[player] and _is_known(inputs[player], tick):
			_known[player] += 1
	_played.resize(world.window)
	if frame == world.head() or values != _played[frame % world.window]:
		world.rewind(frame)
		world.play(values)
		_played[frame % world.window] = values
	world.settle(Array(_known).min())


# A tick that the player skipped never has an input: the one before it goes on.
func _is_known(input: Node, tick: int) -> bool:
	return history.get_input_age_for([input], tick) == 0 or (
			history.get_latest_input_for([input], tick + rollback.history_limit)
			> tick + 2 * rollback.input_redundancy)
