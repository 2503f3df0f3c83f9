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
    /// The tracks that the peer is sent on a connection that we have offered, by name, have changed.
    case tracksSent(PeerID, ConnectionKey, [SentTrack])
    /// Connection quality: of all peers at intervals, in between of those whose score has changed.
    case connectionQuality([PeerQuality])
}

/// A track as a peer is sent it, for protocols that tell streams by their SSRCs.
public struct SentTrack: Sendable, Hashable {
    /// Its id in the peer's subscriptions.
    public var id: TrackID
    public var publisher: PeerID
    public var ssrc: UInt32
    /// The stream that repeats lost packets (RFC 4588); nil without one.
    public var repairSSRC: UInt32?

    public init(id: TrackID, publisher: PeerID, ssrc: UInt32, repairSSRC: UInt32? = nil) {
        self.id = id
        self.publisher = publisher
        self.ssrc = ssrc
        self.repairSSRC = repairSSRC
    }
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
