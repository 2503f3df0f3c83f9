import MediaKernel

/// The name of a part's file: `part_<segment>_<part>.m4s`. The next part's name is known before it
/// exists, so that players can ask for it.
public struct PartName: Hashable, Sendable {
    /// What comes before the numbers, and behind them.
    private let prefix: String
    private let suffix: String
    public let segment: Int
    /// From 0.
    public let part: Int
    /// Of the segment's number, with leading zeros.
    private let digits: Int

    /// Nil for a name of another form.
    public init?(_ uri: String) {
        guard let dot = uri.lastIndex(of: ".") else { return nil }
        let words = uri[..<dot].split(separator: "_", omittingEmptySubsequences: false)
        guard words.count > 2, let part = decimalInteger(words[words.count - 1]),
            let segment = decimalInteger(words[words.count - 2])
        else { return nil }
        self.segment = segment
        self.part = part
        digits = words[words.count - 2].utf8.count
        prefix = words.dropLast(2).joined(separator: "_")
        suffix = String(uri[dot...])
    }

    /// - Parameter endsSegment: whether this part is its segment's last one.
    public func next(endsSegment: Bool) -> String {
        let (number, index) = endsSegment ? (segment + 1, 0) : (segment, part + 1)
        return "\(prefix)_\(paddedDecimal(Int64(number), digits: digits))_\(index)\(suffix)"
    }
}
