class_name FixsyncStage
extends RefCounted
## The common part of FixsyncWorld3D and FixsyncWorld2D: the world, its rollback, the game's rules.
##
## A frame is a call of _fixsync_tick of each node that has it, in the order of the scene tree and
## then in that of joining, the step, and a call of _fixsync_hit for each hit of a node's colliders.
## FixsyncRollback, or FixsyncHistory for an add-on that keeps the inputs, decides which events are
## predicted, taken back and confirmed. Nodes that join and leave are kept in a journal, which is
## undone where frames are taken back.


## A node with a collider, rules or state.
class Member:
	var node: Node
	var instance := 0  # the engine's number of the node: it stays when the node is freed
	var order := 0  # rules run in this order
	var id := -1  # of its collider
	var above: Array[Node] = []  # its parent and so on, up to the world
	var whole: Node  # the collider that it is a part of, or null
	var hearing: Array[Node] = []  # nodes that hear its hits
	var ticks := false
	var shows := false
	var kept: Array = []  # [property, type]: the game's own state
	var initial: Array = []  # values of these when it joined
	var mover: FixsyncMover  # of a character
	var initial_mover := PackedByteArray()
	var is_in := false

	func name() -> String:
		return str(node.name) if is_instance_valid(node) else "collider %d" % id


# Changes of the journal: JOIN and LEAVE of a member; IN, OUT and MOVE of the root of a subtree.
enum { JOIN, LEAVE, IN, OUT, MOVE }

const _JOINED := 1 << 20  # orders of a frame
const _REFUSED := {  # by status of a packet that no lost or late packet explains
	Fixsync.E_MATCH: "it has another match_name, or other players",
	Fixsync.E_SEMANTICS: "it has another version of the add-on",
	Fixsync.E_SETTINGS: "it has another window, or other peers",
	Fixsync.E_DATA: "it has other nodes, shapes or places at the start",
	Fixsync.E_INPUT: "it sent two inputs for one frame",
}
const _PAST := 60  # confirmed frames whose own state is kept, for a desync

var world: FixsyncWorld  ## The colliders as they are now.
var rollback: FixsyncRollback  ## This peer, in a match that tick plays; else null.
var history: FixsyncHistory  ## The frames of an add-on that keeps the inputs; else null.
var desync: FixsyncDesync  ## The first frame that differs; null while none does.
var recorder: FixsyncRecorder  ## The match log, or null.
var is_log_ended := false  ## Whether later frames are not in it.
var level: FixsyncLevel  ## The solids, or null.
var nodes := {}  ## The collider nodes, by id.
var head := 0  ## The frame that is stepped next.
var first := 0  ## The first frame that is not confirmed.

var host: Node  ## The world node: it has the signals.
var _members := {}  # by instance
var _ticking: Array[Member] = []  # replaced, never changed: loops go on over the old one
var _rules: Array = []  # the nodes of these, or empty until a frame needs them
var _keeping: Array[Member] = []
var _showing: Array[Member] = []
var _hearing := {}  # id: the nodes that hear its hits
var _confirmed_nodes := {}  # the collider nodes of the last confirmed frame, by id
var _game_events := PackedInt64Array()  # rows of this frame
# By frame, of the state before it: own state, who keeps it, hashes for the log, _fixsync_shown, who
# shows it.
var _saves := {}
var _again := {}  # frame: that of the step before, for the sync test
var _inputs := {}  # frame: the inputs with which it was stepped
var _rows: RefCounted  # the rollback, or the history: what it says of a frame
var _view: FixsyncView2D
var _shown: FixsyncNodes
var _lines: Node

var _refused := {}  # peers of which an error said why they are refused
var _has_begun := false  # the nodes of the start are in
var _journal: Array[Array] = []  # [frame, stamp, change, member or root, scene or parent]
var _stamp := 0  # the frame whose step sees a change that is made now
var _joined := 0  # members that joined in this frame
var _newest := 0  # the first frame that was never stepped
var _outer := {}  # frame: changes that came from outside of the rules
var _touched := {}  # instances that entered or left the tree, outside of a frame
var _touched_in_frame := {}
var _to_despawn: Array[Node] = []
var _undone: Array[Array] = []  # [frame, scene, parent, root]: spawned, and taken back
var _out := {}  # roots that despawned: [visible, process_mode] once they are hidden
var _to_draw := {}  # members that moved in the tree, until they are drawn there
var _is_stepping := false
var _is_torn := false  # nodes may have gone since their rules were listed
var _is_own_change := false  # this moves nodes in the tree


