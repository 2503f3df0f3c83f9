/// The number of a connection that carries one stream. Its owner never uses one twice.
public struct StreamConnectionID: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int

    public init(_ rawValue: Int) { self.rawValue = rawValue }

    public var description: String { "\(rawValue)" }
}
