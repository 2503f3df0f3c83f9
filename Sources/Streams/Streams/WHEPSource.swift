public import MediaKernel

/// The endpoint of a WHEP server, in the form of a meeting URL: `whep:https://[token@]host/path`.
public struct WHEPSource: Hashable, Sendable {
    /// The scheme that precedes the endpoint's own.
    public static let scheme = "whep:"

    public let endpoint: WebAddress
    /// The bearer token for the endpoint; nil if it needs none. RFC 6750 sect. 2.1.
    public let token: String?

    /// Whether a meeting URL is meant to name a source, valid or not.
    public static func isMeant(by meetingURL: String) -> Bool {
        meetingURL.prefix(scheme.count).lowercased() == scheme
    }

    /// Nil if the URL is not a source, or is malformed.
    public init?(meetingURL: String) {
        guard Self.isMeant(by: meetingURL),
            var url = HTTPURL(String(meetingURL.dropFirst(Self.scheme.count)))
        else { return nil }
        let parts = url.authority.split(
            separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isInTokens) else { return nil }
            token = String(parts[0])
            url = HTTPURL(
                isSecure: url.isSecure, authority: String(parts[1]), target: url.target)
        } else {
            token = nil
        }
        guard let endpoint = WebAddress(url.description) else { return nil }
        self.endpoint = endpoint
    }

    var shown: String { Self.scheme + endpoint.text.prefix { !"?#".contains($0) } }

    private static func isInTokens(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
            || (0x61...0x7a).contains(byte) || "-._~+=".utf8.contains(byte)
    }
}
