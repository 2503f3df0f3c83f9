/// The program that recognizes speech, and what it is called with: the setting
/// `captions.stt.command`.
public struct SpeechCommand: Hashable, Sendable, Codable {
    /// The path of the program, absolute, and its arguments.
    public var words: [String]
    /// The code of the language that it recognizes.
    public var language: String

    public init(words: [String], language: String) {
        self.words = words
        self.language = language
    }

    /// For people: the rule that it breaks; nil if it is usable.
    public var fault: String? {
        guard let program = words.first, program.hasPrefix("/") else {
            return "the first entry is the absolute path of a program"
        }
        let isUsable = words.count <= 64 && words.allSatisfy { $0.utf8.count <= 4096 }
        return isUsable ? nil : "at most 64 entries of 4096 bytes"
    }
}
