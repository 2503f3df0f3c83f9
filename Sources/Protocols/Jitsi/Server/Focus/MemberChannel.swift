internal import MediaKernel
internal import RoomHost

/// A member's channel of the bridge by WebSocket, while that is open. What the member is told goes
/// there, and not over SCTP.
struct MemberChannel {
    /// Tells it from those before and after it.
    let number: Int
    private let socket: any SignallingSocket
    private let outbox = Outbox(
        frames: FocusLimits.channelFrames, bytes: FocusLimits.channelBytes)

    init(_ number: Int, over socket: any SignallingSocket) {
        self.number = number
        self.socket = socket
        outbox.startWriting(to: socket)
    }

    /// - Returns: false if too much waits.
    func send(_ text: String, at now: Instant) -> Bool { outbox.append(text, at: now) }

    /// Closes it at once. What waits is of no use any more, and a client that has stopped reading
    /// would never get to its end.
    func drop(code: UInt16, reason: String) {
        outbox.abandon()
        // Unstructured, because the writer may be waiting for this very socket.
        Task { [socket] in await socket.close(code: code, reason: reason) }
    }

    /// Its client has gone.
    func abandon() { outbox.abandon() }
}
