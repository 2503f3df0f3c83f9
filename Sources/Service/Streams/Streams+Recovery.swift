import Catalogue
import ChildProcesses
import ControlAPI
import Foundation
import Logging
import MediaKernel

extension Streams {
    /// Takes over what the server before left behind. To be called before `run`.
    ///
    /// - Throws: `CatalogueError`.
    public func recover() async throws {
        let recovery = StreamRecovery(
            keeper: keeper, streams: settings.outputDirectory, logger: logger)
        let now = clock().instant
        for record in try await recovery.run() {
            let row = record.file.stream
            guard var stream = LiveStream(row) else { continue }
            let outcome = StreamMachine.Outcome(leftBehind: row)
            stream.status = .postProcessing
            stream.stopReason = outcome.reason
            stream.stoppedAt = stream.stoppedAt ?? clock().time
            ids.isTaken(row.id)
            // It holds nothing that the next start needs, and the bot that read it is gone.
            try? FileManager.default.removeItem(
                atPath: "\(record.directory)/\(BotConfiguration.fileName)")
            archive.insert(stream)
            entries[row.id] = StreamOnAir(
                machine: StreamMachine(rules: settings.rules, leftBehind: outcome, at: now),
                ladder: settings.ladder, layout: settings.layout, playlist: settings.playlist,
                directory: record.directory, requestedAt: now, order: record.file.order,
                place: row.assetDirectory.flatMap { RecordingPlace(directory: $0, room: row.room) })
            log(.warning, "stream was left behind", row.id, ["status": "\(row.status.rawValue)"])
        }
    }
}
