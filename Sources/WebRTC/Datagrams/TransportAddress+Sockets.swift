import Glibc
public import MediaKernel
public import NIOCore

extension TransportAddress {
    /// Nil for a UNIX-domain address.
    public init?(_ address: SocketAddress) {
        let parsed = address.withSockAddr { pointer, count in
            TransportAddress(socketAddress: UnsafeRawBufferPointer(start: pointer, count: count))
        }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Parses a `sockaddr_in` or `sockaddr_in6`: the port at offset 2 in both, the address at 4 or
    /// 8, in network order.
    init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
        let ip: [UInt8]
        switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where bytes.count >= 8: ip = Array(bytes[4..<8])
        case AF_INET6 where bytes.count >= 24: ip = Array(bytes[8..<24])
        default: return nil
        }
        self.init(ip: ip, port: UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
    }
}
