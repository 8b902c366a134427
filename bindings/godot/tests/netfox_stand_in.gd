class_name NetfoxStandIn
extends Node
## What FixsyncNetfox uses of netfox, played by this stand-in: ticks, inputs by tick, the loop of
## _rollback_tick with the inputs restored. It is not netfox, which is on no package index: ./test
## plays over a copy of that if it is given one. It stands for NetworkRollback and for
## NetworkHistoryServer.

signal before_loop

var input_redundancy := 16
var history_limit := 64

var tick := 0
var inputs: Array[Node]
var own: Node
var adapter: Node
var history := {}  # input node: {tick: value}
var _from := 0


func _init(new_inputs: Array[Node], new_own: Node, new_adapter: Node) -> void:
	inputs = new_inputs
	own = new_own
	adapter = new_adapter
	for node in inputs:
		history[node] = {}


## As NetworkHistoryServer's: the latest tick, up to one, for which a node has an input.
func get_latest_input_for(subjects: Array, at: int) -> int:
	for known in range(mini(at, tick + history_limit), maxi(-1, tick - history_limit), -1):
		if history[subjects[0]].has(known):
			return known
	return -1


## As NetworkHistoryServer's: how old that input is.
func get_input_age_for(subjects: Array, at: int) -> int:
	var latest := get_latest_input_for(subjects, at)
	return -1 if latest < 0 else at - latest


## The last inputs of this side: a packet.
func packet() -> Dictionary:
	var last := {}
	for at in range(tick - input_redundancy, tick):
		if history[own].has(at):
			last[at] = history[own][at]
	return last


func receive(from: Node, last: Dictionary) -> void:
	for at: int in last:
		if not history[from].has(at):
			history[from][at] = last[at]
			_from = mini(_from, at)


## As NetworkRollback's: the next loop begins at this tick, or before it.
func notify_resimulation_start(at: int) -> void:
	_from = mini(_from, at)


## A loop of netfox: record the own input of some ticks, -1 for a tick that is skipped, then play
## the last tick, and all from the earliest new input on.
func loop(keys: PackedInt64Array) -> void:
	for key in keys:
		if key < 0:  # the clock went on without it
			tick += 1
			continue
		own.keys = key
		history[own][tick] = key
		tick += 1
	before_loop.emit()
	var from := maxi(0, mini(_from, tick - 1))
	_from = tick
	for at in range(from, tick):
		for node in inputs:
			var age := get_input_age_for([node], at)
			if age >= 0:
				node.keys = history[node][at - age]
		adapter._rollback_tick(1.0 / 30.0, at, true)
