/// A page of the peers whose names contain some text, whatever the case of its letters.
public struct PeerSearch: Hashable, Sendable {
    /// On one page when the client names no number.
    public static let limitDefault = 10

    /// In the order in which they joined.
    public let peers: [Peer]
    /// As asked for, brought into 1 … ``RoomLimits/searchPage``.
    public let limit: Int
    /// How many of those who were found come before this page.
    public let offset: Int
    /// Whether nobody comes after it.
    public let isLast: Bool

    init(of query: String, in candidates: [Peer], limit: Int?, offset: Int?) {
        self.limit = min(max(limit ?? Self.limitDefault, 1), RoomLimits.searchPage)
        self.offset = max(offset ?? 0, 0)
        let query = query.lowercased()
        let found = candidates.filter {
            query.isEmpty || $0.name.lowercased().contains(query)
        }
        let page = Page(
            from: self.offset, count: self.limit, maximum: RoomLimits.searchPage, of: found.count)
        peers = Array(found[page.range])
        isLast = page.isLast
    }
}
