class_name DemoKeys
extends RefCounted
## The keys of a player, and a bot that plays without one.

const _KEYS := [
	[[KEY_A, KEY_LEFT], DemoFighter.Keys.LEFT], [[KEY_D, KEY_RIGHT], DemoFighter.Keys.RIGHT],
	[[KEY_W, KEY_UP], DemoFighter.Keys.UP], [[KEY_S, KEY_DOWN], DemoFighter.Keys.DOWN],
	[[KEY_J, KEY_SPACE], DemoFighter.Keys.SWING], [[KEY_K, KEY_SHIFT], DemoFighter.Keys.DASH],
]

var _random: FixsyncRandom
var _held := 0
var _left := 0


func _init(bot_seed: int) -> void:
	_random = FixsyncRandom.create(bot_seed)


static func pressed() -> int:
	var keys := 0
	for entry: Array in _KEYS:
		for key: Key in entry[0]:
			if Input.is_physical_key_pressed(key):
				keys |= entry[1]
	return keys


## The bot's keys: it runs at the other fighter, swings near it, and strays now and then. It may
## look at anything, as a person does: its keys go over the line.
func bot(own: DemoFighter, other: DemoFighter) -> int:
	_left -= 1
	if _left > 0:
		return _held
	_left = 4 + _random.below(12)
	var way := other.get_raw_position() - own.get_raw_position()
	if _random.chance(1, 5):
		_held = 1 << _random.below(4) | 1 << _random.below(6)
		return _held
	_held = 0
	if absi(way.x) > Fixsync.ONE / 4:
		_held |= DemoFighter.Keys.RIGHT if way.x > 0 else DemoFighter.Keys.LEFT
	if absi(way.z) > Fixsync.ONE / 4:
		_held |= DemoFighter.Keys.DOWN if way.z > 0 else DemoFighter.Keys.UP
	if Fixsync.length(way.x, 0, way.z) < 2 * Fixsync.ONE:
		_held |= DemoFighter.Keys.SWING
	elif _random.chance(1, 3):
		_held |= DemoFighter.Keys.DASH
	return _held
