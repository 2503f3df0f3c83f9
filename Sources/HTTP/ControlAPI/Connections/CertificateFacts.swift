import NIOSSL

/// What an operator wants to know about the server's certificate before others find out.
public struct CertificateFacts: Sendable, Hashable {
    /// Hosts; `*.example.org` stands for one more label.
    public let names: [String]
    /// In seconds since 1970.
    public let notAfter: Int

    init(_ certificate: NIOSSLCertificate) {
        names = certificate._subjectAlternativeNames().compactMap { name in
            switch name.nameType {
            case .dnsName: String(decoding: name.contents, as: UTF8.self).lowercased()
            case .ipAddress where name.contents.count == 4:
                name.contents.map(String.init).joined(separator: ".")
            default: nil
            }
        }
        notAfter = Int(certificate.notValidAfter)
    }

    init(names: [String], notAfter: Int) { (self.names, self.notAfter) = (names, notAfter) }

    /// RFC 9525 sect. 6.3: a wildcard stands for the whole first label.
    public func covers(_ host: String) -> Bool {
        let host = host.lowercased()
        return names.contains { name in
            guard name.hasPrefix("*."), let dot = host.firstIndex(of: ".") else {
                return name == host
            }
            return host[dot...] == name.dropFirst()
        }
    }
}
