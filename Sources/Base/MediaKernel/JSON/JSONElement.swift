/// One value of a document.
public struct JSONElement: Sendable {
    let document: JSONDocument
    let index: Int
    let path: JSONPath?

    var node: JSONNode { document.nodes[index] }

    public var isNull: Bool { node.kind == .null }
    public var isObject: Bool { node.kind == .object }

    /// The value's source text.
    public var source: String {
        String(decoding: document.bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
    }

    /// A member of an object; nil for other values.
    public func member(_ name: String) -> JSONElement? {
        guard node.kind == .object else { return nil }
        var found: JSONElement?
        forEachMember { if $0 == name { found = element($1, under: JSONKey($0)) } }
        return found
    }

    /// The items of an array; nil for other values.
    public var items: [JSONElement]? {
        guard node.kind == .array else { return nil }
        var items: [JSONElement] = []
        var next = index + 1
        while next < node.next {
            items.append(element(next, under: JSONKey(intValue: items.count)))
            next = Int(document.nodes[next].next)
        }
        return items
    }

    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch type {
        case is JSONValue.Type: try value() as! Value
        case is OpaqueJSON.Type: try opaque() as! Value
        case is String.Type: try string() as! Value
        case is Bool.Type: try flag() as! Value
        case is Int.Type: try integer(Int.self) as! Value
        case is Int64.Type: try integer(Int64.self) as! Value
        case is Int32.Type: try integer(Int32.self) as! Value
        case is Int16.Type: try integer(Int16.self) as! Value
        case is Int8.Type: try integer(Int8.self) as! Value
        case is UInt.Type: try integer(UInt.self) as! Value
        case is UInt64.Type: try integer(UInt64.self) as! Value
        case is UInt32.Type: try integer(UInt32.self) as! Value
        case is UInt16.Type: try integer(UInt16.self) as! Value
        case is UInt8.Type: try integer(UInt8.self) as! Value
        case is Double.Type: try number() as! Value
        case is Float.Type: Float(try number()) as! Value
        default: try Value(from: JSONElementDecoder(element: self))
        }
    }

    /// For callers that walk through the element instead of decoding a whole value.
    public var decoder: any Decoder { JSONElementDecoder(element: self) }

    // MARK: - Inside

    func element(_ index: Int, under key: any CodingKey) -> JSONElement {
        JSONElement(
            document: document, index: index, path: JSONPath(key: key, parent: path))
    }

    /// The members of an object: each name with the node of its value.
    func forEachMember(_ body: (String, Int) -> Void) {
        let nodes = document.nodes
        var index = index + 1
        let end = Int(node.next)
        while index < end {
            body(document.string(of: nodes[index]), index + 1)
            index = Int(nodes[index + 1].next)
        }
    }

    // MARK: - Kinds

    private func value() throws -> JSONValue {
        var index = index
        return try value(at: &index)
    }

    /// The recursion is limited by the document's depth.
    private func value(at index: inout Int) throws -> JSONValue {
        let node = document.nodes[index]
        index += 1
        switch node.kind {
        case .null: return .null
        case .yes: return .bool(true)
        case .no: return .bool(false)
        case .number:
            if let integer = document.integer(of: node) { return .integer(integer) }
            guard let number = document.number(of: node) else { throw unusable("number") }
            return .number(number)
        case .text, .escapedText: return .string(document.string(of: node))
        case .array:
            var items: [JSONValue] = []
            while index < node.next { items.append(try value(at: &index)) }
            return .array(items)
        case .object:
            var members: [String: JSONValue] = [:]
            while index < node.next {
                let name = document.string(of: document.nodes[index])
                index += 1
                members[name] = try value(at: &index)
            }
            return .object(members)
        }
    }

    /// Refuses numbers that no `Double` holds, since its reader may not support them either.
    private func opaque() throws -> OpaqueJSON {
        for node in document.nodes[index..<Int(node.next)] where node.kind == .number {
            guard document.number(of: node) != nil else { throw unusable("number") }
        }
        return OpaqueJSON(text: source)
    }

