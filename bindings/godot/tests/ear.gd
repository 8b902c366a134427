class_name TestEar
extends Logger
## Collects the errors and warnings that the engine gets.

var heard := PackedStringArray()


func _log_error(
		_function: String, _file: String, _line: int, code: String, rationale: String,
		_editor: bool, _type: int, _traces: Array[ScriptBacktrace]) -> void:
	heard.append(rationale if rationale else code)
