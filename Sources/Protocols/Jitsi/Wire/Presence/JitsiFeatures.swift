internal import XMPP

/// What we tell the focus that we can do. It asks each member by XEP-0030 before it invites it, and
/// describes the session accordingly.
///
/// What is left out matters as much: without `ssrc-rewriting-1` every source keeps streams of its
/// own, each of which is named in the session, and without `rtp-mid-demux` packets do not name
/// sections, which are different ones for the bridge and for us.
enum JitsiFeatures {
    static let jibri = "http://jitsi.org/protocol/jibri"
    static let jigasi = "http://jitsi.org/protocol/jigasi"

    private static let all = [
        "http://jitsi.org/json-encoded-sources",
        "http://jitsi.org/receive-multiple-video-streams",
        "http://jitsi.org/source-name",
        "http://jitsi.org/tcc",
        "urn:ietf:rfc:4588",
        "urn:ietf:rfc:5761",
        "urn:ietf:rfc:5888",
        "urn:xmpp:jingle:1",
        "urn:xmpp:jingle:apps:dtls:0",
        "urn:xmpp:jingle:apps:rtp:1",
        "urn:xmpp:jingle:apps:rtp:audio",
        "urn:xmpp:jingle:apps:rtp:video",
        "urn:xmpp:jingle:transports:dtls-sctp:1",
        "urn:xmpp:jingle:transports:ice-udp:1",
    ]

    /// By which the XMPP client answers questions for them.
    static func capabilities(isJibri: Bool) -> Capabilities {
        Capabilities(
            node: "urn:roomcast:jitsi",
            identity: Capabilities.Identity(category: "client", type: "bot", name: "Roomcast"),
            features: all + (isJibri ? [jibri] : []))
    }
}
