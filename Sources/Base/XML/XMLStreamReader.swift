/// Reads one stream of XML as its bytes arrive: the root's start, each child as one stanza, the
/// root's end. RFC 6120 sect. 4 and 11: no comments, no processing instructions, no document type
/// and only the five entities of XML; the declaration of XML may stand at the start.
///
/// Each byte is looked at a constant number of times, however the stream is cut into pieces, and
/// nothing of a stanza remains after it. After an error, the reader must not be used again.
public struct XMLStreamReader: Sendable {
    public enum Event: Hashable, Sendable {
        /// The root, without children.
        case opened(XMLElement)
        case stanza(XMLElement)
        case closed
    }

    private enum Place {
        case text
        case tag
        case quoted(UInt8)
        case data
        case declaration
        case ended
    }

    /// Where a token of each kind that begins with `<!` or `<?` starts.
    private static let dataStart = Array("<![CDATA[".utf8)
    private static let declarationStart = Array("<?xml".utf8)

    private let limits: XMLLimits
    private var bytes: [UInt8] = []
    /// The first byte of the token in progress, and the next byte to look at.
    private var start = 0
    private var next = 0
    private var place = Place.text
    /// Since the last event.
    private var spent = 0
    private var isAtStart = true
    private var tree: XMLTree

    public init(limits: XMLLimits = XMLLimits()) {
        self.init(limits: limits, stanzaDepth: 1)
    }

    /// - Parameter stanzaDepth: how many elements are open around a stanza.
    private init(limits: XMLLimits, stanzaDepth: Int) {
        self.limits = limits
        tree = XMLTree(limits: limits, stanzaDepth: stanzaDepth)
    }

    /// The one element of a document. Its end must be the end of the text, apart from spaces.
    public static func element(
        _ text: String, limits: XMLLimits = XMLLimits()
    ) throws(XMLFault) -> XMLElement {
        var reader = XMLStreamReader(limits: limits, stanzaDepth: 0)
        reader.append(text.utf8)
        guard case .stanza(let element) = try reader.event() else {
            throw .notWellFormed("a document without its end")
        }
        guard try reader.event() == nil, reader.isEmpty else {
            throw .notWellFormed("more than one element")
        }
        return element
    }

    public mutating func append(_ more: some Sequence<UInt8>) {
        if start > 4096, start * 2 > bytes.count {
            bytes.removeSubrange(..<start)
            next -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Whether no byte waits to be read.
    public var isEmpty: Bool { start == bytes.count }

    /// The next event; nil until more bytes are there.
    public mutating func event() throws(XMLFault) -> Event? {
        while next < bytes.count {
            let byte = bytes[next]
            next += 1
            spent += 1
            guard spent <= limits.stanzaBytes else {
                throw .policyViolation("a stanza of more than \(limits.stanzaBytes) bytes")
            }
            if let event = try look(at: byte) {
                spent = 0
                return event
            }
        }
        return nil
    }

    private mutating func look(at byte: UInt8) throws(XMLFault) -> Event? {
        switch place {
        case .text: try lookInText(byte)
        case .tag: return try lookInTag(byte)
        case .quoted(let quote): if byte == quote { place = .tag }
        case .data: try lookInData(byte)
        case .declaration: try lookInDeclaration(byte)
        case .ended:
            guard XMLCharacters.isSpace(byte) else {
                throw .notWellFormed("something after the end")
            }
            (start, spent) = (next, 0)
        }
        return nil
    }

    private mutating func lookInText(_ byte: UInt8) throws(XMLFault) {
        if byte == UInt8(ascii: "<") {
            try tree.add(bytes[start..<next - 1])
            start = next - 1
            place = .tag
        } else if tree.isBetweenStanzas {
            guard XMLCharacters.isSpace(byte) else {
                throw tree.isEmpty ? .notWellFormed("no XML") : .badFormat
            }
            // Spaces between stanzas keep the connection alive (RFC 6120 sect. 4.6.1).
            (start, spent) = (next, 0)
            isAtStart = false
        }
    }

    private mutating func lookInTag(_ byte: UInt8) throws(XMLFault) -> Event? {
        let second = start + 1 < next ? bytes[start + 1] : 0
        if second == UInt8(ascii: "!") {
            try expect(Self.dataStart, "a comment or a document type")
            guard next - start == Self.dataStart.count else { return nil }
            guard !tree.isBetweenStanzas else { throw .badFormat }
            (start, place) = (next, .data)
            return nil
        }
        if second == UInt8(ascii: "?") {
            guard isAtStart else { throw .restrictedXML("a processing instruction") }
            try expect(Self.declarationStart, "a processing instruction")
            if next - start == Self.declarationStart.count { place = .declaration }
            return nil
        }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): place = .quoted(byte)
        case UInt8(ascii: ">"): return try endTag()
        case UInt8(ascii: "<") where next - start > 1: throw .notWellFormed("'<' in a tag")
        default: break
        }
        return nil
    }

    private func expect(_ token: [UInt8], _ other: String) throws(XMLFault) {
        guard bytes[next - 1] == token[next - start - 1] else { throw .restrictedXML(other) }
    }

    private mutating func endTag() throws(XMLFault) -> Event? {
        let inside = bytes[start + 1..<next - 1]
        (start, place, isAtStart) = (next, .text, false)
        let event =
            inside.first == UInt8(ascii: "/")
            ? try tree.close(inside.dropFirst())
            : try tree.open(XMLTag(inside, limits))
        if tree.isComplete { place = .ended }
        return event
    }

    private mutating func lookInData(_ byte: UInt8) throws(XMLFault) {
        guard byte == UInt8(ascii: ">"), next - start >= 3, bytes[next - 2] == UInt8(ascii: "]"),
            bytes[next - 3] == UInt8(ascii: "]")
        else { return }
        try tree.addPlain(bytes[start..<next - 3])
        (start, place) = (next, .text)
    }

    private mutating func lookInDeclaration(_ byte: UInt8) throws(XMLFault) {
        guard next - start > Self.declarationStart.count + 1 || XMLCharacters.isSpace(byte) else {
            throw .restrictedXML("a processing instruction")
        }
        guard byte == UInt8(ascii: ">") else { return }
        let inside = bytes[start + 2..<next - 1]
        guard inside.last == UInt8(ascii: "?") else {
            throw .notWellFormed("a declaration of XML without its end")
        }
        let tag = try XMLTag(inside.dropLast(), limits)
        let encoding = tag.attributes.first { $0.name.local == "encoding" }?.value
        guard encoding == nil || encoding?.uppercased() == "UTF-8" else {
            throw .unsupportedEncoding(encoding ?? "")
        }
        (start, place, isAtStart) = (next, .text, false)
    }
}
