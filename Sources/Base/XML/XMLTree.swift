/// The elements that are open, and what stands in them so far.
struct XMLTree {
    private struct Level {
        let tag: XMLTag.Name
        /// Declarations of namespaces in force outside.
        let namespaces: Int
        var element: XMLElement
    }

    private let limits: XMLLimits
    private let stanzaDepth: Int
    private var levels: [Level] = []
    private var namespaces = XMLNamespaces()
    private(set) var isComplete = false

    init(limits: XMLLimits, stanzaDepth: Int) {
        self.limits = limits
        self.stanzaDepth = stanzaDepth
    }

    var isEmpty: Bool { levels.isEmpty }
    var isBetweenStanzas: Bool { levels.count <= stanzaDepth }

    mutating func open(_ tag: XMLTag) throws(XMLFault) -> XMLStreamReader.Event? {
        guard levels.count < limits.depth else {
            throw .policyViolation("more than \(limits.depth) elements within each other")
        }
        let outside = namespaces.count
        let element = try namespaces.resolve(tag, limits)
        let isRoot = levels.count < stanzaDepth
        levels.append(Level(tag: tag.name, namespaces: outside, element: element))
        if tag.isEmpty {
            guard !isRoot else { throw .badFormat }
            return end()
        }
        return isRoot ? .opened(element) : nil
    }

    /// - Parameter name: of the end tag, perhaps with spaces after it.
    mutating func close(_ name: ArraySlice<UInt8>) throws(XMLFault) -> XMLStreamReader.Event? {
        var name = name
        while let last = name.last, XMLCharacters.isSpace(last) { name.removeLast() }
        guard try levels.last?.tag == XMLTag.Name(name, limits) else {
            throw .notWellFormed("an end tag that ends no element")
        }
        return end()
    }

    /// Text with references.
    mutating func add(_ bytes: ArraySlice<UInt8>) throws(XMLFault) {
        guard !bytes.isEmpty else { return }
        var brackets = 0
        for byte in bytes {
            if byte == UInt8(ascii: ">"), brackets >= 2 { throw .notWellFormed("']]>' in text") }
            brackets = byte == UInt8(ascii: "]") ? brackets + 1 : 0
        }
        add(try XMLCharacters.text(bytes, inAttribute: false))
    }

    mutating func addPlain(_ bytes: ArraySlice<UInt8>) throws(XMLFault) {
        add(try XMLCharacters.plain(bytes))
    }

    private mutating func add(_ text: String) {
        let top = levels.count - 1
        guard top >= 0, !text.isEmpty else { return }
        guard case .text(var joined) = levels[top].element.children.last else {
            levels[top].element.children.append(.text(text))
            return
        }
        // The only copy: one more reference would copy the text for each of its pieces.
        levels[top].element.children.removeLast()
        joined += text
        levels[top].element.children.append(.text(joined))
    }

    private mutating func end() -> XMLStreamReader.Event? {
        let level = levels.removeLast()
        namespaces.leave(level.namespaces)
        isComplete = levels.isEmpty
        if levels.count == stanzaDepth { return .stanza(level.element) }
        if levels.count < stanzaDepth { return .closed }
        levels[levels.count - 1].element.children.append(.element(level.element))
        return nil
    }
}
