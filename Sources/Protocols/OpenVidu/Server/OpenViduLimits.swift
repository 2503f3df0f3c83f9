/// The limits of one connection: what it may send, and what may be queued for it.
public struct OpenViduLimits: Hashable, Sendable {
    /// In bytes of UTF-8: an offer with its JSON escapes fits. A longer frame closes the connection
    /// with 1009.
    public static let frameBytes = 256 * 1024
    /// In bytes of UTF-8.
    static let sdpBytes = 64 * 1024
    /// In bytes of UTF-8: an ICE candidate.
    static let candidateBytes = 2048
    /// In bytes of UTF-8: the address that a client has for a token, with the token.
    public static let tokenBytes = 8192
    /// In bytes of UTF-8: an id that a client sends.
    static let identifierBytes = 256
    /// Connections that one signal may be addressed to.
    static let signalTargets = 100

    /// How long a client may be connected before it joins.
    public static let patience: Duration = .seconds(30)
    /// Frames that it may send before that. Clients need two.
    static let framesBeforeJoin = 32

    /// A connection is lost after so many of the intervals at which its client says it pings.
    static let pingsMissed = 3
    /// In milliseconds: the intervals that are believed.
    static let pingIntervals = 1000.0...30_000.0
    /// How long a client that has left, or was put out, may take to close its socket.
    static let closing: Duration = .seconds(10)
    /// How long a recorder without a socket keeps its place from another one, as in OpenVidu.
    static let recorderAbsence: Duration = .seconds(10)

    /// Frames that one connection may send: the sustained rate …
    public var framesPerSecond = 100
    /// … and the burst. A connection that exceeds it is closed with 1008. A browser sends some
    /// twenty for each stream.
    public var framesBurst = 2000
    /// The same in bytes of UTF-8.
    public var bytesPerSecond = 512 * 1024
    public var bytesBurst = 8 * 1024 * 1024
    /// Frames that may wait for a slow reader before it is disconnected.
    public var outboxFrames = 1024
    /// The same in bytes of UTF-8.
    public var outboxBytes = 4 * 1024 * 1024
    /// Connections in a room at once.
    public var connections = 2000
    /// How long a client that never pings may be silent.
    public var silence: Duration = .seconds(45)

    public init() {}
}
