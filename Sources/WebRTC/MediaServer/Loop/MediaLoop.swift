import Clocks
import DataChannel
import Datagrams
import ICE
import Logging
import MediaKernel
import NIOCore
import PeerConnection
import RTP
import SecureTransport

/// One thread of the media plane, with its sockets, timers and rooms. Everything it owns is
/// confined to its event loop and needs no locks; it shares only the directory with other loops.
final class MediaLoop {
    /// Granularity of all timers except SCTP's: retransmissions, feedback.
    static let tickInterval: TimeAmount = .milliseconds(10)
    /// SCTP's shortest timer is its delayed acknowledgement, 200 ms (RFC 9260 sect. 6.2), and each
    /// check of its timers takes a process-wide lock.
    static let channelInterval: Duration = .milliseconds(50)
    /// How often a connection renews its hold on its address.
    static let holdInterval: Duration = .seconds(5)
    /// Addresses remembered per connection: a roaming client leaves old ones behind.
    static let addressesPerConnectionMaximum = 16

    let eventLoop: any EventLoop
    let identity: DTLSIdentity
    let logger: Logger
    /// Its index among the server's loops.
    private let index: Int
    private let directory: LoopDirectory
    var ports = LoopPorts()
    private var ticking: RepeatedTask?
    private var nextChannelTick = Instant.zero
    private var unsentPackets = UnsentPackets()
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var byFragment: [String: Connection] = [:]
    private var byAddress: [TransportAddress: Connection] = [:]
    private var rooms: [ObjectIdentifier: RoomForwarder] = [:]
    private var counted = MediaFigures()

    init(
        eventLoop: any EventLoop, index: Int, directory: LoopDirectory, identity: DTLSIdentity,
        logger: Logger
    ) {
        self.eventLoop = eventLoop
        self.index = index
        self.directory = directory
        self.identity = identity
        self.logger = logger
    }

    /// - Parameter links: the server's TCP listeners. A loop that owns them gets them as
    ///   `listeners` too.
    func start(
        sockets: [any SocketSink], listeners: [TCPListener], links: [any LinkSink],
        advertised: [TransportAddress], localAddresses: [TransportAddress]
    ) {
        ports.sockets = sockets
        ports.listeners = listeners
        ports.links = links
        ports.advertised = advertised
        ports.localAddresses = localAddresses
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        directory.inboxes[index].open { bound.value.take($0) }
        ticking = eventLoop.scheduleRepeatedTask(
            initialDelay: Self.tickInterval, delay: Self.tickInterval
        ) { _ in bound.value.tick(at: MonotonicClock.now) }
    }

    func stop() {
        ticking?.cancel()
        ticking = nil
        // The inbox may contain other loops' last datagrams over TCP.
        take(directory.inboxes[index].close())
        let now = MonotonicClock.now
        for room in rooms.values { room.close(at: now) }
        flush()
        ports.close()
    }

    var figures: MediaFigures {
        var figures = counted
        figures.connections = connections.count
        return figures
    }

    /// Counts a packet dropped because its publisher exceeded a budget.
    func countExcess() { counted.excessPackets += 1 }

    func adopt(_ room: RoomForwarder) {
        rooms[ObjectIdentifier(room)] = room
        steer()
    }

    func release(_ room: RoomForwarder) {
        guard rooms.removeValue(forKey: ObjectIdentifier(room)) != nil else { return }
        directory.removeRoom(from: index)
        steer()
    }

    /// Directs datagrams to the loop that has all rooms, if there is one: other loops could only
    /// relay them. Datagrams already at other loops are still relayed.
    private func steer() {
        guard directory.inboxes.count > 1 else { return }
        directory.withOnlyLoop { loop in
            guard let reason = ports.steer(to: loop) else { return }
            logger.notice("datagrams are not steered", metadata: ["reason": "\(reason)"])
        }
    }

    // MARK: Connections

