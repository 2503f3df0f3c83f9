/// An operator's entry for hosts: `example.com`, `*.example.com` (its subdomains, not itself) or
/// `127.0.0.1:8080`.
public struct HostPattern: Hashable, Sendable {
    /// Without the `*.`, in small letters.
    public let host: String
    public let isWildcard: Bool
    /// Nil if none is given.
    public let port: UInt16?

    public init?(_ text: String) {
        isWildcard = text.hasPrefix("*.")
        let place = isWildcard ? String(text.dropFirst(2)) : text
        guard let address = WebAddress("https://\(place)"), !place.contains("/"),
            !place.contains("?"), !place.contains("#")
        else { return nil }
        host = address.host
        port =
            place.contains(":") ? address.port ?? WebAddress.standardPort(isSecure: true) : nil
    }

    public func matches(host name: String) -> Bool {
        isWildcard ? name.hasSuffix(".\(host)") : name == host
    }
}
