import CSRTP

/// Encrypts the packets of one outgoing stream. Keep it for a stream with many packets: a lookup is
/// slow, because it misses the cache.
public struct OutboundProtection {
    /// The room needed after a packet: the most that any profile adds.
    public static let roomBytes = SRTPSession.trailerBytesMaximum

    private let session: srtp_t
    /// Owns `session`.
    private let streams: SRTPStreams

    init(of ssrc: UInt32, in streams: SRTPStreams) throws(SecureTransportError) {
        session = try streams.session(of: ssrc)
        self.streams = streams
    }

    /// Encrypts an RTP packet of the stream in place. It uses as much of `roomBytes` as the
    /// profile's tag needs and removes the rest. See `DTLSTransport.protectRTP`.
    public func protect(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try SRTPSession.protectRTP(withRoom: &packet, in: session)
    }
}