## Builds the world out of the nodes under a host: levels, colliders, rules, state.
func _init(new_host: Node) -> void:
	host = new_host
	_view = FixsyncView2D.of(host)
	level = _read_level()
	world = FixsyncWorld.create(host.capacity, host.hit_when, _masks(), level)
	var is_flat := host is Node2D
	_shown = FixsyncNodes.create(
			host, host.capacity, (2 if _view.is_side else 1) if is_flat else 0,
			roundi(_view.pixels * 65536.0) if is_flat else 65536)
	_join(_found_under(host))
	_confirmed_nodes = nodes.duplicate()
	_journal.clear()
	_has_begun = true
	_saves[0] = [FixsyncOwn.save(_keeping), _keeping]
	if host.record:
		var about := {"tick_rate": host.tick_rate}
		if not host.simulation.is_empty():
			about.sim = host.simulation
		recorder = FixsyncRecorder.create(world, JSON.stringify(about, "", false))
	world.keep_commands(true)
	if host.is_inside_tree() and not Engine.is_editor_hint():
		host.get_tree().node_added.connect(_on_node_added)


# ---- layers ----

## A bit for each layer of a list of names.
func mask(names: PackedStringArray) -> int:
	var bits := 0
	for name in names:
		bits |= 1 << host.layers.find(name)
	return bits


func _masks() -> PackedInt64Array:
	var masks := PackedInt64Array()
	if host.pairs.is_empty():
		return masks
	masks.resize(32)
	for pair: String in host.pairs:
		var names := pair.split(" ", false)
		var a: int = host.layers.find(names[0])
		var b: int = host.layers.find(names[1])
		masks[a] |= 1 << b
		masks[b] |= 1 << a
	return masks


# ---- building ----

func _read_level() -> FixsyncLevel:
	var solids := PackedInt64Array()
	var has_level := false
	for node in host.find_children("*", "", true, false):
		if FixsyncPlace.is_level(node) and FixsyncPlace.world_above(node) == host:
			has_level = true
			solids.append_array(FixsyncBake.placed(node))
	return FixsyncLevel.create(solids) if has_level else null


## The nodes of this world in a subtree that have a collider, rules or state, in its order.
func _found_under(root: Node) -> Array[Node]:
	var found: Array[Node] = []
	var all: Array[Node] = [root]
	all.append_array(root.find_children("*", "", true, false))
	for node in all:
		if _is_wanted(node) and not _members.has(node.get_instance_id()):
			found.append(node)
	return found


func _is_wanted(node: Node) -> bool:
	var is_one := FixsyncPlace.is_collider(node)
	if not is_one and not Engine.is_editor_hint():
		is_one = node.has_method(&"_fixsync_tick") or node.has_method(&"_fixsync_state")
	return is_one and _is_under(node) and not _is_disabled(node)


func _is_under(node: Node) -> bool:
	return node == host or FixsyncPlace.world_above(node.get_parent()) == host


## Whether a node's process_mode disables it: as an Area2D, it is not in the match then.
func _is_disabled(node: Node) -> bool:
	while node != null:
		var hidden: Array = _out.get(node, [])
		var mode: int = hidden[1] if hidden.size() > 1 else node.process_mode
		if mode != Node.PROCESS_MODE_INHERIT:
			return mode == Node.PROCESS_MODE_DISABLED
		node = node.get_parent()
	return false


## A collider node's process_mode changed, or that of a node above.
static func on_mode_changed(node: Node) -> void:
	if node.stage != null and node.stage._is_own_change:
		return  # it despawned, or is back
	if node.stage != null and node.is_in_match():
		push_warning("%s is in a match, which ignores process_mode: call set_active or despawn"
				% node.name)
		return
	var world := FixsyncPlace.world_above(node.get_parent())
	if world != null and world.stage != null:
		world.stage._on_node_added(node)


## Adds nodes to the match, in their order. First come those with an id of their own.
func _join(found: Array[Node]) -> void:
	var order := (head + _stamp + 1) * _JOINED if _has_begun else 0
	var ids := {}
	var taken := {}
	for change in _journal:
		if change[1] == _stamp and change[2] == LEAVE:
			taken[change[3].id] = true  # its hits end at the next step
	for node in found:
		if FixsyncPlace.is_collider(node):
			if node.given_id == -2:
				node.given_id = node.id
			if node.given_id >= 0 and not taken.has(node.given_id) and not world.has(node.given_id):
				ids[node] = node.given_id
				taken[node.given_id] = true
			elif node.given_id >= 0:
				push_error("%s: id %d is taken: it gets the least free one"
						% [node.name, node.given_id])
	var free := 0
	for node in found:
		var member := Member.new()
		member.node = node
		member.instance = node.get_instance_id()
		member.order = order + _joined
		_joined += 1
		if FixsyncPlace.is_collider(node):
			while not ids.has(node) and (taken.has(free) or world.has(free)):
				free += 1
			member.id = ids.get(node, free)
			taken[member.id] = true
			if not _can_join(member):
				continue
		_read_tree(member)
		if member.id >= 0:
			_add_collider(member)
		_read_rules(member)
		_enter(member)
		_journal.append([head, _stamp, JOIN, member, null])


## Whether a collider that comes later may join: those of the start are checked before.
func _can_join(member: Member) -> bool:
	var faults := PackedStringArray()
	if member.id >= host.capacity:
		faults.append("more colliders than capacity, %d: raise capacity of %s."
				% [host.capacity, host.name])
	elif _has_begun:
		faults = FixsyncCheck.faults(member.node)
	if not faults.is_empty():
		push_error("%s does not join the match: %s" % [member.node.name, " ".join(faults)])
	return faults.is_empty()


