import ControlAPI
import RoomHost

/// A client's WebSocket, for the protocols.
struct ClientSocket: SignallingSocket {
    let connection: WebSocketConnection

    func send(_ text: String) async -> Bool { await connection.send(text) }

    func close(code: UInt16, reason: String) async { connection.close(code: code, reason: reason) }
}
