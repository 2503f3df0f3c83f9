internal import ClientConnections
internal import Clocks
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
    /// Stanzas that wait for the stream, and facts of the media that wait for the call.
    private static let waitingMaximum = 4096
    /// How long a client that leaves waits for the stream to end.
    private static let lastWait: Duration = .seconds(2)

    /// What is on its way to the server.
    private enum Errand: Sendable {
        case send(XMLElement)
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
    private let errands: AsyncStream<Errand>
    private let outbox: AsyncStream<Errand>.Continuation
    private let facts: AsyncStream<CallFact>
    let factSink: AsyncStream<CallFact>.Continuation
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
        self.makeObserver = makeObserver
        (errands, outbox) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waitingMaximum))
        (facts, factSink) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waitingMaximum))
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
        outbox.finish()
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
            client = XMPPClient(
                address.settings, at: address.server, tls: try TLSClient(address.trust),
                on: eventLoop)
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
            let reason = await client.run()
            if let end { return end }
            guard !isLeaving, !Task.isCancelled else { return nil }
            logger.warning("server lost", metadata: ["error": "\(reason)"])
            guard reason.mayPass else { return .refused(code: 401, message: "\(reason)") }
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
        for await errand in errands {
            switch errand {
            // Without a stream there is nobody who waits for it.
            case .send(let stanza): try? await client.send(stanza)
            case .ask(let question, let payload, let to):
                Task {
                    await self.replied(question, await Self.ask(client, payload, to))
                }
            }
        }
        client.leave()
    }

    private static func ask(
        _ client: XMPPClient, _ payload: XMLElement, _ to: JID
    ) async -> CallReply {
        do throws(RequestFailure) {
            return .result(try await client.ask(.set, payload, to: to))
        } catch {
            if case .refused(let error) = error { return .refused(error) }
            return .silence
        }
    }

    private func replied(_ question: CallQuestion, _ reply: CallReply) async {
        call.answered(question, reply, at: MonotonicClock.now)
        await drain()
    }

    // MARK: Media and time

    private func watchMedia() async {
        for await fact in facts {
            let now = MonotonicClock.now
            switch fact {
            case .state(let number, let state): call.stateChanged(number, state, at: now)
            case .channelOpened(let number): call.channelOpened(number, at: now)
            case .channelClosed(let number): call.channelClosed(number, at: now)
            case .heard(let number, let text): call.received(text, onChannelOf: number, at: now)
            }
            await drain()
        }
    }

    private func keepTime() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.timerInterval)
            call.handleTimeout(at: MonotonicClock.now)
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
                outbox.yield(.ask(question, payload, to: to))
            case .send(let stanza): outbox.yield(.send(stanza))
            case .media(let order): await obey(order)
            case .tellBridge(let text): tellBridge(text)
            case .joined: feed.send(.joined)
            case .roster(let peers): feed.send(.roster(peers))
            case .path(let state): feed.send(.path(state))
            case .speakers(let speakers): feed.send(.activeSpeakers(speakers))
            case .message(let message): feed.send(.message(message))
            case .warn(let words): logger.warning("conference", metadata: ["notice": "\(words)"])
            case .end(let reason):
                end = end ?? reason
                // What was said before is on its way.
                outbox.finish()
            }
        }
    }
}