## Where a member is in the tree: what it is a part of, and who hears its hits.
func _read_tree(member: Member) -> void:
	member.above = _above(member.node)
	if member.id < 0:
		return
	member.whole = FixsyncPlace.whole(member.node)
	if member.whole != null and not (member.whole.stage == self and member.whole.is_in_match()):
		member.whole = null
	member.hearing.clear()
	for above: Node in [member.node] + member.above:
		if not Engine.is_editor_hint() and above.has_method(&"_fixsync_hit"):
			member.hearing.push_front(above)


func _above(node: Node) -> Array[Node]:
	var found: Array[Node] = []
	while node != host and node != null:
		node = node.get_parent()
		found.append(node)
	return found


func _add_collider(member: Member) -> void:
	var node := member.node
	node.stage = self
	node.kernel = world
	node.id = member.id
	FixsyncCheck.place(node)
	var pose := FixsyncPlace.pose_of(node)
	var position: Vector3i = pose[0]
	var yaw: int = pose[1]
	var offset := Vector3i.ZERO
	var owner: int = node.owner_id if node.owner_id >= 0 else node.spawn_owner
	if member.whole != null:
		offset = position
		position = member.whole.get_raw_position()
		yaw = member.whole.get_yaw()
		if node.owner_id < 0:
			owner = world.owner(member.whole.id)
	node.start_position = position
	node.start_yaw = yaw
	node.start_row = node.shape.row()
	world.add(
			member.id, node.start_row, position, yaw, host.layers.find(node.layer), owner,
			offset, node.starts_active)
	if node is FixsyncCharacter3D or node is FixsyncCharacter2D:
		node.mover = FixsyncMover.create(
				member.id, mask(node.blocked_by), 4, Fixsync.nearest(node.step_height),
				Fixsync.nearest(node.snap), FixsyncPlace.floor_y(node.floor_max_degrees),
				mask(node.one_way))
		member.mover = node.mover
		member.initial_mover = node.mover.save()


func _read_rules(member: Member) -> void:
	if Engine.is_editor_hint():
		return
	var node := member.node
	member.ticks = node.has_method(&"_fixsync_tick")
	member.shows = node.has_method(&"_fixsync_shown")
	if node.has_method(&"_fixsync_state"):
		for property: StringName in node._fixsync_state():
			var value: Variant = node.get(property)
			if typeof(value) in [TYPE_BOOL, TYPE_INT, TYPE_VECTOR2I, TYPE_VECTOR3I]:
				member.kept.append([property, typeof(value)])
				member.initial.append(value)
			else:
				push_error("%s.%s must be an int, a bool, a Vector2i or a Vector3i, not a %s"
						% [node.name, property, type_string(typeof(value))])


func _enter(member: Member) -> void:
	member.is_in = true
	if not member.kept.is_empty() or member.mover != null:
		_keeping = _with(_keeping, member)
	if not is_instance_valid(member.node):
		return  # its collider is alone, until the frame in which the node left
	_members[member.instance] = member
	if member.ticks:
		_ticking = _with(_ticking, member)
		_rules = []
	if member.shows:
		_showing = _with(_showing, member)
	if not member.node.tree_exiting.is_connected(_on_node_exits):
		member.node.tree_exiting.connect(_on_node_exits.bind(member.instance))
	if member.id < 0:
		return
	member.node.id = member.id
	member.node.enter_match(world, member.id)
	nodes[member.id] = member.node
	if not member.hearing.is_empty():
		_hearing[member.id] = member.hearing
	if member.whole == null:
		_shown.put(member.id, member.node)
	_keep_part(member)


func _leave(member: Member) -> void:
	member.is_in = false
	_members.erase(member.instance)
	_keeping = _without(_keeping, member)
	_unplug(member)


## Takes the node of a member out, not its collider.
func _unplug(member: Member) -> void:
	_is_torn = true
	_rules = []
	_ticking = _without(_ticking, member)
	_showing = _without(_showing, member)
	if member.id < 0:
		return
	nodes.erase(member.id)
	_hearing.erase(member.id)
	_shown.drop(member.id)
	_drop_part(member)


func _keep_part(member: Member) -> void:
	if member.whole != null and is_instance_valid(member.whole):
		if not member.whole.parts.has(member.node):
			member.whole.parts.append(member.node)
			_set_parts(member.whole)


func _drop_part(member: Member) -> void:
	if member.whole != null and is_instance_valid(member.whole) and is_instance_valid(member.node):
		member.whole.parts.erase(member.node)
		_set_parts(member.whole)


func _set_parts(whole: Node) -> void:
	var ids := PackedInt64Array()
	for part: Node in whole.parts:
		ids.append(part.id)
	whole.set_parts(ids)


func _without(list: Array[Member], member: Member) -> Array[Member]:
	return list.filter(func(other: Member) -> bool: return other != member)


