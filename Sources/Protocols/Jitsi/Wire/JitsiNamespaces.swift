/// The namespaces of Jitsi's own protocols, and of the extensions that it uses.
enum JitsiNamespaces {
    static let focus = "http://jitsi.org/protocol/focus"
    static let meet = "http://jitsi.org/jitmeet"
    static let colibri = "http://jitsi.org/protocol/colibri"

    // Jingle: XEP-0166, 0167, 0176, 0293, 0294, 0320, 0338, 0339 and 0343.
    static let jingle = "urn:xmpp:jingle:1"
    static let jingleErrors = "urn:xmpp:jingle:errors:1"
    static let rtp = "urn:xmpp:jingle:apps:rtp:1"
    static let feedback = "urn:xmpp:jingle:apps:rtp:rtcp-fb:0"
    static let headerExtensions = "urn:xmpp:jingle:apps:rtp:rtp-hdrext:0"
    static let sources = "urn:xmpp:jingle:apps:rtp:ssma:0"
    static let ice = "urn:xmpp:jingle:transports:ice-udp:1"
    static let dtls = "urn:xmpp:jingle:apps:dtls:0"
    static let sctp = "urn:xmpp:jingle:transports:dtls-sctp:1"
    static let grouping = "urn:xmpp:jingle:apps:grouping:0"

    static let displayName = "http://jitsi.org/protocol/display-name"
    /// XEP-0172.
    static let nick = "http://jabber.org/protocol/nick"
    /// XEP-0203.
    static let delay = "urn:xmpp:delay"
}
