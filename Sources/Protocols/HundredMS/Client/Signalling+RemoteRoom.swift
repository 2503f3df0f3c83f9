import MediaKernel
import PeerConnection
import RemoteRoom
import Rooms

// Converts 100ms' values to those of a remote room and back.

extension SignallingRoster {
    var remotePeers: [RemotePeer] {
        peers.map { peer in
            RemotePeer(
                id: peer.peerID, name: peer.info.name, role: peer.role, metadata: peer.info.data,
                joinedAt: peer.joinedAt ?? 0,
                tracks: tracks(of: peer.peerID).map { track in
                    RemoteTrack(
                        id: track.trackID, isVideo: track.type == .video,
                        source: TrackSource(named: track.source), isMuted: track.mute)
                })
        }
    }
}

extension TrackSource {
    /// From the source name with which a 100ms client publishes a track.
    init(named word: String) {
        switch word {
        case "regular": self = .regular
        case _ where Track.presentations.contains(word): self = .presentation
        // A playlist's audio, and custom sources of clients.
        default: self = .other
        }
    }

    /// The source name with which our client publishes a track.
    fileprivate var word: String {
        switch self {
        case .regular, .other: "regular"
        case .presentation: "screen"
        }
    }
}

extension TrackPayload {
    init(_ track: LocalTrack) {
        self.init(
            trackID: track.id, streamID: track.media.streamID,
            type: track.isVideo ? .video : .audio, source: track.source.word, mute: track.isMuted)
    }
}

extension TrackMuteRequest {
    /// The mute requests in an event; most events have none.
    static func requests(of event: SignallingEvent) -> [TrackMuteRequest] {
        switch event {
        case .trackMuteRequested(let request):
            return [TrackMuteRequest(isMuted: request.mute, target: .track(request.trackID))]
        case .mutesRequested(let request):
            // A shared screen is asked by its id.
            guard request.source ?? "regular" == "regular" else { return [] }
            return [false, true].filter { isVideo in
                request.type.map { ($0 == .video) == isVideo } ?? true
            }
            .map { TrackMuteRequest(isMuted: request.value, target: .kind(isVideo: $0)) }
        default:
            return []
        }
    }
}

extension RoomMessage {
    init(_ message: BroadcastNotification) {
        self.init(
            sender: message.peer?.peerID, type: message.info.type ?? "chat",
            content: message.info.message, isPrivate: message.isPrivate ?? false)
    }
}

extension RemoteRoomEvent {
    /// Nil for a data channel frame that a program cannot use.
    init?(channelText text: String) {
        if let payload = TrackLayersPayload(frame: text) {
            self = .layers(payload.tracks.values.map { TrackLayers($0) })
        } else if let payload = ActiveSpeakersPayload(frame: text) {
            self = .activeSpeakers(
                payload.speakerList.map {
                    RemoteSpeaker(peer: $0.peerID, track: $0.trackID, level: $0.level)
                })
        } else {
            return nil
        }
    }
}

extension TrackLayers {
    init(_ track: TrackLayersPayload.Track) {
        self.init(
            track: track.trackID, current: track.currentLayer, expected: track.expectedLayer,
            isSubscriberDegraded: track.isSubscriberDegraded,
            isPublisherDegraded: track.isPublisherDegraded,
            layers: (track.layers ?? []).map {
                Layer(name: $0.layer, width: $0.width, height: $0.height)
            })
    }
}
