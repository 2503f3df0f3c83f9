/// An address of XMPP: `local@domain/resource`. RFC 7622.
///
/// The local part and the domain are compared without regard to case, as servers do. The other
/// rules of PRECIS (sect. 3.3 and 3.4) are left to the server, which prepares each address that it
/// passes on.
public struct JID: Hashable, Sendable, CustomStringConvertible {
    /// Of each part. RFC 7622 sect. 3.1.
    public static let partBytesMaximum = 1023

    /// Nil for a server or a component.
    public let local: String?
    public let domain: String
    public let resource: String?

    /// Nil for a text that is no address.
    public init?(_ text: String) {
        // The resource may hold "/" and "@"; nothing before it may (sect. 3.5).
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let bare = parts[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            local: bare.count == 2 ? String(bare[0]) : nil, domain: String(bare[bare.count - 1]),
            resource: parts.count == 2 ? String(parts[1]) : nil)
    }

    /// Nil for a part that is empty, too long or has a character that addresses exclude.
    public init?(local: String?, domain: String, resource: String? = nil) {
        // One dot at the end is the root of DNS, and no part of the address (sect. 3.2).
        let domain = (domain.hasSuffix(".") ? String(domain.dropLast()) : domain).lowercased()
        let local = local?.lowercased()
        for part in [local, domain, resource].compactMap(\.self) {
            guard 1...Self.partBytesMaximum ~= part.utf8.count,
                part.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else { return nil }
        }
        for part in [local, domain].compactMap(\.self) {
            guard part.allSatisfy({ !$0.isWhitespace && !"\"&'/<>@".contains($0) }) else {
                return nil
            }
        }
        // A domain may have colons: those of an IPv6 address in brackets.
        guard local?.contains(":") != true else { return nil }
        self.local = local
        self.domain = domain
        self.resource = resource
    }

    private init(_ other: JID, resource: String?) {
        (local, domain, self.resource) = (other.local, other.domain, resource)
    }

    /// Without its resource.
    public var bare: JID { JID(self, resource: nil) }

    public var description: String {
        (local.map { "\($0)@" } ?? "") + domain + (resource.map { "/\($0)" } ?? "")
    }
}