func _with(list: Array[Member], member: Member) -> Array[Member]:
	var longer := list.duplicate()
	var at := longer.size()
	while at > 0 and longer[at - 1].order > member.order:
		at -= 1
	longer.insert(at, member)
	return longer


# ---- nodes that join and leave ----

## FixsyncWorld3D.spawn explains it.
func spawn(
		scene: PackedScene, raw: Vector3i, yaw: int, owner := 0, parent: Node = null) -> Node:
	var above := host if parent == null else parent
	if scene == null or (above != host and not host.is_ancestor_of(above)):
		push_error("spawn: scene must not be null, and parent must be a node of the world")
		return null
	var root := _undone_root(scene, above)
	if root == null:
		root = scene.instantiate()
		FixsyncPlace.put(root, raw, yaw, _view)
		_own(root, owner)
		above.add_child(root, true)
	else:
		FixsyncPlace.put(root, raw, yaw, _view)
		_own(root, owner)
	if _is_stepping:
		_journal.append([head, _stamp, IN, root, scene])
		_join(_found_under(root))
	return root


func _own(root: Node, owner: int) -> void:
	for node in FixsyncPlace.colliders(root):
		node.spawn_owner = owner


## A root that this frame spawned before it was taken back: as it was when it joined.
func _undone_root(scene: PackedScene, parent: Node) -> Node:
	if not _is_stepping:
		return null
	for at in _undone.size():
		var row := _undone[at]
		if row[0] == head and row[1] == scene and row[2] == parent and is_instance_valid(row[3]):
			_undone.remove_at(at)
			return row[3]
	return null


## FixsyncWorld3D.despawn explains it.
func despawn(node: Node) -> void:
	if not is_instance_valid(node) or not host.is_ancestor_of(node):
		push_error("despawn: node must be a node of the world")
	elif _is_stepping:
		_despawn(node)
	else:
		_to_despawn.append(node)


func _members_under(root: Node) -> Array[Member]:
	var found: Array[Member] = []
	for member: Member in _members.values():
		var node: Node = member.node if is_instance_valid(member.node) else null
		if node != null and (node == root or root.is_ancestor_of(node)):
			found.append(member)
	found.sort_custom(_is_earlier)
	return found


func _despawn(root: Node) -> void:
	for member in _members_under(root):
		_remove(member)
	_out[root] = _out.get(root, [])
	_out[root].erase(null)
	_journal.append([head, _stamp, OUT, root, null])


func _is_earlier(a: Member, b: Member) -> bool:
	return a.order < b.order


func _remove(member: Member) -> void:
	if member.id >= 0 and world.has(member.id):
		world.remove(member.id)
	_leave(member)
	_journal.append([head, _stamp, LEAVE, member, null])


func _on_node_added(node: Node) -> void:
	if _is_own_change:
		return
	if _is_wanted(node):
		_touch(node.get_instance_id())
	elif _members.has(node.get_instance_id()) and not _is_under(node):
		# It is in another world now: frames that are played again have its collider alone.
		_unplug(_members[node.get_instance_id()])
		_members[node.get_instance_id()].node = null


func _on_node_exits(instance: int) -> void:
	if _is_own_change:
		return
	if _members.has(instance):
		_drop_part(_members[instance])  # it may be freed: nobody may use it any more
	_touch(instance)


func _touch(instance: int) -> void:
	_is_torn = true
	if _is_stepping:
		_touched_in_frame[instance] = true
	else:
		_touched[instance] = true


## What the tree is now: the nodes that came, the members that left, and what moved within the
## world, as [node, parent, parent before].
func _changes(touched: Dictionary) -> Array:
	var came: Array[Node] = []
	var left: Array[Member] = []
	var stayed: Array[Member] = []
	for instance: int in touched:
		var node := instance_from_id(instance) as Node
		var is_here := (
				node != null and not node.is_queued_for_deletion() and not _out.has(node)
				and _is_under(node))
		if is_here and not _members.has(instance):
			came.append(node)
		elif not is_here and _members.has(instance):
			left.append(_members[instance])
		elif is_here:
			_keep_part(_members[instance])
			stayed.append(_members[instance])
	touched.clear()
	came.sort_custom(func(a: Node, b: Node) -> bool: return b.is_greater_than(a))
	left.sort_custom(_is_earlier)
	stayed.sort_custom(_is_earlier)
	var moved: Array[Array] = []
	for member in stayed:
		var above := _above(member.node)
		for at in above.size():
			if at >= member.above.size() or above[at] != member.above[at]:
				var node := member.node if at == 0 else above[at - 1]
				if not moved.any(func(row: Array) -> bool: return row[0] == node):
					moved.append([node, above[at], member.above[at]])
				break
	return [came, left, moved]


# ---- nodes that move in the tree ----

