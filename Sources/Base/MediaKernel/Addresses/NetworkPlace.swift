/// Where an address is, as seen from this machine: RFC 6890.
public enum NetworkPlace: Hashable, Sendable {
    case world
    /// This machine, its network or the provider's.
    case vicinity
    /// Addresses that no server of others has: link-local ones, groups, and the services that give
    /// out a machine's keys.
    case nowhere
}

extension TransportAddress {
    public var place: NetworkPlace { isIPv6 ? Self.placeIPv6(ip) : Self.placeIPv4(ip) }

    /// Addresses of key services that are not link-local: Alibaba's, Azure's, Oracle's.
    private static let metadataAddresses: Set<[UInt8]> = [
        [100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192],
    ]

    /// Those over IPv6, in ranges for private networks. AWS has several: fd00:ec2::254 and more.
    private static let metadataPrefix: [UInt8] = [0xfd, 0x00, 0x0e, 0xc2]
    private static let metadataIPv6: Set<[UInt8]> = [
        // Google's fd20:ce::254, Oracle's fd00:c1::a9fe:a9fe, Akamai's fd00:a9fe:a9fe::1,
        // Scaleway's fd00:42::42 and Alibaba's fd00:100::100:200.
        [0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
        [0xfd, 0x00, 0x00, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe],
        [0xfd, 0x00, 0xa9, 0xfe, 0xa9, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01],
        [0xfd, 0x00, 0x00, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42],
        [0xfd, 0x00, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x00, 0x02, 0x00],
    ]

    private static func placeIPv4(_ ip: [UInt8]) -> NetworkPlace {
        if metadataAddresses.contains(ip) { return .nowhere }
        return switch (ip[0], ip[1]) {
        case (0, _), (169, 254), (224..., _): .nowhere
        case (10, _), (127, _), (172, 16...31), (192, 168), (100, 64...127): .vicinity
        case (198, 18...19): .vicinity
        case (192, 0) where ip[2] == 0: .vicinity
        default: .world
        }
    }

    private static func placeIPv6(_ ip: [UInt8]) -> NetworkPlace {
        if ip[..<12].allSatisfy({ $0 == 0 }) {
            return ip[12...] == [0, 0, 0, 1] ? .vicinity : placeIPv4(Array(ip[12...]))
        }
        // Addresses that embed an IPv4 address: RFC 6052 and RFC 3056.
        if ip[..<12] == [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0] {
            return placeIPv4(Array(ip[12...]))
        }
        if ip[..<2] == [0x20, 0x02] { return placeIPv4(Array(ip[2..<6])) }
        if ip.starts(with: metadataPrefix) || metadataIPv6.contains(ip) { return .nowhere }
        return switch (ip[0], ip[1]) {
        case (0xfc...0xfd, _): .vicinity
        case (0xfe, _), (0xff, _), (0, _): .nowhere
        default: .world
        }
    }
}
