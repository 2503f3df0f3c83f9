/// One thing that `roomcast check` has looked at.
public struct CheckLine: Sendable, Hashable, Encodable {
    public enum Verdict: String, Sendable, Encodable {
        case ok
        /// The server starts, but perhaps not as its operator thinks.
        case note
        /// The server does not start, or cannot do its work.
        case wrong
    }

    public let verdict: Verdict
    /// What it is about, in a word or two.
    public let subject: String
    public let text: String

    static func ok(_ subject: String, _ text: String) -> CheckLine {
        CheckLine(verdict: .ok, subject: subject, text: text)
    }

    static func note(_ subject: String, _ text: String) -> CheckLine {
        CheckLine(verdict: .note, subject: subject, text: text)
    }

    static func wrong(_ subject: String, _ text: String) -> CheckLine {
        CheckLine(verdict: .wrong, subject: subject, text: text)
    }
}
