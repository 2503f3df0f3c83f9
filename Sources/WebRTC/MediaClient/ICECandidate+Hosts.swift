import Datagrams
import ICE
import MediaKernel

extension ICECandidate {
    /// This machine's IPv4 addresses, as candidates for a socket that is bound to all of them.
    static func hosts(port: UInt16) -> [ICECandidate] {
        HostAddresses.all().filter { !$0.isIPv6 }.enumerated().compactMap { index, address in
            TransportAddress(ip: address.ip, port: port).map {
                .host($0, preference: UInt16(65_535 - min(index, 65_535)))
            }
        }
    }
}
