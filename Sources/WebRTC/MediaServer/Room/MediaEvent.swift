public import MediaKernel
public import PeerConnection
public import SDP

/// What the media plane of one room has to say.
public enum MediaEvent: Sendable {
    /// The peer is to answer this offer for its subscribe connection, through that WebSocket of it.
    case subscribeOffer(PeerID, SessionDescription, signallingSocket: Int)
    case connection(PeerID, ConnectionKey, PeerConnectionState)
    /// The first packet of a track, named as its publisher does, has come, or none has for a while.
    case trackMedia(PeerID, TrackID, isFlowing: Bool)
    /// The peer sends more of the track than may go on, or of all its tracks together. Told now and
    /// then as long as it lasts.
    case excessMedia(PeerID, TrackID?)
    /// Text that a peer sent on its data channel.
    case dataText(PeerID, ConnectionKey, String)
    /// Bytes that a peer sent on a data channel.
    case dataBinary(PeerID, ConnectionKey, [UInt8])
    /// What the peer gets of these videos has changed.
    case trackLayers(PeerID, [TrackLayers])
    /// Who is heard, loudest first; levels 1…100. Empty when the room fell silent.
    case activeSpeakers([ActiveSpeaker])
    /// How well these peers are reached: all of them now and then, and whose score has changed.
    case connectionQuality([PeerQuality])
}

/// How well what is sent to a peer arrives.
public struct PeerQuality: Sendable, Hashable {
    public var peer: PeerID
    /// 0 (not at all) to 5 (all of it).
    public var score: Int

    public init(peer: PeerID, score: Int) {
        self.peer = peer
        self.score = score
    }
}

public struct ActiveSpeaker: Sendable, Hashable {
    public var peer: PeerID
    /// As its publisher calls it.
    public var track: TrackID
    /// 1 (barely heard) … 100 (full scale).
    public var level: Int

    public init(peer: PeerID, track: TrackID, level: Int) {
        self.peer = peer
        self.track = track
        self.level = level
    }
}
