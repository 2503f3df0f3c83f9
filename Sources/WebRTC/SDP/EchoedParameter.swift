/// A format parameter that an answer repeats if its value is allowed. Nothing else of an offerer's
/// text gets into our descriptions.
public struct EchoedParameter: Hashable, Sendable {
    public enum Values: Hashable, Sendable {
        /// 0 or 1.
        case flag
        case number(ClosedRange<Int>)
        /// RFC 6184 sect. 8.1.
        case h264ProfileLevel
    }

    /// In lower case.
    public let name: String
    public let values: Values

    public init(_ name: String, _ values: Values) {
        self.name = name
        self.values = values
    }

    public static func flag(_ name: String) -> Self { Self(name, .flag) }

    public static func number(_ name: String, _ range: ClosedRange<Int>) -> Self {
        Self(name, .number(range))
    }

    /// The value in canonical form; nil if it is not allowed.
    func checked(_ value: String) -> String? {
        switch values {
        case .flag: return Self.number(value, in: 0...1)
        case .number(let range): return Self.number(value, in: range)
        case .h264ProfileLevel:
            return H264ProfileLevel(parsing: value) == nil ? nil : value.lowercased()
        }
    }

    private static func number(_ text: String, in range: ClosedRange<Int>) -> String? {
        guard let number: Int = text[...].decimal(), range.contains(number) else { return nil }
        return String(number)
    }
}
