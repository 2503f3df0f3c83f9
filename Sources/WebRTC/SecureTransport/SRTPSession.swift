import CSRTP

/// Both directions of a connection's SRTP and SRTCP, in place.
final class SRTPSession {
    /// Distinct SSRCs that may be received, so that a participant cannot make libsrtp allocate
    /// without end: a thousand publications of video, RTX and audio.
    static let inboundStreamsMaximum = 3000
    static let packetBytesMaximum = 65_535
    /// libsrtp may write this much behind a packet, whatever the profile.
    static let trailerBytesMaximum = Int(SRTP_MAX_TRAILER_LEN) + 4
    /// Room for it, copied at one go.
    private static let trailer = [UInt8](repeating: 0, count: trailerBytesMaximum)

    let profile: SRTPProfile
    private let outbound: SRTPStreams
    private let inbound: SRTPStreams
    private var inboundStreams: Set<UInt32> = []
    /// Of them, those that ended, the earliest first: they make room when it is needed. Until then
    /// their keys' state stays, as a sender may go on with one.
    private var endedInbound: [UInt32] = []
    /// Those that made room. Their replay windows went with their states, so that what was recorded
    /// of them would pass for new: nothing more is taken from them.
    private var removedInbound: Set<UInt32> = []
    /// Far more than one connection has in a day, in 1 MiB.
    static let removedStreamsMaximum = 65_536

    init(profile: SRTPProfile, material: [UInt8], isServer: Bool) throws(SecureTransportError) {
        self.profile = profile
        let key = profile.keyBytes
        let salt = profile.saltBytes
        let client = Array(material[0..<key] + material[(2 * key)..<(2 * key + salt)])
        let server = Array(material[key..<(2 * key)] + material[(2 * key + salt)...])
        outbound = try SRTPStreams(
            profile: profile, key: isServer ? server : client, isInbound: false)
        inbound = try SRTPStreams(
            profile: profile, key: isServer ? client : server, isInbound: true)
    }

    func protectRTP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try Self.require(packet, minimum: 12)
        let session = try outbound.session(of: Self.uint32(packet, 8))
        packet.append(contentsOf: Self.trailer)
        try Self.extend(&packet, session, srtp_protect)
    }

    /// - Parameter packet: with the room for the trailer behind it.
    static func protectRTP(
        withRoom packet: inout [UInt8], in session: srtp_t
    ) throws(SecureTransportError) {
        try require(packet, minimum: 12 + trailerBytesMaximum)
        try extend(&packet, session, srtp_protect)
    }

    func outboundProtection(ssrc: UInt32) throws(SecureTransportError) -> OutboundProtection {
        try OutboundProtection(of: ssrc, in: outbound)
    }

    func protectRTCP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try Self.require(packet, minimum: 8)
        let session = try outbound.session(of: Self.uint32(packet, 4))
        packet.append(contentsOf: Self.trailer)
        try Self.extend(&packet, session, srtp_protect_rtcp)
    }

    func unprotectRTP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try Self.require(packet, minimum: 12 + profile.tagBytes)
        try unprotect(&packet, of: Self.uint32(packet, 8), srtp_unprotect)
    }

    func unprotectRTCP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try Self.require(packet, minimum: 8 + 4 + profile.tagBytes)
        try unprotect(&packet, of: Self.uint32(packet, 4), srtp_unprotect_rtcp)
    }

    /// Frees what libsrtp keeps for an outgoing stream. Its SSRC must never be used again here:
    /// the packet index would start anew under the same key.
    func retireOutbound(ssrc: UInt32) {
        guard let session = try? outbound.session(of: ssrc) else { return }
        // libsrtp compares with the SSRC as it lies in the packet.
        _ = srtp_remove_stream(session, ssrc.bigEndian)
    }

    /// Says that an incoming stream has ended.
    func retireInbound(ssrc: UInt32) {
        guard inboundStreams.contains(ssrc), !endedInbound.contains(ssrc) else { return }
        endedInbound.append(ssrc)
    }

    /// Takes it back that an incoming stream has ended.
    func expectInbound(ssrc: UInt32) { endedInbound.removeAll { $0 == ssrc } }

    private var hasRoom: Bool {
        inboundStreams.count < Self.inboundStreamsMaximum
            || !endedInbound.isEmpty && removedInbound.count < Self.removedStreamsMaximum
    }

    private func makeRoom() {
        guard inboundStreams.count > Self.inboundStreamsMaximum, !endedInbound.isEmpty else {
            return
        }
        let ssrc = endedInbound.removeFirst()
        inboundStreams.remove(ssrc)
        removedInbound.insert(ssrc)
        guard let session = try? inbound.session(of: ssrc) else { return }
        _ = srtp_remove_stream(session, ssrc.bigEndian)
    }

    /// libsrtp makes a stream for an SSRC once a packet of it proved authentic. Only then does
    /// another one give way to it.
    private func unprotect(
        _ packet: inout [UInt8], of ssrc: UInt32, _ transform: Transform
    ) throws(SecureTransportError) {
        let isKnown = inboundStreams.contains(ssrc)
        guard isKnown || !removedInbound.contains(ssrc) else { throw .replayed }
        guard isKnown || hasRoom else {
            throw .tooManyStreams(maximum: Self.inboundStreamsMaximum)
        }
        try Self.shrink(&packet, inbound.session(of: ssrc), transform)
        guard !isKnown else { return }
        inboundStreams.insert(ssrc)
        makeRoom()
    }

    // MARK: The hot path

    private typealias Transform =
        (srtp_t?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?) -> srtp_err_status_t

    /// - Parameter packet: with the room for the trailer behind it.
    private static func extend(
        _ packet: inout [UInt8], _ session: srtp_t, _ transform: Transform
    ) throws(SecureTransportError) {
        let count = packet.count - trailerBytesMaximum
        var length = Int32(count)
        let status = packet.withUnsafeMutableBytes { transform(session, $0.baseAddress, &length) }
        let kept = status == srtp_err_status_ok ? Int(length) : count
        packet.removeLast(packet.count - kept)
        try SRTPLibrary.check(status)
    }

    private static func shrink(
        _ packet: inout [UInt8], _ session: srtp_t, _ transform: Transform
    ) throws(SecureTransportError) {
        var length = Int32(packet.count)
        let status = packet.withUnsafeMutableBytes { transform(session, $0.baseAddress, &length) }
        try SRTPLibrary.check(status)
        packet.removeLast(packet.count - Int(length))
    }

    private static func require(
        _ packet: [UInt8], minimum: Int
    ) throws(SecureTransportError) {
        guard packet.count >= minimum else {
            throw .tooShort(count: packet.count, minimum: minimum)
        }
        guard packet.count <= packetBytesMaximum else {
            throw .tooLong(count: packet.count, maximum: packetBytesMaximum)
        }
    }

    private static func uint32(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        UInt32(bytes[offset]) << 24 | UInt32(bytes[offset + 1]) << 16
            | UInt32(bytes[offset + 2]) << 8 | UInt32(bytes[offset + 3])
    }
}
