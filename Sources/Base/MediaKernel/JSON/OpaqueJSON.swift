/// JSON from one client for another, kept as the received bytes, which are not interpreted in
/// between.
public struct OpaqueJSON: Hashable, Sendable {
    public var text: String

    public init(text: String) { self.text = text }

    /// Encodes a text as JSON.
    public init(string: String) {
        text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += #"\""#
            case "\\": text += #"\\"#
            case "\n": text += #"\n"#
            case "\u{0}"..<" ":
                text += #"\u00"# + Hexadecimal.text([UInt8(truncatingIfNeeded: scalar.value)])
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    public static let null = OpaqueJSON(text: "null")
}

/// Can only be decoded by ``JSONDocument``.
extension OpaqueJSON: Codable {
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? JSONElementDecoder else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "not a JSONDocument's"))
        }
        self = try decoder.element.decode(OpaqueJSON.self)
    }

    public func encode(to encoder: any Encoder) throws {
        // It was within the limits of the place that accepted it.
        let value = try JSONDocument(text, limits: .own).root.decode(JSONValue.self)
        try value.encode(to: encoder)
    }
}
