/// What a client calls its token: an address such as
/// `wss://host:443?sessionId=ses_A&token=tok_B`, or the bare token.
public struct TokenAddress: Hashable, Sendable {
    /// Empty if it names none.
    public var session = ""
    public var token = ""

    public init(_ text: String) {
        guard let mark = text.firstIndex(of: "?") else {
            token = text
            return
        }
        for part in text[text.index(after: mark)...].split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1)
            guard halves.count == 2 else { continue }
            // Ids and tokens have only characters that need no escape.
            switch halves[0] {
            case "sessionId": session = String(halves[1])
            case "token": token = String(halves[1])
            default: break
            }
        }
    }
}
