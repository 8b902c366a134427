class_name TestLate
extends RefCounted
## Plays a world as an add-on does that keeps the inputs, which may come late: rewind, play, settle.


static func _inputs(world: Node) -> FixsyncInputs:
	if not world.has_meta(&"inputs"):
		world.set_meta(&"inputs", FixsyncInputs.create(world.players, 256))
	return world.get_meta(&"inputs")


static func put(world: Node, player: int, frame: int, value: int) -> void:
	_inputs(world).put(player, frame, value)


## Steps up to and including a frame, those again that were predicted wrong.
static func play_to(world: Node, frame: int) -> void:
	var inputs := _inputs(world)
	world.rewind(inputs.redo())
	while world.head() <= frame and world.head() < world.confirmed() + world.window:
		world.play(inputs.take(world.head()))
	world.settle(mini(world.head(), inputs.confirmed()))
