import CUsrSCTP
import Glibc
import Synchronization

/// An event of an association from usrsctp, in order.
enum SCTPEvent: Hashable, Sendable {
    case up(outgoingStreams: Int, incomingStreams: Int)
    case message(stream: UInt16, payloadProtocol: UInt32, bytes: [UInt8])
    /// The peer will send no more on these streams; an empty list means every stream.
    case incomingReset([UInt16])
    /// Our own resets of these streams took effect.
    case outgoingReset([UInt16])
    /// The peer refused or failed to reset these streams. Ask again later.
    case resetRefused([UInt16])
    case lost(DataChannelError)
}

/// One SCTP association over a path that is not IP (usrsctp's `AF_CONN`): bytes in, bytes out.
// Unchecked because every stored `var` is accessed only inside `SCTPStack.locked`, both by the
// owner's calls and by usrsctp's callbacks.
final class SCTPAssociation: @unchecked Sendable {
    /// RFC 8831 sect. 6.2 wants 65 535, which costs at least 109 KB per peer; 256 cost 31 KB.
    static let streamCount: UInt16 = 256
    /// The size in `a=max-message-size`.
    static let messageBytesMaximum = 262_144
    private static let bufferBytes: Int32 = 1 << 20
    /// Longer messages would be delivered in parts, and usrsctp 0.9.5 can mix the parts of one with
    /// a later one of the same stream. Twice the largest message, so it never starts.
    private static let partialDeliveryPoint = UInt32(2 * messageBytesMaximum)
    /// 1163 bytes fit a DTLS record in a datagram of 1200; usrsctp adds the common header (12).
    private static let pathMTU: UInt32 = 1163 - 12
    /// The most packets waiting for a poll; more are lost, as on the network.
    private static let packetsMaximum = 4096
    /// The most messages waiting for a poll, in bytes with an allowance for each. More end the
    /// association, since a reliable channel must not lose any.
    private static let undeliveredBytesMaximum = 8 << 20
    private static let undeliveredEventBytes = 64

    private let handle: UInt
    private let localPort: UInt16
    private let remotePort: UInt16
    private var socket: OpaquePointer?
    private var packets: [[UInt8]] = []
    private var events: [SCTPEvent] = []
    private var undeliveredBytes = 0
    /// Whether there is anything to take. Lock-free because it is mostly asked in vain: a
    /// concurrent event is seen the next time.
    private let isBusy = Atomic<Bool>(false)
    private var isUp = false
    private var isDry = true

    init(localPort: UInt16, remotePort: UInt16) throws(DataChannelError) {
        self.localPort = localPort
        self.remotePort = remotePort
        handle = SCTPStack.makeHandle()
        try SCTPStack.locked { () throws(DataChannelError) in
            SCTPStack.register(self, as: handle)
            do throws(DataChannelError) {
                try openSocket()
            } catch {
                closeSocket()
                throw error
            }
        }
    }

    // MARK: The owner's calls

    /// Both peers connect, neither listens (RFC 8831 sect. 6.3). An earlier INIT of the peer is
    /// lost without harm, because our own suffices.
    func connect() throws(DataChannelError) {
        try SCTPStack.locked { () throws(DataChannelError) in
            guard let socket else { throw .closed }
            let result = withAddress(port: remotePort) { usrsctp_connect(socket, $0, $1) }
            guard result == 0 || errno == EINPROGRESS else {
                throw .sctp(call: "connect", errno: errno)
            }
        }
    }

    /// The result of passing in a packet.
    enum Admission: Sendable { case taken, refusedByGate, lateInitiation, closed }

    func receive(_ packet: [UInt8]) -> Admission {
        guard PacketGate.accepts(packet) else { return .refusedByGate }
        let admission = try? SCTPStack.locked { () -> Admission in
            guard socket != nil else { return .closed }
            // WebRTC has no restarts, and usrsctp's restart code has the bug that PacketGate guards
            // against.
            if isUp, PacketGate.isInitiation(packet) { return .lateInitiation }
            usrsctp_conninput(address, packet, packet.count, 0)
            return .taken
        }
        return admission ?? .closed
    }