    private func string() throws -> String {
        switch node.kind {
        case .text, .escapedText: return document.string(of: node)
        default: throw mismatch(String.self)
        }
    }

    private func flag() throws -> Bool {
        switch node.kind {
        case .yes: return true
        case .no: return false
        default: throw mismatch(Bool.self)
        }
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard node.kind == .number else { throw mismatch(type) }
        if let integer = document.integer(of: node) {
            guard let number = Number(exactly: integer) else { throw unusable("number") }
            return number
        }
        // Accepts `1e3` and `1.0`, and numbers that only an unsigned type can hold.
        let whole = Number(source) ?? document.number(of: node).flatMap(Number.init(exactly:))
        guard let whole else { throw unusable("number") }
        return whole
    }

    private func number() throws -> Double {
        guard node.kind == .number else { throw mismatch(Double.self) }
        guard let number = document.number(of: node) else { throw unusable("number") }
        return number
    }

    // MARK: - Errors

    var codingPath: [any CodingKey] { path?.keys ?? [] }

    func mismatch(_ type: any Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "not of type \(type)")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func unusable(_ word: String) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "a \(word) that does not fit"))
    }
}

/// The place of a value in its document: a list from its end, so that going deeper copies nothing.
final class JSONPath: Sendable {
    private let key: any CodingKey
    private let parent: JSONPath?

    init(key: any CodingKey, parent: JSONPath?) {
        self.key = key
        self.parent = parent
    }

    var keys: [any CodingKey] {
        var keys = [key]
        var link = parent
        while let next = link {
            keys.append(next.key)
            link = next.parent
        }
        return keys.reversed()
    }
}

/// Any key of an object, or a place in an array.
public struct JSONKey: CodingKey {
    private let name: String?
    public let intValue: Int?

    public var stringValue: String { name ?? "\(intValue ?? 0)" }

    public init(_ name: String) { (self.name, intValue) = (name, nil) }
    init(index: Int) { (name, intValue) = (nil, index) }
    public init(stringValue: String) { self.init(stringValue) }
    public init(intValue: Int) { self.init(index: intValue) }
}

extension JSONDocument {
    fileprivate func string(of node: JSONNode) -> String {
        let inside = bytes[Int(node.start) + 1..<Int(node.end) - 1]
        guard node.kind == .escapedText else { return String(decoding: inside, as: UTF8.self) }
        return Self.unescaped(inside)
    }

    /// The value of a number without fraction and exponent; nil if it does not fit.
    fileprivate func integer(of node: JSONNode) -> Int64? {
        var rest = bytes[Int(node.start)..<Int(node.end)]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        guard rest.count <= 19 else { return nil }
        var value: Int64 = 0
        for byte in rest {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            // Counts downwards, since the least number is further from zero than the greatest.
            let (tens, isFar) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooFar) = tens.subtractingReportingOverflow(
                Int64(byte - UInt8(ascii: "0")))
            guard !isFar, !isTooFar else { return nil }
            value = sum
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    /// Nil for a number that no `Double` holds.
    fileprivate func number(of node: JSONNode) -> Double? {
        let text = String(decoding: bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// - Parameter inside: a text without its quotes, which the scanner has validated.
    private static func unescaped(_ inside: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(inside.count)
        var index = inside.startIndex
        func unit() -> UInt16 {
            let digits = inside[index..<index + 4]
            index += 4
            return digits.reduce(0) { $0 << 4 | UInt16(hexadecimalDigit($1) ?? 0) }
        }
        while index < inside.endIndex {
            let byte = inside[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                output.append(byte)
                continue
            }
            let letter = inside[index]
            index += 1
            switch letter {
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0c)
            case UInt8(ascii: "n"): output.append(0x0a)
            case UInt8(ascii: "r"): output.append(0x0d)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "u"):
                let lead = unit()
                var scalar = UInt32(lead)
                if UTF16.isLeadSurrogate(lead) {
                    index += 2
                    scalar = 0x10000 + (scalar & 0x3ff) << 10 + UInt32(unit() & 0x3ff)
                }
                let character = Unicode.Scalar(scalar) ?? "\u{fffd}"
                output.append(
                    contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
            default: output.append(letter)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
