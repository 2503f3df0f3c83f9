/// The namespaces of the stream and its stanzas.
public enum Namespaces {
    public static let client = "jabber:client"
    public static let stream = "http://etherx.jabber.org/streams"
    public static let ping = "urn:xmpp:ping"
    public static let discoInfo = "http://jabber.org/protocol/disco#info"
    static let caps = "http://jabber.org/protocol/caps"
    static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    static let management = "urn:xmpp:sm:3"
    static let framing = "urn:ietf:params:xml:ns:xmpp-framing"
    public static let muc = "http://jabber.org/protocol/muc"
    public static let mucUser = "http://jabber.org/protocol/muc#user"
    static let delay = "urn:xmpp:delay"
}
