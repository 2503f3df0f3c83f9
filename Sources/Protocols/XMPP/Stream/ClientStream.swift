public import XML

/// The client's side of one stream, from its first byte to its end: TLS, authentication, the
/// binding of a resource, then stanzas. RFC 6120 sect. 4 to 7, RFC 7395.
///
/// Bytes go in, orders come out. After an error, `farewell` is the last to be sent.
public struct ClientStream: Sendable {
    public enum Order: Hashable, Sendable {
        /// One element, or the start or end of the stream: one message of a WebSocket.
        case send(String)
        /// Begin TLS, then call `secured`.
        case startTLS
        /// Stanzas may be sent, from this address. A stream to be resumed is gone.
        case ready(JID)
        /// The stream goes on. The server has this many of our stanzas.
        case resumed(UInt32)
        case stanza(XMLElement)
        /// An element of stream management (XEP-0198), after it has been asked for.
        case management(XMLElement)
        /// The server has ended the stream. Close the connection.
        case closed
    }

    private enum Place {
        case opening
        case features
        case proceeding
        case securing
        case authenticating(Authentication)
        case resuming
        case binding
        case open
        case closed
    }

    /// A stream to go on with: its name, and how many of the server's stanzas we have. XEP-0198
    /// sect. 5.
    public struct Resumption: Hashable, Sendable {
        public var id: String
        public var received: UInt32

        public init(id: String, received: UInt32) {
            self.id = id
            self.received = received
        }
    }

    private static let bindingID = "bind"
    /// More that a server offers are not looked at.
    private static let mechanismsMaximum = 64

    private let settings: StreamSettings
    private let limits: XMLLimits
    private let nonce: String
    private let resumption: Resumption?
    private var reader: XMLStreamReader
    private var place = Place.opening
    private var isEncrypted: Bool
    private var isAuthenticated = false
    /// Whether the server manages streams (XEP-0198). Known when the stream is ready.
    public private(set) var offersManagement = false

    /// - Parameters:
    ///   - nonce: for SCRAM: printable, without commas, from a generator that is safe for keys; new
    ///     for each stream.
    ///   - resumption: of a stream whose connection was lost.
    public init(
        _ settings: StreamSettings, nonce: String, resumption: Resumption? = nil,
        limits: XMLLimits = XMLLimits()
    ) {
        self.settings = settings
        self.nonce = nonce
        self.resumption = resumption
        self.limits = limits
        reader = XMLStreamReader(limits: limits)
        isEncrypted = settings.isEncrypted
    }

    /// What is awaited of the server.
    public var phase: ConnectionEnd.Phase {
        switch place {
        case .open, .closed: .open
        case .proceeding, .securing: .encrypting
        case .resuming, .binding: .binding
        case .authenticating: .authenticating
        case .opening, .features:
            isAuthenticated ? .binding : isEncrypted ? .authenticating : .opening
        }
    }

    /// The start of a stream, to be sent when connected.
    public var opening: String {
        let domain = XMLElement.escaped(settings.domain, inAttribute: true)
        return switch settings.carrier {
        case .tcp:
            "<?xml version='1.0'?><stream:stream xmlns='\(Namespaces.client)' "
                + "xmlns:stream='\(Namespaces.stream)' to='\(domain)' version='1.0'>"
        case .webSocket:
            "<open xmlns='\(Namespaces.framing)' to='\(domain)' version='1.0'/>"
        }
    }

    /// The end of our half of the stream, with the reason if the server is at fault.
    public func farewell(_ failure: StreamFailure? = nil) -> [String] {
        let end =
            switch settings.carrier {
            case .tcp: "</stream:stream>"
            case .webSocket: "<close xmlns='\(Namespaces.framing)'/>"
            }
        guard case .unreadable(let fault) = failure else { return [end] }
        let error = XMLElement(
            "error", Namespaces.stream, [:],
            [XMLElement(fault.condition, Namespaces.streamErrors)])
        return [text(error), end]
    }

    /// An element as this stream's carrier wants it.
    public func text(_ element: XMLElement) -> String {
        switch settings.carrier {
        case .tcp: element.xml(in: Namespaces.client)
        // Each message stands alone (RFC 7395 sect. 3.3.3).
        case .webSocket: element.xml()
        }
    }

    /// Takes bytes of a TCP connection.
    ///
    /// - Parameter handle: gets each order at once, so that those before an error are not lost.
    public mutating func received(
        _ bytes: some Sequence<UInt8>, _ handle: (Order) -> Void
    ) throws(StreamFailure) {
        // What follows <proceed/> without TLS could have been put there by anyone.
        if case .securing = place { throw .unexpected("bytes before TLS") }
        reader.append(bytes)
        while let event = try next() {
            switch event {
            case .opened(let root): try opened(root)
            case .stanza(let element): for order in try took(element) { handle(order) }
            case .closed:
                place = .closed
                handle(.closed)
            }
            if case .securing = place {
                guard reader.isEmpty else { throw .unexpected("bytes before TLS") }
                return
            }
        }
    }

    /// Takes a message of a WebSocket.
    public mutating func received(
        message: String, _ handle: (Order) -> Void
    ) throws(StreamFailure) {
        let element: XMLElement
        do throws(XMLFault) {
            element = try XMLStreamReader.element(message, limits: limits)
        } catch { throw .unreadable(error) }
        switch element.name {
        case "open" where element.namespace == Namespaces.framing: try opened(element)
        case "close" where element.namespace == Namespaces.framing:
            place = .closed
            handle(.closed)
        default: for order in try took(element) { handle(order) }
        }
    }

