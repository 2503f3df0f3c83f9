import Catalogue
import Foundation
import Logging
import MediaKernel
import NIOPosix
import Streams

/// What a server finds of the streams of the one before: the files on the disk are believed, the
/// catalogue is brought to what they say.
struct StreamRecovery: Sendable {
    let keeper: StreamRecordStore
    /// The root of streams.
    let streams: String
    let logger: Logger

    /// Bytes of a `stream.json`; they are a few KiB.
    private static let bytesMaximum = 1 << 20

    /// - Returns: those that came to no end, oldest first. They have rows.
    /// - Throws: `CatalogueError`.
    func run() async throws -> [StreamRecordStore.Record] {
        let isLost = try await remakeCatalogue()
        // A row that is final was written behind a file that was: of what ended, only the names are
        // read.
        let ended = try await keeper.catalogue.finalStreamDirectories()
        let records = try await NIOThreadPool.singleton.runIfActive { self.files(except: ended) }
        var unfinished: [StreamRecordStore.Record] = []
        var known: Set<StreamID> = []
        for record in records {
            let stream = record.file.stream
            known.insert(stream.id)
            let row = try await keeper.catalogue.stream(stream.id)
            // What was told is not known when the catalogue was lost, and nothing may be told twice.
            // Else an end that is on the disk was told to nobody.
            try await keeper.saveRow(record, isTold: row != nil && !isLost)
            if !stream.status.isFinal { unfinished.append(record) }
        }
        try await endMissing(known)
        return unfinished.sorted { $0.file.stream.id < $1.file.stream.id }
    }

    /// One without a stream was lost, or nothing was ever streamed. It learns of recordings whose
    /// streams' directories are gone, too.
    ///
    /// - Returns: whether it was made anew.
    private func remakeCatalogue() async throws -> Bool {
        guard try await keeper.catalogue.hasNoStreams() else { return false }
        let rebuilt = try await keeper.catalogue.rebuild(
            streams: streams, recordings: keeper.recordings)
        guard rebuilt.streams > 0 else { return false }
        logger.notice(
            "the catalogue was lost and is made anew",
            metadata: ["streams": "\(rebuilt.streams)", "assets": "\(rebuilt.assets)"])
        return true
    }

    /// Streams whose directories somebody removed meanwhile. Those that are only not to be read now,
    /// as on a volume that is not mounted yet, are left to a later start: an end is final.
    private func endMissing(_ known: Set<StreamID>) async throws {
        let missing = try await keeper.catalogue.unfinishedStreams()
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
            try await keeper.saveRow(
                StreamRecordStore.Record(
                    file: StreamFile(stream: stream),
                    directory: "\(streams)/\(stream.directory)"))
        }
    }

    /// Whether a root of streams holds any. Where it holds none, it is more likely that the root is
    /// not the one it was than that somebody removed them all.
    static func holdsStreams(_ root: String) -> Bool { !names(in: root).isEmpty }

    /// Those whose directories somebody removed.
    private func removed(of missing: [CatalogueStream]) -> Set<StreamID> {
        guard Self.holdsStreams(streams) else { return [] }
        let gone = missing.filter { stream in
            !FileManager.default.fileExists(atPath: "\(streams)/\(stream.directory)")
        }
        return Set(gone.map(\.id))
    }

    /// - Parameter ended: directories that are not looked into.
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
                    // A directory that was copied or renamed is not the stream's own.
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

    /// - Parameter isHidden: whether hidden names are among them, as those of recordings without a
    ///   live stream.
    private static func names(in directory: String, isHidden: Bool = false) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
            .filter { isHidden || !$0.hasPrefix(".") }.sorted()
    }
}
