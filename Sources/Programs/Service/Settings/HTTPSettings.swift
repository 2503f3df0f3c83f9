public import ControlAPI
import MediaKernel

/// `http.*`: where the server listens, and at which URLs it is reached.
public struct HTTPSettings: Hashable, Sendable {
    public var host = "127.0.0.1"
    public var port = 8080
    /// Total for viewers and peers.
    public var connectionsMaximum = 8192
    public var connectionsPerAddressMaximum = 1024
    /// PEM files, both or none.
    public var certificateFile: String?
    public var privateKeyFile: String?
    /// The public URL of this server, e.g. `https://live.example.org`, without a trailing slash.
    public var publicURL: String?
    /// Nil if metrics are read where everything else is, with a token.
    public var metrics: MetricsAddress?

    public var isTLS: Bool { certificateFile != nil }

    /// The base of playback URLs.
    public var publicBaseURL: String {
        if let publicURL { return publicURL }
        let host = isAnyAddress ? "localhost" : bracketedHost
        return HTTPURL(isSecure: isTLS, authority: "\(host):\(port)").origin
    }

    /// The server's URL for bots on this machine: the public URL with TLS, since the certificate is
    /// for that name, otherwise the direct one.
    public func botEndpoint(port: Int) -> String {
        if isTLS, let publicURL { return publicURL }
        let host = isAnyAddress ? "127.0.0.1" : bracketedHost
        return HTTPURL(isSecure: isTLS, authority: "\(host):\(port)").origin
    }

    /// Whether only this machine reaches the server.
    var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether nobody else reaches it, be it through a proxy.
    var isReachedHereOnly: Bool { isLoopback && isPublicURLLoopback }

    /// Whether the server has no public URL, or one that names a loopback address.
    var isPublicURLLoopback: Bool {
        guard let url = publicURL.flatMap({ HTTPURL($0) }) else { return true }
        return Self.isLoopback(url.host)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private var isAnyAddress: Bool { host == "0.0.0.0" || host == "::" }

    private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    mutating func read(_ source: SettingsSource) throws(SettingsError) {
        host = source.text(.httpHost) ?? host
        port = try source.port(.httpPort) ?? port
        connectionsMaximum =
            try source.integer(.httpConnectionsMaximum, 16...1_000_000) ?? connectionsMaximum
        connectionsPerAddressMaximum =
            try source.integer(.httpConnectionsPerAddressMaximum, 1...1_000_000)
            ?? connectionsPerAddressMaximum
        metrics = try source.port(.metricsPort).map {
            MetricsAddress(host: source.text(.metricsHost) ?? "127.0.0.1", port: $0)
        }
        certificateFile = source.text(.httpCertificateFile)
        privateKeyFile = source.text(.httpPrivateKeyFile)
        guard (certificateFile == nil) == (privateKeyFile == nil) else {
            throw .invalid(
                key: SettingKey.httpCertificateFile.rawValue,
                reason: "certificateFile and privateKeyFile must be given together")
        }
        guard var url = source.text(.httpPublicURL) else {
            guard !isTLS else {
                throw .invalid(
                    key: SettingKey.httpPublicURL.rawValue,
                    reason: "it is needed with a certificate: "
                        + "bots call the server by the name in it")
            }
            return
        }
        while url.hasSuffix("/") { url.removeLast() }
        guard let parts = HTTPURL(url), parts.target.isEmpty, !parts.authority.contains(" ") else {
            throw .invalid(
                key: SettingKey.httpPublicURL.rawValue,
                reason: "it must be http:// or https:// with a host and nothing behind it")
        }
        publicURL = url
    }
}
