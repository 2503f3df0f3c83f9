import Datagrams
import NIOCore
import PeerConnection
import SecureTransport
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
        let identity = try DTLSIdentity.generate()
        let (eventLoop, makeObserver) = (eventLoop, makeObserver)
        let (network, receivesVideo) = (configuration.network, configuration.receivesVideo)
        let readsAtTicks = configuration.readsAtTicks
        let changed: @Sendable (ConnectionDirection, PeerConnectionState) -> Void = {
            [weak self] direction, state in
            guard direction == .publish, state == .failed || state == .disconnected else { return }
            // The loop cannot wait for an actor.
            Task { try await self?.publishConnectionLost() }
        }
        let eventSink = eventSink
        let heard: @Sendable (String) -> Void = { text in
            guard let payload = TrackLayersPayload(frame: text) else { return }
            eventSink.yield(.trackLayers(Array(payload.tracks.values)))
        }
        let media = try await eventLoop.submit {
            NIOLoopBound(
                ClientMedia(
                    eventLoop: eventLoop, identity: identity, observer: makeObserver(),
                    network: network, receivesVideo: receivesVideo, readsAtTicks: readsAtTicks,
                    stateChanged: changed, channelText: heard),
                eventLoop: eventLoop)
        }.get()
        func bind(_ direction: ConnectionDirection) async throws -> NIOLoopBound<DatagramSocket> {
            try await DatagramSocket.bind(
                host: "0.0.0.0", port: 0, on: eventLoop, readsByItself: !readsAtTicks
            ) {
                DatagramSocket.Handlers(
                    received: { media.value.received($0, from: $1, direction) },
                    batchEnded: { media.value.flush() })
            }.get()
        }
        let publish = try await bind(.publish)
        let subscribe = try await bind(.subscribe)
        try await eventLoop.submit {
            media.value.start(publish: publish.value, subscribe: subscribe.value)
        }.get()
        self.media = media
    }

    func stopMedia() async {
        guard let media else { return }
        self.media = nil
        try? await eventLoop.submit { media.value.stop() }.get()
    }

    /// The client restarts the publish side; the server the other (hms.md sect. 9).
    func publishConnectionLost() async throws {
        guard membership == .inside, !isLeaving else { return }
        needsRestart = true
        isOfferOutstanding = false
        try await offerPublish()
    }
}
