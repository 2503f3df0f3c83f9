public import MediaKernel

/// The data channels of one peer: an SCTP association (RFC 8831) and the protocol that opens
/// channels on it (RFC 8832). Each packet in or out is one DTLS record.
///
/// After each method call the owner calls `poll` until it returns nil. `tick` must be called every
/// 10 ms, and after a tick all owners poll, or those whose `hasWork` is true. A transport is
/// confined to its owner; `tick` and the statics may be called from any thread.
///
/// A channel that a peer opens against the rules (a wrong or out-of-range id, too long a label, too
/// many channels) is closed again without telling the application.
public final class DataChannelTransport {
    public enum Output: Hashable, Sendable {
        /// Send this SCTP packet as one DTLS record.
        case transmit([UInt8])
        /// The association is up.
        case connected
        /// A channel is usable: the peer's, or one of ours that the peer has acknowledged by an ACK
        /// or a first message. Precedes all other outputs of the channel.
        case opened(ChannelID, label: String, protocol: String, isRemote: Bool)
        case text(ChannelID, String)
        case binary(ChannelID, [UInt8])
        /// Either side closed the channel. Occurs once, and no output of the channel follows.
        case closed(ChannelID)
        /// The association is gone. Occurs once, after a `closed` for every channel.
        case failed(DataChannelError)
    }

    /// Counts dropped input by reason, since the start.
    public struct Statistics: Hashable, Sendable {
        /// Packets with framing that the gate refused.
        public var refusedPackets = 0
        /// INITs to an established association.
        public var lateInitiations = 0
        /// Messages and openings that violate RFC 8831 or RFC 8832.
        public var protocolViolations = 0

        public init() {}
    }

    /// The port in `a=sctp-port`.
    public static let localPort: UInt16 = 5000
    /// The size in `a=max-message-size`. Longer messages end the association.
    public static let messageBytesMaximum = SCTPAssociation.messageBytesMaximum
    /// The most simultaneous channels of both sides together.
    public static let channelsMaximum = 32
    /// The most bytes waiting for SCTP's own buffer of 1 MB. Beyond that `send` refuses new
    /// messages; accepted ones are never dropped.
    public static let queuedBytesMaximum = 1 << 20
    /// The most messages in that queue. A peer that opens and closes channels without reading the
    /// answers ends its association here.
    private static let queuedMessagesMaximum = 16_384

    public internal(set) var statistics = Statistics()

    enum Phase { case idle, connecting, up, ended }

    /// More than one poll can produce: the association limits its own packets and events, and
    /// nothing is taken from it while outputs remain here.
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
    ///   - isDTLSClient: decides which side has the even channel ids (RFC 8832 sect. 6).
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

    /// Runs SCTP's timers up to `now`. Call every 10 to 50 ms while a transport exists.
    public static func tick(at now: Instant) { SCTPStack.tick(at: now) }

    /// The number of open transports.
    public static var count: Int { SCTPStack.associationCount }

    // MARK: Input

    /// Begins the association. Both sides call this when DTLS is connected.
    public func connect() {
        guard case .idle = phase else { return }
        phase = .connecting
        do throws(DataChannelError) {
            try association.connect()
        } catch {
            fail(error)
        }
    }

    /// Handles the bytes of one record. Packets that are not valid SCTP are counted and dropped.
    public func handle(_ packet: [UInt8]) {
        switch association.receive(packet) {
        case .taken, .closed: break
        case .refusedByGate: statistics.refusedPackets += 1
        case .lateInitiation: statistics.lateInitiations += 1
        }
    }

    /// Ends the association with an ABORT, which `poll` then returns. No events follow.
    public func close() {
        guard phase != .ended else { return }
        for packet in association.close() { outputs.append(.transmit(packet)) }
        end()
    }

    /// The next output; nil if there is none.
    public func poll() -> Output? {
        if let output = outputs.popFirst() { return output }
        pump()
        return outputs.popFirst()
    }

    /// Whether `poll` has anything to do, determined without a lock. A closing channel must be
    /// polled to apply its time limits.
    public var hasWork: Bool {
        !outputs.isEmpty || association.hasWork || channels.values.contains(where: \.isClosing)
    }

    /// Bytes accepted by `send` that SCTP has not taken yet.
    public var queuedBytes: Int { queue.bytes }

    // MARK: Channels

    /// Opens a channel, or queues the request until `.connected`. `.opened` follows when the peer
    /// has acknowledged it, but messages may be sent at once.
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

    /// Closes a channel once its sent messages have arrived; `.closed` follows. Later messages of
    /// the peer on it are dropped.
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

    /// Passes messages to SCTP in order, as far as it accepts them. While a channel waits for its
    /// reset, only messages queued before its close are sent, so that the wait is one round trip.
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

    /// The most rounds of taking and handling events. Nothing new comes without input, so a few
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
            // Only one reset can be under way; the other channels wait.
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
