import MediaKernel

/// What the server says to people, in one language. The English sentence in the code is the key, as
/// with gettext, so that what has no translation is shown in English.
struct Texts: Hashable, Sendable {
    static let english = Texts(language: "en", entries: [:])
    /// Enough for several times our pages.
    static let limits = JSONLimits(depth: 3, nodes: 40_000)

    /// As in `lang`: "de", "pt-BR".
    let language: String
    /// Without plurals, which only scripts need.
    private let entries: [String: String]

    private init(language: String, entries: [String: String]) {
        self.language = language
        self.entries = entries
    }

    /// - Parameter file: an object of English sentences and their translations; a plural's is an
    ///   object by category.
    init(language: String, file: [UInt8]) throws {
        let values = try JSONDocument.decode(
            [String: JSONValue].self, from: file, limits: Self.limits)
        var entries: [String: String] = [:]
        for (english, value) in values {
            if case .string(let text) = value { entries[english] = text }
        }
        self.init(language: language, entries: entries)
    }

    var isEnglish: Bool { entries.isEmpty && language == Self.english.language }

    subscript(english: String) -> String? { entries[english] }

    /// - Parameter values: of the `{names}` in the sentence.
    func callAsFunction(_ english: String, _ values: [String: String] = [:]) -> String {
        Self.fill(entries[english] ?? english, with: values)
    }

    /// In one pass: a value with braces stays what it is.
    private static func fill(_ text: String, with values: [String: String]) -> String {
        guard !values.isEmpty else { return text }
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            let after = rest.index(after: open)
            if let close = rest[after...].firstIndex(of: "}"),
                let value = values[String(rest[after..<close])]
            {
                result += value
                rest = rest[rest.index(after: close)...]
            } else {
                result.append("{")
                rest = rest[after...]
            }
        }
        return result + rest
    }
}