## FixsyncCollider3D.attach explains it.
func attach(node: Node, to: Node, offset: Vector3i) -> void:
	var parent := host if to == null else to
	if not _is_stepping:
		push_error("%s.attach: call it in _fixsync_tick or _fixsync_hit; elsewhere reparent()"
				% node.name)
	elif not node.is_in_match() or to != null and not to.is_in_match() or to == node \
			or node.is_ancestor_of(parent):
		push_error("%s.attach: both must be in the match, and the other no part of it" % node.name)
	else:
		_moved(node, parent, node.get_parent())
		if to != null:
			var by := offset + world.offset(to.id) - world.offset(node.id)
			for member in _members_under(node):
				if member.id >= 0:
					world.set_offset(member.id, world.offset(member.id) + by)


## A node moves, or has moved, under another parent of the world, in the frame that is played.
func _moved(node: Node, parent: Node, before: Node) -> void:
	_put_under(node, parent)
	_journal.append([head, _stamp, MOVE, node, before])
	var top: Member = _members.get(node.get_instance_id())
	if top != null and top.id < 0:
		top = null
	var from := world.offset(top.id) if top != null else Vector3i.ZERO
	var changed := {}  # member: its offset from the node
	for member in _members_under(node):
		var whole := member.whole
		_rewire(member)
		if member.id >= 0 and member.whole != whole:
			changed[member] = world.offset(member.id) - from
	if changed.has(top):
		_change_whole(top)
	for member: Member in changed:
		if top == null:
			_change_whole(member)
		elif member != top:
			_follow(member, top, changed[member])


func _put_under(node: Node, parent: Node) -> void:
	if node.get_parent() != parent:
		_is_own_change = true
		node.reparent(parent, false)
		_is_own_change = false


## Reads again where a member is in the tree.
func _rewire(member: Member) -> void:
	_drop_part(member)
	_read_tree(member)
	if member.id < 0:
		return
	_hearing.erase(member.id)
	if not member.hearing.is_empty():
		_hearing[member.id] = member.hearing
	_keep_part(member)
	if member.whole == null:
		_shown.put(member.id, member.node)
	else:
		_shown.drop(member.id)
		_to_draw[member] = true


## The collider of a member becomes a part of another one, or of none, where it is.
func _change_whole(member: Member) -> void:
	var id := member.id
	var yaw := world.yaw(id)
	var at := world.position(id) + FixsyncPlace.turned(world.offset(id), yaw)
	var owner: int = member.node.spawn_owner
	if member.whole == null:
		world.set_offset(id, Vector3i.ZERO)
		world.set_pose(id, at, yaw)
	else:
		var base := world.position(member.whole.id)
		yaw = world.yaw(member.whole.id)
		world.set_offset(id, FixsyncPlace.turned(at - base, -yaw & 65535))
		world.set_pose(id, base, yaw)
		owner = world.owner(member.whole.id)
	if member.node.owner_id < 0:
		world.set_owner(id, owner)


## A part of a collider that moved in the tree goes with it.
func _follow(member: Member, top: Member, from: Vector3i) -> void:
	world.set_offset(member.id, world.offset(top.id) + from)
	world.set_pose(member.id, world.position(top.id), world.yaw(top.id))
	if member.node.owner_id < 0 and member.whole != null:
		world.set_owner(member.id, world.owner(member.whole.id))


# ---- changes of a collider that have names ----

## FixsyncCollider3D.set_shape explains it.
func set_shape(node: Node, shape: FixsyncShape) -> void:
	var faults := shape.faults() if shape != null else PackedStringArray(["null is no shape."])
	if not faults.is_empty():
		push_error("%s.set_shape: %s" % [node.name, " ".join(faults)])
	elif world.shape(node.id) != shape.row():
		world.set_shape(node.id, shape.row())


## FixsyncCollider3D.set_layer explains it.
func set_layer(node: Node, layer: String) -> void:
	var number: int = host.layers.find(layer)
	if number >= 0 and world.layer(node.id) != number:
		world.set_layer(node.id, number)
	elif number < 0:
		push_error("%s.set_layer: '%s' is no layer of the world: %s"
				% [node.name, layer, ", ".join(host.layers)])


## FixsyncCollider3D.set_owner_id explains it.
func set_owner_id(node: Node, owner: int) -> void:
	if world.owner(node.id) == owner or not world.set_owner(node.id, owner):
		return
	for part: Node in node.parts:
		if part.owner_id < 0:
			world.set_owner(part.id, owner)


## Nodes that a rule added with add_child, or freed: as spawned.
func _adopt() -> void:
	var changes := _changes(_touched_in_frame)
	for member: Member in changes[1]:
		_remove(member)
	for row: Array in changes[2]:
		_moved(row[0], row[1], row[2])
	var came: Array[Node] = changes[0]
	for node in came:
		if not came.has(node.get_parent()):
			_journal.append([head, _stamp, IN, node, null])
	_join(came)


