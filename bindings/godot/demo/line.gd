class_name DemoLine
extends RefCounted
## Packets of two players over ENet, unreliable, on a line that loses and delays on purpose.

signal peer_left

const PORT := 7777

var loss := 0  ## Percent of packets that are lost.
var delay := 0  ## Ticks that a packet takes longer, and up to twice as many.

var _peer := ENetMultiplayerPeer.new()
var _random := RandomNumberGenerator.new()
var _flight: Array = []  # [tick to send at, bytes]
var _tick := 0
var _connected := false


func host(port := PORT) -> Error:
	return _begin(_peer.create_server(port, 1))


func join(address: String, port := PORT) -> Error:
	return _begin(_peer.create_client(address, port))


func _begin(error: Error) -> Error:
	_peer.transfer_mode = MultiplayerPeer.TRANSFER_MODE_UNRELIABLE
	_peer.peer_connected.connect(func(id: int) -> void:
		_peer.get_peer(id).set_timeout(0, 20000, 20000)  # a bad line is not a lost one
		_connected = true)
	_peer.peer_disconnected.connect(func(_id: int) -> void:
		_connected = false
		peer_left.emit())
	return error


func seed_faults(value: int) -> void:
	_random.seed = value


## The packets that came since the last call.
func receive() -> Array[PackedByteArray]:
	var packets: Array[PackedByteArray] = []
	if _peer.get_connection_status() != MultiplayerPeer.CONNECTION_DISCONNECTED:
		_peer.poll()
		while _peer.get_available_packet_count() > 0:
			packets.append(_peer.get_packet())
	return packets


## Sends a packet: now or, on a bad line, later or never. Call it once a tick.
func send(packet: PackedByteArray) -> void:
	_tick += 1
	if _random.randi_range(0, 99) >= loss:
		_flight.append([_tick + delay + (_random.randi_range(0, delay) if delay else 0), packet])
	for entry: Array in _flight.duplicate():
		if entry[0] <= _tick and _connected:
			_flight.erase(entry)
			_peer.put_packet(entry[1])


func close() -> void:
	_peer.close()
	_peer = null  # its signals hold this object
