import Datagrams
import MediaKernel
import PeerConnection

/// Where the datagrams of a connection go.
protocol DatagramSink: AnyObject {
    func send(_ bytes: [UInt8], to address: TransportAddress)
}

/// Where they go over TCP.
protocol LinkSink: DatagramSink {
    /// Whom the TCP connection from there belonged to is gone.
    func close(_ address: TransportAddress)
}

extension DatagramSocket: DatagramSink {}
extension TCPListener: LinkSink {}

/// A peer connection with what the shared socket must know of it. Confined to its media loop.
final class Connection {
    let peer: PeerID
    let direction: ConnectionDirection
    let core: PeerConnection
    unowned let room: RoomForwarder
    /// What its last check over UDP came through.
    var socket: (any DatagramSink)?
    /// What its last check over TCP came through.
    var listener: (any DatagramSink)?
    /// Fragments, newest last, and addresses under which it is registered, to take them back.
    var fragments: [String] = []
    var addresses: Set<TransportAddress> = []
    var isClosed = false

    init(peer: PeerID, direction: ConnectionDirection, core: PeerConnection, room: RoomForwarder) {
        self.peer = peer
        self.direction = direction
        self.core = core
        self.room = room
    }

    func send(_ bytes: [UInt8], to address: TransportAddress) {
        switch address.transport {
        case .udp: socket?.send(bytes, to: address)
        case .tcp: listener?.send(bytes, to: address)
        }
    }
}
