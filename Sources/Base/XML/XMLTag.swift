/// A start or empty-element tag as written, with the prefixes of its names.
struct XMLTag {
    struct Name: Hashable {
        var prefix: String
        var local: String

        init(_ bytes: ArraySlice<UInt8>, _ limits: XMLLimits) throws(XMLFault) {
            guard bytes.count <= limits.nameBytes else {
                throw .policyViolation("a name of more than \(limits.nameBytes) bytes")
            }
            let parts = try XMLCharacters.string(bytes)
                .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            for part in parts where !XMLCharacters.isName(part) {
                throw .notWellFormed("a name with a character that names exclude")
            }
            prefix = parts.count == 2 ? String(parts[0]) : ""
            local = String(parts[parts.count - 1])
        }
    }

    let name: Name
    private(set) var attributes: [(name: Name, value: String)] = []
    let isEmpty: Bool

    /// - Parameter bytes: between `<` and `>`.
    init(_ bytes: ArraySlice<UInt8>, _ limits: XMLLimits) throws(XMLFault) {
        var rest = bytes
        isEmpty = rest.last == UInt8(ascii: "/")
        if isEmpty { rest.removeLast() }
        name = try Name(Self.taken(&rest) { !XMLCharacters.isSpace($0) }, limits)
        while true {
            let gap = Self.taken(&rest, while: XMLCharacters.isSpace)
            if rest.isEmpty { return }
            guard !gap.isEmpty else { throw .notWellFormed("attributes without a space between") }
            guard attributes.count < limits.attributes else {
                throw .policyViolation("more than \(limits.attributes) attributes")
            }
            let name = try Name(
                Self.taken(&rest) { $0 != UInt8(ascii: "=") && !XMLCharacters.isSpace($0) }, limits)
            attributes.append((name, try Self.value(&rest)))
        }
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) throws(XMLFault) -> String {
        _ = taken(&rest, while: XMLCharacters.isSpace)
        guard rest.popFirst() == UInt8(ascii: "=") else {
            throw .notWellFormed("an attribute without a value")
        }
        _ = taken(&rest, while: XMLCharacters.isSpace)
        guard let quote = rest.popFirst(), quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
        else { throw .notWellFormed("a value without quotes") }
        let raw = taken(&rest) { $0 != quote }
        guard rest.popFirst() != nil else { throw .notWellFormed("a value without its end") }
        guard !raw.contains(UInt8(ascii: "<")) else { throw .notWellFormed("'<' in a value") }
        return try XMLCharacters.text(raw, inAttribute: true)
    }

    private static func taken(
        _ rest: inout ArraySlice<UInt8>, while belongs: (UInt8) -> Bool
    ) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: belongs)
        rest = rest.dropFirst(taken.count)
        return taken
    }
}
