/// As much of XML as S3's answers take: elements without attributes that hold text. What is not
/// so formed has no elements.
enum XMLText {
    /// The texts of all elements of this name, in their order.
    ///
    /// - Parameter maximum: of elements; the rest is not looked at.
    static func values(of name: String, in text: String, maximum: Int = 1000) -> [String] {
        var values: [String] = []
        var rest = Substring(text)
        while values.count < maximum, let start = rest.firstRange(of: "<\(name)>") {
            let content = rest[start.upperBound...]
            guard let end = content.firstRange(of: "</\(name)>") else { break }
            values.append(unescaped(content[..<end.lowerBound]))
            rest = content[end.upperBound...]
        }
        return values
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
    }

    /// XML 1.0 sect. 4.6, and entity tags' quotation marks as numbers.
    private static func unescaped(_ text: Substring) -> String {
        [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#34;", "\""),
            ("&#39;", "'"), ("&amp;", "&"),
        ].reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}
