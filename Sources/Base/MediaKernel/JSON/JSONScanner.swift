/// One value or one member's name in the bytes of a document.
struct JSONNode: Sendable {
    enum Kind: UInt8, Sendable { case null, yes, no, number, text, escapedText, array, object }

    let kind: Kind
    /// Its beginning, including quotes or brackets.
    let start: Int32
    var end: Int32
    /// The node after this one and its contents.
    var next: Int32
}

/// Locates every value of a JSON text in one pass, RFC 8259. Each byte is read once.
struct JSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private var index = 0
    private(set) var nodes: [JSONNode] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func scan() throws(JSONFault) {
        guard bytes.count < Int32.max else { throw .malformed }
        skipBlanks()
        try value(depth: 0)
        skipBlanks()
        guard index == bytes.count else { throw .malformed }
    }

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0a, 0x0d: index += 1
            default: return
            }
        }
    }

    /// - Parameter depth: of the enclosing container; the document's is 0. It bounds the recursion.
    private mutating func value(depth: Int) throws(JSONFault) {
        switch byte {
        case UInt8(ascii: "{"): try members(depth: depth + 1)
        case UInt8(ascii: "["): try items(depth: depth + 1)
        case UInt8(ascii: "\""): try text()
        case UInt8(ascii: "t"): try word("true", .yes)
        case UInt8(ascii: "f"): try word("false", .no)
        case UInt8(ascii: "n"): try word("null", .null)
        default: try number()
        }
    }

    private mutating func open(_ kind: JSONNode.Kind, depth: Int) throws(JSONFault) -> Int {
        guard depth <= limits.depth else { throw .tooDeep(maximum: limits.depth) }
        try add(kind, from: index)
        index += 1
        skipBlanks()
        return nodes.count - 1
    }

    private mutating func close(_ node: Int) {
        index += 1
        nodes[node].end = Int32(truncatingIfNeeded: index)
        nodes[node].next = Int32(truncatingIfNeeded: nodes.count)
    }

    private mutating func members(depth: Int) throws(JSONFault) {
        let node = try open(.object, depth: depth)
        guard byte != UInt8(ascii: "}") else { return close(node) }
        while true {
            guard byte == UInt8(ascii: "\"") else { throw .malformed }
            try text()
            skipBlanks()
            guard byte == UInt8(ascii: ":") else { throw .malformed }
            index += 1
            skipBlanks()
            try value(depth: depth)
            guard try another(before: UInt8(ascii: "}")) else { return close(node) }
        }
    }

    private mutating func items(depth: Int) throws(JSONFault) {
        let node = try open(.array, depth: depth)
        guard byte != UInt8(ascii: "]") else { return close(node) }
        while true {
            try value(depth: depth)
            guard try another(before: UInt8(ascii: "]")) else { return close(node) }
        }
    }

    private mutating func another(before end: UInt8) throws(JSONFault) -> Bool {
        skipBlanks()
        guard let byte else { throw .malformed }
        if byte == end { return false }
        guard byte == UInt8(ascii: ",") else { throw .malformed }
        index += 1
        skipBlanks()
        return true
    }

    /// Adds the value that ends at `index`, unless it is a container that has only begun.
    private mutating func add(_ kind: JSONNode.Kind, from start: Int) throws(JSONFault) {
        guard nodes.count < limits.nodes else { throw .tooManyNodes(maximum: limits.nodes) }
        nodes.append(
            JSONNode(
                kind: kind, start: Int32(truncatingIfNeeded: start),
                end: Int32(truncatingIfNeeded: index),
                next: Int32(truncatingIfNeeded: nodes.count + 1)))
    }

    private mutating func word(_ word: StaticString, _ kind: JSONNode.Kind) throws(JSONFault) {
        let start = index
        guard bytes.count - start >= word.utf8CodeUnitCount else { throw .malformed }
        for offset in 0..<word.utf8CodeUnitCount {
            guard bytes[start + offset] == word.utf8Start[offset] else { throw .malformed }
        }
        index += word.utf8CodeUnitCount
        try add(kind, from: start)
    }

    private mutating func number() throws(JSONFault) {
        let start = index
        if byte == UInt8(ascii: "-") { index += 1 }
        if byte == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if byte == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            index += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        guard index - start <= JSONLimits.numberBytes else { throw .malformed }
        try add(.number, from: start)
    }

    private mutating func digits() throws(JSONFault) {
        let start = index
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw .malformed }
    }

    private mutating func text() throws(JSONFault) {
        let start = index
        var kind = JSONNode.Kind.text
        index += 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return try add(kind, from: start)
            case UInt8(ascii: "\\"):
                kind = .escapedText
                try escape()
            case 0x00..<0x20:
                throw .malformed
            default:
                index += 1
            }
        }
        throw .malformed
    }

    private mutating func escape() throws(JSONFault) {
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            let unit = try hexadecimal()
            guard UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) else { return }
            guard UTF16.isLeadSurrogate(unit), byte == UInt8(ascii: "\\") else {
                throw .malformed
            }
            index += 1
            guard byte == UInt8(ascii: "u"), UTF16.isTrailSurrogate(try hexadecimal()) else {
                throw .malformed
            }
        default:
            throw .malformed
        }
    }

    /// The four digits after a `u`.
    private mutating func hexadecimal() throws(JSONFault) -> UInt16 {
        guard bytes.count - index > 4 else { throw .malformed }
        var unit: UInt16 = 0
        for offset in 1...4 {
            guard let digit = JSONDocument.hexadecimalDigit(bytes[index + offset]) else {
                throw .malformed
            }
            unit = unit << 4 | UInt16(digit)
        }
        index += 5
        return unit
    }
}
