import CSockets
import Glibc
public import MediaKernel

/// Resolves host names with the machine's resolver. An unresponsive one blocks the calling thread.
public enum HostLookup {
    /// The resolver's reason, for people.
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    /// - Parameter host: a name, or an address as text.
    public static func addresses(of host: String) throws(Failure) -> [TransportAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else { throw Failure(description: String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
            .compactMap { $0 }.compactMap { address($0.pointee) }
    }

    private static func address(_ info: addrinfo) -> TransportAddress? {
        guard let bytes = info.ai_addr.map({ UnsafeRawPointer($0) }) else { return nil }
        switch info.ai_family {
        case AF_INET:
            let address = bytes.loadUnaligned(as: sockaddr_in.self).sin_addr
            return withUnsafeBytes(of: address) { TransportAddress(ip: Array($0), port: 0) }
        case AF_INET6:
            let address = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return withUnsafeBytes(of: address) { TransportAddress(ip: Array($0), port: 0) }
        default: return nil
        }
    }
}
