import Catalogue
import Dispatch
import Logging
import MediaKernel
import Streams

/// Writes down what becomes of the streams: the only way to their files and rows.
///
/// A disk that hangs holds up nobody but who waits for it: each file call has a thread of its own,
/// and each stream a line of its own for its rows. What cannot be written is tried again and again,
/// in its order, without holding up other streams.
actor StreamPersister {
    /// From a state that could not be written down to the next attempt.
    static let retryDelay: Duration = .seconds(1)
    /// Records of a stream that wait before news of its outputs are dropped: an output may come and
    /// go for as long as the catalogue cannot be written.
    static let outputNewsMaximum = 100

    private enum Request: Sendable {
        case save(StreamRecordStore.Record)
        case retry(at: Instant)
    }

    /// The states of a stream that are to be written down.
    private struct Line {
        /// Oldest first. Bounded, since a stream has a handful of states, and news of outputs are
        /// dropped beyond `outputNewsMaximum`.
        var records: [StreamRecordStore.Record] = []
        /// The oldest one is being written.
        var isAtWork = false
        /// The oldest one could not be written at the last attempt.
        var isStuck = false
    }

    let recordStore: StreamRecordStore
    let disk: StreamDisk
    private let clock: @Sendable () -> Instant
    let logger: Logger
    /// One after the other: whoever asks while the disk hangs costs no thread.
    private let checks = DispatchQueue(label: "storage checks")
    private let requests: AsyncStream<Request>
    private let queue: AsyncStream<Request>.Continuation

    private var lines: [StreamID: Line] = [:]
    private var retriesAt: Instant?

    init(
        recordStore: StreamRecordStore, disk: StreamDisk, clock: @escaping @Sendable () -> Instant,
        logger: Logger
    ) {
        self.recordStore = recordStore
        self.disk = disk
        self.clock = clock
        self.logger = logger
        (requests, queue) = AsyncStream.makeStream()
    }

    /// Makes a call that may hang.
    nonisolated func onDisk<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable (StreamDisk) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let disk = disk
        return try await BlockingCall.run { () throws(Failure) in try body(disk) }
    }

    /// Checks that the directories and the catalogue are still the original ones.
    ///
    /// - Throws: `.storage`, or the error for a lost catalogue.
    nonisolated func check(_ parts: Parts = .all) async throws(LiveStreamError) {
        let (disk, catalogue) = (disk, recordStore.catalogue)
        try await BlockingCall.run(on: checks) { () throws(LiveStreamError) in
            try disk.check()
            guard parts == .all else { return }
            do throws(CatalogueError) {
                try catalogue.checkPresence()
            } catch {
                throw LiveStreamError(error)
            }
        }
    }

    /// The parts to check.
    enum Parts: Sendable { case directories, all }

    /// Writes a state that is not final into the stream's file.
    nonisolated func note(_ record: StreamRecordStore.Record) async {
        do {
            try await onDisk { try $0.note(record) }
        } catch {
            log(
                .error, "the stream's record cannot be written", record.file.stream,
                ["error": "\(error)"])
        }
    }

    /// Ends the playlists that the last bot left open.
    nonisolated func endPlaylists(of record: StreamRecordStore.Record) async {
        do {
            let count = try await onDisk { try $0.finishPlaylists(in: record.directory) }
            guard count > 0 else { return }
            log(.warning, "playlists ended", record.file.stream, ["count": "\(count)"])
        } catch {
            log(
                .error, "playlists cannot be ended", record.file.stream,
                ["error": "\(error)"])
        }
    }

    /// Removes the files of a stream that never ran. Its bots are gone.
    nonisolated func discard(_ record: StreamRecordStore.Record, _ place: RecordingPlace?) async {
        do {
            try await onDisk { try $0.discard(record.directory, place) }
        } catch {
            log(
                .error, "the stream's files cannot be removed", record.file.stream,
                ["error": "\(error)"])
        }
    }

    // MARK: Rows

    /// Writes a state into the catalogue, and a final one into the stream's file first.
    nonisolated func save(_ record: StreamRecordStore.Record) { queue.yield(.save(record)) }

    /// Tries failed writes again, if that is due.
    nonisolated func retry(at now: Instant) { queue.yield(.retry(at: now)) }

    /// Saves nothing more.
    nonisolated func finish() { queue.finish() }

    /// Whether a state of the stream could not be written yet.
    func hasUnsaved(_ id: StreamID) -> Bool { lines[id]?.isStuck ?? false }

    /// Writes the saved states until `finish`. A write that hangs then is not waited for.
    ///
    /// - Parameter ended: called with each final state that is on the disk.
    func run(_ ended: @escaping @Sendable (CatalogueStream) async -> Void) async {
        for await request in requests {
            for id in due(request) {
                lines[id]?.isAtWork = true
                // No child task, whose end would have to be waited for.
                Task { await self.writeDown(id, ended) }
            }
        }
    }

    /// The streams whose states are to be written now.
    private func due(_ request: Request) -> [StreamID] {
        switch request {
        case .save(let record):
            let id = record.file.stream.id
            let waiting = lines[id]?.records.count ?? 0
            if record.output != nil, waiting >= Self.outputNewsMaximum { return [] }
            let isHeld = lines[id].map { $0.isAtWork || $0.isStuck } ?? false
            lines[id, default: Line()].records.append(record)
            return isHeld ? [] : [id]
        case .retry(let now):
            guard let retriesAt, retriesAt <= now else { return [] }
            self.retriesAt = nil
            return lines.keys.filter { lines[$0]?.isAtWork == false }.sorted()
        }
    }

    private func writeDown(
        _ id: StreamID, _ ended: @Sendable (CatalogueStream) async -> Void
    ) async {
        while let record = lines[id]?.records.first {
            let stream = record.file.stream
            do {
                try await recordStore.save(record)
            } catch {
                return failed(stream, error)
            }
            lines[id]?.records.removeFirst()
            if lines[id]?.records.isEmpty == true, lines.removeValue(forKey: id)?.isStuck == true {
                log(.notice, "the stream's record is written after all", stream)
            }
            if stream.status.isFinal { return await ended(stream) }
        }
    }

    private func failed(_ stream: CatalogueStream, _ error: any Error) {
        retriesAt = clock() + Self.retryDelay
        let wasStuck = lines[stream.id]?.isStuck ?? false
        lines[stream.id]?.isAtWork = false
        lines[stream.id]?.isStuck = true
        guard !wasStuck else { return }
        log(
            .error, "the stream's record cannot be written yet", stream,
            ["status": "\(stream.status.rawValue)", "error": "\(error)"])
    }

    nonisolated private func log(
        _ level: Logger.Level, _ message: Logger.Message, _ stream: CatalogueStream,
        _ metadata: Logger.Metadata = [:]
    ) {
        let subject: Logger.Metadata = ["stream": "\(stream.id)", "room": "\(stream.room)"]
        logger.log(
            level: level, message, metadata: metadata.merging(subject) { $1 })
    }
}
