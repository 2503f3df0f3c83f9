import CSRTP

/// One direction's streams: any number of SSRCs under one key.
///
/// libsrtp looks for a packet's stream in a list. With a hundred streams on each of a hundred
/// connections that list is in nobody's cache, and walking it took longer than the ciphers: so the
/// streams are dealt to several sessions, which are made when they are first needed.
final class SRTPStreams {
    /// Of each width of window. A power of two.
    private static let sessionsMaximum = 128
    /// Packets a late one may lie behind the newest. RFC 3711 sect. 3.3.2 asks for 64; a video
    /// burst with a retransmission a second later needs far more.
    private static let replayWindowPackets: UInt = 2048
    /// The same of what we send in order. libsrtp moves the whole window with every packet, and
    /// those of ten thousand streams of sound would be 2.5 MB, in nobody's cache.
    private static let orderedWindowPackets: UInt = 512

    /// Which outgoing streams are to leave in order, or nearly. By nothing but the SSRC: a stream
    /// whose session changed would begin anew under the same key.
    static let orderedSSRCs: ClosedRange<UInt32> = 1...0x7FFF_FFFF

    private let profile: SRTPProfile
    private let isInbound: Bool
    /// Master key and salt, one behind the other.
    private var key: [UInt8]
    /// Those of the wide window first.
    private var sessions: [srtp_t?]
    private let contexts = KeyedContexts()

    init(profile: SRTPProfile, key: [UInt8], isInbound: Bool) throws(SecureTransportError) {
        self.profile = profile
        self.key = key
        self.isInbound = isInbound
        sessions = Array(repeating: nil, count: Self.sessionsMaximum * (isInbound ? 1 : 2))
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
        // To encrypt two different packets under one index gives an AES-GCM key away, and a
        // retransmission whose header extensions changed is a different packet.
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
