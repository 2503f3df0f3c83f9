import Catalogue
import Recording
import Streams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Saves the states of streams: first in the stream's directory, then in the catalogue. So the
/// catalogue never knows more than the disk.
struct StreamRecordStore: Sendable {
    /// A state of a stream to save.
    struct Record: Sendable {
        var file: StreamFile
        /// Absolute, or relative to the working directory.
        var directory: String
        /// Its only news; nil if the stream's own state is the news.
        var output: OutputNews?
    }

    /// An output of the stream is in another state.
    struct OutputNews: Sendable {
        var output: StreamOutput
        var status: PushStatus
    }

    let catalogue: Catalogue
    /// The root of recordings.
    let recordings: String
    /// One for each kind of receiver.
    let events: [any StreamEventSource]

    /// Saves a state, other than the last one, in the file before anybody is told. It does not wait
    /// for a sync of the disk, so that starts and stops are answered soon; the death of the process
    /// still loses nothing.
    static func note(_ record: Record) throws {
        try data(record).write(
            to: URL(fileURLWithPath: "\(record.directory)/\(StreamFile.name)"), options: .atomic)
    }

    /// Saves a noted state to the catalogue; syncs the last state to the disk first.
    ///
    /// - Throws: `RecordingError`, `CatalogueError`; it may be retried.
    func save(_ record: Record) async throws {
        if record.file.stream.status.isFinal {
            try await BlockingCall.run {
                try AssetFile.write(
                    Array(try Self.data(record)), to: StreamFile.name, in: record.directory)
            }
        }
        try await saveRow(record)
    }

    /// Updates the catalogue to the file's state, and adds its events in the same transaction. A
    /// stream that is final there does not change, so each end is reported once.
    ///
    /// - Parameter isTold: false if the earlier events are unknown.
    func saveRow(_ record: Record, isTold: Bool = true) async throws {
        let stream = record.file.stream
        if let news = record.output {
            let deliveries = events.flatMap {
                $0.deliveries(for: stream, output: news.output, news.status)
            }
            try await catalogue.save(stream, telling: deliveries)
            return
        }
        let assets = stream.status.isFinal ? await assets(of: stream) : []
        let deliveries =
            isTold
            ? events.flatMap {
                $0.deliveries(for: stream, order: record.file.order, assets: assets)
            } : []
        try await catalogue.save(stream, assets: assets, telling: deliveries)
    }

    private func assets(of stream: CatalogueStream) async -> [CatalogueAsset] {
        guard let directory = stream.assetDirectory else { return [] }
        let path = "\(recordings)/\(directory)"
        return await BlockingCall.run { RecordingManifest.read(path)?.assets ?? [] }
    }

    private static func data(_ record: Record) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(record.file)
    }
}
