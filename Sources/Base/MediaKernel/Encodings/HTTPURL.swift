/// An `http://` or `https://` address, parsed only as far as all users need it. RFC 3986 sect. 3.
/// Its user checks hosts and characters.
public struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// `host[:port]` as written, including any part before an `@`. Never empty (RFC 9110 sect.
    /// 4.2.1).
    public let authority: String
    /// Path, query and fragment; empty, or beginning with `/`, `?` or `#`.
    public let target: String

    public init(isSecure: Bool, authority: String, target: String = "") {
        self.isSecure = isSecure
        self.authority = authority
        self.target = target
    }

    /// Nil for another scheme or a missing host.
    public init?(_ text: String) {
        let lower = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }) else {
            return nil
        }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.isEmpty else { return nil }
        self.init(
            isSecure: scheme == "https://", authority: String(authority),
            target: String(rest[authority.endIndex...]))
    }

    /// Without query and fragment.
    public var path: Substring { target.prefix { !"?#".contains($0) } }

    /// In small letters, without brackets; empty when a bracket is not closed.
    public var host: String { (place?.host ?? "").lowercased() }

    /// Whether the address can be connected to: the host looks like a name or an address, and the
    /// port is valid. Some clients end their process on other addresses.
    public var canBeReached: Bool {
        guard let place, place.host.utf8.contains(where: Self.isAlphanumeric),
            place.host.utf8.allSatisfy({
                Self.isAlphanumeric($0) || "._-".utf8.contains($0)
                    || place.isBracketed && $0 == UInt8(ascii: ":")
            })
        else { return false }
        guard !place.rest.isEmpty else { return true }
        let digits = place.rest.dropFirst()
        return place.rest.first == ":" && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && UInt16(digits).map { $0 > 0 } ?? false
    }

    /// The host without brackets, and the rest of the authority.
    private var place: (host: Substring, isBracketed: Bool, rest: Substring)? {
        let begin = authority.lastIndex(of: "@").map { authority.index(after: $0) }
        let place = authority[(begin ?? authority.startIndex)...]
        guard place.hasPrefix("[") else {
            let host = place.prefix { $0 != ":" }
            return (host, false, place[host.endIndex...])
        }
        guard let end = place.firstIndex(of: "]") else { return nil }
        return (place[..<end].dropFirst(), true, place[end...].dropFirst())
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }

    /// `https://host[:port]`.
    public var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// With a scheme in small letters.
    public var description: String { origin + target }
}
