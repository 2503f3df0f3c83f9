import Catalogue
import Logging
import MediaKernel
import Streams

extension StreamService {
    /// Takes over the streams of the previous server. Must be called before `run`.
    ///
    /// - Throws: `CatalogueError`.
    public func recover() async throws {
        let recovery = StreamRecovery(
            recordStore: persister.recordStore, streams: settings.outputDirectory, logger: logger)
        let now = clock().instant
        for record in try await recovery.run() {
            let row = record.file.stream
            guard var stream = LiveStream(row) else { continue }
            let end = row.endOfLeftBehind
            stream.status = .postProcessing
            stream.end = end
            stream.stoppedAt = stream.stoppedAt ?? clock().time
            ids.isTaken(row.id)
            await persister.onDisk { $0.removeConfiguration(in: record.directory) }
            let place = row.assetDirectory.flatMap {
                RecordingPlace(directory: $0, room: row.room)
            }
            book.insert(
                stream,
                StreamLife(
                    machine: StreamMachine(rules: settings.rules, leftBehind: end, at: now),
                    directory: record.directory, requestedAt: now, order: record.file.order,
                    place: place))
            log(.warning, "stream was left behind", row.id, ["status": "\(row.status.rawValue)"])
        }
    }
}

extension CatalogueStream {
    /// The end of a stream that a server left behind.
    fileprivate var endOfLeftBehind: StreamEnd {
        var row = self
        row.endIfLeftBehind()
        return row.end ?? .stopped
    }
}
