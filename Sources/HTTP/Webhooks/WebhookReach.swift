public import MediaKernel

/// Where rooms' own webhook receivers may be. Their addresses come with requests, so a caller who
/// may make rooms could make the server call addresses that only the server can reach: its machine,
/// its network, and a cloud's service that gives out its keys.
public struct WebhookReach: Hashable, Sendable {
    /// Whether receivers may be on this machine and in private networks, as in an installation
    /// within such a network.
    public var includesPrivate: Bool

    public init(includesPrivate: Bool = false) { self.includesPrivate = includesPrivate }

    /// Judges an address by its text. A name's addresses are checked when a webhook is sent:
    /// ``admits(_:)``.
    public func admits(url: String) -> Bool {
        guard WebhookAddress.isUsable(url), let host = HTTPURL(url)?.host else { return false }
        if let address = TransportAddress(host, port: 0) { return admits(address) }
        // Some resolvers take `2852039166`, `0xa9fea9fe` and `169.254.43518` for addresses.
        let labels = host.split(separator: ".")
        guard let last = labels.last, let first = last.utf8.first, !(0x30...0x39).contains(first)
        else { return false }
        if last == "localhost" { return includesPrivate }
        return !Self.metadataNames.contains(labels.joined(separator: "."))
    }

    /// Judges the present address of a name.
    public func admits(_ address: TransportAddress) -> Bool {
        switch Self.place(of: address.ip) {
        case .world: true
        case .vicinity: includesPrivate
        case .nowhere: false
        }
    }

    private enum Place {
        case world
        /// This machine, its network or the provider's (RFC 6890).
        case vicinity
        /// Addresses without receivers: link-local ones and groups.
        case nowhere
    }

    /// Names of services that give out a machine's keys; their addresses are refused too.
    private static let metadataNames: Set<String> = [
        "metadata", "metadata.google.internal", "metadata.goog", "instance-data",
        "instance-data.ec2.internal", "metadata.azure.internal", "metadata.tencentyun.com",
    ]

    /// Such services' addresses that are not link-local: Alibaba's, Azure's, Oracle's.
    private static let metadataAddresses: Set<[UInt8]> = [
        [100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192],
    ]

    /// AWS' over IPv6, in a range for private networks.
    private static let metadataPrefix: [UInt8] = [0xfd, 0x00, 0x0e, 0xc2]

    private static func place(of ip: [UInt8]) -> Place {
        ip.count == 4 ? placeIPv4(ip) : placeIPv6(ip)
    }

    private static func placeIPv4(_ ip: [UInt8]) -> Place {
        if metadataAddresses.contains(ip) { return .nowhere }
        return switch (ip[0], ip[1]) {
        case (0, _), (169, 254), (224..., _): .nowhere
        case (10, _), (127, _), (172, 16...31), (192, 168), (100, 64...127): .vicinity
        case (198, 18...19): .vicinity
        case (192, 0) where ip[2] == 0: .vicinity
        default: .world
        }
    }

    private static func placeIPv6(_ ip: [UInt8]) -> Place {
        if ip[..<12].allSatisfy({ $0 == 0 }) {
            return ip[12...] == [0, 0, 0, 1] ? .vicinity : placeIPv4(Array(ip[12...]))
        }
        // Addresses that embed an IPv4 address: RFC 6052 and RFC 3056.
        if ip[..<12] == [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0] {
            return placeIPv4(Array(ip[12...]))
        }
        if ip[..<2] == [0x20, 0x02] { return placeIPv4(Array(ip[2..<6])) }
        if ip.starts(with: metadataPrefix) { return .nowhere }
        return switch (ip[0], ip[1]) {
        case (0xfc...0xfd, _): .vicinity
        case (0xfe, _), (0xff, _), (0, _): .nowhere
        default: .world
        }
    }
}
