import Datagrams
import MediaKernel
import PeerConnection

/// Where the datagrams of a connection go.
protocol DatagramSink: AnyObject {
    /// - Parameter source: which of this machine's addresses it is to leave from, where there is a
    ///   choice.
    func send(_ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress?)
}

/// The way back to where a datagram came from.
struct Route {
    let sink: any DatagramSink
    /// Which of this machine's addresses it came to.
    var source: LocalAddress?
}

/// A route to an address.
struct Way {
    let address: TransportAddress
    let route: Route
}

/// Where they go over UDP: one of the sockets that share the port.
protocol SocketSink: DatagramSink {
    func flush()
    func close()
    /// Which of this machine's addresses the datagram came to that is being handled.
    var arrivedAt: LocalAddress? { get }
    /// See `DatagramSocket`.
    func steer(to place: Int?) -> String?
}

/// Where they go over TCP.
protocol LinkSink: DatagramSink {
    /// Closes the TCP connection from this address: its peer has left.
    func close(_ address: TransportAddress)
}

extension DatagramSocket: SocketSink {}
extension TCPListener: LinkSink {
    /// A TCP connection has its address.
    func send(_ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress?) {
        send(bytes, to: address)
    }
}

/// A peer connection with what the shared socket must know of it. Confined to its media loop.
final class Connection {
    /// Outlives the connection's time in the loop.
    unowned let peer: MediaPeer
    let key: ConnectionKey
    let core: PeerConnection
    unowned let room: RoomForwarder
    /// The tracks that come on it, by the places of their sections.
    private var published: [ForwardedTrack?] = []
    /// The tracks that are sent on it, by the mids of their sections.
    var forwarded: [String: ForwardedTrack] = [:]
    /// Fragments, newest last, under which it is registered, to take them back.
    var fragments: [String] = []
    /// The addresses that are its own, and what their last valid check came through.
    private(set) var routes: [TransportAddress: Route] = [:]
    /// The one that was asked for last, which is mostly asked for again.
    private var latest: Way?
    /// Where the datagram came from that is being handled: answers go the same way back.
    var arrival: Way?
    /// When it is to be said again that its address is its own.
    var nextHold = Instant.zero
    var isClosed = false

    init(peer: MediaPeer, key: ConnectionKey, core: PeerConnection, room: RoomForwarder) {
        self.peer = peer
        self.key = key
        self.core = core
        self.room = room
    }

    /// The track that comes in a section.
    func track(in section: SectionIndex) -> ForwardedTrack? {
        section.rawValue < published.count ? published[section.rawValue] : nil
    }

    /// The same by the section's mid, for what is rare.
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
