/// The limits of one connection: what it may send, and what may be queued for it.
public struct SignallingLimits: Hashable, Sendable {
    /// In bytes of UTF-8; an offer of the largest SDP with its JSON escapes fits. A longer frame
    /// closes the connection with 1009.
    public static let frameBytes = 256 * 1024
    /// The same of a peer that has joined. The socket layer refuses a longer one before it is
    /// whole.
    public static let joinedFrameBytes = 1024 * 1024
    /// In bytes of UTF-8: a frame of most methods. The longest holds a peer's metadata, each
    /// character as an escape. `MethodTerms` has those that hold more.
    public static let requestBytes = 64 * 1024
    /// In bytes of UTF-8: a description before the join, which holds what one peer publishes.
    public static let sdpBytes = 64 * 1024
    /// The same of a peer that has joined: its answer has a section of some 700 bytes for every
    /// track it receives, and the offers of 100ms' web SDK one of some 5000 for every track that it
    /// has ever published. With its JSON escapes it fits into a frame.
    public static let joinedSDPBytes = 900 * 1024
    /// In bytes of UTF-8: an ICE candidate, a media section's id.
    public static let candidateBytes = 2048
    /// In bytes of UTF-8: one frame of the data channel.
    public static let dataFrameBytes = 16 * 1024
    /// In bytes of UTF-8: a variant's meeting URL, and its metadata.
    public static let meetingURLBytes = 2048
    /// Timed metadata of one request: as much as a stream takes at once.
    public static let timedMetadata = 20
    /// Unfinished walks through `find-peer` of one peer; the oldest is forgotten.
    public static let iterators = 16
    /// Peers on one page of `find-peer`.
    public static let pagePeers = 100
    /// Peers listed in a preview's `room-state`, and speakers in `active-speakers`.
    public static let previewPeers = 100
    public static let speakers = 20
    /// Peers in one frame of `on-connection-quality-update`.
    public static let qualities = 100

    /// A client pings every 3 s: one that has said nothing for longer than this has not read what it
    /// was told since, and is told it again on its next connection. What it was told before that it
    /// may have read, and 100ms' clients show a message that comes twice twice.
    static let hearing: Duration = .seconds(4)
    /// From when something is said until it waits for a socket, at most.
    static let telling: Duration = .milliseconds(100)

    /// Frames that one connection sends, of any kind: so many a second for long …
    public var framesPerSecond = 250
    /// … and so many at once. Whoever sends more is closed with 1008.
    public var framesBurst = 2500
    /// The same in bytes of UTF-8: in the largest room an answer has some 300 KiB and comes once a
    /// second at most.
    public var bytesPerSecond = 1024 * 1024
    public var bytesBurst = 8 * 1024 * 1024
    /// Frames that wait for a slow reader before it is let go.
    public var outboxFrames = 1024
    /// The same in bytes of UTF-8.
    public var outboxBytes = 4 * 1024 * 1024
    /// Connections of a room at once, those that only look in included.
    public var connections = 2000
    /// A client pings every 3 s, and gives up after 12: one that has been silent for so long is
    /// gone, though its network never said so.
    public var silence: Duration = .seconds(45)
    /// The same of a peer whose media has stopped too: its client has given this socket up.
    public var silenceWithoutMedia: Duration = .seconds(12)
    /// How long a closing connection may take to read what it was told last.
    public var closing: Duration = .seconds(5)

    public init() {}
}
