import Datagrams
import MediaKernel
import PeerConnection

/// Where the datagrams of a connection go.
protocol DatagramSink: AnyObject {
    func send(_ bytes: [UInt8], to address: TransportAddress)
}

/// Where they go over UDP: one of the sockets that share the port.
protocol SocketSink: DatagramSink {
    func flush()
    func close()
    /// See `DatagramSocket`.
    func steer(to place: Int?) -> String?
}

/// Where they go over TCP.
protocol LinkSink: DatagramSink {
    /// Whom the TCP connection from there belonged to is gone.
    func close(_ address: TransportAddress)
}

extension DatagramSocket: SocketSink {}
extension TCPListener: LinkSink {}

/// A peer connection with what the shared socket must know of it. Confined to its media loop.
final class Connection {
    let peer: PeerID
    let direction: ConnectionDirection
    let core: PeerConnection
    unowned let room: RoomForwarder
    /// Fragments, newest last, under which it is registered, to take them back.
    var fragments: [String] = []
    /// The addresses that are its own, and what their last valid check came through.
    private(set) var routes: [TransportAddress: any DatagramSink] = [:]
    /// The one that was asked for last, which is mostly asked for again.
    private var latest: (address: TransportAddress, sink: any DatagramSink)?
    /// Where the datagram came from that is being handled: answers go the same way back.
    var arrival: (address: TransportAddress, sink: any DatagramSink)?
    /// When it is to be said again that its address is its own.
    var nextHold = Instant.zero
    var isClosed = false

    init(peer: PeerID, direction: ConnectionDirection, core: PeerConnection, room: RoomForwarder) {
        self.peer = peer
        self.direction = direction
        self.core = core
        self.room = room
    }

    var addresses: Dictionary<TransportAddress, any DatagramSink>.Keys { routes.keys }

    func setRoute(_ sink: any DatagramSink, to address: TransportAddress) {
        routes[address] = sink
        latest = nil
    }

    func removeRoute(to address: TransportAddress) {
        routes[address] = nil
        latest = nil
    }

    func send(_ bytes: [UInt8], to address: TransportAddress) {
        if let latest, latest.address == address {
            latest.sink.send(bytes, to: address)
        } else if let sink = routes[address] {
            latest = (address, sink)
            sink.send(bytes, to: address)
        } else if let arrival, arrival.address == address {
            arrival.sink.send(bytes, to: address)
        }
    }
}
