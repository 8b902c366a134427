class_name DemoKeys
extends RefCounted
## The keys of a player, and a bot that plays without one.

## Actions of the input map, in the order of their bits, DemoFighter.Keys.
const ACTIONS: Array[StringName] = [&"left", &"right", &"jump", &"swing", &"throw"]

var _random: FixsyncRandom
var _held := 0
var _left := 0


func _init(bot_seed: int) -> void:
	_random = FixsyncRandom.create(bot_seed)


static func pressed() -> int:
	var keys := 0
	for bit in ACTIONS.size():
		if Input.is_action_pressed(ACTIONS[bit]):
			keys |= 1 << bit
	return keys


## The bot's keys: it runs at the other fighter, jumps, swings near it, throws far from it, and comes
## back from the edge. It may look at anything, as a person does: its keys go over the line.
func bot(own: DemoFighter, other: DemoFighter) -> int:
	_left -= 1
	if _left > 0:
		return _held
	_left = 3 + _random.below(9)
	var at := own.get_raw_position()
	var way := other.get_raw_position() - at
	if absi(at.x) > 7 * Fixsync.ONE or absi(way.x) > 9 * Fixsync.ONE:
		way = -at
	_held = DemoFighter.Keys.RIGHT if way.x > 0 else DemoFighter.Keys.LEFT
	if _random.chance(1, 6):
		_held ^= DemoFighter.Keys.LEFT | DemoFighter.Keys.RIGHT
	if at.y < -2 * Fixsync.ONE or way.y > Fixsync.ONE or _random.chance(1, 8):
		_held |= DemoFighter.Keys.JUMP
	if Fixsync.length(way.x, way.y, 0) < 2 * Fixsync.ONE:
		_held |= DemoFighter.Keys.SWING
	elif _random.chance(1, 3):
		_held |= DemoFighter.Keys.THROW
	return _held
