/// Where something stands in a text.
public struct HOCONPlace: Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, or of what stands in for one.
    public let source: String
    /// From 1; 0 for a place without lines, such as a variable of the environment.
    public let line: Int
    /// In characters, from 1.
    public let column: Int

    public init(source: String, line: Int = 0, column: Int = 0) {
        self.source = source
        self.line = line
        self.column = column
    }

    public var description: String { line == 0 ? source : "\(source):\(line):\(column)" }
}
