import Catalogue
import Recording
import Streams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes down what becomes of the streams: into the stream's directory first, then into the
/// catalogue. So the catalogue never knows more than the disk.
struct StreamKeeper: Sendable {
    /// One state of one stream, to be kept.
    struct Record: Sendable {
        var file: StreamFile
        /// Absolute, or relative to the working directory.
        var directory: String
    }

    let catalogue: Catalogue
    /// The root of recordings.
    let recordings: String
    /// What is told of it; nil when nobody wants to be told.
    let events: StreamEvents?

    /// A state that is not the last: in the file before anybody is told of it. It waits for no
    /// disk to have it for good, so that starts and stops are answered soon; a process' death costs
    /// nothing all the same.
    static func note(_ record: Record) throws {
        try data(record).write(
            to: URL(fileURLWithPath: "\(record.directory)/\(StreamFile.name)"), options: .atomic)
    }

    /// Writes down what was noted, or the last state, which is on the disk then.
    ///
    /// - Throws: `RecordingError`, `CatalogueError`; it can be asked again.
    func save(_ record: Record) async throws {
        if record.file.stream.status.isFinal {
            try await BlockingCall.run {
                try AssetFile.write(
                    Array(try Self.data(record)), to: StreamFile.name, in: record.directory)
            }
        }
        try await saveRow(record)
    }

    /// Brings the catalogue to what the file says already, and with it, in the same transaction,
    /// what is told of it. A stream that is final there stays as it is, so each end is told once.
    ///
    /// - Parameter isTold: false when what was told before is not known.
    func saveRow(_ record: Record, isTold: Bool = true) async throws {
        let stream = record.file.stream
        let assets = stream.status.isFinal ? await assets(of: stream) : []
        let deliveries =
            isTold
            ? events?.deliveries(for: stream, order: record.file.order, assets: assets) ?? [] : []
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
