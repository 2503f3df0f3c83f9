import Streams

extension StreamEnd {
    /// Reads the words in which records had it before there were codes. A failure began with a mark
    /// there, and its cause is not known any more.
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