## The changes from outside of the rules that belong to a frame: new ones if it is played first.
func _change_from_outside(frame: int) -> void:
	if frame >= _newest:
		_newest = frame + 1
		if not _touched.is_empty() or not _to_despawn.is_empty():
			var changes := _changes(_touched)
			_outer[frame] = changes + [_to_despawn.duplicate()]
			_to_despawn.clear()
			if not changes[1].is_empty() and first < frame:
				push_warning("%s left before frame %d was confirmed: use despawn, which can be taken"
						% [changes[1].map(func(member: Member) -> String: return member.name()), frame] + " back")
	if not _outer.has(frame):
		return
	for member: Member in _outer[frame][1]:
		if member.is_in:
			_remove(member)
	for row: Array in _outer[frame][2]:
		if is_instance_valid(row[0]) and is_instance_valid(row[1]) and _is_under(row[0]):
			var now: Node = row[0].get_parent()
			_moved(row[0], row[1], now if now != row[1] else row[2])
	_join(_outer[frame][0].filter(func(node: Variant) -> bool:
		return is_instance_valid(node) and not _members.has(node.get_instance_id())))
	for root: Variant in _outer[frame][3]:
		if is_instance_valid(root):
			_despawn(root)


## Undoes the changes that a frame and those after it made.
func _undo(frame: int) -> void:
	while not _journal.is_empty() and _journal[-1][0] >= frame:
		var change: Array = _journal.pop_back()
		match change[2]:
			JOIN:
				_leave(change[3])
				_begin_again(change[3])
			LEAVE:
				_enter(change[3])
			IN:
				if is_instance_valid(change[3]):
					_undone.append([change[0], change[4], change[3].get_parent(), change[3]])
			OUT:
				_out[change[3]].append(null)  # it comes back
			MOVE:
				if is_instance_valid(change[3]) and is_instance_valid(change[4]) \
						and _is_under(change[3]):
					_put_under(change[3], change[4])
					for member in _members_under(change[3]):
						_rewire(member)


## Gives a node the state that it joined with.
func _begin_again(member: Member) -> void:
	for i in member.kept.size():
		if is_instance_valid(member.node):
			member.node.set(member.kept[i][0], member.initial[i])
	if member.mover != null:
		member.mover.load(member.initial_mover, 0)


## Frees what was spawned in a frame that is played now, and was not spawned again.
func _drop_undone(frame: int) -> void:
	for row in _undone.duplicate():
		if row[0] <= frame:
			_undone.erase(row)
			if is_instance_valid(row[3]):
				row[3].queue_free()


## Hides roots that despawned until they are freed, and shows those that came back.
func _hide_roots() -> void:
	_is_own_change = true
	for root: Variant in _out.keys():
		if not is_instance_valid(root):
			_out.erase(root)
		elif _out[root].has(null):
			if _out[root].size() > 1:
				root.set(&"visible", _out[root][0])
				root.process_mode = _out[root][1]
			_out.erase(root)
		elif _out[root].is_empty():
			_out[root] = [root.get(&"visible"), root.process_mode]
			root.set(&"visible", false)
			root.process_mode = Node.PROCESS_MODE_DISABLED
	_is_own_change = false


# ---- frames ----

## FixsyncWorld3D.tick explains it.
func tick(values: PackedInt64Array) -> bool:
	if not peer() or not rollback.tick(values):
		return false
	while true:
		match rollback.next(world):
			Fixsync.ROLLBACK_LOAD:
				_go_back(rollback.frame())
			Fixsync.ROLLBACK_STEP:
				step(rollback.inputs())
			Fixsync.ROLLBACK_CONFIRMED:
				_tell_frame()
			_:
				break
	_hide_roots()
	_tell_desync()
	show()
	return true


## Whether this is a peer with packets: it becomes one before the first frame.
func peer() -> bool:
	if history != null:
		push_error("%s is played by play: call tick, packet and receive from the start" % host.name)
	elif rollback == null:
		var peers: PackedInt64Array = host.peers
		if peers.is_empty():
			peers.resize(host.players)
		var about := JSON.stringify([host.match_name, host.players]).to_utf8_buffer()
		rollback = FixsyncRollback.create(
				world, Crypto.new().generate_random_bytes(16), Fixsync.hash64(about), world.hash(),
				peers, _own_hash(_saves[0][0]), host.window, host.input_delay, host.check)
		_rows = rollback
	return rollback != null


## FixsyncWorld3D.receive explains it.
func receive(from: int, bytes: PackedByteArray) -> int:
	if not peer():
		return -1
	var status := rollback.receive(from, bytes)
	if status in _REFUSED and not _refused.has(from):
		_refused[from] = true
		var row := rollback.refusal(from)
		var values := " (window is %d here, %d there)" % [row[2], row[3]]
		push_error("%s does not play with peer %d: %s%s" % [
			host.name, from, _REFUSED[status],
			values if row[1] == Fixsync.PACKET_PREDICTION_MAX else ""])
	return status


# What peers compare of the own state, whose size changes with the nodes: its hash.
func _own_hash(own: PackedByteArray) -> PackedByteArray:
	var bytes := PackedByteArray()
	bytes.resize(8)
	bytes.encode_s64(0, Fixsync.hash64(own))
	return bytes


