import Catalogue
import Foundation
import Logging
import MediaKernel
import NIOPosix
import Streams

/// Recovers the previous server's streams: the files on disk are the source of truth, and the
/// catalogue is updated from them.
struct StreamRecovery: Sendable {
    let recordStore: StreamRecordStore
    /// The root of streams.
    let streams: String
    let logger: Logger

    /// The most bytes of a `stream.json`; usual ones have a few KiB.
    private static let bytesMaximum = 1 << 20

    /// - Returns: the unfinished streams, oldest first. They have rows.
    /// - Throws: `CatalogueError`.
    func run() async throws -> [StreamRecordStore.Record] {
        let isLost = try await remakeCatalogue()
        // A final row is only written after a final file, so ended streams are recognized by name
        // without reading their files.
        let ended = try await recordStore.catalogue.finalStreamDirectories()
        let records = try await NIOThreadPool.singleton.runIfActive { self.files(except: ended) }
        var unfinished: [StreamRecordStore.Record] = []
        var known: Set<StreamID> = []
        for record in records {
            let stream = record.file.stream
            known.insert(stream.id)
            let row = try await recordStore.catalogue.stream(stream.id)
            // If the catalogue was lost, the earlier events are unknown, and none may be sent
            // twice. Otherwise an end that is only on disk has not been reported yet.
            try await recordStore.saveRow(record, isTold: row != nil && !isLost)
            if !stream.status.isFinal { unfinished.append(record) }
        }
        try await endMissing(known)
        return unfinished.sorted { $0.file.stream.id < $1.file.stream.id }
    }

    /// Rebuilds a catalogue without streams: either it was lost, or nothing was ever streamed. The
    /// rebuild also finds recordings whose streams' directories are gone.
    ///
    /// - Returns: whether the catalogue was rebuilt.
    private func remakeCatalogue() async throws -> Bool {
        guard try await recordStore.catalogue.hasNoStreams() else { return false }
        let rebuilt = try await recordStore.catalogue.rebuild(
            streams: streams, recordings: recordStore.recordings)
        guard rebuilt.streams > 0 else { return false }
        logger.notice(
            "the catalogue was lost and is made anew",
            metadata: ["streams": "\(rebuilt.streams)", "assets": "\(rebuilt.assets)"])
        return true
    }

    /// Ends streams whose directories were removed meanwhile. Streams that are only unreadable now,
    /// e.g. on a volume that is not mounted yet, are left to a later start: an end is final.
    private func endMissing(_ known: Set<StreamID>) async throws {
        let missing = try await recordStore.catalogue.unfinishedStreams()
            .filter { !known.contains($0.id) }
        guard !missing.isEmpty else { return }
        let gone = try await NIOThreadPool.singleton.runIfActive { removed(of: missing) }
        for var stream in missing {
            guard gone.contains(stream.id) else {
                logger.error(
                    "an unfinished stream cannot be read and is left to a later start",
                    metadata: [
                        "stream": "\(stream.id)", "room": "\(stream.room)",
                        "directory": "\(streams)/\(stream.directory)",
                    ])
                continue
            }
            logger.warning(
                "the directory of an unfinished stream is gone",
                metadata: ["stream": "\(stream.id)", "room": "\(stream.room)"])
            stream.status = .failed
            stream.end = .failed(StreamFailure(.directoryLost, "the stream's directory is gone"))
            try await recordStore.saveRow(
                StreamRecordStore.Record(
                    file: StreamFile(stream: stream),
                    directory: "\(streams)/\(stream.directory)"))
        }
    }

    /// Whether a root of streams has any. If not, it is probably a different root rather than one
    /// that somebody emptied.
    static func holdsStreams(_ root: String) -> Bool { !names(in: root).isEmpty }

    /// The streams whose directories were removed.
    private func removed(of missing: [CatalogueStream]) -> Set<StreamID> {
        guard Self.holdsStreams(streams) else { return [] }
        let gone = missing.filter { stream in
            !FileManager.default.fileExists(atPath: "\(streams)/\(stream.directory)")
        }
        return Set(gone.map(\.id))
    }

    /// - Parameter ended: the directories to skip.
    private func files(except ended: Set<String>) -> [StreamRecordStore.Record] {
        var records: [StreamRecordStore.Record] = []
        for room in Self.names(in: streams) {
            for name in Self.names(in: "\(streams)/\(room)", isHidden: true) {
                guard !ended.contains("\(room)/\(name)") else { continue }
                let directory = "\(streams)/\(room)/\(name)"
                let path = "\(directory)/\(StreamFile.name)"
                guard FileManager.default.fileExists(atPath: path) else { continue }
                guard let data = FileManager.default.contents(atPath: path),
                    data.count <= Self.bytesMaximum,
                    let file = try? JSONDocument.decode(StreamFile.self, from: data, limits: .own),
                    // A copied or renamed directory does not belong to the stream.
                    file.stream.directory == "\(room)/\(name)"
                else {
                    logger.warning("a stream's record is not usable", metadata: ["path": "\(path)"])
                    continue
                }
                records.append(StreamRecordStore.Record(file: file, directory: directory))
            }
        }
        return records
    }

    /// - Parameter isHidden: whether to include hidden names, as of recordings without a live
    ///   stream.
    private static func names(in directory: String, isHidden: Bool = false) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
            .filter { isHidden || !$0.hasPrefix(".") }.sorted()
    }
}
