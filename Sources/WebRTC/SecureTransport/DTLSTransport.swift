public import MediaKernel

/// DTLS 1.2 with DTLS-SRTP over one ICE path (RFC 5764, RFC 8827): bytes in, bytes out.
///
/// The owner calls one method, then `poll` until it returns nil, then sets its timer to
/// `nextDeadline`. Not thread safe: the owner confines it. The remote certificate has been
/// compared with the announced fingerprint before `.connected`, and nothing but handshake
/// messages leaves before that.
///
///     idle ──start──► handshaking ──handle──► connected ──close, handle──► closed
///                          └────────handle, handleTimeout───────┴─────────► failed
public final class DTLSTransport {
    public enum Role: Hashable, Sendable {
        /// `a=setup:active`: sends the ClientHello.
        case client
        /// `a=setup:passive`.
        case server
    }

    public enum Output: Hashable, Sendable {
        /// Send this datagram to the peer.
        case transmit([UInt8])
        /// The handshake is complete and the peer is who the signalling said.
        case connected
        /// One record of application data.
        case applicationData([UInt8])
        /// Either side closed; comes once and nothing follows it.
        case closed
        /// The transport is of no more use; comes once and nothing follows it.
        case failed(SecureTransportError)
    }

    /// What was dropped, and why, since the start.
    public struct Statistics: Hashable, Sendable {
        /// Datagrams of which no record could be shown to OpenSSL.
        public var strayDatagrams = 0
        /// Outgoing data given before the handshake, after the close or over the maximum.
        public var refusedSends = 0
        /// Outputs lost since the owner did not poll.
        public var overflowedOutputs = 0

        public init() {}
    }

    /// UDP payload. RFC 8831 sect. 5 and libwebrtc use the same for paths of unknown MTU.
    public static let datagramBytesMaximum = 1200
    /// So that a record (13 of header, 8 of nonce, 16 of tag) fits one datagram.
    public static let applicationDataBytesMaximum = datagramBytesMaximum - 37

    private static let receivedBytesMaximum = 65_535
    private static let outputsMaximum = 1024
    /// Records that one datagram can release, with those OpenSSL kept back meanwhile.
    private static let recordsPerDatagramMaximum = 8192
    /// Times a server starts anew when what should be a ClientHello is none.
    private static let restartsMaximum = 4

    private enum Phase {
        case idle
        case handshaking
        case connected(SRTPSession?)
        case closed
        case failed
    }

    public private(set) var statistics = Statistics()
    /// When `handleTimeout` wants to be called; nil when nothing is awaited.
    public private(set) var nextDeadline: Instant?

    private let identity: DTLSIdentity
    private let role: Role
    private let profiles: [SRTPProfile]
    private let check: FingerprintCheck
    private var session: DTLSSession
    private var phase = Phase.idle
    private var outputs = BoundedQueue<Output>(maximum: outputsMaximum + 2)
    private var hasTransmitted = false
    private var restarts = 0

    /// - Parameters:
    ///   - remoteFingerprints: of the peer's SDP; `sha-256`, `sha-384` and `sha-512` are known,
    ///     others are passed over.
    ///   - profiles: of SRTP, the preferred one first; empty for data channels only.
    /// - Throws: `noUsableFingerprint`, or `openSSL` when memory is short.
    public init(
        identity: DTLSIdentity, role: Role,
        remoteFingerprints: [(algorithm: String, value: String)],
        profiles: [SRTPProfile] = [.aeadAES128GCM, .aes128CMHMACSHA1Tag80]
    ) throws(SecureTransportError) {
        let check = try FingerprintCheck(remoteFingerprints)
        self.identity = identity
        self.role = role
        self.profiles = profiles
        self.check = check
        session = try Self.makeSession(identity, role, profiles, check)
    }

    public var isConnected: Bool {
        if case .connected = phase { true } else { false }
    }

    /// The profile that both sides chose; nil before `.connected` and for data channels only.
    public var srtpProfile: SRTPProfile? {
        if case .connected(let srtp) = phase { srtp?.profile } else { nil }
    }

    // MARK: Input

    /// A client sends its ClientHello; a server has nothing to do but wait for one.
    public func start(at now: Instant) {
        guard case .idle = phase else { return }
        phase = .handshaking
        if role == .client { advanceHandshake(at: now) }
    }

