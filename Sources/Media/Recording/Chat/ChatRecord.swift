/// One message of a room as a line of the chat's CSV file, in 100ms' columns.
///
/// RFC 4180. People open such files with spreadsheets, and chat comes from strangers: text that a
/// spreadsheet would take for a formula gets an apostrophe in front, as OWASP advises. Spreadsheets
/// that separate cells at `;` or at tabs, as in much of Europe, see other cells than ours, and our
/// quotes do not protect them: so every place where such a cell could begin is checked.
public struct ChatRecord: Hashable, Sendable {
    public static let header =
        "SenderPeerID,SenderName,SenderUserID,Roles,SentAt,Type,Message\r\n"

    public var senderID: String
    public var senderName: String
    public var senderUserID: String
    /// The receiving roles; empty for all.
    public var roles: [String]
    /// In RFC 3339's form.
    public var sentAt: String
    public var type: String
    public var text: String

    public init(
        senderID: String, senderName: String, senderUserID: String, roles: [String],
        sentAt: String, type: String, text: String
    ) {
        self.senderID = senderID
        self.senderName = senderName
        self.senderUserID = senderUserID
        self.roles = roles
        self.sentAt = sentAt
        self.type = type
        self.text = text
    }

    /// With its line break.
    public var line: String {
        let names = roles.map { "\"\(Self.plain($0))\"" }.joined(separator: ",")
        let fields = [senderID, senderName, senderUserID, "[\(names)]", sentAt, type, text]
        return fields.map(Self.field).joined(separator: ",") + "\r\n"
    }

    private static func field(_ text: String) -> String {
        let text = withoutFormulas(plain(text))
        let isQuoted = text.unicodeScalars.contains {
            [",", ";", "\t", "\"", "\r", "\n"].contains($0)
        }
        guard isQuoted else { return text }
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"\(parts.joined(separator: "\"\""))\""
    }

    /// A minus or a full-width sign also begins a formula, and so, at the very beginning, do a tab
    /// and a carriage return.
    private static func withoutFormulas(_ text: String) -> String {
        let signs: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
        var result = String.UnicodeScalarView()
        if let first = text.unicodeScalars.first, first == "\t" || first == "\r" {
            result.append("'")
        }
        var canBegin = true
        for scalar in text.unicodeScalars {
            if canBegin, signs.contains(scalar) { result.append("'") }
            result.append(scalar)
            switch scalar {
            case ";", "\t", "\r", "\n": canBegin = true
            // Spreadsheets strip these off the beginning of a cell.
            case " ", "\"": break
            default: canBegin = false
            }
        }
        return String(result)
    }

    /// Replaces the control characters that text files do not have.
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || scalar.value == 0x7F
            let isSpace = scalar == "\t" || scalar == "\n" || scalar == "\r"
            plain.append(isControl && !isSpace ? "\u{FFFD}" : scalar)
        }
        return String(plain)
    }
}
