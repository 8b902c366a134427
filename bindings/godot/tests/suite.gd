class_name TestSuite
extends Node
## A file of tests: each method test_* is one, and fails if it checks nothing.

var _checks := 0
var _faults := PackedStringArray()


func check(holds: bool, what: String) -> bool:
	_checks += 1
	if not holds and _faults.size() < 5:
		_faults.append(what)
	return holds


func equal(got: Variant, want: Variant, what: String) -> bool:
	var same: bool = typeof(got) == typeof(want) and got == want
	return check(same, "%s: %s, not %s" % [what, got, want])


## Runs all tests, prints each fault, and returns [passed, failed].
func run() -> Array[int]:
	var counts: Array[int] = [0, 0]
	for method in get_script().get_script_method_list():
		if not method.name.begins_with("test_"):
			continue
		_checks = 0
		_faults.clear()
		await call(method.name)
		if _checks == 0:
			_faults.append("checked nothing")
		counts[0 if _faults.is_empty() else 1] += 1
		for fault in _faults:
			print("FAILED %s: %s" % [method.name, fault])
	return counts
