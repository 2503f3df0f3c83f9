/// Puts the words of another language into one of our own pages, whose HTML is known to be well
/// formed: into texts, together with the plain tags within them, and into the attributes that people
/// read or hear.
struct PageTranslation {
    private typealias Bytes = ArraySlice<UInt8>

    /// These belong to the sentence around them.
    static let inline = [
        "<br>", "<code>", "</code>", "<kbd>", "</kbd>", "<strong>", "</strong>", "<em>", "</em>",
    ]
    static let attributes: Set<String> = ["title", "aria-label", "placeholder", "alt", "label"]
    /// What is in these is no text of ours.
    private static let opaque = ["pre", "script", "style", "textarea"]

    let texts: Texts

    init(_ texts: Texts) { self.texts = texts }

    func translated(_ page: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var text: [UInt8] = []
        // The tag before the text.
        var before = page[..<0]
        var rest = page[...]
        while let first = rest.first {
            if first != UInt8(ascii: "<") {
                let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
                text += rest[..<end]
                rest = rest[end...]
                continue
            }
            let tag = Self.tag(at: rest)
            rest = rest[tag.endIndex...]
            let name = String(decoding: tag, as: UTF8.self)
            if Self.inline.contains(name) {
                text += tag
                continue
            }
            result += translated(text: text, after: before)
            text = []
            before = tag
            if name == "</head>" { result += preload }
            result += translated(tag: tag)
            if let opaque = Self.opaque.first(where: { Self.isTag(name, of: $0) }) {
                let end = Self.index(of: Array("</\(opaque)".utf8), in: rest) ?? rest.endIndex
                result += rest[..<end]
                rest = rest[end...]
            }
        }
        return result + translated(text: text, after: before)
    }

    /// The scripts' own words, which otherwise would be asked for only after the first script.
    private var preload: [UInt8] {
        let path = "/\(Languages.folder)\(texts.language).json"
        return Array(
            "  <link rel=\"preload\" href=\"\(path)\" as=\"fetch\" crossorigin>\n  ".utf8)
    }

    /// - Parameter tag: whose `data-context` says which of a word's meanings this is.
    private func translated(text: [UInt8], after tag: Bytes) -> [UInt8] {
        guard let found = texts[Self.context(in: tag) + Self.sentence(text[...])],
            let first = text.firstIndex(where: { !Self.isBlank($0) }),
            let last = text.lastIndex(where: { !Self.isBlank($0) })
        else { return text }
        return Array(text[..<first]) + Self.escaped(found) + text[(last + 1)...]
    }

    private func translated(tag: Bytes) -> [UInt8] {
        var result: [UInt8] = []
        var rest = tag
        let name = tag.dropFirst().prefix { !Self.isBlank($0) && $0 != UInt8(ascii: ">") }
        let isPage = name.elementsEqual("html".utf8)
        let isDescription =
            name.elementsEqual("meta".utf8)
            && Self.index(of: Array("name=\"description\"".utf8), in: tag) != nil
        while let mark = rest.firstIndex(of: UInt8(ascii: "\"")) {
            let start = rest.index(after: mark)
            let end = rest[start...].firstIndex(of: UInt8(ascii: "\"")) ?? rest.endIndex
            result += rest[..<start]
            let attribute = Self.attribute(before: rest[..<mark])
            let value = rest[start..<end]
            let isRead =
                Self.attributes.contains(attribute) || (isDescription && attribute == "content")
            if isPage, attribute == "lang" {
                result += texts.language.utf8
            } else if isRead, let found = texts[Self.sentence(value)] {
                result += ErrorPage.escaped(found).utf8
            } else {
                result += value
            }
            rest = rest[end...]
            if let quote = rest.first {
                result.append(quote)
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private static func context(in tag: Bytes) -> String {
        let name = Array("data-context=\"".utf8)
        guard let start = index(of: name, in: tag) else { return "" }
        let value = tag[(start + name.count)...].prefix { $0 != UInt8(ascii: "\"") }
        return String(decoding: value, as: UTF8.self) + "|"
    }

    /// However the lines of the page are broken.
    private static func sentence(_ text: Bytes) -> String {
        let words = text.split(whereSeparator: isBlank)
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    /// The name of the attribute whose value follows.
    private static func attribute(before value: Bytes) -> String {
        guard value.last == UInt8(ascii: "=") else { return "" }
        let name = value.dropLast().reversed().prefix { !isBlank($0) && $0 != UInt8(ascii: "\"") }
        return String(decoding: name.reversed(), as: UTF8.self).lowercased()
    }

    /// A whole tag or comment at the beginning of what is left.
    private static func tag(at rest: Bytes) -> Bytes {
        if rest.starts(with: Array("<!--".utf8)) {
            let end = index(of: Array("-->".utf8), in: rest)
            return end.map { rest[..<($0 + 3)] } ?? rest
        }
        var isQuoted = false
        for index in rest.indices {
            if rest[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if rest[index] == UInt8(ascii: ">"), !isQuoted { return rest[...index] }
        }
        return rest
    }

    private static func isTag(_ tag: String, of name: String) -> Bool {
        tag.hasPrefix("<\(name)>") || tag.hasPrefix("<\(name) ") || tag.hasPrefix("<\(name)\n")
    }

    private static func index(of part: [UInt8], in bytes: Bytes) -> Int? {
        bytes.indices.first { bytes[$0...].starts(with: part) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    /// A translation as HTML: only the plain tags are tags.
    private static func escaped(_ text: String) -> [UInt8] {
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "<") {
            result += ErrorPage.escaped(String(rest[..<mark]))
            rest = rest[mark...]
            let tag = inline.first { rest.hasPrefix($0) } ?? ""
            result += tag.isEmpty ? "&lt;" : tag
            rest = rest.dropFirst(max(1, tag.count))
        }
        return Array((result + ErrorPage.escaped(String(rest))).utf8)
    }
}