    /// TLS is established, and the certificate proves `domain`.
    public mutating func secured() -> [Order] {
        isEncrypted = true
        return restart()
    }

    private mutating func next() throws(StreamFailure) -> XMLStreamReader.Event? {
        do throws(XMLFault) { return try reader.event() } catch { throw .unreadable(error) }
    }

    private mutating func opened(_ root: XMLElement) throws(StreamFailure) {
        let isStream =
            root.isNamed("stream", Namespaces.stream) || root.isNamed("open", Namespaces.framing)
        guard case .opening = place, isStream, root["version"]?.hasPrefix("1.") == true else {
            throw .unexpected("no stream of version 1.0")
        }
        place = .features
    }

    private mutating func took(_ element: XMLElement) throws(StreamFailure) -> [Order] {
        if element.isNamed("error", Namespaces.stream) { throw StreamFailure(of: element) }
        switch place {
        case .features where element.isNamed("features", Namespaces.stream):
            return try chose(among: element)
        case .proceeding where element.isNamed("proceed", Namespaces.tls):
            place = .securing
            return [.startTLS]
        case .authenticating(let authentication):
            return try authenticate(authentication, element)
        case .resuming: return [try resumed(element)]
        case .binding where element["id"] == Self.bindingID: return [.ready(try bound(element))]
        case .open where element.namespace == Namespaces.management:
            return [.management(element)]
        case .open where ["iq", "message", "presence"].contains(element.name):
            return [.stanza(element)]
        // Elements that are no stanzas belong to extensions that we did not ask for.
        case .open: return []
        default: throw .unexpected("<\(element.name)/> out of turn")
        }
    }

    private mutating func chose(among features: XMLElement) throws(StreamFailure) -> [Order] {
        if isAuthenticated { return try chosen(among: features) }
        if !isEncrypted, settings.carrier == .tcp,
            features.child("starttls", Namespaces.tls) != nil
        {
            place = .proceeding
            return [.send(text(XMLElement("starttls", Namespaces.tls)))]
        }
        guard isEncrypted || settings.mayBePlain else { throw .unencrypted }
        // Longer ones are no names of mechanisms (RFC 4422 sect. 3.1).
        let mechanisms = (features.child("mechanisms", Namespaces.sasl)?.elements ?? [])
            .prefix(Self.mechanismsMaximum).map(\.text).filter { $0.utf8.count <= 20 }
        do throws(AuthenticationFailure) {
            let authentication = try Authentication(
                settings.credentials, offered: mechanisms,
                mayShowPassword: isEncrypted || settings.mayBePlain,
                nonce: nonce)
            place = .authenticating(authentication)
            return [.send(text(authentication.start))]
        } catch { throw .authentication(error) }
    }

    private mutating func authenticate(
        _ authentication: Authentication, _ element: XMLElement
    ) throws(StreamFailure) -> [Order] {
        var authentication = authentication
        do throws(AuthenticationFailure) {
            if let answer = try authentication.received(element) {
                place = .authenticating(authentication)
                return [.send(text(answer))]
            }
        } catch { throw .authentication(error) }
        isAuthenticated = true
        return restart()
    }

    /// After authentication: the stream that was, or a resource.
    private mutating func chosen(among features: XMLElement) throws(StreamFailure) -> [Order] {
        guard features.child("bind", Namespaces.bind) != nil else {
            throw .unexpected("no way to bind a resource")
        }
        offersManagement = features.child("sm", Namespaces.management) != nil
        guard offersManagement, let resumption else { return [bind()] }
        place = .resuming
        let request = XMLElement(
            "resume", Namespaces.management,
            ["previd": resumption.id, "h": String(resumption.received)])
        return [.send(text(request))]
    }

    private mutating func bind() -> Order {
        place = .binding
        let resource = settings.resource.map { XMLElement("resource", Namespaces.bind, text: $0) }
        let bind = XMLElement("bind", Namespaces.bind, [:], resource.map { [$0] } ?? [])
        let request = XMLElement(
            "iq", Namespaces.client, ["type": "set", "id": Self.bindingID], [bind])
        return .send(text(request))
    }

    private mutating func resumed(_ answer: XMLElement) throws(StreamFailure) -> Order {
        if answer.isNamed("failed", Namespaces.management) { return bind() }
        guard answer.isNamed("resumed", Namespaces.management),
            let count = answer["h"].flatMap({ UInt32($0) })
        else { throw .unexpected("<\(answer.name)/> out of turn") }
        place = .open
        return .resumed(count)
    }

    private mutating func bound(_ answer: XMLElement) throws(StreamFailure) -> JID {
        guard answer["type"] == "result" else { throw .binding(StanzaError(of: answer)) }
        let text = answer.child("bind", Namespaces.bind)?.child("jid", Namespaces.bind)?.text
        guard let address = text.flatMap({ JID($0) }), address.resource != nil else {
            throw .unexpected("a resource without an address")
        }
        place = .open
        return address
    }

    /// A new stream on the same connection. RFC 6120 sect. 4.3.3.
    private mutating func restart() -> [Order] {
        reader = XMLStreamReader(limits: limits)
        place = .opening
        return [.send(opening)]
    }
}
