public import MediaKernel
import NIOCore
import NIOPosix

/// The addresses of this machine's interfaces, for host candidates.
public enum HostAddresses {
    /// Addresses that a peer could reach: link-local ones are left out, since they mean nothing
    /// without an interface; loopback comes last. The port is 0.
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
