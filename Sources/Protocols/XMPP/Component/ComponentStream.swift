internal import Digests
internal import MediaKernel
public import XML

/// A component's side of one stream: it proves that it knows the secret, then there are stanzas. A
/// server passes on to it whatever is sent to any address of its domain. XEP-0114.
///
/// Bytes go in, orders come out. Stanzas are in the namespace of clients on our side of it, as
/// everywhere else, and in that of components on the wire.
public struct ComponentStream: Sendable {
    public enum Order: Hashable, Sendable {
        case send(String)
        /// Stanzas may be sent, from any address of the domain.
        case ready
        case stanza(XMLElement)
        /// The server has ended the stream. Close the connection.
        case closed
    }

    private enum Place {
        case opening
        case proving
        case open
        case closed
    }

    private static let accept = "jabber:component:accept"

    private let domain: String
    private let secret: String
    private var reader: XMLStreamReader
    private var place = Place.opening

    public init(domain: String, secret: String, limits: XMLLimits = XMLLimits()) {
        self.domain = domain
        self.secret = secret
        reader = XMLStreamReader(limits: limits)
    }

    /// Whether stanzas may be sent.
    public var isOpen: Bool { place == .open }

    /// The start of the stream, to be sent when connected.
    public var opening: String {
        "<?xml version='1.0'?><stream:stream xmlns='\(Self.accept)' "
            + "xmlns:stream='\(Namespaces.stream)' "
            + "to='\(XMLElement.escaped(domain, inAttribute: true))'>"
    }

    public static let farewell = "</stream:stream>"

    /// A stanza as the server wants it. Elements of clients inherit the stream's own namespace.
    public func text(_ stanza: XMLElement) -> String { stanza.xml(in: Namespaces.client) }

    /// - Parameter take: gets the orders, also those before an error.
    public mutating func received(
        _ bytes: some Sequence<UInt8>, _ take: (Order) -> Void
    ) throws(StreamFailure) {
        guard place != .closed else { return }
        reader.append(bytes)
        while let event = try next() {
            switch event {
            case .opened(let root): take(try prove(root))
            case .stanza(let element):
                if let order = try order(element) { take(order) }
            case .closed:
                place = .closed
                return take(.closed)
            }
        }
    }

    private mutating func next() throws(StreamFailure) -> XMLStreamReader.Event? {
        do throws(XMLFault) {
            return try reader.event()
        } catch {
            throw .unreadable(error)
        }
    }

    private mutating func prove(_ root: XMLElement) throws(StreamFailure) -> Order {
        guard place == .opening, root.isNamed("stream", Namespaces.stream), let id = root["id"]
        else { throw .unexpected("a stream without an id") }
        place = .proving
        let proof = Hexadecimal.text(Digest.sha1.hash(Array((id + secret).utf8)))
        return .send("<handshake>\(proof)</handshake>")
    }

    private mutating func order(_ element: XMLElement) throws(StreamFailure) -> Order? {
        if element.isNamed("error", Namespaces.stream) { throw StreamFailure(of: element) }
        switch place {
        case .open: return .stanza(Self.renamed(element))
        case .proving where element.isNamed("handshake", Self.accept):
            place = .open
            return .ready
        case .opening, .proving, .closed:
            throw .unexpected("<\(element.name.prefix(64))> before the handshake")
        }
    }

    /// As if it had come on a client's stream. As deep as the reader lets it be.
    private static func renamed(_ element: XMLElement) -> XMLElement {
        var element = element
        if element.namespace == accept { element.namespace = Namespaces.client }
        element.children = element.children.map { node in
            guard case .element(let child) = node else { return node }
            return .element(renamed(child))
        }
        return element
    }
}