    /// Packets and events since the last call.
    struct Taken: Sendable {
        var packets: [[UInt8]]
        var events: [SCTPEvent]
    }

    func take() -> Taken {
        let nothing = Taken(packets: [], events: [])
        guard isBusy.exchange(false, ordering: .acquiringAndReleasing) else { return nothing }
        let taken = try? SCTPStack.locked { () -> Taken in
            let taken = Taken(packets: packets, events: events)
            packets.removeAll(keepingCapacity: true)
            events.removeAll(keepingCapacity: true)
            undeliveredBytes = 0
            return taken
        }
        return taken ?? nothing
    }

    var hasWork: Bool { isBusy.load(ordering: .acquiring) }

    /// Whether the peer has acknowledged everything sent.
    var hasNothingOutstanding: Bool { (try? SCTPStack.locked { isDry }) ?? true }

    struct Message: Sendable {
        var stream: UInt16
        var payloadProtocol: PayloadProtocol
        var bytes: [UInt8]
        var isOrdered = true
        var reliability = ChannelReliability.reliable
    }

    /// Sends all or nothing. False if the send buffer is full; an event follows when there is room.
    func send(_ message: Message) throws(DataChannelError) -> Bool {
        var info = sctp_sendv_spa()
        info.sendv_flags = UInt32(SCTP_SEND_SNDINFO_VALID)
        info.sendv_sndinfo.snd_sid = message.stream
        info.sendv_sndinfo.snd_ppid = message.payloadProtocol.rawValue.bigEndian
        info.sendv_sndinfo.snd_flags = message.isOrdered ? 0 : UInt16(SCTP_UNORDERED)
        switch message.reliability {
        case .reliable: break
        case .retransmissions(let count):
            info.sendv_flags |= UInt32(SCTP_SEND_PRINFO_VALID)
            info.sendv_prinfo.pr_policy = UInt16(SCTP_PR_SCTP_RTX)
            info.sendv_prinfo.pr_value = count
        case .lifetime(let milliseconds):
            info.sendv_flags |= UInt32(SCTP_SEND_PRINFO_VALID)
            info.sendv_prinfo.pr_policy = UInt16(SCTP_PR_SCTP_TTL)
            info.sendv_prinfo.pr_value = milliseconds
        }
        let infoBytes = socklen_t(MemoryLayout<sctp_sendv_spa>.size)
        return try SCTPStack.locked { () throws(DataChannelError) in
            guard let socket else { throw .closed }
            let count = usrsctp_sendv(
                socket, message.bytes, message.bytes.count, nil, 0, &info, infoBytes,
                UInt32(SCTP_SENDV_SPA), 0)
            if count == message.bytes.count {
                isDry = false
                return true
            }
            if count < 0, errno == EWOULDBLOCK || errno == EAGAIN { return false }
            throw .sctp(call: "sendv", errno: count < 0 ? errno : EMSGSIZE)
        }
    }

    /// Requests the reset of our direction of a stream. Returns false if it must be retried later.
    func resetOutgoing(_ stream: UInt16) throws(DataChannelError) -> Bool {
        try SCTPStack.locked { () throws(DataChannelError) in
            guard let socket else { throw .closed }
            if roomcast_sctp_reset_outgoing(socket, stream) == 0 { return true }
            if errno == EALREADY || errno == EAGAIN || errno == EBUSY { return false }
            throw .sctp(call: "SCTP_RESET_STREAMS", errno: errno)
        }
    }

    /// Aborts at once. Returns the remaining packets to send, including the ABORT.
    @discardableResult
    func close() -> [[UInt8]] {
        let rest = try? SCTPStack.locked { () -> [[UInt8]] in
            closeSocket()
            defer { packets = [] }
            events = []
            return packets
        }
        return rest ?? []
    }

    // MARK: usrsctp's callbacks, inside `SCTPStack.locked`