    func makeConnection(
        of peer: MediaPeer, key: ConnectionKey, room: RoomForwarder, at now: Instant
    ) -> Connection {
        let addresses = ports.addresses(forRecorder: peer.isRecorder)
        var random = SecureRandom()
        let configuration = PeerConnection.Configuration(
            identity: identity, mode: .lite,
            localCandidates: addresses.enumerated().map { index, address in
                .host(address, preference: UInt16(65_535 - min(index, 65_535)))
            },
            canonicalName: String(random.next(), radix: 36),
            // Only the side that offers opens the channel; on the others the client does.
            dataChannel: key == .subscribe ? room.channel : nil,
            // A browser whose offer of the pictures' orientation is not taken up turns them before it
            // encodes them.
            ignoredExtensions: room.acceptsOrientation ? [] : [HeaderExtensionURI.videoOrientation],
            seed: random.next())
        let connection = Connection(
            peer: peer, key: key,
            core: PeerConnection(configuration: configuration, at: now), room: room)
        connections[ObjectIdentifier(connection)] = connection
        directory.addConnection(to: index)
        registerFragment(of: connection)
        return connection
    }

    /// Registers a connection under its current username fragment. The previous one stays valid,
    /// since checks from before a restart may be under way; the agent itself has forgotten older
    /// ones.
    func registerFragment(of connection: Connection) {
        let fragment = connection.core.localUsernameFragment
        guard connection.fragments.last != fragment else { return }
        connection.fragments.append(fragment)
        byFragment[fragment] = connection
        directory.register(fragment, of: index)
        if connection.fragments.count > 2 { forget(connection.fragments.removeFirst()) }
    }

    private func forget(_ fragment: String) {
        byFragment[fragment] = nil
        directory.forget(fragment)
    }

    func close(_ connection: Connection, at now: Instant) {
        guard !connection.isClosed else { return }
        connection.isClosed = true
        connection.setTracks([])
        connection.forwarded = [:]
        connection.core.close(at: now)
        drain(connection, at: now)
        connection.fragments.forEach(forget)
        for address in connection.addresses where byAddress[address] === connection {
            release(address)
            if address.transport == .tcp { for link in ports.links { link.close(address) } }
        }
        connections[ObjectIdentifier(connection)] = nil
        unsentPackets.closed(connection)
        directory.removeConnection(from: index)
    }

    // MARK: Datagrams

    /// - Parameters:
    ///   - port: the index of the socket or, over TCP, the listener that received it.
    func received(
        _ datagram: consuming [UInt8], from source: TransportAddress, port: Int,
        at now: Instant = MonotonicClock.now
    ) {
        let local = ports.arrival(source.transport, port)
        received(datagram, from: source, port: port, local: local, isRelayed: false, at: now)
    }

    /// - Parameters:
    ///   - local: the address of this machine at which it arrived, if that matters.
    ///   - isRelayed: another loop passed the datagram to this one.
    private func received(
        _ datagram: consuming [UInt8], from source: TransportAddress, port: Int,
        local: LocalAddress?, isRelayed: Bool, at now: Instant
    ) {
        if !isRelayed {
            counted.receivedDatagrams += 1
            counted.receivedBytes += datagram.count
        }
        let fragment = STUNMessage.peekFragment(datagram)
        let owner = fragment.map { byFragment[$0] } ?? byAddress[source]
        guard let owner else {
            let loop =
                fragment.map { directory.loop(ofFragment: $0) } ?? directory.loop(of: source)
            return relay(
                datagram, from: source, port: port, local: local, to: isRelayed ? nil : loop)
        }
        let route = ports.sink(source.transport, port).map { Route(sink: $0, source: local) }
        owner.arrival = route.map { Way(address: source, route: $0) }
        switch owner.core.handle(datagram, from: source, at: now) {
        case .none: break
        case .check: claim(source, for: owner, by: route, at: now)
        case .keys: keep(source, for: owner, at: now)
        }
        drain(owner, at: now)
        owner.arrival = nil
    }

    private func relay(
        _ datagram: consuming [UInt8], from source: TransportAddress, port: Int,
        local: LocalAddress?, to owner: Int?
    ) {
        guard let owner, owner != index else {
            counted.strayDatagrams += 1
            return
        }
        directory.inboxes[owner].put(
            .received(datagram, from: source, port: port, local: local))
    }

