/// A page of a list, clamped to the list's bounds.
public struct Page: Hashable, Sendable {
    public let range: Range<Int>
    /// Whether it is the last page.
    public let isLast: Bool

    /// - Parameters:
    ///   - index: of the first entry, from 0; nil for 0.
    ///   - count: clamped to 1 … `maximum`; nil for `maximum`.
    ///   - total: the length of the list.
    public init(from index: Int?, count: Int?, maximum: Int, of total: Int) {
        let start = min(max(index ?? 0, 0), total)
        let end = min(start + min(max(count ?? maximum, 1), maximum), total)
        range = start..<end
        isLast = end == total
    }
}
