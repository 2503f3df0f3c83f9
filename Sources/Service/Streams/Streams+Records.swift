import Catalogue
public import ControlAPI
import Foundation
import Logging
public import MediaKernel

/// What is known of streams: those of this process from memory, all others from the catalogue.
extension Streams {
    public func stream(_ id: StreamID) async -> LiveStream? {
        if let stream = archive[id] { return stream }
        return await asked { try await $0.stream(id) }.flatMap { LiveStream($0) }
    }

    public func current(room: RoomID, kind: LiveStream.Kind) async -> LiveStream? {
        if let stream = archive.current(in: room, kind) { return stream }
        var query = CatalogueQuery<CatalogueStream.Status>(room: room)
        query.kind = CatalogueStream.Kind(kind)
        let page = await asked { [query] in try await $0.streams(query) }
        return page?.records.first.flatMap { LiveStream($0) }
    }

    /// The catalogue's page, with what this process knows better: rows follow the memory.
    public func streams(_ query: LiveStreamQuery) async -> LiveStreamPage {
        var wanted = CatalogueQuery<CatalogueStream.Status>(
            room: query.room, session: query.session,
            status: query.status.flatMap { .init(rawValue: $0.rawValue) },
            start: query.start?.rawValue, limit: query.limit)
        switch query.subject {
        case .liveStreams: wanted.kind = .stream
        case .recordings: wanted.isRecorded = true
        }
        let page = await asked { [wanted] in try await $0.streams(wanted) }
        let rows = (page?.records ?? []).compactMap { LiveStream($0) }
        // What is older than the page belongs to the next one.
        let oldest = page?.last.map { StreamID($0) }
        var found = archive.matching(query).filter { stream in
            oldest.map { stream.id >= $0 } ?? true
        }
        found += rows.filter { archive[$0.id] == nil }
        found.sort { $0.id > $1.id }
        let streams = Array(found.prefix(query.limit))
        return LiveStreamPage(streams: streams, last: streams.last?.id ?? oldest)
    }

    private func asked<Value: Sendable>(
        _ body: (Catalogue) async throws -> Value?
    ) async -> Value? {
        do {
            return try await body(keeper.catalogue)
        } catch {
            logger.error("the catalogue cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    // MARK: Pause

    public func setRecording(
        stream id: StreamID, isPaused: Bool
    ) async throws(LiveStreamError) -> LiveStream {
        guard let record = await stream(id) else { throw .notFound("stream \(id)") }
        guard let entry = entries[id], record.status == .starting || record.status == .running
        else { throw .notOnAir(id) }
        guard entry.order != nil else { throw .notRecorded(id) }
        guard record.isRecordingPaused != isPaused else { return record }
        let time = clock().time
        archive.update(id) { stream in
            stream.isRecordingPaused = isPaused
            stream.hasRecordingResumed = !isPaused
            stream.updatedAt = time
        }
        entry.signals?.yield(.recordingPaused(isPaused))
        chat.setPaused(isPaused, id, in: record.room)
        log(.info, isPaused ? "recording paused" : "recording resumed", id)
        announce(id)
        return archive[id] ?? record
    }

    // MARK: Restart

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
                atPath: "\(record.directory)/\(BotConfigurationFile.name)")
            archive.insert(stream)
            entries[row.id] = StreamOnAir(
                machine: StreamMachine(rules: settings.rules, leftBehind: outcome, at: now),
                ladder: settings.ladder, layout: settings.layout, directory: record.directory,
                requestedAt: now, order: record.file.order,
                place: row.assetDirectory.flatMap { RecordingPlace(directory: $0, room: row.room) })
            log(.warning, "stream was left behind", row.id, ["status": "\(row.status.rawValue)"])
        }
    }
}
