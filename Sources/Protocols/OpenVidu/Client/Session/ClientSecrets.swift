internal import RemoteRoom

/// What admits us to a session. A server may repeat it in its words: OpenVidu's shows a token that it
/// refuses, with the secret inside.
struct ClientSecrets: Hashable {
    /// In scalars: of words that are shown.
    private static let shownMaximum = 256

    private let secrets: RoomSecrets

    /// - Parameter rpcSession: by which `connect` comes back; nil outside.
    init(_ entry: ClientSession.Entry, rpcSession: String?) {
        secrets = RoomSecrets([
            entry.token, TokenAddress(entry.token).token, entry.secret ?? "", rpcSession ?? "",
        ])
    }

    /// The server's words as they may be shown. They are shortened last, so that no part of a secret
    /// remains at their end.
    func hidden(in words: String) -> String {
        let shown = secrets.hidden(in: words).unicodeScalars.prefix(Self.shownMaximum)
        return String(String.UnicodeScalarView(shown))
    }
}