    func transmit(_ bytes: UnsafeRawBufferPointer) {
        guard packets.count < Self.packetsMaximum else { return }
        packets.append([UInt8](bytes))
        markBusy()
    }

    /// There is room to send again. Only marks the association for polling.
    fileprivate func becameWritable() { markBusy() }

    private func markBusy() { isBusy.store(true, ordering: .releasing) }

    fileprivate func received(
        _ data: UnsafeMutableRawPointer?, _ count: Int, _ info: sctp_rcvinfo, _ flags: Int32
    ) {
        guard let data else { return post(.lost(.shutDownByPeer)) }
        let bytes = UnsafeRawBufferPointer(start: data, count: count)
        if flags & MSG_NOTIFICATION != 0 { return notified(bytes) }
        guard flags & Self.endOfRecord != 0 else { return post(.lost(.partialDelivery)) }
        guard count <= Self.messageBytesMaximum else {
            return post(.lost(.receivedMessageTooLong(maximum: Self.messageBytesMaximum)))
        }
        undeliveredBytes += count
        post(
            .message(
                stream: info.rcv_sid, payloadProtocol: UInt32(bigEndian: info.rcv_ppid),
                bytes: [UInt8](bytes)))
    }

    /// MSG_EOR, which glibc defines in an enumeration that is not imported.
    private static let endOfRecord: Int32 = 0x80

    private func post(_ event: SCTPEvent) {
        undeliveredBytes += Self.undeliveredEventBytes
        guard undeliveredBytes <= Self.undeliveredBytesMaximum else {
            // Report it once: the owner closes on it.
            if events.last != .lost(.overflow) { events.append(.lost(.overflow)) }
            return
        }
        events.append(event)
        markBusy()
    }

    private func notified(_ bytes: UnsafeRawBufferPointer) {
        // Every notification begins with type (2), flags (2) and length (4).
        guard bytes.count >= 8 else { return }
        switch Int32(bytes.load(as: UInt16.self)) {
        case SCTP_ASSOC_CHANGE: associationChanged(bytes)
        case SCTP_STREAM_RESET_EVENT: streamsReset(bytes)
        case SCTP_SENDER_DRY_EVENT:
            isDry = true
            markBusy()
        default: break
        }
    }

    private func associationChanged(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sctp_assoc_change>.size else { return }
        let change = bytes.load(as: sctp_assoc_change.self)
        switch Int32(change.sac_state) {
        case SCTP_COMM_UP:
            isUp = true
            post(
                .up(
                    outgoingStreams: Int(change.sac_outbound_streams),
                    incomingStreams: Int(change.sac_inbound_streams)))
        case SCTP_SHUTDOWN_COMP: post(.lost(.shutDownByPeer))
        case SCTP_RESTART: post(.lost(.restarted))
        default: post(.lost(.associationLost(cause: change.sac_error)))
        }
    }

    private func streamsReset(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sctp_stream_reset_event>.size,
            let event = bytes.baseAddress?.assumingMemoryBound(to: sctp_stream_reset_event.self)
        else { return }
        var count = 0
        let list = roomcast_sctp_reset_list(event, bytes.count, &count)
        let streams = Array(UnsafeBufferPointer(start: list, count: count))
        let flags = Int32(event.pointee.strreset_flags)
        if flags & (SCTP_STREAM_RESET_DENIED | SCTP_STREAM_RESET_FAILED) != 0 {
            post(.resetRefused(streams))
        } else if flags & SCTP_STREAM_RESET_INCOMING_SSN != 0 {
            post(.incomingReset(streams))
        } else if flags & SCTP_STREAM_RESET_OUTGOING_SSN != 0 {
            post(.outgoingReset(streams))
        }
    }
}

// MARK: - The socket

extension SCTPAssociation {
    private static var level: Int32 { Int32(IPPROTO_SCTP) }

