import CSRTP

/// One direction's streams: any number of SSRCs under one key.
///
/// libsrtp looks up a packet's stream in a list. With a hundred streams on each of a hundred
/// connections that list misses the cache, and walking it took longer than the ciphers. So the
/// streams are distributed to several sessions, created on first use.
final class SRTPStreams {
    /// For each window width. A power of two.
    private static let sessionsMaximum = 128
    /// How many packets a late one may be behind the newest. RFC 3711 sect. 3.3.2 requires 64; a
    /// video burst with a retransmission a second later needs far more.
    private static let replayWindowPackets: UInt = 2048
    /// The same for streams that we send in order. libsrtp moves the whole window with every
    /// packet, and the windows of ten thousand audio streams would take 2.5 MB and miss the cache.
    private static let orderedWindowPackets: UInt = 512

    /// The outgoing streams that leave in order, or nearly. Only the SSRC decides: a stream that
    /// changed its session would restart under the same key.
    static let orderedSSRCs: ClosedRange<UInt32> = 1...0x7FFF_FFFF

    private let profile: SRTPProfile
    private let isInbound: Bool
    /// Master key followed by the salt.
    private var key: [UInt8]
    /// The sessions with the wide window come first.
    private var sessions: [srtp_t?]
    private let contexts = KeyedContexts()

    init(profile: SRTPProfile, key: [UInt8], isInbound: Bool) throws(SecureTransportError) {
        self.profile = profile
        self.key = key
        self.isInbound = isInbound
        sessions = Array(repeating: nil, count: Self.sessionsMaximum * (isInbound ? 1 : 2))
        try SRTPLibrary.start()
        // Creates a session to detect an invalid key at once.
        _ = try session(of: 0)
    }

    deinit {
        for case let session? in sessions { _ = srtp_dealloc(session) }
        for index in key.indices { key[index] = 0 }
    }

    /// The session of a stream, always the same.
    func session(of ssrc: UInt32) throws(SecureTransportError) -> srtp_t {
        let isOrdered = !isInbound && Self.orderedSSRCs.contains(ssrc)
        let place = Int(ssrc) & (Self.sessionsMaximum - 1)
        let index = isOrdered ? Self.sessionsMaximum + place : place
        if let session = sessions[index] { return session }
        let window = isOrdered ? Self.orderedWindowPackets : Self.replayWindowPackets
        let session = try makeSession(window: window)
        sessions[index] = session
        return session
    }

    private func makeSession(window: UInt) throws(SecureTransportError) -> srtp_t {
        var policy = srtp_policy_t()
        try SRTPLibrary.check(
            srtp_crypto_policy_set_from_profile_for_rtp(&policy.rtp, profile.library))
        try SRTPLibrary.check(
            srtp_crypto_policy_set_from_profile_for_rtcp(&policy.rtcp, profile.library))
        policy.ssrc.type = isInbound ? ssrc_any_inbound : ssrc_any_outbound
        policy.window_size = window
        // Encrypting two different packets under one index reveals an AES-GCM key, and a
        // retransmission with changed header extensions is a different packet.
        policy.allow_repeat_tx = 0
        var session: srtp_t?
        let status = key.withUnsafeMutableBufferPointer { bytes in
            policy.key = bytes.baseAddress
            return contexts.sharing { srtp_create(&session, &policy) }
        }
        try SRTPLibrary.check(status)
        guard let session else { throw .srtp(status: Int(srtp_err_status_alloc_fail.rawValue)) }
        return session
    }
}
