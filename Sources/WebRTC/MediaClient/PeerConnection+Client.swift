import Datagrams
import ICE
import MediaKernel
import PeerConnection
import SecureTransport

extension PeerConnection.Configuration {
    /// Of a client's connection on this socket.
    init(
        of identity: DTLSIdentity, on socket: DatagramSocket, dataChannel: ChannelFormat? = nil,
        receivesVideo: Bool
    ) {
        var random = SecureRandom()
        self.init(
            identity: identity, mode: .full(controlling: true),
            localCandidates: ICECandidate.hosts(port: socket.localAddress.port),
            canonicalName: String(random.next(), radix: 36), dataChannel: dataChannel,
            receivesVideo: receivesVideo, seed: random.next())
    }
}
