/// A section by its fixed index in a connection's descriptions, used to dispatch packets. On the
/// wire, sections are identified by mid.
public struct SectionIndex: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: Int

    init(_ rawValue: Int) { self.rawValue = rawValue }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "\(rawValue)" }
}
