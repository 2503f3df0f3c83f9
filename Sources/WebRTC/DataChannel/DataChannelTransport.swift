public import MediaKernel

/// The data channels of one peer: an SCTP association (RFC 8831) and the protocol that opens
/// channels on it (RFC 8832). Packets in and out are what DTLS carries, one record each.
///
/// The owner calls one method, then `poll` until it returns nil. Somebody calls `tick` every
/// 10 ms, and after a tick everyone polls, or those do whose `hasWork` says so. A transport is
/// confined to its owner; `tick` and the statics may be called from any thread.
///
/// A channel that a peer opens against the rules (an id of the wrong side or out of range, a label
/// too long, one channel too many) is closed again without the application hearing of it.
public final class DataChannelTransport {
    public enum Output: Hashable, Sendable {
        /// Send this SCTP packet as one DTLS record.
        case transmit([UInt8])
        /// The association is up.
        case connected
        /// A channel can be used: the peer's, or one of ours that the peer has acknowledged, by an
        /// ACK or by a first message. Comes before everything else on the channel.
        case opened(ChannelID, label: String, protocol: String, isRemote: Bool)
        case text(ChannelID, String)
        case binary(ChannelID, [UInt8])
        /// Either side closed the channel; comes once, and nothing follows on it.
        case closed(ChannelID)
        /// The association is gone; comes once, after a `closed` for every channel.
        case failed(DataChannelError)
    }

    /// What was dropped, and why, since the start.
    public struct Statistics: Hashable, Sendable {
        /// Packets whose framing the gate did not accept.
        public var refusedPackets = 0
        /// INITs to an association that was up.
        public var lateInitiations = 0
        /// Messages and openings against the rules of RFC 8831 and RFC 8832.
        public var protocolViolations = 0

        public init() {}
    }

    /// What `a=sctp-port` announces.
    public static let localPort: UInt16 = 5000
    /// What `a=max-message-size` announces. Longer messages end the association.
    public static let messageBytesMaximum = SCTPAssociation.messageBytesMaximum
    /// Channels at a time, both sides' together.
    public static let channelsMaximum = 32
    /// Bytes that wait in front of SCTP's own buffer of 1 MB. When they would be more, `send`
    /// refuses the new message; what was accepted is never dropped.
    public static let queuedBytesMaximum = 1 << 20
    /// Messages in that queue. A peer that opens and closes channels without reading the answers
    /// ends its association here.
    private static let queuedMessagesMaximum = 16_384

    public internal(set) var statistics = Statistics()

    enum Phase { case idle, connecting, up, ended }

    /// More than one poll can gather: the association's packets and events have maxima of their
    /// own, and nothing is taken from it while anything is left here.
    private static let outputsMaximum = 1 << 18

    private let association: SCTPAssociation
    let ownParity: UInt16
    private let sendBytesMaximum: Int
    var phase = Phase.idle
    var idsEnd = SCTPAssociation.streamCount
    var channels: [ChannelID: Channel] = [:]
    var outputs = BoundedQueue<Output>(maximum: outputsMaximum)
    var queue = SendQueue(
        messagesMaximum: queuedMessagesMaximum, bytesMaximum: queuedBytesMaximum)

    /// - Parameters:
    ///   - isDTLSClient: decides whose channel ids are even (RFC 8832 sect. 6).
    ///   - remotePort: the peer's `a=sctp-port`.
    ///   - remoteMaximumMessageBytes: the peer's `a=max-message-size`, 65 536 where it is absent;
    ///     0 means any size (RFC 8841 sect. 6).
    public init(
        isDTLSClient: Bool, remotePort: UInt16, remoteMaximumMessageBytes: Int
    ) throws(DataChannelError) {
        ownParity = isDTLSClient ? 0 : 1
        sendBytesMaximum =
            remoteMaximumMessageBytes > 0
            ? min(remoteMaximumMessageBytes, Self.messageBytesMaximum) : Self.messageBytesMaximum
        association = try SCTPAssociation(localPort: Self.localPort, remotePort: remotePort)
    }

    deinit { association.close() }

    // MARK: Process-wide

    /// Lets SCTP's timers run up to `now`; call it every 10 to 50 ms while a transport exists.
    public static func tick(at now: Instant) { SCTPStack.tick(at: now) }

    /// Transports that are not closed.
    public static var count: Int { SCTPStack.associationCount }

    // MARK: Input

    /// Begins the association. Call it when DTLS is connected; both sides do.
    public func connect() {
        guard case .idle = phase else { return }
        phase = .connecting
        do throws(DataChannelError) {
            try association.connect()
        } catch {
            fail(error)
        }
    }

    /// One record's bytes. What is no SCTP packet of a data channel is counted and dropped.
    public func handle(_ packet: [UInt8]) {
        switch association.receive(packet) {
        case .taken, .closed: break
        case .refusedByGate: statistics.refusedPackets += 1
        case .lateInitiation: statistics.lateInitiations += 1
        }
    }

    /// Ends the association with an ABORT, which `poll` then hands out. No events follow.
    public func close() {
        guard phase != .ended else { return }
        for packet in association.close() { outputs.append(.transmit(packet)) }
        end()
    }

    /// The next thing to do or to know; nil when there is none.
    public func poll() -> Output? {
        if let output = outputs.popFirst() { return output }
        pump()
        return outputs.popFirst()
    }

    /// Whether `poll` would be worth its while, which takes no lock to know. A closing channel is
    /// polled to see its limits.
    public var hasWork: Bool {
        !outputs.isEmpty || association.hasWork || channels.values.contains(where: \.isClosing)
    }

    /// Bytes accepted by `send` that SCTP has not taken yet.
    public var queuedBytes: Int { queue.bytes }

    // MARK: Channels

