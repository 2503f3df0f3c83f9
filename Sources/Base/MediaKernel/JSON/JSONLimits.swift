/// How much JSON is read before anything is made of it. What passes costs time in proportion to its
/// length, and no more than its limits.
public struct JSONLimits: Hashable, Sendable {
    /// Objects and arrays inside each other, the outermost included.
    public var depth: Int
    /// Values and the names of members, all together.
    public var nodes: Int

    public init(depth: Int, nodes: Int) {
        self.depth = depth
        self.nodes = nodes
    }

    /// For bodies and files of people: twice as deep as the deepest template, and what fits into
    /// the longest body.
    public static let standard = JSONLimits(depth: 16, nodes: 131_072)
    /// For one frame of a client: the largest poll has some 20,000.
    public static let frame = JSONLimits(depth: 16, nodes: 32_768)
    /// For what our own server, bots and finishers write, whose length is limited elsewhere. It may
    /// wrap what somebody else was allowed to write.
    public static let own = JSONLimits(depth: 32, nodes: .max)

    /// In bytes. No number that a program can use is as long.
    static let numberBytes = 128
}

/// Why a text was not read as JSON.
public enum JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not JSON by RFC 8259: not UTF-8, a lone surrogate or a number without end included.
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
