import Streams

extension StreamEnd {
    /// The words of records that predate codes. They stand here because files have them: today's
    /// words may change.
    private static let legacyReasons: [String: StreamEnd] = [
        "client request": .stopped,
        "last peer left": .lastPeerLeft,
        "nothing published": .nothingPublished,
        "max duration reached": .durationReached,
        "room ended": .roomEnded,
        "server shutdown": .serverStopped,
        "another variant cannot be started": .variantRefused,
        "failure: the server was restarted": .failed(.serverRestarted),
    ]

    /// Parses those. Failures have a prefix there, and their cause is unknown.
    init(legacyReason words: String) {
        let mark = "failure: "
        if let end = Self.legacyReasons[words] {
            self = end
        } else if words.hasPrefix(mark) {
            self = .failed(StreamFailure(.unknown, String(words.dropFirst(mark.count))))
        } else {
            self = .botLeft(words)
        }
    }
}
