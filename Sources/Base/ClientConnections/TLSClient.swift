public import NIOSSL

/// The client's side of TLS. One serves any number of connections: the authorities are read once.
public struct TLSClient: Sendable {
    private let context: NIOSSLContext

    /// Reads the authorities.
    ///
    /// - Throws: NIOSSL's error, for a file that has none.
    public init(_ trust: ServerTrust) throws {
        context = try NIOSSLContext(configuration: Self.configuration(trust))
    }

    /// For a client that makes its own connections.
    public static func configuration(_ trust: ServerTrust) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // RFC 9325 sect. 3.1.1.
        configuration.minimumTLSVersion = .tlsv12
        switch trust {
        case .machine: break
        case .authorities(let file): configuration.trustRoots = .file(file)
        case .anyone: configuration.certificateVerification = .none
        }
        return configuration
    }

    /// What encrypts one channel. Stands first in its pipeline.
    ///
    /// - Parameter name: what the certificate must prove; nil for the channel's address.
    public func handler(for name: String?) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(
            context: context,
            // Server name indication excludes address literals (RFC 6066 sect. 3).
            serverHostname: name.flatMap { Self.isLiteral($0) ? nil : $0 })
    }

    private static func isLiteral(_ name: String) -> Bool {
        name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." }
    }
}
