import CSockets
import Glibc
public import MediaKernel
import NIOCore
import NIOPosix

/// Resolves host names with the machine's resolver.
public enum NameResolver {
    /// An unresponsive resolver blocks a thread, so it has threads of its own, apart from those
    /// that read files.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        return threads
    }()

    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    /// - Parameter host: a name, or an address as text.
    /// - Throws: `Failure`, with the resolver's reason.
    public static func addresses(of host: String) async throws -> [TransportAddress] {
        try await threads.runIfActive { try look(up: host) }
    }

    private static func look(up host: String) throws -> [TransportAddress] {
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