    /// A datagram whose first byte is 20…63 (RFC 7983). Anything else is counted and dropped.
    public func handle(_ datagram: [UInt8], at now: Instant) {
        let epochs: ClosedRange<UInt16>
        switch phase {
        case .idle:
            guard role == .server else { return refuseInput() }
            phase = .handshaking
            epochs = 0...1
        case .handshaking: epochs = 0...1
        // Renegotiation is off, so the first encrypted epoch is the last.
        case .connected: epochs = 1...1
        case .closed, .failed: return refuseInput()
        }
        guard datagram.count <= Self.receivedBytesMaximum else { return refuseInput() }
        let records = DTLSRecords.screen(
            datagram, epochs: epochs, encryptedMinimum: session.encryptedMinimum)
        guard !records.isEmpty else { return refuseInput() }
        let starts = restarts
        for record in records {
            session.feed(datagram[record])
            advance(at: now)
            // What follows what spoiled a handshake is none of the next one's.
            guard restarts == starts else { return }
            switch phase {
            case .handshaking, .connected: break
            case .idle, .closed, .failed: return
            }
        }
    }

    /// Retransmits a lost flight. Early calls do nothing.
    public func handleTimeout(at now: Instant) {
        guard let nextDeadline, nextDeadline <= now else { return }
        guard session.retransmitIfDue() else {
            return fail(.handshakeTimedOut)
        }
        flush()
        rearm(at: now)
    }

    /// Sends `data` as one record in one datagram.
    ///
    /// Empty data, data over `applicationDataBytesMaximum` and data given while not connected is
    /// counted and dropped: like the datagram it would have become, it was never promised.
    public func send(_ data: [UInt8]) {
        guard isConnected, !data.isEmpty, data.count <= Self.applicationDataBytesMaximum else {
            statistics.refusedSends += 1
            return
        }
        switch session.write(data) {
        case .done: flush()
        case .wantsMore: statistics.refusedSends += 1
        case .closed: finish()
        case .failed: fail(.protocolViolation(reason: OpenSSLFailure.reason()))
        }
    }

    /// Tells the peer with a close_notify, if there is a connection.
    public func close() {
        switch phase {
        case .connected:
            session.shutdown()
            flush()
        case .idle, .handshaking: break
        case .closed, .failed: return
        }
        finish()
    }

    /// The next thing to do or to know; nil when there is none.
    public func poll() -> Output? { outputs.popFirst() }

    // MARK: SRTP

    /// SSRCs for outgoing streams.
    ///
    /// - Parameter areInOrder: for streams that leave in order, or nearly: a packet 256 or more
    ///   behind the newest is refused. It takes less to protect them. Of others it is 2048.
    public static func outboundSSRCs(areInOrder: Bool) -> ClosedRange<UInt32> {
        let ordered = SRTPStreams.orderedSSRCs
        return areInOrder ? ordered : (ordered.upperBound + 1)...UInt32.max
    }

