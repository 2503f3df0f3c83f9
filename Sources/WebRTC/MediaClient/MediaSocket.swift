import Datagrams
import ICE
import MediaKernel

/// A socket of a client's media, and the network conditions of what it sends. Confined to its event
/// loop.
final class MediaSocket {
    let socket: DatagramSocket
    private var path: NetworkPath

    init(_ socket: DatagramSocket, _ conditions: NetworkConditions) {
        self.socket = socket
        path = NetworkPath(conditions)
    }

    /// Sends the answer to a connectivity check from the address that was checked: the peer would
    /// not recognise another (RFC 8445 sect. 7.3.1.2).
    func transmit(_ bytes: [UInt8], to address: TransportAddress, at now: Instant) {
        let source = STUNMessage.isAnswer(bytes) ? socket.arrivedAt : nil
        path.send(NetworkPath.Datagram(bytes: bytes, address: address, source: source), at: now)
    }

    /// Sends what has left by now.
    func flush(at now: Instant) {
        for datagram in path.due(at: now) {
            socket.send(datagram.bytes, to: datagram.address, from: datagram.source)
        }
        socket.flush()
    }

    /// Cuts the socket off from the network until then.
    func interrupt(until end: Instant) { path.interrupt(until: end) }

    func isInterrupted(at now: Instant) -> Bool { path.isInterrupted(at: now) }
}
