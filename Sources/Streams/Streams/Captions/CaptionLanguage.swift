/// A language in which a stream has captions.
public struct CaptionLanguage: Hashable, Sendable, Codable {
    /// A tag of BCP 47, such as `en` or `pt-BR`; also a part of names of directories.
    public var code: String
    /// For people: `English`.
    public var name: String

    /// The most languages of a stream, letters of a code, and characters of a name.
    public static let perStreamMaximum = 8
    public static let codeMaximum = 35
    public static let nameMaximum = 64

    /// Unchecked.
    ///
    /// - Parameter name: nil or empty for the code.
    public init(code: String, name: String? = nil) {
        self.code = code
        self.name = name.flatMap { $0.isEmpty ? nil : $0 } ?? code
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            code: try container.decode(String.self, forKey: .code),
            name: try container.decodeIfPresent(String.self, forKey: .name))
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case code, name }

    /// Whether both mean the same language.
    public func isNamed(_ code: String) -> Bool { self.code.lowercased() == code.lowercased() }

    /// For people: the rule that the languages of a stream break; nil if they are usable.
    public static func fault(of languages: [CaptionLanguage]) -> String? {
        guard languages.count <= perStreamMaximum else {
            return "at most \(perStreamMaximum) languages"
        }
        for language in languages {
            guard isCode(language.code) else {
                return "a language's code is like en or pt-BR"
            }
            guard isName(language.name) else {
                return "a language's name has 1 to \(nameMaximum) characters, without quotation "
                    + "marks and line breaks"
            }
        }
        // The names of one master playlist differ, and so do directories on any file system.
        guard Set(languages.map { $0.code.lowercased() }).count == languages.count,
            Set(languages.map(\.name)).count == languages.count
        else { return "each language has another code and another name" }
        return nil
    }

    private static func isCode(_ code: String) -> Bool {
        let parts = code.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
        return code.utf8.count <= codeMaximum && (2...8).contains(parts[0].count)
            && parts[0].allSatisfy(isLetter)
            && parts.dropFirst().allSatisfy { part in
                (1...8).contains(part.count)
                    && part.allSatisfy { isLetter($0) || (48...57).contains($0) }
            }
    }

    private static func isName(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        return (1...nameMaximum).contains(scalars.count)
            && scalars.allSatisfy {
                $0.value >= 0x20 && $0 != "\"" && !(0x7F...0x9F).contains($0.value)
                    && $0 != "\u{2028}" && $0 != "\u{2029}"
            }
    }
}
