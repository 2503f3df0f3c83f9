import Catalogue
import NIOPosix
import Recording

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes down what becomes of the streams.
struct StreamKeeper: Sendable {
    /// One state of one stream, to be kept.
    struct Record: Sendable {
        var file: StreamFile
        /// Absolute, or relative to the working directory.
        var directory: String
    }

    private let threads = NIOThreadPool.singleton

    /// The first state, which is there before a bot is. It waits for no disk, so that a start is
    /// answered at once; a process' death costs nothing all the same.
    static func begin(_ record: Record) throws {
        try data(record).write(
            to: URL(fileURLWithPath: "\(record.directory)/\(StreamFile.name)"), options: .atomic)
    }

    /// - Throws: `RecordingError`; what was there before is there still.
    func save(_ record: Record) async throws {
        try await threads.runIfActive {
            try AssetFile.write(
                Array(try Self.data(record)), to: StreamFile.name, in: record.directory)
        }
    }

    private static func data(_ record: Record) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(record.file)
    }
}