    private var address: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: handle) }

    private func openSocket() throws(DataChannelError) {
        let opened = usrsctp_socket(
            AF_CONN, Int32(SOCK_STREAM.rawValue), Int32(IPPROTO_SCTP),
            { _, _, data, count, info, flags, handle in
                SCTPStack.association(handle)?.received(data, count, info, flags)
                free(data)
                return 1
            },
            { _, _, handle in
                SCTPStack.association(handle)?.becameWritable()
                return 0
            }, UInt32(Self.bufferBytes / 2), address)
        guard let opened else { throw .sctp(call: "socket", errno: errno) }
        socket = opened
        usrsctp_set_non_blocking(opened, 1)
        try setSocketOptions(opened)
        try subscribe(opened)
        let result = withAddress(port: localPort) { usrsctp_bind(opened, $0, $1) }
        guard result == 0 else { throw .sctp(call: "bind", errno: errno) }
    }

    private func setSocketOptions(_ socket: OpaquePointer) throws(DataChannelError) {
        // Close means ABORT and immediate release.
        try set(socket, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0), "SO_LINGER")
        try set(socket, SOL_SOCKET, SO_SNDBUF, Self.bufferBytes, "SO_SNDBUF")
        try set(socket, SOL_SOCKET, SO_RCVBUF, Self.bufferBytes, "SO_RCVBUF")
        try set(
            socket, Self.level, SCTP_PARTIAL_DELIVERY_POINT, Self.partialDeliveryPoint,
            "SCTP_PARTIAL_DELIVERY_POINT")
        try set(socket, Self.level, SCTP_NODELAY, Int32(1), "SCTP_NODELAY")
        try set(
            socket, Self.level, SCTP_ENABLE_STREAM_RESET,
            sctp_assoc_value(
                assoc_id: UInt32(SCTP_ALL_ASSOC),
                assoc_value: UInt32(SCTP_ENABLE_RESET_STREAM_REQ)), "SCTP_ENABLE_STREAM_RESET")
        try set(
            socket, Self.level, SCTP_INITMSG,
            sctp_initmsg(
                sinit_num_ostreams: Self.streamCount, sinit_max_instreams: Self.streamCount,
                sinit_max_attempts: 0, sinit_max_init_timeo: 0), "SCTP_INITMSG")
        // The path MTU is known: the rest of a datagram after DTLS.
        var path = sctp_paddrparams()
        path.spp_flags = UInt32(SPP_PMTUD_DISABLE)
        path.spp_pathmtu = Self.pathMTU
        try set(socket, Self.level, SCTP_PEER_ADDR_PARAMS, path, "SCTP_PEER_ADDR_PARAMS")
    }

    private func subscribe(_ socket: OpaquePointer) throws(DataChannelError) {
        for event in [SCTP_ASSOC_CHANGE, SCTP_STREAM_RESET_EVENT, SCTP_SENDER_DRY_EVENT] {
            try set(
                socket, Self.level, SCTP_EVENT,
                sctp_event(
                    se_assoc_id: UInt32(SCTP_ALL_ASSOC), se_type: UInt16(event), se_on: 1),
                "SCTP_EVENT")
        }
    }

    private func set<Value: BitwiseCopyable>(
        _ socket: OpaquePointer, _ level: Int32, _ name: Int32, _ value: Value, _ call: String
    ) throws(DataChannelError) {
        var value = value
        let size = socklen_t(MemoryLayout<Value>.size)
        guard usrsctp_setsockopt(socket, level, name, &value, size) == 0 else {
            throw .sctp(call: call, errno: errno)
        }
    }

    private func withAddress(
        port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_conn()
        address.sconn_family = UInt16(AF_CONN)
        address.sconn_port = port.bigEndian
        address.sconn_addr = self.address
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_conn>.size))
            }
        }
    }

    private func closeSocket() {
        // The ABORT leaves through the output callback, which needs the registration.
        if let socket { usrsctp_close(socket) }
        socket = nil
        SCTPStack.deregister(handle)
        isBusy.store(false, ordering: .releasing)
    }
}
