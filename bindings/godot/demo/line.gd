class_name DemoLine
extends RefCounted
## The inputs of two players over ENet, unreliable, on a line that loses and delays on purpose.
##
## A packet has all inputs that the other side has not named as known, so the next packet makes
## good for a lost one.

signal peer_joined
signal peer_left

const PORT := 7777

var loss := 0  ## Percent of packets that are lost.
var delay := 0  ## Ticks that a packet takes longer, and up to twice as many.
var remote_hash := PackedInt64Array()  ## [frame, hash] of the other side's last confirmed frame.
var remote_now := 0  ## The frame that the other side plays.

var _peer := ENetMultiplayerPeer.new()
var _random := RandomNumberGenerator.new()
var _flight: Array = []  # [tick to send at, bytes]
var _tick := 0
var _own := PackedByteArray()  # all inputs of this side, by frame
var _known_there := 0  # the other side has all before this frame
var _known_here := 0
var _connected := false


func host(port := PORT) -> Error:
	return _begin(_peer.create_server(port, 1))


func join(address: String, port := PORT) -> Error:
	return _begin(_peer.create_client(address, port))


func _begin(error: Error) -> Error:
	_peer.peer_connected.connect(func(id: int) -> void:
		_peer.get_peer(id).set_timeout(0, 20000, 20000)  # a bad line is not a lost one
		_connected = true
		peer_joined.emit())
	_peer.peer_disconnected.connect(func(_id: int) -> void:
		_connected = false
		peer_left.emit())
	return error


func seed_faults(value: int) -> void:
	_random.seed = value


## Adds the next input of this side.
func put(keys: int) -> void:
	_own.append(keys)


## The frame of this side's next input.
func next_frame() -> int:
	return _own.size()


## Calls take(frame, keys) for each new input that came, in order.
func receive(take: Callable) -> void:
	if _peer.get_connection_status() == MultiplayerPeer.CONNECTION_DISCONNECTED:
		return  # the other side closed the line
	_peer.poll()
	while _peer.get_available_packet_count() > 0:
		var packet := _peer.get_packet()
		if packet.size() < 24:
			continue
		remote_now = maxi(remote_now, packet.decode_u32(0))
		_known_there = maxi(_known_there, packet.decode_u32(4))
		remote_hash = [packet.decode_u32(8), packet.decode_s64(12)]
		var first := packet.decode_u32(20)
		for i in range(24, packet.size()):
			if first + i - 24 == _known_here:
				take.call(_known_here, packet[i])
				_known_here += 1


## Sends the inputs that the other side may lack: now or, on a bad line, later or never.
func send(now: int, confirmed: int, confirmed_hash: int) -> void:
	_tick += 1
	var packet := PackedByteArray()
	packet.resize(24)
	packet.encode_u32(0, now)
	packet.encode_u32(4, _known_here)
	packet.encode_u32(8, confirmed)
	packet.encode_s64(12, confirmed_hash)
	packet.encode_u32(20, _known_there)
	packet.append_array(_own.slice(_known_there, _known_there + 256))
	if _random.randi_range(0, 99) >= loss:
		_flight.append([_tick + delay + (_random.randi_range(0, delay) if delay else 0), packet])
	for entry: Array in _flight.duplicate():
		if entry[0] <= _tick and _connected:
			_flight.erase(entry)
			_peer.transfer_mode = MultiplayerPeer.TRANSFER_MODE_UNRELIABLE
			_peer.put_packet(entry[1])


func close() -> void:
	_peer.close()
	_peer = null  # its signals hold this object
