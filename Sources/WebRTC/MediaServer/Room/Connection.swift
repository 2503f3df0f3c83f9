import Datagrams
import MediaKernel
import PeerConnection

/// Sends the datagrams of a connection.
protocol DatagramSink: AnyObject {
    /// - Parameter source: the address of this machine to send from, if there is a choice.
    func send(_ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress?)
}

/// The route back to the sender of a datagram.
struct Route {
    let sink: any DatagramSink
    /// The address of this machine at which the datagram arrived.
    var source: LocalAddress?
}

/// A route to an address.
struct Way {
    let address: TransportAddress
    let route: Route
}

/// A sink for UDP: one of the sockets that share the port.
protocol SocketSink: DatagramSink {
    func flush()
    func close()
    /// The address of this machine at which the current datagram arrived.
    var arrivedAt: LocalAddress? { get }
    /// See `DatagramSocket`.
    func steer(to place: Int?) -> String?
}

/// A sink for TCP.
protocol LinkSink: DatagramSink {
    /// Closes the TCP connection from this address, because its peer has left.
    func close(_ address: TransportAddress)
}

extension DatagramSocket: SocketSink {}
extension TCPListener: LinkSink {
    /// Ignores the source: a TCP connection already has its address.
    func send(_ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress?) {
        send(bytes, to: address)
    }
}

/// A peer connection and the state that the shared socket needs for it. Confined to its media loop.
final class Connection {
    /// The peer outlives the connection's time in the loop.
    unowned let peer: MediaPeer
    let key: ConnectionKey
    let core: PeerConnection
    unowned let room: RoomForwarder
    /// The tracks received on this connection, by section index.
    private var published: [ForwardedTrack?] = []
    /// The tracks sent on this connection, by mid.
    var forwarded: [String: ForwardedTrack] = [:]
    /// The tracks sent on this connection, as last told; nil if nobody is told.
    var toldTracks: [SentTrack]?
    /// The channel that the client has opened, for texts; nil before that.
    var channel: ChannelHandle?
    /// The username fragments under which it is registered, newest last, so that they can be
    /// removed.
    var fragments: [String] = []
    /// The addresses that belong to the connection, with the route of their last valid check.
    private(set) var routes: [TransportAddress: Route] = [:]
    /// A cache of the last route used: the next datagram mostly takes the same one.
    private var latest: Way?
    /// The origin of the current datagram. Answers take the same route back.
    var arrival: Way?
    /// When the connection next renews its hold on its addresses.
    var nextHold = Instant.zero
    var isClosed = false
    /// For a peer whose connections each carry their own tracks; nil for others, whose tracks share
    /// the peer's.
    var sharing: BandwidthSharing?

    init(peer: MediaPeer, key: ConnectionKey, core: PeerConnection, room: RoomForwarder) {
        self.peer = peer
        self.key = key
        self.core = core
        self.room = room
    }

    /// The track received in a section.
    func track(in section: SectionIndex) -> ForwardedTrack? {
        section.rawValue < published.count ? published[section.rawValue] : nil
    }

    /// The track received in the section with this mid. For infrequent use.
    func track(mid: String) -> ForwardedTrack? {
        core.section(mid: mid).flatMap { track(in: $0) }
    }

    func setTracks(_ tracks: [ForwardedTrack]) {
        published = []
        for track in tracks {
            track.section = core.section(mid: track.incoming.mid)
            guard let index = track.section?.rawValue else { continue }
            while published.count <= index { published.append(nil) }
            published[index] = track
        }
    }

    var addresses: Dictionary<TransportAddress, Route>.Keys { routes.keys }

    func setRoute(_ route: Route, to address: TransportAddress) {
        routes[address] = route
        latest = nil
    }

    func removeRoute(to address: TransportAddress) {
        routes[address] = nil
        latest = nil
    }

    func send(_ bytes: [UInt8], to address: TransportAddress) {
        if latest?.address == address, let route = latest?.route {
            route.sink.send(bytes, to: address, from: route.source)
        } else if let route = routes[address] {
            latest = Way(address: address, route: route)
            route.sink.send(bytes, to: address, from: route.source)
        } else if let arrival, arrival.address == address {
            arrival.route.sink.send(bytes, to: address, from: arrival.route.source)
        }
    }
}
