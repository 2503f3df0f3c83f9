public import MediaKernel
internal import Synchronization

/// The frames waiting for one socket: the room appends without waiting, and one writer drains.
///
/// Bounded in frames and in bytes. A full outbox refuses, and its reader is disconnected: a client
/// that misses a frame would show a wrong room for ever, while one that reconnects receives
/// everything anew. A frame counts for at most a quarter of the bytes, or no peer could join a room
/// whose list of peers is longer.
public final class Outbox: Sendable {
    enum Item: Hashable, Sendable {
        case frame(String)
        /// Closes the socket; no frame follows.
        case close(code: UInt16, reason: String)
    }

    private enum Phase {
        case open
        /// The socket closes after the queued items.
        case closing(code: UInt16, reason: String)
        case ended
    }

    private struct Frame {
        let text: String
        /// When the frame was queued.
        let since: Instant
    }

    private struct State {
        var frames: BoundedQueue<Frame>
        /// The frame that the writer is sending.
        var inFlight: Frame?
        let bytesMaximum: Int
        /// The sum of the frames' weights.
        var bytes = 0
        var phase = Phase.open
        var writer: CheckedContinuation<Item?, Never>?

        func weight(of text: String) -> Int { min(text.utf8.count, bytesMaximum / 4) }

        /// The next frames for the writer, if any; `.some(nil)` is the end.
        mutating func next() -> Item?? {
            inFlight = nil
            switch phase {
            case .ended:
                return .some(nil)
            case .open, .closing:
                break
            }
            if let frame = frames.popFirst() {
                bytes -= weight(of: frame.text)
                inFlight = frame
                return .frame(frame.text)
            }
            switch phase {
            case .open, .ended:
                return nil
            case .closing(let code, let reason):
                phase = .ended
                return .close(code: code, reason: reason)
            }
        }
    }

    private let state: Mutex<State>

    public init(frames: Int, bytes: Int) {
        state = Mutex(State(frames: BoundedQueue(maximum: frames), bytesMaximum: bytes))
    }

    /// When the oldest frame that the socket has not yet accepted was queued.
    public var unwrittenSince: Instant? {
        state.withLock { ($0.inFlight ?? $0.frames.first)?.since }
    }

    /// Returns whether the frame fits. After a close it always does: it is dropped.
    public func append(_ text: String, at now: Instant) -> Bool {
        change { state in
            switch state.phase {
            case .closing, .ended:
                return true
            case .open:
                break
            }
            let weight = state.weight(of: text)
            guard state.bytes + weight <= state.bytesMaximum,
                state.frames.append(Frame(text: text, since: now))
            else { return false }
            state.bytes += weight
            return true
        }
    }

    /// Closes the socket after the queued frames.
    public func close(code: UInt16, reason: String) {
        change { state in
            switch state.phase {
            case .open: state.phase = .closing(code: code, reason: reason)
            case .closing, .ended: break
            }
        }
    }

    /// Drops the queued frames and ends the writer, which sends no close frame.
    public func abandon() {
        change { state in
            state.phase = .ended
            state.frames.removeAll()
            state.bytes = 0
        }
    }

    /// Sends the frames, one after another, until the end or until the socket takes no more. The rest
    /// stays queued, for the client's next socket.
    ///
    /// In a task of its own, because a slow reader must not block anything.
    public func startWriting(to socket: any SignallingSocket) {
        Task {
            while let item = await next() {
                switch item {
                case .frame(let text):
                    guard await socket.send(text) else { return }
                case .close(let code, let reason): await socket.close(code: code, reason: reason)
                }
            }
        }
    }

    /// The next item, or `nil` at the end. Only one writer may call it.
    func next() async -> Item? {
        await withCheckedContinuation { continuation in
            let item: Item?? = state.withLock { state in
                if let item = state.next() { return item }
                state.writer = continuation
                return nil
            }
            if let item { continuation.resume(returning: item) }
        }
    }

    /// Changes the state, then wakes the writer if it has something to do.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, wake) = state.withLock { state in
            let result = body(&state)
            guard let writer = state.writer, let item = state.next() else {
                return (result, nil as Wake?)
            }
            state.writer = nil
            return (result, Wake(writer: writer, item: item))
        }
        if let wake { wake.writer.resume(returning: wake.item) }
        return result
    }

    private struct Wake: Sendable {
        let writer: CheckedContinuation<Item?, Never>
        let item: Item?
    }
}
