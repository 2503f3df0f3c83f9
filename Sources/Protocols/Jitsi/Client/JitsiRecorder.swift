internal import ClientConnections
internal import Clocks
internal import Jibri
internal import Logging
internal import MediaClient
public import MediaKernel
internal import NIOCore
internal import PeerConnection
public import RemoteRoom
internal import XML
internal import XMPP
internal import XMPPClient

/// A conference of Jitsi that a program joins to receive it. ``JitsiCall`` decides; this is its
/// stream, its media and its clock.
///
/// A lost stream is resumed, or another one is made for up to a minute; the media keep coming
/// meanwhile.
public actor JitsiRecorder: RemoteRoom {
    private static let timerInterval: Duration = .milliseconds(250)
    /// How long a lost server is sought.
    private static let patience: Duration = .seconds(60)
    /// Stanzas that wait for the stream.
    private static let waitingMaximum = 4096
    /// How long a client that leaves waits for the stream to end.
    private static let lastWait: Duration = .seconds(2)

    /// What is on its way to the server.
    private enum Errand: Sendable {
        case send(XMLElement)
        case post(ConferenceRequest)
        case ask(CallQuestion, XMLElement, to: JID)
    }

    let address: JitsiAddress
    let guest: RoomGuest
    let group: any EventLoopGroup
    let eventLoop: any EventLoop
    let logger: Logger
    let makeObserver: @Sendable () -> any ClientMediaObserver
    private nonisolated let feed = RoomEvents()
    private nonisolated let stay = RoomStay()
    var call: JitsiCall
    var media: NIOLoopBound<ClientMedia>?
    nonisolated let mediaSession = MediaSession()
    /// Where the bridge's channel is a WebSocket.
    var socket: BridgeSocket?
    private var client: XMPPClient?
    /// Those that wait for the stream.
    private let errands = AsyncStream.makeStream(
        of: Errand.self, bufferingPolicy: .bufferingOldest(waitingMaximum))
    nonisolated let facts = CallFacts()
    /// Of the addresses that the focus names: it speaks for the deployment whose server we know.
    var filter: ReachFilter
    /// For the stream, and for the bridge's WebSocket.
    private(set) var tls: TLSClient?
    /// Why the stay ends; nil while it does not.
    private var end: RoomEnd?
    /// Since when there is no stream; nil while there is one.
    private var lostAt: Instant?
    private var isLeaving = false

    public nonisolated var events: AsyncStream<RemoteRoomEvent> { feed.stream }

    init(
        address: JitsiAddress, guest: RoomGuest, group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) {
        self.address = address
        self.guest = guest
        self.group = group
        eventLoop = group.next()
        self.logger = logger
        filter = ReachFilter(logger: logger)
        self.makeObserver = makeObserver
        var random = SystemRandomNumberGenerator()
        call = JitsiCall(address.entry(for: guest), seed: random.next())
    }

    // MARK: Life

    public func run() async throws(RoomEnd) {
        // In every case, since others wait for the end.
        defer { feed.finish() }
        let end = await stay.run { await self.remain() }
        socket?.close()
        await stopMedia()
        if let end { throw end }
    }

    /// Says goodbye, and waits until `run()` has returned.
    public func leave() async {
        isLeaving = true
        call.leave()
        await drain()
        errands.continuation.finish()
        let cutting = Task { [stay, client] in
            if client != nil { try? await Task.sleep(for: Self.lastWait) }
            stay.leave()
        }
        await feed.waitForEnd()
        cutting.cancel()
    }

    /// - Returns: nil after `leave()` or a cancellation.
    private func remain() async -> RoomEnd? {
        let client: XMPPClient
        do {
            let tls = try TLSClient(address.trust)
            self.tls = tls
            client = XMPPClient(address.settings, at: address.server, tls: tls, on: eventLoop)
            try await startMedia()
        } catch {
            return Task.isCancelled ? nil : .failed(String(describing: error))
        }
        self.client = client
        let tasks = [
            Task { await self.listen(to: client) }, Task { await self.speak(to: client) },
            Task { await self.watchMedia() }, Task { await self.keepTime() },
        ]
        defer { for task in tasks { task.cancel() } }
        return await connect(client)
    }

    /// One connection after the other.
    private func connect(_ client: XMPPClient) async -> RoomEnd? {
        var backoff = Backoff()
        var random = SystemRandomNumberGenerator()
        while !isLeaving {
            filter.reach = await ServerReach.found(address.server.host)
            let reason = await client.run()
            if let end { return end }
            guard !isLeaving, !Task.isCancelled else { return nil }
            logger.warning("server lost", metadata: ["error": "\(reason)"])
            guard reason.mayPass else { return RoomEnd(reason) }
            let now = MonotonicClock.now
            let since = lostAt ?? now
            if lostAt == nil { backoff.reset() }
            lostAt = since
            // A program that never joined has nothing to come back to.
            guard call.hasJoined, now - since < Self.patience else {
                return .unreachable("\(reason)")
            }
            try? await Task.sleep(for: backoff.next(using: &random))
            // The media may have been lost meanwhile.
            if let end { return end }
            guard !Task.isCancelled else { return nil }
        }
        return nil
    }

    // MARK: The stream

    private func listen(to client: XMPPClient) async {
        for await event in client.events {
            let now = MonotonicClock.now
            switch event {
            case .online(_, let isResumed):
                lostAt = nil
                call.connected(isResumed: isResumed, at: now)
            case .request(let request): call.requested(request, at: now)
            case .stanza(let stanza): call.received(stanza, at: now)
            // The call enters its room by itself.
            case .room: break
            }
            await drain()
        }
    }

    /// In the order of the errands.
    private func speak(to client: XMPPClient) async {
        // By HTTP, the newest: each has a connection of its own.
        var inquiry: Task<Void, Never>?
        defer { inquiry?.cancel() }
        for await errand in errands.stream {
            switch errand {
            // Without a stream there is nobody who waits for it.
            case .send(let stanza): try? await client.send(stanza)
            case .post(let request):
                inquiry?.cancel()
                inquiry = Task { await self.inquire(request) }
            case .ask(let question, let payload, let to):
                // Asked here, since what follows must not overtake it.
                let asked = client.question(.set, payload, to: to)
                Task { await self.replied(question, await CallReply(to: asked)) }
            }
        }
        client.leave()
    }

    private func inquire(_ request: ConferenceRequest) async {
        let reply = await FocusHTTP.ask(request, address)
        guard !Task.isCancelled else { return }
        call.asked(reply, at: MonotonicClock.now)
        await drain()
    }

    private func replied(_ question: CallQuestion, _ reply: CallReply) async {
        call.answered(question, reply, at: MonotonicClock.now)
        await drain()
    }

    // MARK: Media and time

    private func watchMedia() async {
        for await _ in facts.calls {
            let (all, left) = facts.take()
            if left > 0 { call.note("\(left) messages of the bridge are left out") }
            for fact in all {
                call.learn(fact, at: MonotonicClock.now)
                await drain()
            }
        }
    }

    private func keepTime() async {
        var lookedAt = MonotonicClock.now
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.timerInterval)
            let now = MonotonicClock.now
            call.handleTimeout(at: now)
            if now - lookedAt >= CallWatch.interval {
                lookedAt = now
                let hasMedia = try? await media?.run { $0.takeArrival() }
                call.looked(hasMedia: hasMedia ?? false, at: now)
            }
            await drain()
        }
    }

    // MARK: Wishes

    public func want(_ track: TrackID, layer: LayerPreference) async {
        call.want(track, layer: layer, at: MonotonicClock.now)
        await drain()
    }

    public func want(_ track: TrackID, isHeard: Bool) async {
        call.want(track, isHeard: isHeard, at: MonotonicClock.now)
        await drain()
    }

    // MARK: Orders

    func drain() async {
        while let order = call.poll() {
            switch order {
            case .ask(let question, let payload, let to):
                errands.continuation.yield(.ask(question, payload, to: to))
            case .send(let stanza): errands.continuation.yield(.send(stanza))
            case .post(let request): errands.continuation.yield(.post(request))
            case .media(let order): await obey(order)
            case .tellBridge(let text): tellBridge(text)
            case .joined: feed.send(.joined)
            case .roster(let peers): feed.send(.roster(peers))
            case .layers(let tracks): feed.send(.layers(tracks))
            case .path(let state): feed.send(.path(state))
            case .speakers(let speakers): feed.send(.activeSpeakers(speakers))
            case .message(let message): feed.send(.message(message))
            case .warn(let words): logger.warning("conference", metadata: ["notice": "\(words)"])
            case .end(let reason):
                end = end ?? reason
                // What was said before is on its way.
                errands.continuation.finish()
            }
        }
    }
}

extension RoomEnd {
    /// - Parameter end: one that another attempt does not mend.
    init(_ end: ConnectionEnd) {
        switch end {
        case .failed(.authentication), .failed(.refused):
            self = .refused(code: 401, message: end.description)
        // Neither our account nor the room is at fault.
        default: self = .givenUp(end.description)
        }
    }
}

extension CallReply {
    fileprivate init(to question: XMPPClient.Question) async {
        do throws(RequestFailure) {
            self = .result(try await question.answer())
        } catch {
            if case .refused(let error) = error { self = .refused(error) } else { self = .silence }
        }
    }
}

extension Endpoint {
    fileprivate var host: String {
        switch self {
        case .tcp(let host, _): host
        case .webSocket(let url): url.host
        }
    }
}

extension JitsiCall {
    mutating func learn(_ fact: CallFact, at now: Instant) {
        switch fact {
        case .state(let number, let state): stateChanged(number, state, at: now)
        case .channelOpened(let number): channelOpened(number, at: now)
        case .channelClosed(let number): channelClosed(number, at: now)
        case .heard(let number, let text): received(text, onChannelOf: number, at: now)
        }
    }
}
