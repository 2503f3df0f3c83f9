import MediaKernel
import NIOCore

/// An address of this machine, without a port: where a datagram arrived and its answer must be sent
/// from. On a machine with several addresses the kernel would choose one by route, and a peer that
/// used another would not recognise the answer.
public struct LocalAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64
    /// 4 or 16.
    let byteCount: UInt32

    /// Nil for an address that cannot send: a wildcard, or an IPv6 address that needs an interface.
    init?(_ address: TransportAddress) {
        guard !address.isWildcard else { return nil }
        self.init(ip: address.ip)
    }

    /// - Parameter ip: 4 or 16 bytes.
    init?(ip: [UInt8]) {
        let isLinkLocal = ip.count == 16 && ip[0] == 0xFE && ip[1] & 0xC0 == 0x80
        guard !isLinkLocal else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - bytes.count))
        }
        high = number(ip.prefix(8))
        low = number(ip.dropFirst(8))
        byteCount = UInt32(ip.count)
    }

    /// In network order; an IPv4 address is in the first four bytes.
    var bytes: (UInt64, UInt64) { (high.bigEndian, low.bigEndian) }
}
