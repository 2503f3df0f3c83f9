import Logging
import MediaKernel
import MediaServer
import PeerConnection
import Rooms
import SDP
import Signalling

/// The media side of a room in the words of its signalling.
struct RoomMediaBridge: RoomMedia {
    private let room: MediaRoom
    let events: AsyncStream<RoomMediaEvent>

    init(_ room: MediaRoom, logger: Logger) {
        self.room = room
        let (events, sink) = AsyncStream.makeStream(
            of: RoomMediaEvent.self, bufferingPolicy: .bufferingOldest(MediaRoom.eventsMaximum))
        self.events = events
        // Ends with the room's own events, when its media is closed.
        Task {
            for await event in room.events {
                guard let event = RoomMediaEvent(event) else { continue }
                if case .dropped = sink.yield(event) {
                    logger.error("media events lost")
                }
            }
            sink.finish()
        }
    }

    func addPeer(_ peer: PeerID, asksForVideos: Bool, isRecorder: Bool) async throws {
        try await room.addPeer(peer, asksForVideos: asksForVideos, isRecorder: isRecorder)
    }

    func removePeer(_ peer: PeerID) async { await room.removePeer(peer) }

    func publishOffer(_ sdp: String, from peer: PeerID) async throws -> String {
        try await room.publishOffer(sdp, from: peer)
    }

    func subscribeAnswer(_ sdp: String, from peer: PeerID) async throws {
        try await room.subscribeAnswer(sdp, from: peer)
    }

    func answerRefused(from peer: PeerID) async { await room.answerRefused(from: peer) }

    func trickle(_ candidate: String, target: TransportTarget, from peer: PeerID) async throws {
        try await room.trickle(candidate, on: ConnectionKey(target), from: peer)
    }

    func setSubscriptions(_ subscriptions: [PeerSubscriptions]) async {
        await room.setSubscriptions(subscriptions.map(SubscriberTerms.init))
    }

    func restartSubscribe(of peer: PeerID, socket: Int) async {
        await room.restartSubscribe(of: peer, signallingSocket: socket)
    }

    func prefer(_ layer: VideoLayerPreference, of track: TrackID, for peer: PeerID) async {
        await room.setPreference(LayerPreference(layer), track: track, of: peer)
    }

    func sendData(_ texts: [(peer: PeerID, text: String)]) async { await room.sendTexts(texts) }
}

extension RoomMediaEvent {
    /// Nil for what happens on connections that 100ms' clients do not have.
    fileprivate init?(_ event: MediaEvent) {
        switch event {
        case .subscribeOffer(let peer, let offer, let socket):
            self = .subscribeOffer(peer, sdp: offer.rendered(), socket: socket)
        case .connection(let peer, let key, let state):
            guard let target = TransportTarget(key) else { return nil }
            self = .connection(peer, target, ConnectionState(state))
        case .trackMedia(let peer, let track, let isFlowing):
            self = .trackMedia(peer, track, hasMedia: isFlowing)
        case .excessMedia(let peer, let track):
            self = .excessMedia(peer, track)
        case .dataText(let peer, _, let text):
            self = .dataMessage(peer, text)
        case .dataBinary:
            return nil
        case .trackLayers(let peer, let tracks):
            self = .trackLayers(peer, tracks.map(TrackLayersPayload.Track.init))
        case .activeSpeakers(let speakers):
            self = .activeSpeakers(speakers.map { ($0.peer, $0.track, level: $0.level) })
        case .connectionQuality(let qualities):
            self = .connectionQuality(qualities.map { ($0.peer, score: $0.score) })
        }
    }
}

extension SubscriberTerms {
    fileprivate init(_ subscriptions: PeerSubscriptions) {
        self.init(
            peer: subscriptions.peer,
            tracks: subscriptions.tracks.map { entry in
                WantedTrack(
                    id: entry.track.id, publisher: entry.publisher,
                    publishedID: entry.track.publishedID, isVideo: entry.track.kind == .video,
                    statedBitsPerSecond: entry.bitRate.map { min($0, 1_000_000) * 1000 },
                    importance: TrackImportance(
                        priority: entry.priority, isScreen: entry.track.isPresentation))
            },
            bitsPerSecondMaximum: subscriptions.bitRateMaximum.map { $0 * 1000 },
            lossDegradation: subscriptions.degradation.map(LossDegradationRule.init))
    }
}

extension LossDegradationRule {
    fileprivate init(_ degradation: SubscribeDegradation) {
        self.init(
            threshold: Double(degradation.packetLossThreshold) / 100,
            degradeGrace: .seconds(degradation.degradeGracePeriodSeconds),
            recoverGrace: .seconds(degradation.recoverGracePeriodSeconds))
    }
}

extension LayerPreference {
    fileprivate init(_ layer: VideoLayerPreference) {
        switch layer {
        case .none: self = .none
        case .low: self = .low
        case .medium: self = .medium
        case .high: self = .high
        }
    }
}

extension VideoLayerPreference {
    fileprivate init(_ layer: LayerPreference) {
        switch layer {
        case .none: self = .none
        case .low: self = .low
        case .medium: self = .medium
        case .high: self = .high
        }
    }
}

extension TrackLayersPayload.Track {
    fileprivate init(_ layers: TrackLayers) {
        self.init(
            trackID: layers.track, currentLayer: .init(layers.current),
            expectedLayer: .init(layers.expected),
            isSubscriberDegraded: layers.isSubscriberDegraded,
            isPublisherDegraded: layers.isPublisherDegraded,
            layers: layers.layers.map {
                .init(layer: .init($0.name), width: $0.width, height: $0.height)
            })
    }
}

extension ConnectionKey {
    fileprivate init(_ target: TransportTarget) {
        switch target {
        case .publish: self = .publish
        case .subscribe: self = .subscribe
        }
    }
}

extension TransportTarget {
    fileprivate init?(_ key: ConnectionKey) {
        switch key {
        case .publish: self = .publish
        case .subscribe: self = .subscribe
        case .named: return nil
        }
    }
}

extension ConnectionState {
    fileprivate init(_ state: PeerConnectionState) {
        switch state {
        case .new: self = .new
        case .connecting: self = .connecting
        case .connected: self = .connected
        case .disconnected: self = .disconnected
        case .failed: self = .failed
        case .closed: self = .closed
        }
    }
}
