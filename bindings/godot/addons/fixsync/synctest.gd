extends SceneTree
## The sync test of a scene, headless: it plays each world of it on random inputs, steps each frame
## again, and names what does not roll back.
##
## godot --headless -s res://addons/fixsync/synctest.gd -- res://fight.tscn --frames=600 --check=8
##
## --seed=N: of the inputs. --bits=N: of each input. The exit code is 1 if something differs.

var _options := {"frames": "600", "check": "8", "seed": "1", "bits": "8"}


func _initialize() -> void:
	_run.call_deferred()


func _run() -> void:
	var path := ""
	for word in OS.get_cmdline_user_args():
		if word.begins_with("--") and "=" in word:
			_options[word.trim_prefix("--").get_slice("=", 0)] = word.get_slice("=", 1)
		else:
			path = word
	var packed := load(path) as PackedScene if not path.is_empty() else null
	if packed == null:
		print("sync test: name a scene, such as res://fight.tscn, not '%s'" % path)
		quit(2)
		return
	var scene := packed.instantiate()
	var worlds := FixsyncPlace.all_of(scene, FixsyncPlace.is_world)
	for world in worlds:
		world.starts_alone = false
	root.add_child(scene)
	# What drives the match in the game rests, so that only this plays it.
	for node: Node in [scene] + scene.find_children("*", "", true, false):
		node.set_physics_process(false)
		node.set_process(false)
	var faults := 0 if not worlds.is_empty() else 1
	for world in worlds:
		faults += _test(world)
	print("sync test of %s: %d worlds, %s frames, %d back: %s" % [
		path, worlds.size(), _options.frames, int(_options.check),
		"nothing differs" if faults == 0 else "FAILED"])
	scene.free()
	quit(mini(faults, 1))


func _test(world: Node) -> int:
	var said := PackedStringArray()
	world.peers = PackedInt64Array()
	world.check = int(_options.check)
	world.desynced.connect(func(_frame: int, text: String) -> void: said.append(text))
	world.start()
	var random := FixsyncRandom.create(int(_options.seed))
	var held := PackedInt64Array()
	held.resize(world.players)
	for frame in int(_options.frames):
		for player: int in world.players:
			if random.below(4) == 0:  # keys are held for some frames
				held[player] = random.below(1 << int(_options.bits))
		if not world.tick(held):
			return 1
		if not said.is_empty():
			break
	for text in said:
		print("%s: %s" % [world.name, text])
	return mini(said.size(), 1)
