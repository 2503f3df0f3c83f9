public import MediaKernel
import NIOCore
import NIOPosix

/// The addresses of this machine's interfaces, for host candidates.
public enum HostAddresses {
    /// The addresses of this machine at which a peer may reach a socket.
    ///
    /// - Parameter bound: the socket's address. `0.0.0.0` receives IPv4; `::` receives both, since
    ///   NIO binds no socket to IPv6 alone; any other address only itself, with its port.
    public static func reaching(_ bound: TransportAddress) -> [TransportAddress] {
        guard bound.isWildcard else { return [bound] }
        return all().filter { bound.isIPv6 || !$0.isIPv6 }.compactMap {
            TransportAddress(ip: $0.ip, port: bound.port, transport: bound.transport)
        }
    }

    /// Addresses that a peer may reach, with port 0. Link-local ones are left out, since they need
    /// an interface; loopback comes last.
    public static func all() -> [TransportAddress] {
        let devices = (try? System.enumerateDevices()) ?? []
        var found: [TransportAddress] = []
        for device in devices {
            guard let address = device.address.flatMap(TransportAddress.init) else { continue }
            let isLinkLocal =
                address.isIPv6
                ? address.ip[0] == 0xFE && address.ip[1] & 0xC0 == 0x80
                : address.ip[0] == 169 && address.ip[1] == 254
            let plain = TransportAddress(ip: address.ip, port: 0)
            if let plain, !isLinkLocal, !found.contains(plain) { found.append(plain) }
        }
        return found.filter { !$0.isLoopback } + found.filter(\.isLoopback)
    }
}