    /// Opens a channel; before `.connected` the request waits. `.opened` follows when the peer has
    /// acknowledged it, but messages may be sent at once.
    ///
    /// - Throws: `nameTooLong`, `tooManyChannels`, `queueFull`, `closed`.
    public func open(
        label: String, protocol: String, isOrdered: Bool = true,
        reliability: ChannelReliability = .reliable
    ) throws(DataChannelError) -> ChannelID {
        let opening = try ChannelOpening(
            label: label, protocol: `protocol`, isOrdered: isOrdered, reliability: reliability)
        guard phase != .ended else { throw .closed }
        let ids = stride(from: ownParity, to: idsEnd, by: 2).lazy.map(ChannelID.init)
        guard channels.count < Self.channelsMaximum,
            let id = ids.first(where: { self.channels[$0] == nil })
        else { throw .tooManyChannels(maximum: Self.channelsMaximum) }
        try queue.append(
            .init(
                stream: id.rawValue, payloadProtocol: .establishment, bytes: opening.serialized()))
        channels[id] = Channel(
            opening: opening, phase: .opening, isAcknowledged: false, isVisible: true)
        flushQueue()
        return id
    }

    /// - Throws: `noChannel`, `messageTooLong`, `queueFull`, `closed`.
    public func send(_ text: String, on id: ChannelID) throws(DataChannelError) {
        let bytes = Array(text.utf8)
        try send(bytes, bytes.isEmpty ? .emptyString : .string, on: id)
    }

    /// - Throws: `noChannel`, `messageTooLong`, `queueFull`, `closed`.
    public func send(binary bytes: [UInt8], on id: ChannelID) throws(DataChannelError) {
        try send(bytes, bytes.isEmpty ? .emptyBinary : .binary, on: id)
    }

    /// Closes a channel once what was sent on it has arrived; `.closed` follows. What the peer
    /// still sends on it is dropped.
    public func close(_ id: ChannelID) {
        guard channels[id]?.isSendable == true else { return }
        beginClosing(id)
        service()
    }

    private func send(
        _ bytes: [UInt8], _ payloadProtocol: PayloadProtocol, on id: ChannelID
    ) throws(DataChannelError) {
        guard phase != .ended else { throw .closed }
        guard let channel = channels[id], channel.isSendable else { throw .noChannel(id) }
        guard bytes.count <= sendBytesMaximum else {
            throw .messageTooLong(bytes: bytes.count, maximum: sendBytesMaximum)
        }
        try queue.append(
            .init(
                stream: id.rawValue, payloadProtocol: payloadProtocol,
                bytes: bytes.isEmpty ? [0] : bytes,
                isOrdered: channel.opening.isOrdered || !channel.isAcknowledged,
                reliability: channel.opening.reliability))
        flushQueue()
    }

    // MARK: The queue in front of SCTP

    /// Hands messages over to SCTP in order, as far as it takes them. While a channel waits to be
    /// reset, only what was queued before its close goes, so that the wait is one round trip.
    private func flushQueue() {
        guard case .up = phase else { return }
        let barrier = closingBarrier()
        while let message = queue.first {
            if let barrier, queue.firstNumber >= barrier { return }
            do throws(DataChannelError) {
                guard try association.send(message) else { return }
            } catch {
                return fail(error)
            }
            queue.removeFirst()
        }
    }

    private func closingBarrier() -> UInt64? {
        channels.values.compactMap { channel in
            if case .draining(_, let barrier) = channel.phase { barrier } else { nil }
        }.max()
    }

    // MARK: Steps

    /// Rounds of taking what happened and acting on it. Nothing new comes without input, so a few
    /// always suffice.
    private static let roundsMaximum = 32

    private func pump() {
        for _ in 0..<Self.roundsMaximum {
            let taken = association.take()
            for packet in taken.packets { outputs.append(.transmit(packet)) }
            for event in taken.events where phase != .ended { act(on: event) }
            service()
            if taken.packets.isEmpty, taken.events.isEmpty { return }
        }
    }

    private func service() {
        flushQueue()
        guard phase == .up, channels.values.contains(where: \.isClosing) else { return }
        let now = SCTPStack.uptime
        let isDry = association.hasNothingOutstanding
        for (id, channel) in channels {
            switch channel.phase {
            case .opening, .open, .stuck:
                break
            case .draining(let since, let barrier):
                let isDrained = isDry && channel.isAcknowledged && queue.firstNumber >= barrier
                if isDrained || now - since > CloseLimits.draining { reset(id, at: now) }
            case .resetting(let since):
                if now - since > CloseLimits.resetting { giveUpReset(id) }
            }
        }
        flushQueue()
    }

    private func reset(_ id: ChannelID, at now: Duration) {
        do throws(DataChannelError) {
            // Only one reset can be under way; the others take their turn.
            guard try association.resetOutgoing(id.rawValue) else { return }
            channels[id]?.phase = .resetting(since: now)
        } catch {
            giveUpReset(id)
        }
    }

    private func giveUpReset(_ id: ChannelID) {
        channels[id]?.phase = .stuck
        announceEnd(of: id)
    }

    func beginClosing(_ id: ChannelID) {
        channels[id]?.phase = .draining(since: SCTPStack.uptime, barrier: queue.nextNumber)
    }

    func announceEnd(of id: ChannelID) {
        guard channels[id]?.isVisible == true else { return }
        channels[id]?.isVisible = false
        outputs.append(.closed(id))
    }

    func fail(_ error: DataChannelError) {
        guard phase != .ended else { return }
        for packet in association.close() { outputs.append(.transmit(packet)) }
        for id in channels.keys.sorted() { announceEnd(of: id) }
        end()
        outputs.append(.failed(error))
    }

    private func end() {
        phase = .ended
        channels = [:]
        queue.removeAll()
    }
}
