extends SceneTree
## Runs one file of tests: godot --headless -s res://tests/run.gd -- res://tests/test_X.gd


func _initialize() -> void:
	_run.call_deferred()


func _run() -> void:
	var script: GDScript = load(OS.get_cmdline_user_args()[0])
	if script == null or not script.can_instantiate():
		print("it does not compile")
		quit(1)
		return
	var suite: TestSuite = script.new()
	root.add_child(suite)
	var counts := await suite.run()
	suite.queue_free()
	await process_frame
	print("%d passed, %d failed" % counts)
	quit(mini(counts[1], 1))
