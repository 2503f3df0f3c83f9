internal import MediaKernel
internal import Synchronization

/// The frames that one socket has yet to send: the room appends without waiting, one writer drains.
///
/// Bounded in frames and in bytes. A full outbox refuses, and its reader is let go: a client that
/// misses a frame would show a wrong room for ever, one that reconnects is told everything anew.
/// A frame counts for a quarter of the bytes at most, or nobody could come into a room whose list of
/// peers is longer.
final class Outbox: Sendable {
    enum Item: Hashable, Sendable {
        case frame(String)
        /// Closes the socket; no frame follows.
        case close(code: UInt16, reason: String)
    }

    private enum Phase {
        case open
        /// To be closed after what is queued.
        case closing(code: UInt16, reason: String)
        case ended
    }

    private struct Frame {
        let text: String
        /// Since when it waits.
        let since: Instant
    }

    private struct State {
        var frames: BoundedQueue<Frame>
        /// The frame that the writer is sending.
        var inFlight: Frame?
        let bytesMaximum: Int
        /// The weight of the frames.
        var bytes = 0
        var phase = Phase.open
        var writer: CheckedContinuation<Item?, Never>?

        func weight(of text: String) -> Int { min(text.utf8.count, bytesMaximum / 4) }

        /// The next frames for the writer, if there are any; `.some(nil)` is the end.
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

    init(frames: Int, bytes: Int) {
        state = Mutex(State(frames: BoundedQueue(maximum: frames), bytesMaximum: bytes))
    }

    /// Since when the oldest frame waits that the socket has not taken.
    var unwrittenSince: Instant? {
        state.withLock { ($0.inFlight ?? $0.frames.first)?.since }
    }

    /// Returns whether there was room for it. After a close there always is: it is dropped.
    func append(_ text: String, at now: Instant) -> Bool {
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

    /// Closes the socket after what is queued.
    func close(code: UInt16, reason: String) {
        change { state in
            switch state.phase {
            case .open: state.phase = .closing(code: code, reason: reason)
            case .closing, .ended: break
            }
        }
    }

    /// Drops what is queued and ends the writer, which sends no close.
    func abandon() {
        change { state in
            state.phase = .ended
            state.frames.removeAll()
            state.bytes = 0
        }
    }

    /// The next item, `nil` at the end. For one writer.
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

    /// Changes the state, then wakes the writer if there is something for it.
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
