/// A participant's metadata: the app's own data, and that of the application server's token.
enum ParticipantMetadata {
    /// Between the two.
    static let separator = "%/%"

    /// Both together.
    static func joined(_ client: String, _ server: String) -> String {
        server.isEmpty ? client : client + separator + server
    }

    /// The app's part. If there is only one, it may be the server's.
    static func parts(of text: String) -> (client: String, server: String) {
        guard let range = text.firstRange(of: separator) else { return (text, "") }
        return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
    }
}
