/// `a=extmap:<id>[/<direction>] <uri> [<attributes>]`. RFC 8285 sect. 5.
public struct HeaderExtension: Hashable, Sendable {
    /// 1…255; ids up to 14 fit the one-byte form.
    public var id: UInt8
    public var uri: String
    public var direction: MediaDirection?
    /// The text after the URI, if there is any.
    public var attributes: String?

    public init(
        id: UInt8, uri: String, direction: MediaDirection? = nil, attributes: String? = nil
    ) {
        self.id = id
        self.uri = uri
        self.direction = direction
        self.attributes = attributes
    }

    var rendered: String {
        let direction = direction.map { "/\($0.rawValue)" } ?? ""
        let attributes = attributes.map { " \($0)" } ?? ""
        return "extmap:\(id)\(direction) \(uri)\(attributes)"
    }

    /// The extensions to answer with: those both sides know, under the offerer's ids and in the
    /// offerer's order, with a stated direction turned around. RFC 8285 sect. 6.
    public static func intersection(
        offered: [HeaderExtension], supported: some Collection<String>
    ) -> [HeaderExtension] {
        var seen: Set<String> = []
        return offered.compactMap { offer in
            guard offer.direction != .inactive, supported.contains(offer.uri),
                seen.insert(offer.uri).inserted
            else { return nil }
            return HeaderExtension(
                id: offer.id, uri: offer.uri, direction: offer.direction?.reversed)
        }
    }
}
