public import MediaKernel
public import PeerConnection
public import SDP

/// An event from the media plane of one room.
public enum MediaEvent: Sendable {
    /// An offer of the subscribe connection, for the peer to answer through this WebSocket.
    case subscribeOffer(PeerID, SessionDescription, signallingSocket: Int)
    case connection(PeerID, ConnectionKey, PeerConnectionState)
    /// The first packet of a track has arrived, or no packet for a while. The id is the
    /// publisher's.
    case trackMedia(PeerID, TrackID, isFlowing: Bool)
    /// The peer exceeds the budget of this track or, if nil, of all its tracks together. Repeated
    /// at intervals while it lasts.
    case excessMedia(PeerID, TrackID?)
    /// Text that a peer sent on its data channel.
    case dataText(PeerID, ConnectionKey, String)
    /// Bytes that a peer sent on a data channel.
    case dataBinary(PeerID, ConnectionKey, [UInt8])
    /// The layers that the peer receives of these videos have changed.
    case trackLayers(PeerID, [TrackLayers])
    /// The active speakers, loudest first; levels 1…100. Empty when the room falls silent.
    case activeSpeakers([ActiveSpeaker])
    /// Connection quality: of all peers at intervals, in between of those whose score has changed.
    case connectionQuality([PeerQuality])
}

/// The quality of a peer's downlink.
public struct PeerQuality: Sendable, Hashable {
    public var peer: PeerID
    /// 0 (nothing arrives) to 5 (everything arrives).
    public var score: Int

    public init(peer: PeerID, score: Int) {
        self.peer = peer
        self.score = score
    }
}

public struct ActiveSpeaker: Sendable, Hashable {
    public var peer: PeerID
    /// The publisher's id of the track.
    public var track: TrackID
    /// 1 (barely heard) … 100 (full scale).
    public var level: Int

    public init(peer: PeerID, track: TrackID, level: Int) {
        self.peer = peer
        self.track = track
        self.level = level
    }
}
