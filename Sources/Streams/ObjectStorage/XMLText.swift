/// The subset of XML that S3's answers use: elements that contain text or other elements. Other
/// input has no elements. The parser reads each byte once or twice, whatever the input.
enum XMLText {
    /// Longer element texts are cut off.
    static let textBytesMaximum = 4096
    private static let entities: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "#34": "\"", "#39": "'", "amp": "&",
    ]
    private static let entityBytesMaximum = 6

    /// The contents of the elements of this name, in order.
    ///
    /// - Parameter maximum: the most elements to return.
    static func elements(
        of name: String, in text: ArraySlice<UInt8>, maximum: Int = 1000
    ) -> [ArraySlice<UInt8>] {
        let (start, end) = (Array("<\(name)".utf8), Array("</\(name)>".utf8))
        var found: [ArraySlice<UInt8>] = []
        var content: Int?
        var index = text.startIndex
        while index < text.endIndex, found.count < maximum {
            defer { index += 1 }
            guard text[index] == UInt8(ascii: "<") else { continue }
            if let begun = content {
                guard text[index...].starts(with: end) else { continue }
                found.append(text[begun..<index])
                content = nil
            } else if text[index...].starts(with: start) {
                content = endOfTag(text[(index + start.count)...])
            }
        }
        return found
    }

    /// The texts of all elements of this name.
    static func values(of name: String, in text: ArraySlice<UInt8>) -> [String] {
        elements(of: name, in: text).map { unescaped($0) }
    }

    static func first(_ name: String, in text: ArraySlice<UInt8>) -> String? {
        elements(of: name, in: text, maximum: 1).first.map { unescaped($0) }
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
    }

    /// The end of a start tag, searched after its name; nil if the tag has another name or no
    /// content.
    private static func endOfTag(_ rest: ArraySlice<UInt8>) -> Int? {
        guard let first = rest.first, first == UInt8(ascii: ">") || first <= UInt8(ascii: " ")
        else { return nil }
        guard
            let end = rest.firstIndex(where: {
                $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<")
            }), rest[end] == UInt8(ascii: ">"), rest[..<end].last != UInt8(ascii: "/")
        else { return nil }
        return end + 1
    }

    /// XML 1.0 sect. 4.6, and numeric references for the quotation marks of entity tags.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        var plain: [UInt8] = []
        var rest = text.prefix(textBytesMaximum)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&"),
                let end = rest.prefix(entityBytesMaximum).firstIndex(of: UInt8(ascii: ";")),
                let scalar = entities[String(decoding: rest[..<end], as: UTF8.self)]
            else {
                plain.append(byte)
                continue
            }
            plain += UTF8.encode(scalar) ?? .init()
            rest = rest[(end + 1)...]
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
