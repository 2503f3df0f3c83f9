public import MediaKernel

/// Decides when a call is over in which nothing happens, by Jibri's rules.
public struct CallWatch: Sendable {
    /// How often Jibri looks.
    public static let interval = Duration.seconds(15)

    /// What there is in the call at one time. Hidden participants do not count.
    public struct Facts: Hashable, Sendable {
        /// Without us.
        public var participants: Int
        /// Of these, those without sound and picture.
        public var muted: Int
        /// Of these, callers by telephone, of whom nobody knows whether they are muted.
        public var callers: Int
        /// Whether media arrived since the last time.
        public var hasMedia: Bool
        public var isConnected: Bool

        public init(
            participants: Int, muted: Int, callers: Int, hasMedia: Bool, isConnected: Bool
        ) {
            self.participants = participants
            self.muted = muted
            self.callers = callers
            self.hasMedia = hasMedia
            self.isConnected = isConnected
        }
    }

    private let timeouts: CallTimeouts
    private let deadline: Instant?
    private var lastMedia: Instant
    private var lastConnected: Instant
    private var emptySince: Instant?
    private var mutedSince: Instant?

    /// - Parameters:
    ///   - usageTimeout: of the whole recording; nil for none.
    ///   - start: when the room was joined.
    public init(_ timeouts: CallTimeouts, usageTimeout: Duration?, from start: Instant) {
        self.timeouts = timeouts
        deadline = usageTimeout.map { start + $0 }
        lastMedia = start
        lastConnected = start
    }

    /// - Returns: nil while the recording goes on.
    public mutating func check(_ facts: Facts, at now: Instant) -> RecordingEnd? {
        let isEmpty = facts.participants == 0
        let isMuted = facts.muted + facts.callers >= facts.participants
        emptySince = isEmpty ? emptySince ?? now : nil
        mutedSince = isMuted ? mutedSince ?? now : nil
        // After a silence that was meant, media has its whole time to come.
        if facts.hasMedia || isMuted { lastMedia = now }
        // In an empty call there may be nothing to be connected to.
        if facts.isConnected || isEmpty { lastConnected = now }
        if let deadline, now >= deadline { return .finished }
        if let emptySince, now - emptySince > timeouts.empty { return .finished }
        if let mutedSince, now - mutedSince > timeouts.allMuted { return .finished }
        if now - lastMedia > timeouts.noMedia { return .failed(.noMedia) }
        if now - lastConnected > timeouts.connection { return .failed(.connectionFailed) }
        return nil
    }
}
