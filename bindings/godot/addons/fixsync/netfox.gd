@icon("icons/netfox.svg")
class_name FixsyncNetfox
extends Node
## Plays a fixsync world in netfox's rollback: the root of a RollbackSynchronizer.
##
## In the synchronizer, enable prediction, add each player's input as an input property, and leave
## state properties empty: the state is the world's. In the project settings, enable
## netfox/rollback/enable_input_broadcast, so that every peer plays the same inputs. The input
## redundancy should be so large that a lost input is as good as never.

@export var world: Node  ## A FixsyncWorld3D or FixsyncWorld2D.
@export var inputs: Array[Node]  ## The nodes with the input of each player, in their order.
@export var property := &"keys"  ## The property of them with the input, an int.

## The tick that is frame 0, the same on all peers: the server names it, in a reliable call.
var first_tick := -1
var history: Object  ## netfox's NetworkHistoryServer.


func _ready() -> void:
	if history == null:
		history = get_node_or_null(^"/root/NetworkHistoryServer")


func _rollback_tick(_delta: float, tick: int, _is_fresh: bool) -> void:
	var frame := tick - first_tick
	if first_tick < 0 or frame < 0:
		return
	for player in inputs.size():
		if history.get_input_age_for([inputs[player]], tick) == 0:
			world.put_input(player, frame, inputs[player].get(property))
	world.play_to(frame)
