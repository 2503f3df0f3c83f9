import CSRTP

/// One direction's streams: any number of SSRCs under one key.
///
/// libsrtp looks for a packet's stream in a list. With a hundred streams on each of a hundred
/// connections that list is in nobody's cache, and walking it took longer than the ciphers: so the
/// streams are dealt to several sessions, which are made when they are first needed.
private final class SRTPStreams {
    /// A power of two.
    private static let sessionsMaximum: UInt32 = 16
    /// Packets a late one may lie behind the newest. RFC 3711 sect. 3.3.2 asks for 64; a video
    /// burst with a retransmission a second later needs far more.
    private static let replayWindowPackets: UInt = 2048

    private let profile: SRTPProfile
    private let isInbound: Bool
    /// Master key and salt, one behind the other.
    private var key: [UInt8]
    private var sessions = [srtp_t?](repeating: nil, count: Int(sessionsMaximum))

    init(profile: SRTPProfile, key: [UInt8], isInbound: Bool) throws(SecureTransportError) {
        self.profile = profile
        self.key = key
        self.isInbound = isInbound
        try SRTPLibrary.start()
        // What is wrong with the key, if anything, is found at once.
        _ = try session(of: 0)
    }

    deinit {
        for case let session? in sessions { _ = srtp_dealloc(session) }
        for index in key.indices { key[index] = 0 }
    }

    /// That of a stream, always the same.
    func session(of ssrc: UInt32) throws(SecureTransportError) -> srtp_t {
        let index = Int(ssrc & (Self.sessionsMaximum - 1))
        if let session = sessions[index] { return session }
        let session = try makeSession()
        sessions[index] = session
        return session
    }

    private func makeSession() throws(SecureTransportError) -> srtp_t {
        var policy = srtp_policy_t()
        try SRTPLibrary.check(
            srtp_crypto_policy_set_from_profile_for_rtp(&policy.rtp, profile.library))
        try SRTPLibrary.check(
            srtp_crypto_policy_set_from_profile_for_rtcp(&policy.rtcp, profile.library))
        policy.ssrc.type = isInbound ? ssrc_any_inbound : ssrc_any_outbound
        policy.window_size = Self.replayWindowPackets
        // To encrypt two different packets under one index gives an AES-GCM key away, and a
        // retransmission whose header extensions changed is a different packet.
        policy.allow_repeat_tx = 0
        var session: srtp_t?
        let status = key.withUnsafeMutableBufferPointer { bytes in
            policy.key = bytes.baseAddress
            return srtp_create(&session, &policy)
        }
        try SRTPLibrary.check(status)
        guard let session else { throw .srtp(status: Int(srtp_err_status_alloc_fail.rawValue)) }
        return session
    }
}

/// Both directions of a connection's SRTP and SRTCP, in place.
final class SRTPSession {
    /// Distinct SSRCs that may be received, so that a participant cannot make libsrtp allocate
    /// without end: a thousand publications of video, RTX and audio.
    static let inboundStreamsMaximum = 3000
    static let packetBytesMaximum = 65_535
    /// libsrtp may write this much behind a packet, whatever the profile.
    static let trailerBytesMaximum = Int(SRTP_MAX_TRAILER_LEN) + 4

    let profile: SRTPProfile
    private let outbound: SRTPStreams
    private let inbound: SRTPStreams
    private var inboundStreams: Set<UInt32> = []

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
        try Self.extend(&packet, session, srtp_protect)
    }

    func protectRTCP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try Self.require(packet, minimum: 8)
        let session = try outbound.session(of: Self.uint32(packet, 4))
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

    /// libsrtp makes a stream for an SSRC once a packet of it proved authentic.
    private func unprotect(
        _ packet: inout [UInt8], of ssrc: UInt32, _ transform: Transform
    ) throws(SecureTransportError) {
        let isKnown = inboundStreams.contains(ssrc)
        guard isKnown || inboundStreams.count < Self.inboundStreamsMaximum else {
            throw .tooManyStreams(maximum: Self.inboundStreamsMaximum)
        }
        try Self.shrink(&packet, inbound.session(of: ssrc), transform)
        if !isKnown { inboundStreams.insert(ssrc) }
    }

    // MARK: The hot path

    private typealias Transform =
        (srtp_t?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?) -> srtp_err_status_t

    private static func extend(
        _ packet: inout [UInt8], _ session: srtp_t, _ transform: Transform
    ) throws(SecureTransportError) {
        let count = packet.count
        var length = Int32(count)
        packet.append(contentsOf: repeatElement(0, count: trailerBytesMaximum))
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
