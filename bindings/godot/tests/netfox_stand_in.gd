class_name NetfoxStandIn
extends Node
## What FixsyncNetfox uses of netfox, played by this stand-in: ticks, inputs by tick, the loop of
## _rollback_tick with the inputs restored. It is not netfox: netfox is on no package index, so it
## is tried by hand (docs/godot.md).

const REDUNDANCY := 16  # inputs in a packet

var tick := 0
var inputs: Array[Node]
var own: Node
var adapter: Node
var history := {}  # input node: {tick: value}
var earliest := -1


func _init(new_inputs: Array[Node], new_own: Node, new_adapter: Node) -> void:
	inputs = new_inputs
	own = new_own
	adapter = new_adapter
	for node in inputs:
		history[node] = {}


## As NetworkHistoryServer's: how old the latest input is that one of the nodes has at a tick.
func get_input_age_for(subjects: Array, at: int) -> int:
	var latest := -1
	for subject: Node in subjects:
		for known: int in history[subject]:
			if known <= at:
				latest = maxi(latest, known)
	return -1 if latest < 0 else at - latest


## The last inputs of this side: a packet.
func packet() -> Dictionary:
	var last := {}
	for at: int in history[own]:
		if at > tick - 1 - REDUNDANCY:
			last[at] = history[own][at]
	return last


func receive(from: Node, last: Dictionary) -> void:
	for at: int in last:
		if not history[from].has(at):
			history[from][at] = last[at]
			earliest = at if earliest < 0 else mini(earliest, at)


## A tick of netfox's loop: record the own input, then simulate from the earliest new input on.
func loop(keys: int) -> void:
	own.keys = keys
	history[own][tick] = keys
	tick += 1
	var from := mini(earliest, tick - 1) if earliest >= 0 else tick - 1
	earliest = -1
	for at in range(from, tick):
		for node in inputs:
			var age := get_input_age_for([node], at)
			if age >= 0:
				node.keys = history[node][at - age]
		adapter._rollback_tick(1.0 / 30.0, at, true)
