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
        switch address.place {
        case .world: true
        case .vicinity: includesPrivate
        // No receivers are there.
        case .nowhere: false
        }
    }

    /// Names of services that give out a machine's keys; their addresses are refused too.
    private static let metadataNames: Set<String> = [
        "metadata", "metadata.google.internal", "metadata.goog", "instance-data",
        "instance-data.ec2.internal", "metadata.azure.internal", "metadata.tencentyun.com",
    ]
}
