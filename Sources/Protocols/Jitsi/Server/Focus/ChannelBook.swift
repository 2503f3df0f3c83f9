internal import MediaKernel
internal import RoomHost

/// The bridge's channels by WebSocket in one conference: for each session one address and at most
/// one channel, the newest. By the nicks of members.
struct ChannelBook {
    private struct Line {
        let address: BridgeAddress
        /// Of all its channels together.
        var allowance: FrameAllowance
        var channel: MemberChannel?
    }

    private var lines: [String: Line] = [:]
    private var opened = 0

    /// The address for a new session of a member.
    mutating func add(_ nick: String, in conference: String, at now: Instant) -> BridgeAddress {
        let address = BridgeAddress(
            conference: conference, endpoint: nick, password: Hexadecimal.identifier())
        let allowance = FrameAllowance(
            framesPerSecond: FocusLimits.textsPerSecond, framesBurst: FocusLimits.textsBurst,
            bytesPerSecond: FocusLimits.textBytesPerSecond,
            bytesBurst: FocusLimits.textBytesBurst, at: now)
        lines[nick] = Line(address: address, allowance: allowance)
        return address
    }

    /// The member's session is over: its client shall not come back to it.
    mutating func remove(_ nick: String) {
        lines.removeValue(forKey: nick)?.channel?
            .drop(code: CloseCode.goingAway, reason: "the session is over")
    }

    mutating func removeAll() {
        for nick in Array(lines.keys) { remove(nick) }
    }

    // MARK: Channels

    func admits(_ address: BridgeAddress) -> Bool {
        lines[address.endpoint]?.address.admits(address.password) ?? false
    }

    /// Opens a channel, and closes the one before.
    ///
    /// - Returns: its number; nil if the address is not that of a session.
    mutating func open(
        _ address: BridgeAddress, over socket: any SignallingSocket
    ) -> Int? {
        let nick = address.endpoint
        guard admits(address) else { return nil }
        lines[nick]?.channel?.drop(code: CloseCode.normal, reason: "there is a newer one")
        opened += 1
        lines[nick]?.channel = MemberChannel(opened, over: socket)
        return opened
    }

    /// Whether a text is to be heard: those of a channel that is not, or no longer, there are not. One
    /// beyond the limits closes its channel.
    mutating func hears(
        _ text: String, from nick: String, on number: Int, at now: Instant
    ) -> Bool {
        guard let channel = lines[nick]?.channel, channel.number == number else { return false }
        let count = text.utf8.count
        if count > JitsiLimits.bridgeBytes {
            channel.drop(
                code: CloseCode.messageTooBig, reason: "at most \(JitsiLimits.bridgeBytes) bytes")
        } else if lines[nick]?.allowance.take(count, at: now) == false {
            channel.drop(code: CloseCode.policyViolation, reason: "too many messages")
        } else {
            return true
        }
        lines[nick]?.channel = nil
        return false
    }

    /// - Returns: whether it is on its way, and not its channel closed, because too much waits; nil
    ///   without a channel.
    mutating func send(_ text: String, to nick: String, at now: Instant) -> Bool? {
        guard let channel = lines[nick]?.channel else { return nil }
        if channel.send(text, at: now) { return true }
        channel.drop(code: CloseCode.tryAgainLater, reason: "reads too slowly")
        lines[nick]?.channel = nil
        return false
    }

    /// The socket has closed.
    mutating func closed(_ number: Int, of nick: String) {
        guard let channel = lines[nick]?.channel, channel.number == number else { return }
        channel.abandon()
        lines[nick]?.channel = nil
    }
}
