import MediaKernel

/// Decides which addresses the browser may reach: the web, and the hosts that the operator lists.
///
/// A page is a stranger's program that runs on the server's machine. Without this it could call
/// whatever only the server can reach.
struct AddressGuard: Hashable, Sendable {
    /// A network to which an interface of this machine belongs.
    struct Network: Hashable, Sendable {
        var ip: [UInt8]
        /// The bits that all addresses of the network share.
        var prefix: Int

        func contains(_ other: [UInt8]) -> Bool {
            guard other.count == ip.count else { return false }
            return zip(ip, other).enumerated().allSatisfy { index, pair in
                let bits = min(max(prefix - index * 8, 0), 8)
                let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - bits))
                return pair.0 & mask == pair.1 & mask
            }
        }
    }

    /// Where the browser wants to connect to.
    struct Target: Hashable, Sendable, CustomStringConvertible {
        /// A name in small letters, or an address as text, without brackets.
        var host: String
        var port: UInt16

        var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// The hosts that may be anywhere.
    let hosts: WebHosts
    /// This machine's networks, which may have public addresses.
    let networks: [Network]

    /// Whether the operator lists the target.
    func lists(_ target: Target) -> Bool {
        ["https", "http"].contains { scheme in
            WebAddress("\(scheme)://\(target.host):\(target.port)/").map(hosts.allows) ?? false
        }
    }

    /// Why the target's address may not be reached; nil if it may.
    func refusal(of address: TransportAddress, _ target: Target) -> String? {
        let isNear = networks.contains { $0.contains(address.ip) }
        switch address.place {
        case .nowhere: return "\(target) is at \(address.host), which is no address on the web"
        case .world where !isNear: return nil
        case .world, .vicinity:
            return lists(target)
                ? nil
                : "\(target) is at \(address.host), on the server's own machine or network, "
                    + "and customView.hosts does not list it"
        }
    }
}
