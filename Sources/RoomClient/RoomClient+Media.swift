import Logging
import NIOCore
import PeerConnection
import Signalling

/// The media's side, which lives on an event loop of its own.
extension RoomClient {
    /// Runs on the media loop.
    public func onMedia<Result: Sendable>(
        _ body: @escaping @Sendable (ClientMedia) throws -> Result
    ) async throws -> Result {
        guard let media else { throw RoomClientError.protocolViolation("not connected") }
        return try await eventLoop.submit {
            defer { media.value.flush() }
            return try body(media.value)
        }.get()
    }

    func startMedia() async throws {
        let eventSink = eventSink
        let changed: @Sendable (ConnectionDirection, PeerConnectionState) -> Void = {
            [weak self] direction, state in
            guard direction == .publish else {
                eventSink.yield(.receiving(state))
                return
            }
            guard state == .failed || state == .disconnected else { return }
            // The loop cannot wait for an actor.
            Task { try await self?.publishConnectionLost() }
        }
        let heard: @Sendable (String) -> Void = { text in
            guard let payload = TrackLayersPayload(frame: text) else { return }
            eventSink.yield(.trackLayers(Array(payload.tracks.values)))
        }
        let media = try await ClientMedia.open(
            on: eventLoop, network: configuration.network,
            receivesVideo: configuration.receivesVideo,
            readingInterval: configuration.readingInterval,
            makeObserver: makeObserver, stateChanged: changed, channelText: heard)
        self.media = media
        if let shortage = try await eventLoop.submit({ media.value.receiveBufferShortage }).get() {
            logger.warning("receive buffer is small", metadata: ["reason": "\(shortage)"])
        }
    }

    func stopMedia() async {
        guard let media else { return }
        self.media = nil
        try? await eventLoop.submit { media.value.stop() }.get()
    }

    /// The client restarts the publish side; the server the other (docs/PROTOCOL.md sect. 9).
    func publishConnectionLost() async throws {
        guard membership == .inside, !isLeaving else { return }
        needsRestart = true
        isOfferOutstanding = false
        try await offerPublish()
    }
}
