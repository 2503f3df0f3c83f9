public import MediaKernel

/// The hosts that streams may be pushed to. Public addresses are allowed; those of this machine and
/// its networks only if the operator lists their hosts: a caller could otherwise reach what only
/// the server can.
public struct PushHosts: Hashable, Sendable {
    private var entries: [HostPattern] = []
    /// As they were given.
    public let names: [String]

    /// Public addresses only.
    public init() { names = [] }

    /// Reads entries such as `example.com`, `*.example.com` (its subdomains, not itself) and
    /// `127.0.0.1:1935`. An entry without a port allows all ports.
    ///
    /// - Returns: nil when an entry is not valid.
    public init?(_ names: [String]) {
        self.names = names
        for name in names {
            guard let entry = HostPattern(name),
                (try? PushTarget("srt://\(entry.host):1")) != nil
            else { return nil }
            entries.append(entry)
        }
    }

    private func lists(_ target: PushTarget) -> Bool {
        entries.contains { entry in
            entry.matches(host: target.host) && (entry.port.map { $0 == target.port } ?? true)
        }
    }

    /// Judges a target by its text. The addresses of a name are checked at each connection.
    public func admits(_ target: PushTarget) -> Bool {
        if lists(target) { return true }
        if target.host == "localhost" || target.host.hasSuffix(".localhost") { return false }
        return TransportAddress(target.host, port: 0).map { $0.place == .world } ?? true
    }

    /// Judges a present address of the target's host.
    public func admits(_ address: TransportAddress, of target: PushTarget) -> Bool {
        lists(target) || address.place == .world
    }
}
