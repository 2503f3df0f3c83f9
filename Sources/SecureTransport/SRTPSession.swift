import CSRTP

/// One direction's `srtp_t`: any number of SSRCs under one key.
struct SRTPContext: ~Copyable {
    /// Packets a late one may lie behind the newest. RFC 3711 sect. 3.3.2 asks for 64; a video
    /// burst with a retransmission a second later needs far more.
    private static let replayWindowPackets: UInt = 2048

    let session: srtp_t

    private init(session: srtp_t) { self.session = session }

    deinit { _ = srtp_dealloc(session) }

    /// - Parameter key: master key and salt, one behind the other.
    static func make(
        profile: SRTPProfile, key: [UInt8], isInbound: Bool
    ) throws(SecureTransportError) -> SRTPContext {
        try SRTPLibrary.start()
        var policy = srtp_policy_t()
        try SRTPLibrary.check(
            srtp_crypto_policy_set_from_profile_for_rtp(&policy.rtp, profile.library))
        try SRTPLibrary.check(
            srtp_crypto_policy_set_from_profile_for_rtcp(&policy.rtcp, profile.library))
        policy.ssrc.type = isInbound ? ssrc_any_inbound : ssrc_any_outbound
        policy.window_size = replayWindowPackets
        // To encrypt two different packets under one index gives an AES-GCM key away, and a
        // retransmission whose header extensions changed is a different packet.
        policy.allow_repeat_tx = 0
        var key = key
        var session: srtp_t?
        let status = key.withUnsafeMutableBufferPointer { bytes in
            policy.key = bytes.baseAddress
            return srtp_create(&session, &policy)
        }
        for index in key.indices { key[index] = 0 }
        try SRTPLibrary.check(status)
        guard let session else { throw .srtp(status: Int(srtp_err_status_alloc_fail.rawValue)) }
        return SRTPContext(session: session)
    }
}

/// libsrtp's process-wide part.
enum SRTPLibrary {
    private static let status = srtp_init()

    /// Initialises libsrtp at the first call.
    static func start() throws(SecureTransportError) { try check(status) }

    static func check(_ status: srtp_err_status_t) throws(SecureTransportError) {
        switch status {
        case srtp_err_status_ok: return
        case srtp_err_status_auth_fail: throw .authenticationFailed
        case srtp_err_status_replay_fail, srtp_err_status_replay_old: throw .replayed
        default: throw .srtp(status: Int(status.rawValue))
        }
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
    private let outbound: SRTPContext
    private let inbound: SRTPContext
    private var inboundStreams: Set<UInt32> = []

    init(profile: SRTPProfile, material: [UInt8], isServer: Bool) throws(SecureTransportError) {
        self.profile = profile
        let key = profile.keyBytes
        let salt = profile.saltBytes
        let client = Array(material[0..<key] + material[(2 * key)..<(2 * key + salt)])
        let server = Array(material[key..<(2 * key)] + material[(2 * key + salt)...])
        outbound = try SRTPContext.make(
            profile: profile, key: isServer ? server : client, isInbound: false)
        inbound = try SRTPContext.make(
            profile: profile, key: isServer ? client : server, isInbound: true)
    }

    func protectRTP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try Self.require(packet, minimum: 12)
        try Self.extend(&packet, outbound.session, srtp_protect)
    }

    func protectRTCP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try Self.require(packet, minimum: 8)
        try Self.extend(&packet, outbound.session, srtp_protect_rtcp)
    }

    func unprotectRTP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try Self.require(packet, minimum: 12 + profile.tagBytes)
        try admitting(Self.uint32(packet, 8)) { () throws(SecureTransportError) in
            try Self.shrink(&packet, inbound.session, srtp_unprotect)
        }
    }

    func unprotectRTCP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try Self.require(packet, minimum: 8 + 4 + profile.tagBytes)
        try admitting(Self.uint32(packet, 4)) { () throws(SecureTransportError) in
            try Self.shrink(&packet, inbound.session, srtp_unprotect_rtcp)
        }
    }

    /// Frees what libsrtp keeps for an outgoing stream. Its SSRC must never be used again here:
    /// the packet index would start anew under the same key.
    func retireOutbound(ssrc: UInt32) {
        // libsrtp compares with the SSRC as it lies in the packet.
        _ = srtp_remove_stream(outbound.session, ssrc.bigEndian)
    }

    /// libsrtp makes a stream for an SSRC once a packet of it proved authentic.
    private func admitting(
        _ ssrc: UInt32, _ unprotect: () throws(SecureTransportError) -> Void
    ) throws(SecureTransportError) {
        let isKnown = inboundStreams.contains(ssrc)
        guard isKnown || inboundStreams.count < Self.inboundStreamsMaximum else {
            throw .tooManyStreams(maximum: Self.inboundStreamsMaximum)
        }
        try unprotect()
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
