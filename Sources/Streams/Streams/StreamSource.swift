public import MediaKernel

/// What is streamed in place of one of our rooms.
public enum StreamSource: Hashable, Sendable {
    case whep(WHEPSource)
    case openVidu(OpenViduSource)
    case jitsi(JitsiSource)
    /// A page of the web, which a browser shows.
    case page(WebAddress)

    /// The meeting URL as others may see it: without a token, and without a query, which may hold
    /// another one.
    public var shown: String {
        switch self {
        case .whep(let source): source.shown
        case .openVidu(let source): source.shown
        case .jitsi(let source): source.shown
        case .page(let address): String(address.text.prefix { !"?#".contains($0) })
        }
    }

    /// Whether people write to one another there in a form that is known: other sources have no
    /// chat, or one that is each application's own.
    public var hasChat: Bool {
        switch self {
        case .jitsi: true
        case .whep, .openVidu, .page: false
        }
    }
}
