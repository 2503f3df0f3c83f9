import Glibc
import NIOCore
import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server's identity for TLS: its certificates and their key, from two files.
struct ServerIdentity: Sendable {
    private let chain: [NIOSSLCertificate]
    private let key: NIOSSLPrivateKey

    /// Nil for a server without TLS.
    ///
    /// - Throws: `.certificate`, also if the key is not the certificate's.
    init?(_ configuration: HTTPServiceConfiguration) throws(HTTPServiceError) {
        guard let certificateFile = configuration.certificateFile,
            let keyFile = configuration.privateKeyFile
        else {
            guard configuration.certificateFile == nil, configuration.privateKeyFile == nil else {
                throw .certificate("certificate and private key must be given together")
            }
            return nil
        }
        self = try ServerIdentity(certificateFile: certificateFile, keyFile: keyFile)
        do {
            // Also made here, where the error can be explained.
            _ = try NIOSSLContext(configuration: self.configuration)
        } catch {
            throw .certificate(
                "http.privateKeyFile: \(keyFile) is not the key of the certificate in "
                    + "\(certificateFile)")
        }
    }

    /// - Throws: `.certificate`, which names the setting, the file and the remedy.
    private init(certificateFile: String, keyFile: String) throws(HTTPServiceError) {
        let certificates = try Self.contents(of: certificateFile, named: "http.certificateFile")
        let chain = (try? NIOSSLCertificate.fromPEMBytes(certificates)) ?? []
        guard !chain.isEmpty else {
            throw .certificate(
                "http.certificateFile: \(certificateFile) has no certificate in PEM form, which "
                    + "begins with -----BEGIN CERTIFICATE-----")
        }
        let bytes = try Self.contents(of: keyFile, named: "http.privateKeyFile")
        guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw .certificate(
                "http.privateKeyFile: \(keyFile) has no private key in PEM form, or one with a "
                    + "passphrase, which `openssl pkey -in FILE -out FILE` takes away")
        }
        (self.chain, self.key) = (chain, key)
    }

    var facts: CertificateFacts? { chain.first.map { CertificateFacts($0) } }

    var configuration: TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        return tls
    }

    /// What a handshake uses in place of the identity that the server has started with.
    fileprivate var override: NIOSSLContextConfigurationOverride {
        var override = NIOSSLContextConfigurationOverride()
        override.certificateChain = chain.map { .certificate($0) }
        override.privateKey = .privateKey(key)
        return override
    }

    private static func contents(
        of file: String, named setting: String
    ) throws(HTTPServiceError) -> [UInt8] {
        guard access(file, R_OK) == 0 else {
            throw .certificate(
                "\(setting): \(file) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)) else {
            throw .certificate("\(setting): \(file) is not a file")
        }
        return [UInt8](data)
    }
}

/// The identity in use, which can be replaced while the server runs: connections keep theirs, and
/// the next handshake uses the new one.
final class HeldIdentity: Sendable {
    private let identity: Mutex<ServerIdentity>

    init(_ identity: ServerIdentity) { self.identity = Mutex(identity) }

    func replace(with identity: ServerIdentity) { self.identity.withLock { $0 = identity } }

    var configuration: TLSConfiguration {
        var tls = identity.withLock { $0.configuration }
        tls.sslContextCallback = { [self] _, promise in
            promise.succeed(identity.withLock { $0.override })
        }
        return tls
    }
}

/// A certificate and its key, which have been read and fit together.
public struct CheckedCertificate: Sendable {
    let identity: ServerIdentity

    public var facts: CertificateFacts? { identity.facts }
}

extension HTTPServiceConfiguration {
    /// Reads the server's certificate and key; nil without TLS.
    ///
    /// - Throws: `.certificate` if the server could not start with them.
    public func certificate() throws(HTTPServiceError) -> CheckedCertificate? {
        try ServerIdentity(self).map { CheckedCertificate(identity: $0) }
    }
}
