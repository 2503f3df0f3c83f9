internal import Datagrams
internal import ICE
public import MediaKernel
public import SDP

/// Which addresses a server of strangers may have us send to: each of its candidates gets our
/// connectivity checks (RFC 8445 sect. 19.5.1). A server on the web could otherwise send them to
/// whatever only this machine can reach.
///
/// A server may name what is on the web; if it is found in a private network itself, private
/// addresses too, since a network may consist of several; and loopback ones if it is found there.
/// It may not name link-local addresses, groups, and services that give out a machine's keys, unless
/// it is found at that very one.
public struct ServerReach: Hashable, Sendable {
    private let servers: [TransportAddress]

    /// - Parameter addresses: at which the server is found; none if that is not known. One on the
    ///   web decides, whatever the others are. Media use IPv4 only: a server's IPv6 addresses count
    ///   where it has no other.
    public init(_ addresses: [TransportAddress] = []) {
        let narrow = addresses.filter { !$0.isIPv6 }
        servers = narrow.isEmpty ? addresses : narrow
    }

    /// That of a server with this name, or address as text.
    public static func found(_ host: String) async -> ServerReach {
        ServerReach((try? await NameResolver.addresses(of: host)) ?? [])
    }

    public func admits(_ address: TransportAddress) -> Bool {
        switch address.place {
        case .world: true
        case .nowhere: servers.contains { $0.ip == address.ip }
        case .vicinity:
            !servers.isEmpty
                && servers.allSatisfy {
                    $0.isLoopback || $0.place == .vicinity && !address.isLoopback
                }
        }
    }

    /// - Parameter candidate: as in a description, or trickled.
    /// - Returns: true also for what a connection does not use: no address, a name, or the end.
    public func admits(candidate: String) -> Bool {
        (try? ICECandidate(parsing: candidate)).map { admits($0.address) } ?? true
    }

    /// The description without the candidates that are not used, and the first of those.
    public func admitted(
        _ description: SessionDescription
    ) -> (SessionDescription, refused: String?) {
        var (description, refused) = (description, String?.none)
        for index in description.media.indices {
            description.media[index].ice.candidates.removeAll { candidate in
                guard !admits(candidate: candidate) else { return false }
                refused = refused ?? candidate
                return true
            }
        }
        return (description, refused)
    }
}
