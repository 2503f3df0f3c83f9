/// A section of a connection's descriptions by its place in them, which it keeps: what packets are
/// sorted by. On the wire sections go by their mids.
public struct SectionIndex: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: Int

    init(_ rawValue: Int) { self.rawValue = rawValue }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "\(rawValue)" }
}
