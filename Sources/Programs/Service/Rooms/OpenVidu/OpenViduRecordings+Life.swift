import Logging
import MediaKernel
import OpenVidu
import Recording
import Streams

/// The recordings that are not finished: in which state they are, and whose streams they have.
extension OpenViduRecordings {
    /// How long a start waits until the recording goes on, and a stop until it is over. Then it is
    /// answered anyway.
    private static let patience: Duration = .seconds(30)

    /// A recording that is not finished yet.
    struct Current {
        let label: RecordingLabel
        let room: RoomID
        /// Of the stream.
        let directory: String
        var status = LiveStream.Status.starting
        /// Nil for one without an archive of streams.
        var cast: StreamCast?
        /// Whether the cast is being written; it has one writer at a time.
        var isWriting = false
        /// Whether it has changed since the writer took it.
        var isDirty = false
        /// Those who wait for a later state.
        var waiting: [Int: Waiter] = [:]
    }

    /// A request that waits until a recording's state is later than `past`.
    struct Waiter {
        let past: LiveStream.Status
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Takes a recording's state, which may be known already.
    func follow(_ stream: LiveStream) {
        guard let label = stream.plan.recording?.label else { return }
        let isNew = current[stream.id] == nil
        var state =
            current[stream.id]
            ?? Current(
                label: label, room: stream.room,
                directory: "\(control.settings.outputDirectory)/\(stream.directory)",
                cast: label.bundle.map { _ in StreamCast() })
        let before = state.status
        // A later state may have been told first.
        guard isNew || stream.status.order > before.order else { return }
        state.status = stream.status
        for (ticket, waiter) in state.waiting where stream.status.order > waiter.past.order {
            state.waiting[ticket] = nil
            waiter.continuation.resume()
        }
        current[stream.id] = stream.status.isFinal ? nil : state
        let isRecorded = current.values.contains { $0.room == stream.room && $0.status.isOnAir }
        door.change { $0.recorded(stream.room, isRecorded) }
        let isOver = before.isOnAir && before != .stopping
        // By any API. One that this server did not start has nothing to do with those here now.
        if !isNew, isOver, stream.end == .stopped { starters.stopped(stream.room) }
    }

    /// Waits until a recording goes on, or does not.
    func goesOn(_ id: StreamID) async { await passes(.starting, id) }

    /// Waits until nothing more is recorded. The session may be recorded again then.
    func ends(_ id: StreamID) async { await passes(.stopping, id) }

    private func passes(_ status: LiveStream.Status, _ id: StreamID) async {
        guard let state = current[id], state.status.order <= status.order else { return }
        tickets += 1
        let ticket = tickets
        let patience = Task {
            try await Task.sleep(for: Self.patience)
            self.current[id]?.waiting.removeValue(forKey: ticket)?.continuation.resume()
        }
        await withCheckedContinuation { continuation in
            current[id]?.waiting[ticket] = Waiter(past: status, continuation: continuation)
        }
        patience.cancel()
    }

    /// Notes published streams for the archive of the recording on air. One that is in
    /// post-processing has its streams.
    func note(_ streams: [PublishedStream], in room: RoomID) async {
        // The end of an earlier one may not be known here yet.
        let recordings = current.filter {
            $0.value.room == room && $0.value.cast != nil && $0.value.status.isOnAir
        }
        guard let id = recordings.keys.max() else { return }
        for stream in streams {
            current[id]?.cast?.note(
                StreamCast.Member(
                    stream: stream.id, connection: stream.connection,
                    clientData: stream.clientData, serverData: stream.serverData,
                    video: stream.video, tracks: stream.tracks.map(\.rawValue),
                    isRecorded: stream.isRecorded))
        }
        current[id]?.isDirty = true
        await writeCast(of: id)
    }

    /// Writes a recording's cast until it has not changed meanwhile. Of two writers, the one with
    /// the older cast could be the last.
    private func writeCast(of id: StreamID) async {
        guard current[id]?.isWriting == false else { return }
        current[id]?.isWriting = true
        defer { current[id]?.isWriting = false }
        while let state = current[id], state.isDirty, let cast = state.cast {
            current[id]?.isDirty = false
            do {
                let directory = state.directory
                try await control.persister.onDisk { (disk) throws(RecordingError) in
                    try disk.keep(cast, in: directory)
                }
            } catch {
                logger.warning(
                    "cannot write down whose tracks are recorded",
                    metadata: ["stream": "\(id)", "error": "\(error)"])
            }
        }
    }
}

extension LiveStream.Status {
    /// A stream moves to a higher one.
    fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
