internal import ClientConnections
internal import Clocks
internal import Logging
internal import MediaClient
internal import MediaKernel
internal import NIOCore
internal import PeerConnection
public import RemoteRoom

/// A session that a program joins by OpenVidu 2's protocol. It receives all streams, each by a
/// connection of its own, and publishes nothing.
///
/// After the socket is lost, it reconnects for up to a minute; the media keep coming meanwhile. If
/// the server no longer knows it, it joins again.
public actor OpenViduSubscriber: RemoteRoom {
    private static let timerInterval: Duration = .milliseconds(500)
    /// The most changes of connections' states that wait.
    private static let statesMaximum = 8192
    /// How long a client that leaves waits for the socket to close.
    private static let lastWait: Duration = .seconds(2)

    let address: OpenViduAddress
    let guest: RoomGuest
    private let group: any EventLoopGroup
    let eventLoop: any EventLoop
    let logger: Logger
    let makeObserver: @Sendable () -> any ClientMediaObserver
    private nonisolated let feed = RoomEvents()
    private nonisolated let stay = RoomStay()
    var session: ClientSession
    var media: NIOLoopBound<StreamConnections>?
    /// Of the addresses that the server names.
    var filter: ReachFilter
    private var outbox: AsyncStream<String>.Continuation?
    /// Why the current socket, or the stay, ends; nil while it does not.
    private var end: RoomEnd?
    /// Since when the server is lost; nil while it is there.
    private var lostAt: Instant?
    private var openedAt = Instant.zero
    /// Before `stay` ends its work, there is time for a goodbye.
    private var isLeaving = false

    public nonisolated var events: AsyncStream<RemoteRoomEvent> { feed.stream }

    init(
        address: OpenViduAddress, guest: RoomGuest, group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) {
        self.address = address
        self.guest = guest
        self.group = group
        eventLoop = group.next()
        self.logger = logger
        filter = ReachFilter(logger: logger)
        self.makeObserver = makeObserver
        session = ClientSession(
            address.entry(for: guest), receivesVideo: guest.receivesVideo)
    }

    // MARK: Life

    public func run() async throws(RoomEnd) {
        // In every case, since others wait for the end.
        defer { feed.finish() }
        let end = await stay.run { await self.remain() }
        await stopMedia()
        if let end { throw end }
    }

    /// Says goodbye, as openvidu-browser does, and waits until `run()` has returned.
    public func leave() async {
        isLeaving = true
        let hadSocket = outbox != nil
        session.leave()
        while let order = session.poll() {
            if case .send(let text) = order { outbox?.yield(text) }
        }
        outbox?.finish()
        let cutting = Task { [stay] in
            if hadSocket { try? await Task.sleep(for: Self.lastWait) }
            stay.leave()
        }
        await feed.waitForEnd()
        cutting.cancel()
    }

    /// - Returns: nil after `leave()` or a cancellation.
    private func remain() async -> RoomEnd? {
        let (states, sink) = AsyncStream.makeStream(
            of: (StreamConnectionID, PeerConnectionState).self,
            bufferingPolicy: .bufferingOldest(Self.statesMaximum))
        do {
            try await startMedia { sink.yield(($0, $1)) }
        } catch {
            return Task.isCancelled ? nil : .failed(String(describing: error))
        }
        let listening = Task {
            for await (connection, state) in states {
                session.stateChanged(connection, state, at: MonotonicClock.now)
                await drain()
            }
        }
        defer { listening.cancel() }
        while !isLeaving {
            let reason = await connectOnce()
            guard !isLeaving, !Task.isCancelled else { return nil }
            guard let patience = session.patience(after: reason) else { return reason }
            let now = MonotonicClock.now
            let since = lostAt ?? now
            lostAt = since
            logger.warning("server lost", metadata: ["error": "\(reason)"])
            guard now - since < patience else { return reason }
            try? await Task.sleep(for: ClientLimits.pause)
            guard !Task.isCancelled else { return nil }
        }
        return nil
    }

    /// One socket, from its opening until it is lost.
    private func connectOnce() async -> RoomEnd {
        let query =
            [("sessionId", address.session)]
            + (session.rpcSession == nil ? [] : [("reconnect", "true")])
        guard let url = WebSocketURL(address.socket, adding: query) else {
            return .badEndpoint(address.socket)
        }
        filter.reach = await ServerReach.found(url.host)
        let (frames, outbox) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(ClientLimits.outboxFrames))
        self.outbox = outbox
        end = nil
        openedAt = MonotonicClock.now
        session.opened(at: openedAt)
        defer {
            outbox.finish()
            self.outbox = nil
        }
        var reason = RoomEnd.unreachable("the server closed the connection")
        do {
            await drain()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                // The first task to end cancels the other: a server that vanishes does not close
                // the connection.
                tasks.addTask { try await self.keepTime() }
                tasks.addTask { [group] in
                    try await RoomSocket.run(
                        url: url, bytesMaximum: ClientLimits.frameBytes, group: group
                    ) { writer in
                        for await frame in frames { try await writer.send(frame) }
                        try await writer.close(code: ClientLimits.closedByClient)
                    } received: { text in
                        try await self.received(text)
                    }
                }
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        } catch let error as RoomEnd {
            reason = error
        } catch {
            reason = .unreachable(NetworkFault.words(error))
        }
        session.closed(at: MonotonicClock.now)
        await drain()
        return reason
    }

    private func keepTime() async throws {
        while true {
            try await Task.sleep(for: Self.timerInterval)
            let now = MonotonicClock.now
            session.handleTimeout(at: now)
            if session.membership == .inside, now - openedAt >= ClientLimits.calm { lostAt = nil }
            try await obey()
        }
    }

    private func received(_ text: String) async throws {
        session.received(text, at: MonotonicClock.now)
        try await obey()
    }

    /// Drains the session.
    ///
    /// - Throws: the end that it has ordered.
    private func obey() async throws {
        await drain()
        if let end { throw end }
    }

    func drain() async {
        while let order = session.poll() {
            switch order {
            case .send(let text):
                guard let outbox else { continue }
                if case .dropped = outbox.yield(text) {
                    end = end ?? .unreachable("the server does not read")
                }
            case .media(let order): await obey(order)
            case .joined: feed.send(.joined)
            case .roster(let peers): feed.send(.roster(peers))
            case .path(let state): feed.send(.path(state))
            case .message(let message): feed.send(.message(message))
            case .warn(let words): logger.warning("session", metadata: ["notice": "\(words)"])
            case .reconnect(let reason): end = end ?? reason
            case .end(let reason): end = end ?? reason
            }
        }
    }
}
