/// A file of settings in HOCON, with its substitutions resolved and its included files read: the
/// language of Typesafe config (github.com/lightbend/config, HOCON.md).
///
/// Left out: `.properties` files, includes by address or from a class path, relative units of size,
/// and objects whose keys are numbers as lists. A text costs time in proportion to its length and
/// to what its substitutions copy, which is limited.
public struct HOCONDocument: Sendable {
    /// An object.
    public let root: HOCONValue
    /// What was to be included, in order. A file that is not there counts as empty, unless it is
    /// `required`.
    public let included: [HOCONInclude]

    /// - Parameters:
    ///   - source: the name of the file, for messages.
    ///   - environment: where substitutions look that find nothing in the file.
    ///   - load: the text of an included file; nil if it is not there. Without `load`, an include
    ///     is refused.
    public init(
        _ text: String, source: String, environment: [String: String] = [:],
        limits: HOCONLimits = HOCONLimits(),
        load: ((HOCONInclude) throws(HOCONFault) -> HOCONText?)? = nil
    ) throws(HOCONFault) {
        let reading = HOCONReading(limits: limits, load: load)
        let tree = HOCONFields()
        var parser = try HOCONParser(text, source: source, reading)
        try parser.document(into: tree, path: [], depth: 0)
        var resolver = HOCONResolver(tree, environment: environment, limits: limits)
        let top = HOCONExpression(
            .object(tree), at: HOCONPlace(source: source, line: 1, column: 1))
        root = try resolver.value(top) ?? HOCONValue(.object([:]), at: top.place)
        included = reading.included
    }
}

/// A file that another one includes.
public struct HOCONInclude: Hashable, Sendable {
    /// As written: absolute, or from the directory of the file that includes it.
    public let name: String
    /// Of the statement.
    public let place: HOCONPlace
    public internal(set) var isFound = false
}

/// The text of an included file.
public struct HOCONText: Sendable {
    public let text: String
    /// The name of the file, for messages, and for the files that it includes in turn.
    public let source: String

    public init(_ text: String, source: String) {
        self.text = text
        self.source = source
    }
}
