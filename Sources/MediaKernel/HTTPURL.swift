/// An `http://` or `https://` address, taken apart no further than everybody needs it. RFC 3986
/// sect. 3. Which hosts and characters will do is for its reader to say.
public struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// `host[:port]` as it was written, with what may be before an `@`. Never empty (RFC 9110
    /// sect. 4.2.1).
    public let authority: String
    /// Path, query and fragment; empty, or beginning with `/`, `?` or `#`.
    public let target: String

    public init(isSecure: Bool, authority: String, target: String = "") {
        self.isSecure = isSecure
        self.authority = authority
        self.target = target
    }

    /// Nil for what has another scheme or names no host.
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

    /// `https://host[:port]`.
    public var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// With a scheme in small letters.
    public var description: String { origin + target }
}
