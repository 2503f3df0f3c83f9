internal import MediaKernel
internal import Rooms

/// Pages of leaderboards in the form in which they were sent. When a quiz ends everybody asks for
/// the same one at the same time, and it changes no more: a thousand who do cost one rendering.
struct PollPages {
    struct Key: Hashable {
        let poll: PollID
        /// Another poll may have the id later.
        let createdAt: UnixTime
        let question: Int?
        let range: Range<Int>
    }

    private static let maximum = 32

    private var texts: [Key: String] = [:]

    subscript(key: Key) -> String? { texts[key] }

    /// Keeps a page; all others make room for it where there are too many.
    mutating func keep(_ text: String, for key: Key) {
        if texts.count >= Self.maximum { texts.removeAll() }
        texts[key] = text
    }
}
