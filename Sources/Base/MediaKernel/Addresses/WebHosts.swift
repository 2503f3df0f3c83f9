/// An address on the web, parsed so strictly that it has only one reading: ASCII, no user, no
/// backslash, a host name or an IPv4 address.
public struct WebAddress: Hashable, Sendable {
    public let text: String
    public let isSecure: Bool
    /// In small letters.
    public let host: String
    /// Nil for the scheme's own.
    public let port: UInt16?

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            return nil
        }
        guard let url = HTTPURL(text) else { return nil }
        let parts = url.authority.lowercased().split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, Self.isHost(name) else { return nil }
        if parts.count == 2 {
            guard let number = UInt16(parts[1]), number > 0,
                parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            port = number == Self.standardPort(isSecure: url.isSecure) ? nil : number
        } else {
            port = nil
        }
        self.text = text
        isSecure = url.isSecure
        host = String(name)
    }

    /// The port of `https` or `http`.
    public static func standardPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }

    public static func isHost(_ text: some StringProtocol) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
                    || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            } && text.utf8.first != UInt8(ascii: ".") && text.utf8.first != UInt8(ascii: "-")
    }
}

/// The hosts that the operator lets the service call on behalf of others: for images that a
/// participant names, or for sources that a caller names.
public struct WebHosts: Hashable, Sendable {
    private var entries: [HostPattern] = []
    /// Whether plain HTTP is allowed.
    public var allowsHTTP: Bool
    /// As they were given.
    public let names: [String]

    /// None.
    public init(allowsHTTP: Bool = false) {
        self.allowsHTTP = allowsHTTP
        names = []
    }

    /// Reads entries such as `example.com`, `*.example.com` (its subdomains, not itself) and
    /// `127.0.0.1:8080`.
    ///
    /// - Returns: nil when an entry is not valid.
    public init?(_ names: [String], allowsHTTP: Bool = false) {
        self.names = names
        self.allowsHTTP = allowsHTTP
        for name in names {
            guard let entry = HostPattern(name) else { return nil }
            entries.append(entry)
        }
    }

    /// The entries as the sources of a Content Security Policy, such as `https://*.example.com`.
    public var sources: [String] {
        entries.flatMap { entry in
            (allowsHTTP ? [true, false] : [true]).map { isSecure in
                let port =
                    entry.port == WebAddress.standardPort(isSecure: isSecure)
                    ? nil : entry.port
                return (isSecure ? "https" : "http") + "://" + (entry.isWildcard ? "*." : "")
                    + entry.host + (port.map { ":\($0)" } ?? "")
            }
        }
    }

    /// An entry without a port allows the scheme's own port only.
    public func allows(_ address: WebAddress) -> Bool {
        guard address.isSecure || allowsHTTP else { return false }
        let port = address.port ?? WebAddress.standardPort(isSecure: address.isSecure)
        return entries.contains { entry in
            entry.matches(host: address.host)
                && (entry.port.map { $0 == port } ?? (address.port == nil))
        }
    }

    /// The address, if it is valid and its host is allowed.
    public func allowed(_ text: String) -> WebAddress? {
        WebAddress(text).flatMap { allows($0) ? $0 : nil }
    }
}
