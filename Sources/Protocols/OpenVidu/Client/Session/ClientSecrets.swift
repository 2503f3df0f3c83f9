/// What admits us to a session. A server may repeat it in its words: OpenVidu's shows a token that it
/// refuses, with the secret inside.
struct ClientSecrets: Hashable {
    private static let mark = "…"
    /// In scalars: of words that are shown.
    private static let shownMaximum = 256

    /// As UTF-8, the longest first, since one is part of another.
    private let texts: [[UInt8]]

    init(_ entry: ClientSession.Entry) {
        texts = [entry.token, TokenAddress(entry.token).token, entry.secret ?? ""]
            .map { Array($0.utf8) }.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    /// The server's words as they may be shown. They are shortened last, so that no part of a secret
    /// remains at their end.
    func hidden(in words: String) -> String {
        var bytes = Array(words.utf8)
        for text in texts { bytes = bytes.replacing(text, with: Self.mark.utf8) }
        let shown = String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(Self.shownMaximum)
        return String(String.UnicodeScalarView(shown))
    }
}
