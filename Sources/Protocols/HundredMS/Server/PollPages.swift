internal import MediaKernel
internal import Rooms

/// Cached pages of leaderboards, as sent. When a quiz ends, all peers request the same page at the
/// same time, and it no longer changes: a thousand requests cost one rendering.
struct PollPages {
    struct Key: Hashable {
        let poll: PollID
        /// A later poll may have the same id.
        let createdAt: UnixTime
        let question: Int?
        let range: Range<Int>
    }

    private static let maximum = 32

    private var texts: [Key: String] = [:]

    subscript(key: Key) -> String? { texts[key] }

    /// Keeps a page. If there are too many, all others are removed.
    mutating func keep(_ text: String, for key: Key) {
        if texts.count >= Self.maximum { texts.removeAll() }
        texts[key] = text
    }
}
