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

var _put := PackedInt64Array()  # the next frame of each player


func _ready() -> void:
	if rollback == null:
		rollback = get_node(^"/root/NetworkRollback")
		history = get_node(^"/root/NetworkHistoryServer")
	rollback.connect(&"before_loop", _on_before_loop)


# netfox plays the last tick and those with new inputs. All ticks with an unknown input are wanted.
func _on_before_loop() -> void:
	if first_tick >= 0:
		rollback.notify_resimulation_start(first_tick + world.known())


func _rollback_tick(_delta: float, tick: int, _is_fresh: bool) -> void:
	var frame := tick - first_tick
	if first_tick < 0 or frame < 0:
		return
	_put.resize(inputs.size())
	for player in inputs.size():
		if frame != _put[player]:
			continue
		var node := [inputs[player]]
		var is_known: bool = history.get_input_age_for(node, tick) == 0
		# A tick that the player skipped never has an input: the one before it goes on.
		var newest: int = history.get_latest_input_for(node, tick + rollback.history_limit)
		if not is_known and newest <= tick + 2 * rollback.input_redundancy:
			continue
		if world.put_input(player, frame, inputs[player].get(property)):
			_put[player] += 1
	world.play_to(frame)
