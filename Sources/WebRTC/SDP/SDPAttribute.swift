/// An attribute that this module has no typed field for, kept as it was: `a=<name>[:<value>]`.
public struct SDPAttribute: Hashable, Sendable {
    public var name: String
    public var value: String?

    public init(_ name: String, _ value: String? = nil) {
        self.name = name
        self.value = value
    }

    init(parsing text: Substring) {
        let (name, value) = text.divided(at: ":")
        self.init(String(name), value.map { String($0) })
    }

    /// The text after `a=`.
    var rendered: String { value.map { "\(name):\($0)" } ?? name }
}

/// A line that is no attribute and has no typed field (`i=`, `k=`, …), kept as it was.
public struct SDPOtherLine: Hashable, Sendable {
    /// A lower-case letter.
    public var type: Character
    public var value: String

    public init(type: Character, value: String) {
        self.type = type
        self.value = value
    }
}

/// `b=<type>:<value>`. RFC 8866 sect. 5.8.
public struct Bandwidth: Hashable, Sendable {
    /// `AS` (kbit/s) or `TIAS` (bit/s), or another type as written.
    public var type: String
    public var value: UInt64

    public init(type: String, value: UInt64) {
        self.type = type
        self.value = value
    }
}