    /// Encrypts an RTP packet in place; it grows by the profile's tag.
    ///
    /// - Throws: `replayed` when this SSRC and sequence number have been protected before: send the
    ///   protected bytes again, or use RTX (RFC 4588); and when it is too far behind the newest one
    ///   (`outboundSSRCs`).
    public func protectRTP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try srtp().protectRTP(&packet)
    }

    /// What encrypts the RTP packets of one stream; of no use for those of another.
    public func outboundProtection(ssrc: UInt32) throws(SecureTransportError) -> OutboundProtection
    {
        try srtp().outboundProtection(ssrc: ssrc)
    }

    /// Encrypts an RTCP compound in place; it grows by the profile's tag and four bytes.
    public func protectRTCP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try srtp().protectRTCP(&packet)
    }

    /// Verifies and decrypts in place. After an error the packet's bytes mean nothing.
    ///
    /// - Throws: `authenticationFailed`, `replayed`, `tooShort`, `tooManyStreams`, `srtp`.
    public func unprotectRTP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try srtp().unprotectRTP(&packet)
    }

    /// Like `unprotectRTP`, for a compound of RTCP.
    public func unprotectRTCP(_ packet: inout [UInt8]) throws(SecureTransportError) {
        try srtp().unprotectRTCP(&packet)
    }

    /// Frees the state of an outgoing stream that ended. Its SSRC must never be used again on
    /// this transport.
    public func retireOutboundStream(ssrc: UInt32) {
        guard case .connected(let srtp?) = phase else { return }
        srtp.retireOutbound(ssrc: ssrc)
    }

    /// Says that an incoming stream has ended: it gives way to another one when there are too many.
    public func retireInboundStream(ssrc: UInt32) {
        guard case .connected(let srtp?) = phase else { return }
        srtp.retireInbound(ssrc: ssrc)
    }

    /// Takes it back that an incoming stream has ended.
    public func expectInboundStream(ssrc: UInt32) {
        guard case .connected(let srtp?) = phase else { return }
        srtp.expectInbound(ssrc: ssrc)
    }

    private func srtp() throws(SecureTransportError) -> SRTPSession {
        guard case .connected(let srtp?) = phase else { throw .srtpUnavailable }
        return srtp
    }

    // MARK: Steps

    private static func makeSession(
        _ identity: DTLSIdentity, _ role: Role, _ profiles: [SRTPProfile],
        _ check: FingerprintCheck
    ) throws(SecureTransportError) -> DTLSSession {
        try DTLSSession.make(
            context: identity.context, isServer: role == .server, profiles: profiles,
            check: check, mtu: datagramBytesMaximum)
    }

    private func advance(at now: Instant) {
        if case .handshaking = phase { advanceHandshake(at: now) }
        if case .connected = phase { readRecords(at: now) }
    }

    private func advanceHandshake(at now: Instant) {
        switch session.handshake() {
        case .done:
            flush()
            completeHandshake()
            rearm(at: now)
        case .wantsMore:
            flush()
            rearm(at: now)
        case .closed:
            finish()
        case .failed:
            handshakeFailed()
        }
    }

    private func completeHandshake() {
        guard check.outcome == .matched else { return fail(.fingerprintMismatch) }
        do throws(SecureTransportError) {
            var srtp: SRTPSession?
            if let profile = session.profile {
                var material = try session.exportKeys(profile)
                defer { for index in material.indices { material[index] = 0 } }
                srtp = try SRTPSession(
                    profile: profile, material: material, isServer: role == .server)
            }
            phase = .connected(srtp)
            outputs.append(.connected)
        } catch {
            fail(error)
        }
    }

    private func handshakeFailed() {
        if check.outcome == .mismatched {
            flush()  // the alert
            return fail(.fingerprintMismatch)
        }
        if let code = OpenSSLFailure.peerAlert() { return fail(.alert(code: code)) }
        let reason = OpenSSLFailure.reason()
        // What spoiled a handshake that had not begun may have been a stray: the peer's own
        // ClientHello is still to come, or will come again.
        if role == .server, !hasTransmitted, restarts < Self.restartsMaximum,
            let fresh = try? Self.makeSession(identity, role, profiles, check)
        {
            restarts += 1
            session = fresh
            check.reset()
            return refuseInput()
        }
        flush()
        fail(.handshakeFailed(reason: reason))
    }

    private func readRecords(at now: Instant) {
        var data: [UInt8] = []
        for _ in 0..<Self.recordsPerDatagramMaximum {
            switch session.read(into: &data) {
            case .done:
                emit(.applicationData(data))
                continue
            case .wantsMore:
                flush()  // the last flight again, when the peer missed it
                rearm(at: now)
            case .closed:
                session.shutdown()
                flush()
                finish()
            case .failed:
                let alert = OpenSSLFailure.peerAlert()
                flush()
                let reason = OpenSSLFailure.reason()
                fail(alert.map { .alert(code: $0) } ?? .protocolViolation(reason: reason))
            }
            return
        }
    }

    private func rearm(at now: Instant) {
        switch phase {
        case .handshaking, .connected:
            // OpenSSL calls a timer of less than 15 ms expired, and says 0 for it; a driver that
            // is told "now" for ever would spin, should the two not agree.
            nextDeadline = session.timeRemaining().map { now + max($0, .milliseconds(1)) }
        case .idle, .closed, .failed:
            nextDeadline = nil
        }
    }

    private func flush() {
        let stream = session.takeOutput()
        for datagram in DTLSRecords.datagrams(from: stream, maximum: Self.datagramBytesMaximum) {
            hasTransmitted = true
            emit(.transmit(datagram))
        }
    }

    /// A full queue loses datagrams and data, as a network would; the two places kept free are
    /// for `.connected` and the end.
    private func emit(_ output: Output) {
        if outputs.count < Self.outputsMaximum {
            outputs.append(output)
        } else {
            statistics.overflowedOutputs += 1
        }
    }

    private func refuseInput() { statistics.strayDatagrams += 1 }

    private func finish() {
        phase = .closed
        nextDeadline = nil
        outputs.append(.closed)
    }

    private func fail(_ error: SecureTransportError) {
        phase = .failed
        nextDeadline = nil
        outputs.append(.failed(error))
    }
}
