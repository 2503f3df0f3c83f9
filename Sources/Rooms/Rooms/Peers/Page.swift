/// A stretch of a list that a client reads page by page, brought into what there is.
public struct Page: Hashable, Sendable {
    public let range: Range<Int>
    /// Whether nothing comes after it.
    public let isLast: Bool

    /// - Parameters:
    ///   - index: of the first one, from 0; nil is the first of all.
    ///   - count: brought into 1 … `maximum`, which is what nil is.
    ///   - total: so many are in the list.
    public init(from index: Int?, count: Int?, maximum: Int, of total: Int) {
        let start = min(max(index ?? 0, 0), total)
        let end = min(start + min(max(count ?? maximum, 1), maximum), total)
        range = start..<end
        isLast = end == total
    }
}
