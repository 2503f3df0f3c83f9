import CSRTP

/// What encrypts the packets of one outgoing stream. A stream of many packets has it at hand: to
/// look it up takes longer than it seems, as its way there lies in nobody's cache.
public struct OutboundProtection {
    /// Bytes that a packet has to have behind it: what protection may add, whatever the profile.
    public static let roomBytes = SRTPSession.trailerBytesMaximum

    private let session: srtp_t
    /// Owns `session`.
    private let streams: SRTPStreams

    init(of ssrc: UInt32, in streams: SRTPStreams) throws(SecureTransportError) {
        session = try streams.session(of: ssrc)
        self.streams = streams
    }

    /// Encrypts an RTP packet of the stream in place, which takes of its `roomBytes` what the
    /// profile's tag needs and gives the rest back. See `DTLSTransport.protectRTP`.
    public func protect(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try SRTPSession.protectRTP(withRoom: &packet, in: session)
    }
}
