public import MediaKernel

/// How a page of the web is shown.
public struct PagePlan: Hashable, Sendable {
    /// Whether the page says when it is ready, by `START_RECORDING` on its console.
    public var awaitsStartSignal: Bool
    /// The hosts that may be on the server's own machine and network, and may use WebRTC.
    public var hosts: WebHosts
    /// Of all processes of the browser, in bytes.
    public var memoryMaximum: Int
    /// That the browser may use.
    public var coresMaximum: Int

    public init(
        awaitsStartSignal: Bool = false, hosts: WebHosts = WebHosts(allowsHTTP: true),
        memoryMaximum: Int = 2 << 30, coresMaximum: Int = 4
    ) {
        self.awaitsStartSignal = awaitsStartSignal
        self.hosts = hosts
        self.memoryMaximum = memoryMaximum
        self.coresMaximum = coresMaximum
    }
}

extension PagePlan: Codable {
    enum CodingKeys: String, CodingKey {
        case awaitsStartSignal = "await_start_signal"
        case hosts
        case memoryMaximum = "memory_maximum"
        case coresMaximum = "cores_maximum"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(awaitsStartSignal, forKey: .awaitsStartSignal)
        try container.encode(hosts.names, forKey: .hosts)
        try container.encode(memoryMaximum, forKey: .memoryMaximum)
        try container.encode(coresMaximum, forKey: .coresMaximum)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            awaitsStartSignal:
                try container.decodeIfPresent(Bool.self, forKey: .awaitsStartSignal) ?? false,
            hosts: try container.hosts(.hosts, allowsHTTP: true),
            memoryMaximum: try container.decodeIfPresent(Int.self, forKey: .memoryMaximum)
                ?? PagePlan().memoryMaximum,
            coresMaximum: try container.decodeIfPresent(Int.self, forKey: .coresMaximum)
                ?? PagePlan().coresMaximum)
    }
}
