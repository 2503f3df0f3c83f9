import Streams

extension StreamEnd {
    /// Parses the words of records that predate codes. Failures have a prefix there, and their
    /// cause is unknown.
    init(legacyReason words: String) {
        let mark = "failure: "
        let plain: [StreamEnd] = [
            .stopped, .lastPeerLeft, .nothingPublished, .durationReached, .roomEnded,
            .serverStopped, .variantRefused, .failed(.serverRestarted),
        ]
        if let end = plain.first(where: { $0.description == words }) {
            self = end
        } else if words.hasPrefix(mark) {
            self = .failed(StreamFailure(.unknown, String(words.dropFirst(mark.count))))
        } else {
            self = .botLeft(words)
        }
    }
}
