/// Limits of JSON texts, checked before any value is decoded. A text within them costs time in
/// proportion to its length.
public struct JSONLimits: Hashable, Sendable {
    /// Nested objects and arrays, including the outermost.
    public var depth: Int
    /// Values and member names in total.
    public var nodes: Int

    public init(depth: Int, nodes: Int) {
        self.depth = depth
        self.nodes = nodes
    }

    /// For request bodies and people's files: twice as deep as the deepest template, and enough
    /// nodes for the longest body.
    public static let standard = JSONLimits(depth: 16, nodes: 131_072)
    /// For one frame of a client: the largest poll has some 20,000.
    public static let frame = JSONLimits(depth: 16, nodes: 32_768)
    /// For texts of our own server, bots and finishers, whose length is limited elsewhere. They may
    /// wrap foreign texts.
    public static let own = JSONLimits(depth: 32, nodes: .max)

    /// In bytes. Longer numbers are of no use.
    static let numberBytes = 128
}

/// Why a JSON text was refused.
public enum JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not JSON by RFC 8259; also invalid UTF-8, a lone surrogate and an unfinished number.
    case malformed
    case tooDeep(maximum: Int)
    case tooManyNodes(maximum: Int)

    public var description: String {
        switch self {
        case .malformed: "not valid JSON"
        case .tooDeep(let maximum): "nested deeper than \(maximum)"
        case .tooManyNodes(let maximum): "more than \(maximum) names and values"
        }
    }
}
