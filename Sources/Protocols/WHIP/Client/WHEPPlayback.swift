import Clocks
import Logging
import MediaClient
import MediaKernel
import NIOCore
import PeerConnection
public import RemoteRoom
import SDP

/// A WHEP server's stream as a room with one peer, one video and one audio track.
/// draft-ietf-wish-whep-03.
///
/// WHEP transmits neither names nor mutes; a track is named after its section. The client waits up
/// to a minute for a source that is not on air yet or whose connection was lost.
public actor WHEPPlayback: RemoteRoom {
    /// The peer that publishes.
    static let peer: PeerID = "source"

    private let address: WHEPAddress
    private let guest: RoomGuest
    private let logger: Logger
    private nonisolated let feed = RoomEvents()
    private let media: WHIPMedia
    private var dialogue: WHIPDialogue?
    /// Of the addresses that the server names.
    private var filter: ReachFilter
    nonisolated let stay = RoomStay()

    public nonisolated var events: AsyncStream<RemoteRoomEvent> { feed.stream }

    init(
        address: WHEPAddress, guest: RoomGuest, eventLoop: any EventLoop, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) {
        self.address = address
        self.guest = guest
        self.logger = logger
        filter = ReachFilter(logger: logger)
        media = WHIPMedia(eventLoop: eventLoop, makeObserver: makeObserver)
    }

    public func run() async throws(RoomEnd) {
        defer { feed.finish() }
        let end = await stay.run { await self.remain() }
        await close()
        if let end { throw end }
    }

    /// Also ends the wait for a source that is not on air yet.
    public func leave() async {
        stay.leave()
        await feed.waitForEnd()
    }

    /// - Returns: nil after `leave()` or a cancellation.
    private func remain() async -> RoomEnd? {
        do {
            let exchange = try WHIPExchange(
                endpoint: address.endpoint, token: address.token, purpose: .playing,
                hosts: address.hosts)
            dialogue = WHIPDialogue(exchange, logger: logger)
            try await media.open(
                ClientMedia.Configuration(
                    directions: [.subscribe], network: guest.network,
                    receivesVideo: guest.receivesVideo, namesTracksBySection: true,
                    readingInterval: guest.readingInterval), feed: feed)
            try await begin()
            feed.send(.joined)
            for await state in media.states {
                switch state {
                case .failed: try await beginAgain()
                case .closed: return .roomEnded(reason: "the server closed the connection")
                case .new, .connecting, .connected, .disconnected: break
                }
            }
            return nil
        } catch {
            // A cancelled request fails with an error of its own.
            guard !Task.isCancelled else { return nil }
            return error as? RoomEnd ?? .failed(NetworkFault.words(error))
        }
    }

    private func close() async {
        await dialogue?.end()
        await media.close()
        await dialogue?.close()
    }

    /// Begins a new session after a lost connection.
    private func beginAgain() async throws {
        logger.warning("connection lost", metadata: ["endpoint": "\(address.endpoint)"])
        let lost = MonotonicClock.now
        while true {
            // Must come first: a server closes the connection of a session that is deleted.
            try await media.run { try $0.beginAnew() }
            await dialogue?.end()
            try await Task.sleep(for: WHIPExchange.pauseDefault)
            do {
                return try await begin()
            } catch RoomEnd.unreachable where MonotonicClock.now - lost < WHIPDialogue.patience {
                continue
            }
        }
    }

    private func begin() async throws {
        guard let dialogue else { throw RoomEnd.protocolViolation("closed") }
        let kinds: [MediaSection.Kind] = guest.receivesVideo ? [.audio, .video] : [.audio]
        let offer = try await media.run { try $0.playOffer(kinds) }
        switch try await dialogue.offer(offer) {
        case .answer(let answer):
            let admitted = await admitted(answer, by: dialogue)
            try await media.run { try $0.playAnswer(admitted) }
        case .counterOffer(let counterOffer):
            let offer = await admitted(counterOffer, by: dialogue)
            let answer = try await media.run { media in
                try media.beginAnew()
                return try media.subscribeOffer(offer)
            }
            try await dialogue.answer(answer)
        }
        let tracks = try await media.run { media in
            media.incomingTracks.map {
                RemoteTrack(id: TrackID($0.trackID), isVideo: $0.kind == .video)
            }
        }
        guard !tracks.isEmpty else { throw RoomEnd.protocolViolation("the server sends nothing") }
        feed.send(.roster([RemotePeer(id: Self.peer, name: "", tracks: tracks)]))
    }

    private func admitted(
        _ description: SessionDescription, by dialogue: WHIPDialogue
    ) async -> SessionDescription {
        filter.reach = await dialogue.reach()
        return filter.admitted(description)
    }
}
