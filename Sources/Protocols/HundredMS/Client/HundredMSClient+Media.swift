import Logging
import MediaClient
import NIOCore
import PeerConnection
import RemoteRoom

/// The media side, which runs on its own event loop.
extension HundredMSClient {
    /// Runs `body` on the media loop.
    func onMedia<Result: Sendable>(
        _ body: @escaping @Sendable (ClientMedia) throws -> Result
    ) async throws -> Result {
        guard let media else { throw RoomEnd.protocolViolation("not connected") }
        return try await media.run(body)
    }

    func startMedia() async throws {
        let feed = feed
        let changed: @Sendable (ConnectionDirection, PeerConnectionState) -> Void = {
            [weak self] direction, state in
            guard direction == .publish else {
                feed.send(.path(state))
                return
            }
            guard state == .failed || state == .disconnected else { return }
            // The loop cannot wait for an actor.
            Task { try await self?.publishConnectionLost() }
        }
        let heard: @Sendable (String) -> Void = { text in
            if let event = RemoteRoomEvent(channelText: text) { feed.send(event) }
        }
        let media = try await ClientMedia.open(
            on: eventLoop,
            configuration: ClientMedia.Configuration(
                channel: HundredMS.channel, network: configuration.guest.network,
                receivesVideo: configuration.guest.receivesVideo,
                readingInterval: configuration.guest.readingInterval),
            makeObserver: makeObserver, stateChanged: changed, channelText: heard)
        self.media = media
        if let shortage = try await media.run({ $0.receiveBufferShortage }) {
            logger.warning("receive buffer is small", metadata: ["reason": "\(shortage)"])
        }
    }

    func stopMedia() async {
        guard let media else { return }
        self.media = nil
        await media.stop()
    }

    /// The client restarts the publish connection, the server the other (docs/PROTOCOL.md sect. 9).
    func publishConnectionLost() async throws {
        guard membership == .inside, !isLeaving else { return }
        offers.lost(connection: true)
        try await offerPublish()
    }
}
