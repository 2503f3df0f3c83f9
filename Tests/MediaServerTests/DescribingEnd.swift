import ICE
import MediaKernel
import PeerConnection
import SecureTransport

extension PeerConnection {
    /// A client's connection that makes descriptions and never connects.
    ///
    /// - Parameter channel: the label of its data channel.
    static func describing(
        _ identity: DTLSIdentity, channel: String?, at now: Instant
    ) -> PeerConnection {
        PeerConnection(
            configuration: .init(
                identity: identity, mode: .full(controlling: true),
                localCandidates: [.host(TransportAddress(ipv4: 192, 0, 2, 9, port: 9))],
                canonicalName: "client", dataChannel: channel.map { ChannelFormat(label: $0) },
                seed: 1),
            at: now)
    }
}
