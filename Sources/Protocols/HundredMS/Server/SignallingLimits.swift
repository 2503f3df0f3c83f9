/// The limits of one connection: what it may send, and what may be queued for it.
public struct SignallingLimits: Hashable, Sendable {
    /// In bytes of UTF-8; an offer of the largest SDP with its JSON escapes fits. A longer frame
    /// closes the connection with 1009.
    public static let frameBytes = 256 * 1024
    /// The same for a peer that has joined. The socket layer refuses a longer frame before it is
    /// complete.
    public static let joinedFrameBytes = 1024 * 1024
    /// In bytes of UTF-8: a frame of most methods. The longest holds a peer's metadata with each
    /// character escaped. `MethodTerms` lists the methods with longer frames.
    public static let requestBytes = 64 * 1024
    /// In bytes of UTF-8: a description before the join, which holds one peer's published tracks.
    public static let sdpBytes = 64 * 1024
    /// The same for a peer that has joined: its answer has a section of some 700 bytes for every
    /// track that it receives, and offers of 100ms' web SDK have one of some 5000 for every track
    /// that it has ever published. With its JSON escapes the description fits into a frame.
    public static let joinedSDPBytes = 900 * 1024
    /// In bytes of UTF-8: an ICE candidate, a media section's id.
    public static let candidateBytes = 2048
    /// In bytes of UTF-8: one frame of the data channel.
    public static let dataFrameBytes = 16 * 1024
    /// In bytes of UTF-8: a variant's meeting URL, and its metadata.
    public static let meetingURLBytes = 2048
    /// Timed metadata entries of one request: as many as a stream takes at once.
    public static let timedMetadata = 20
    /// Unfinished `find-peer` iterations of one peer; the oldest is forgotten.
    public static let iterators = 16
    /// Peers on one page of `find-peer`.
    public static let pagePeers = 100
    /// Peers listed in a preview's `room-state`, and speakers in `active-speakers`.
    public static let previewPeers = 100
    public static let speakers = 20
    /// Peers in one frame of `on-connection-quality-update`.
    public static let qualities = 100

    /// How long clients try to get back into a room.
    static let reconnection: Duration = .seconds(60)
    /// Answers to invitations by a client that has not joined, per second in the long run, and in a
    /// burst.
    static let invitationActsPerSecond = 1
    static let invitationActsBurst = 10

    /// A client pings every 3 s. One that has been silent for longer than this has not read what it
    /// was sent since, and is sent it again on its next connection. It may have read what it was
    /// sent before, and 100ms' clients show a repeated message twice.
    static let hearing: Duration = .seconds(4)
    /// The most time between a message and its frame being queued for a socket.
    static let telling: Duration = .milliseconds(100)

    /// Frames that one connection may send, of any kind: the sustained rate …
    public var framesPerSecond = 250
    /// … and the burst. A connection that exceeds it is closed with 1008.
    public var framesBurst = 2500
    /// The same in bytes of UTF-8: in the largest room an answer has some 300 KiB and comes at most
    /// once a second.
    public var bytesPerSecond = 1024 * 1024
    public var bytesBurst = 8 * 1024 * 1024
    /// Frames that may wait for a slow reader before it is disconnected.
    public var outboxFrames = 1024
    /// The same in bytes of UTF-8.
    public var outboxBytes = 4 * 1024 * 1024
    /// Connections of a room at once, including those of clients that only preview it.
    public var connections = 2000
    /// A client pings every 3 s and gives up after 12: one that has been silent for this long is
    /// gone, even if its network has not reported it.
    public var silence: Duration = .seconds(45)
    /// The same for a peer whose media has stopped too: its client has given up this socket.
    public var silenceWithoutMedia: Duration = .seconds(12)
    /// How long a closing connection may take to read its last frames.
    public var closing: Duration = .seconds(5)

    public init() {}
}