func _shown_numbers() -> PackedInt64Array:
	var numbers := PackedInt64Array()
	for member in _showing:
		numbers.append(member.node._fixsync_shown() if is_instance_valid(member.node) else 0)
	return numbers


## Names the first frame that differs, once.
func _tell_desync() -> void:
	if desync == null and not rollback.desync().is_empty():
		desync = FixsyncDesync.new(rollback, nodes, _saves, _again)
		push_error(desync.text)
		host.desynced.emit(desync.frame, desync.text)


## FixsyncWorld3D.rewind explains it.
func rewind(frame: int) -> void:
	if _keeps_history() and frame != head and history.back(frame, world):
		_go_back(frame)


## The world is that before a frame; so becomes the rest.
func _go_back(frame: int) -> void:
	head = frame
	_undo(frame)
	FixsyncOwn.restore(_keeping, _saves[frame][0])


## Whether an add-on keeps the inputs: from the first frame on.
func _keeps_history() -> bool:
	if head > 0 and history == null:
		push_error("%s is played by tick: call rewind, play and settle from the start" % host.name)
	elif history == null:
		history = FixsyncHistory.create(world, host.window)
		_rows = history
	return history != null


## FixsyncWorld3D.play explains it.
func play(values: PackedInt64Array) -> void:
	if _keeps_history() and history.free_frames() == 0:
		push_error("%s.play: all %d frames of the window wait: settle frames, or raise window"
				% [host.name, host.window])
	elif history != null:
		step(values)


## FixsyncWorld3D.settle explains it.
func settle(frame: int) -> void:
	if not _keeps_history():
		return
	history.settle(frame)
	_hide_roots()
	while history.confirm():
		_tell_frame()
	show()


## Steps the next frame with an input for each player.
func step(values: PackedInt64Array) -> void:
	var frame := head
	_is_stepping = true
	_stamp = frame
	_joined = 0
	_game_events.clear()
	_change_from_outside(frame)
	if _rules.is_empty():
		_rules = _ticking.map(func(member: Member) -> Node: return member.node)
	for node: Variant in _rules:
		if _is_torn and not (is_instance_valid(node) and _members.has(node.get_instance_id())):
			continue
		node._fixsync_tick(frame, values)
		if _is_torn and not _touched_in_frame.is_empty():
			_adopt()
	var events := world.step()
	# Only hits have reactions, which come after this hash.
	var hash := world.hash() if not events.is_empty() else 0
	var before := world.command_count()
	_stamp = frame + 1
	for at in range(0, 0 if _hearing.is_empty() else events.size(), 4):
		_hear(events[at], events[at + 1], events[at + 2], events[at + 3])
		_hear(events[at + 1], events[at], events[at + 2], events[at + 3])
	var after := world.command_count() - before
	events.append_array(_game_events)
	var own := FixsyncOwn.save(_keeping)
	if host.check > 0 and _saves.has(frame + 1):
		_again[frame + 1] = _saves[frame + 1]
	var seen := _shown_numbers()
	_saves[frame + 1] = [own, _keeping, _hashes(own), seen, _showing]
	_inputs[frame] = values
	if history != null:
		history.push(world, false, events, after, hash)
	else:
		var shown := 0 if seen.is_empty() else Fixsync.hash64(seen.to_byte_array())
		rollback.push(world, events, _own_hash(own), shown, after, hash)
	head = frame + 1
	_drop_undone(frame)
	_is_stepping = false
	_is_torn = _is_torn and head < _newest
	if host.hit_taken_back.has_connections():
		_tell_changes(host.hit_taken_back, frame, _rows.taken_back())
	if host.hit_predicted.has_connections():
		_tell_changes(host.hit_predicted, frame, _rows.predicted())


func _tell_changes(to: Signal, frame: int, rows: PackedInt64Array) -> void:
	for at in range(0, rows.size(), 4):
		to.emit(frame, rows[at], rows[at + 1], rows[at + 2], rows[at + 3])


func _hear(mine: int, other: int, kind: int, contact: int) -> void:
	if not _hearing.has(mine):
		return
	for node: Variant in _hearing[mine]:
		if is_instance_valid(node):
			node._fixsync_hit(mine, other, kind, contact)
			if not _touched_in_frame.is_empty():
				_adopt()


## Adds an event of the game's own to this frame, from _fixsync_tick or _fixsync_hit.
func add_event(kind: int, a: int, b: int, value: int) -> void:
	if kind < Fixsync.GAME_EVENT:
		push_error("kind must be %d or more, not %d" % [Fixsync.GAME_EVENT, kind])
		return
	_game_events.append_array([a, b, kind, value])


