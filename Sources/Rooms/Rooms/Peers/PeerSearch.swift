/// A page of the peers whose names contain some text, in any letter case.
public struct PeerSearch: Hashable, Sendable {
    /// The size of a page if the client gives none.
    public static let limitDefault = 10

    /// In the order of joining.
    public let peers: [Peer]
    /// As requested, clamped to 1 … ``RoomLimits/searchPage``.
    public let limit: Int
    /// The number of found peers before this page.
    public let offset: Int
    /// Whether it is the last page.
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
