/// JSON that a client wrote and another reads, in the bytes in which it came: nobody in between looks
/// inside.
public struct OpaqueJSON: Hashable, Sendable {
    public var text: String

    public init(text: String) { self.text = text }

    /// A text as JSON.
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

/// To be read by ``JSONDocument`` only.
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
        // It was within the limits of who took it in.
        let value = try JSONDocument(text, limits: .own).root.decode(JSONValue.self)
        try value.encode(to: encoder)
    }
}
