/// A JSON text whose values have been located but not decoded.
///
/// The only reader of JSON from outside: it reads in one pass, within limits, and decodes only
/// requested values. Of two members with the same name the last one counts, as in JavaScript.
public struct JSONDocument: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]

    public init(_ text: String, limits: JSONLimits) throws(JSONFault) {
        try self.init(text.utf8, limits: limits)
    }

    /// - Parameter bytes: UTF-8; a leading byte order mark is ignored.
    public init(_ bytes: some Sequence<UInt8>, limits: JSONLimits) throws(JSONFault) {
        var bytes = Array(bytes)
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformed }
        try self.init(known: bytes, limits: limits)
    }

    /// - Parameter bytes: known to be UTF-8.
    private init(known bytes: [UInt8], limits: JSONLimits) throws(JSONFault) {
        nodes = try bytes.withUnsafeBufferPointer { buffer throws(JSONFault) in
            var scanner = JSONScanner(buffer, limits: limits)
            try scanner.scan()
            return scanner.nodes
        }
        self.bytes = bytes
    }

    public var root: JSONElement { JSONElement(document: self, index: 0, path: nil) }

    /// Reads a whole text as one value.
    ///
    /// - Throws: ``JSONFault``, or `DecodingError` with the place of the unexpected value.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>, limits: JSONLimits = .standard
    ) throws -> Value {
        try JSONDocument(bytes, limits: limits).root.decode(type)
    }

    static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
