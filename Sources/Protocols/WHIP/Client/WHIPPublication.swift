import Clocks
import Logging
import MediaClient
public import MediaKernel
import NIOCore
import PeerConnection
public import RemoteRoom
import SDP

/// Publishes to a WHIP server: one offer and one answer per session, and no other peers. RFC 9725.
///
/// WHIP has no renegotiation, so a change of tracks needs another session. After a lost connection,
/// a new session is attempted for up to a minute.
public actor WHIPPublication: PublishingRoom {
    private let address: WHIPAddress
    private let network: NetworkConditions
    private let logger: Logger
    private nonisolated let feed = RoomEvents()
    private let media: WHIPMedia
    private var dialogue: WHIPDialogue?
    private var tracks: [LocalTrack] = []
    /// Counts sessions, so that an older session's answer can be ignored.
    private var generation = 0

    public nonisolated var events: AsyncStream<RemoteRoomEvent> { feed.stream }

    init(
        address: WHIPAddress, network: NetworkConditions, eventLoop: any EventLoop,
        logger: Logger, makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) {
        self.address = address
        self.network = network
        self.logger = logger
        media = WHIPMedia(eventLoop: eventLoop, makeObserver: makeObserver)
    }

    // MARK: - Life

    public func run() async throws(RoomEnd) {
        defer { feed.finish() }
        let end = await stay()
        await close()
        if let end { throw end }
    }

    public func leave() async {
        media.finish()
        await feed.waitForEnd()
    }

    /// - Returns: nil after `leave()` or a cancellation.
    private func stay() async -> RoomEnd? {
        do {
            dialogue = WHIPDialogue(
                try WHIPExchange(endpoint: address.endpoint, token: address.token),
                logger: logger)
            try await media.open(
                ClientMedia.Configuration(directions: [.publish], network: network), feed: feed)
            feed.send(.joined)
            for await state in media.states {
                switch state {
                case .failed where !tracks.isEmpty: try await beginAgain()
                case .closed where !tracks.isEmpty:
                    return .roomEnded(reason: "the server closed the connection")
                case .new, .connecting, .connected, .disconnected, .failed, .closed: break
                }
            }
            return nil
        } catch let end as RoomEnd {
            return end
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(NetworkFault.words(error))
        }
    }

    private func close() async {
        generation += 1
        await dialogue?.end()
        await media.close()
        await dialogue?.close()
    }

    // MARK: - Publishing

    public func publish(_ tracks: [LocalTrack]) async throws {
        let isFirst = self.tracks.isEmpty && generation == 0
        self.tracks = tracks
        try await begin(onFreshConnection: !isFirst)
    }

    /// WHIP has no mute message. A muted track is not sent.
    public func setMuted(_ isMuted: Bool, track: TrackID) async throws {}

    public func interrupt(for duration: Duration) async throws {
        let end = MonotonicClock.now + duration
        try await media.run { $0.interrupt(until: end) }
    }

    /// Begins a new session after a lost connection.
    private func beginAgain() async throws {
        let lost = MonotonicClock.now
        logger.warning("connection lost", metadata: ["endpoint": "\(address.endpoint)"])
        while true {
            do throws(RoomEnd) {
                return try await begin(onFreshConnection: true)
            } catch {
                guard case .unreachable = error,
                    MonotonicClock.now - lost < WHIPDialogue.patience
                else { throw error }
            }
            try await Task.sleep(for: WHIPExchange.pauseDefault)
        }
    }

    /// Ends the current session and begins one with the current tracks.
    private func begin(onFreshConnection: Bool) async throws(RoomEnd) {
        generation += 1
        let ours = generation
        do {
            // Must come first: a server closes the connection of a session that is deleted.
            if onFreshConnection { try await media.run { try $0.beginAnew() } }
            await dialogue?.end()
            guard ours == generation, !tracks.isEmpty else { return }
            let offered = tracks.map(\.media)
            let offer = try await media.run { try $0.publishOffer(tracks: offered) }
            let answer = try await answer(to: offer)
            guard ours == generation else { return }
            try await media.run { try $0.publishAnswer(answer) }
            feed.send(.published)
        } catch let end as RoomEnd {
            throw end
        } catch is CancellationError {
            return
        } catch {
            throw .failed(String(describing: error))
        }
    }

    private func answer(to offer: SessionDescription) async throws -> SessionDescription {
        guard let dialogue else { throw RoomEnd.protocolViolation("closed") }
        switch try await dialogue.offer(offer) {
        case .answer(let answer): return answer
        case .counterOffer:
            throw RoomEnd.protocolViolation("the server answered with an offer of its own")
        }
    }
}
