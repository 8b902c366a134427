class_name TestLate
extends RefCounted
## Plays a world as an add-on does that keeps the inputs, which may come late: rewind, play, settle.

const _TOLD := &"told"  # by player, then frame: its inputs
const _USED := &"used"  # by frame: with what it was stepped


static func put(world: Node, player: int, frame: int, value: int) -> void:
	var told: Array = world.get_meta(_TOLD, [])
	while told.size() < world.players:
		told.append({})
	told[player][frame] = value
	world.set_meta(_TOLD, told)


## The inputs for a frame; of one that has not come, the last before it.
static func _inputs(world: Node, frame: int) -> PackedInt64Array:
	var used: Array = world.get_meta(_USED, [])
	var inputs: PackedInt64Array = used[frame - 1].duplicate() if frame > 0 else PackedInt64Array()
	inputs.resize(world.players)
	for player: int in world.players:
		inputs[player] = world.get_meta(_TOLD)[player].get(frame, inputs[player])
	return inputs


## Steps up to and including a frame, those again that were predicted wrong.
static func play_to(world: Node, frame: int) -> void:
	var used: Array = world.get_meta(_USED, [])
	world.set_meta(_USED, used)
	for at in range(world.confirmed(), used.size()):
		if used[at] != _inputs(world, at):
			used.resize(at)
			break
	world.rewind(used.size())
	while world.head() <= frame and world.head() < world.confirmed() + world.window:
		used.append(_inputs(world, world.head()))
		world.play(used[-1])
	var known: int = world.confirmed()
	while known < world.head() and world.get_meta(_TOLD).all(
			func(player: Dictionary) -> bool: return player.has(known)):
		known += 1
	world.settle(known)