    /// Takes items from other loops.
    private func take(_ items: [LoopInbox.Item]) {
        for item in items {
            switch item {
            case .received(let datagram, let source, let port, let local):
                received(
                    datagram, from: source, port: port, local: local, isRelayed: true,
                    at: MonotonicClock.now)
            case .send(let datagram, let address, let listener):
                if listener < ports.listeners.count {
                    ports.listeners[listener].send(datagram, to: address)
                }
            case .close(let address, let listener):
                if listener < ports.listeners.count { ports.listeners[listener].close(address) }
            case .lost(let address):
                // The address may have returned in the meantime.
                guard directory.loop(of: address) != index else { continue }
                byAddress.removeValue(forKey: address)?.removeRoute(to: address)
            }
        }
        flush()
    }

    /// Claims an address after a valid check. The check's source can be forged, so an address stays
    /// with the connection that recently sent authenticated packets from it, unless the other side
    /// has proven its address.
    private func claim(
        _ address: TransportAddress, for connection: Connection, by route: Route?, at now: Instant
    ) {
        guard let route else { return }
        let standing = connection.core.standing(of: address)
        guard standing != .unknown else { return }
        let isProven = standing == .proven
        guard byAddress[address] !== connection else {
            connection.setRoute(route, to: address)
            // Hold it at once: until then another connection may take it.
            if isProven { directory.hold(address, for: index, at: now) }
            return
        }
        guard directory.claim(address, for: index, isProven: isProven, at: now) else {
            counted.refusedAddresses += 1
            return
        }
        byAddress[address]?.removeRoute(to: address)
        if connection.addresses.count >= Self.addressesPerConnectionMaximum {
            // Keep addresses in use.
            for old in Array(connection.addresses)
            where connection.core.standing(of: old) == .unknown {
                release(old)
                connection.removeRoute(to: old)
            }
        }
        byAddress[address] = connection
        connection.setRoute(route, to: address)
        connection.nextHold = now
    }

    /// Renews the hold on an address after an authenticated packet.
    private func keep(_ address: TransportAddress, for connection: Connection, at now: Instant) {
        guard connection.nextHold <= now, byAddress[address] === connection else { return }
        connection.nextHold = now + Self.holdInterval
        directory.hold(address, for: index, at: now)
    }

    private func release(_ address: TransportAddress) {
        byAddress[address] = nil
        directory.release(address, of: index)
    }

    func flush() { ports.flush() }

    /// Handles all output of a connection. Required after everything that feeds it.
    func drain(_ connection: Connection, at now: Instant) {
        while let output = connection.core.poll() {
            switch output {
            case .transmit(let bytes, let address):
                send(bytes, to: address, over: connection)
            default:
                if !connection.isClosed { connection.room.handle(output, of: connection, at: now) }
            }
        }
    }

    /// Sends a datagram of a connection that has no other output.
    func send(_ bytes: [UInt8], to address: TransportAddress, over connection: Connection) {
        counted.sentDatagrams += 1
        counted.sentBytes += bytes.count
        connection.send(bytes, to: address)
    }

    // MARK: Time

    func tick(at now: Instant) {
        let settlesChannels = nextChannelTick <= now
        if settlesChannels {
            nextChannelTick = now + Self.channelInterval
            DataChannelTransport.tick(at: now)
        }
        for connection in connections.values {
            if let deadline = connection.core.nextDeadline, deadline <= now {
                connection.core.handleTimeout(at: now)
            } else if settlesChannels, connection.core.hasChannelWork {
                connection.core.settleChannels(at: now)
            } else {
                continue
            }
            drain(connection, at: now)
        }
        for room in rooms.values { room.tick(at: now) }
        ports.tick(at: now)
        flush()
        lookForUnsent(at: now)
    }

    private func lookForUnsent(at now: Instant) {
        guard let count = unsentPackets.look(at: connections.values, at: now), count > 0 else {
            return
        }
        counted.unsentPackets += count
        logger.warning("packets could not be encrypted", metadata: ["packets": "\(count)"])
    }
}