## Records a confirmed frame, and emits its signals.
func _tell_frame() -> void:
	var frame: int = _rows.frame()
	var hash: int = _rows.hash()
	first = frame + 1
	if recorder != null and not is_log_ended:
		_record(hash)
	# A crowd that stays together is most of the events.
	var kinds := 1 | 1 << Fixsync.ENTER | 1 << Fixsync.EXIT
	if host.hit_stayed.has_connections():
		kinds |= 1 << Fixsync.STAY
	var rows: PackedInt64Array = _rows.events(kinds)
	_saves.erase(frame - _PAST)
	_again.erase(frame - _PAST)
	_inputs.erase(frame)
	_outer.erase(frame)
	for change in _journal:
		if change[1] <= frame and change[2] == JOIN and change[3].id >= 0:
			_confirmed_nodes[change[3].id] = change[3].node
	for at in range(0, rows.size(), 4):
		match rows[at + 2]:
			Fixsync.ENTER:
				host.hit_entered.emit(frame, rows[at], rows[at + 1], rows[at + 3])
				_tell_nodes(&"hit_entered", rows[at], rows[at + 1])
			Fixsync.STAY:
				host.hit_stayed.emit(frame, rows[at], rows[at + 1], rows[at + 3])
			Fixsync.EXIT:
				host.hit_exited.emit(frame, rows[at], rows[at + 1])
				_tell_nodes(&"hit_exited", rows[at], rows[at + 1])
			var kind:
				host.game_event.emit(frame, kind, rows[at], rows[at + 1], rows[at + 3])
	host.frame_confirmed.emit(frame, hash)
	while not _journal.is_empty() and _journal[0][1] <= frame:
		_forget(_journal.pop_front())


# What a log with a simulation has of the frame, its reactions included: the hash of the world, and
# that of world and own state.
func _hashes(own: PackedByteArray) -> PackedInt64Array:
	if recorder == null or is_log_ended or host.simulation.is_empty():
		return []
	return [world.hash(), Fixsync.hash64(world.save() + own)]


func _record(hash: int) -> void:
	if host.simulation.is_empty():
		recorder.commands(_rows.commands())
		recorder.step(_rows.events(), hash, true)
	else:
		var hashes: PackedInt64Array = _saves[first][2]
		recorder.inputs(_inputs[first - 1])
		recorder.step(_rows.events(), hashes[0], true, [hashes[1]])


## The signal of both nodes of a hit.
func _tell_nodes(signal_name: StringName, a: int, b: int) -> void:
	_tell_node(signal_name, _confirmed_nodes.get(a), _confirmed_nodes.get(b))
	_tell_node(signal_name, _confirmed_nodes.get(b), _confirmed_nodes.get(a))


func _tell_node(signal_name: StringName, mine: Variant, other: Variant) -> void:
	if is_instance_valid(mine) and mine.has_connections(signal_name):
		mine.emit_signal(signal_name, other if is_instance_valid(other) else null)


## The end of a change that nothing can take back any more.
func _forget(change: Array) -> void:
	if change[2] == LEAVE and change[3].id >= 0:
		_confirmed_nodes.erase(change[3].id)
	elif change[2] == OUT and is_instance_valid(change[3]):
		_out.erase(change[3])
		change[3].queue_free()


## FixsyncWorld3D.carry explains it.
func carry(platform: Node, motion: Vector3i) -> PackedInt64Array:
	if not FixsyncPlace.is_collider(platform) or not platform.is_in_match():
		push_error("carry: platform must be a collider of the match")
		return PackedInt64Array()
	var ids := PackedInt64Array([platform.id])
	for part: Node in platform.parts:
		ids.append(part.id)
	ids.sort()
	var all := PackedInt64Array(nodes.keys())
	all.sort()
	var movers := PackedInt64Array()
	for id in all:
		if nodes[id] is FixsyncCharacter3D or nodes[id] is FixsyncCharacter2D:
			movers.append_array(nodes[id].mover.row())
	var rows := world.carry(ids, motion, movers)
	for at in range(0, rows.size(), 9):
		for part: Node in nodes[rows[at]].parts:
			world.set_pose(
					part.id, Vector3i(rows[at + 1], rows[at + 2], rows[at + 3]),
					world.yaw(rows[at]))
	return rows


# ---- showing ----

## The view of a FixsyncWorld2D.
func view() -> FixsyncView2D:
	return _view


## Puts the nodes where their colliders are, and draws lines if the world wants it.
func show() -> void:
	if host.moves_nodes:
		_shown.show(world)
		for member: Member in _to_draw:
			if member.is_in and is_instance_valid(member.node) and member.whole != null:
				var offset := world.offset(member.id)
				member.node.global_transform = member.whole.global_transform * (
						Transform2D(0.0, _view.screen(offset)) if host is Node2D
						else Transform3D(Basis.IDENTITY, FixsyncDraw.units(offset)))
		_to_draw.clear()
	if host.draw_colliders:
		if _lines == null:
			_lines = FixsyncLines2D.new(_view) if host is Node2D else FixsyncLines3D.new()
			host.add_child(_lines, false, Node.INTERNAL_MODE_BACK)
			if level != null:
				_lines.show_level(level)
		var hitting := {}
		var hits := world.hits()
		for at in range(0, hits.size(), 3):
			hitting[hits[at]] = true
			hitting[hits[at + 1]] = true
		_lines.show_rows(world.colliders(), hitting)
	elif _lines != null:
		_lines.queue_free()
		_lines = null
