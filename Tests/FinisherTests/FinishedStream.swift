import Catalogue
import ChildProcesses
import Foundation
import MediaKernel
import RecordedStreams
import Recording
import Streams
import Synchronization

@testable import Finisher

/// A recorded stream whose bot has gone, and its own root of recordings.
final class FinishedStream: @unchecked Sendable {
    let stream: RecordedStream
    let recordings: String
    let file: StreamFile
    private let log = Mutex<[FinisherReport]>([])

    init(
        isRecorded: Bool = true, hlsVOD: Bool = true, singleFilePerLayer: Bool = true,
        kind: LiveStream.Kind = .stream, layers: Int = 2,
        thumbnails: ThumbnailOrder? = nil, keptLayers: [Int]? = nil, recordings: String? = nil
    ) throws {
        let sizes = [(320, 180), (192, 144)].prefix(layers)
        stream = try RecordedStream(
            layers: sizes.map { RecordedStream.Layer(width: $0.0, height: $0.1) })
        self.recordings = recordings ?? "\(stream.path)-recordings"
        let record = CatalogueStream(
            id: "s1", room: "room", session: "x", kind: kind, status: .postProcessing,
            createdAt: UnixTime(seconds: 1_770_091_506), directory: "room/s1",
            assetDirectory: isRecorded
                ? "\(kind.rawValue)/room/2026-02-03/1770091506" : nil)
        let order = RecordingOrder(
            hlsVOD: hlsVOD, singleFilePerLayer: singleFilePerLayer,
            layers: stream.layers.map { .init(width: $0.width, height: $0.height) },
            keptLayers: keptLayers, thumbnails: thumbnails)
        file = StreamFile(stream: record, order: isRecorded ? order : nil)
    }

    deinit { try? FileManager.default.removeItem(atPath: recordings) }

    var events: [FinisherReport] { log.withLock { $0 } }

    /// - Parameters:
    ///   - freeBytes: on the disk of recordings; nil for enough.
    ///   - takesLinks: whether its directories accept links to the stream's files; nil for the
    ///     kernel's answer.
    ///   - pace: seconds that pass on the finisher's clock between checks.
    ///   - onLook: called with the number of the finisher's clock checks: at first before it
    ///     requests the lock, then after each time that another process held it.
    func finish(
        lockTimeout: Duration = .seconds(10), writesFile: Bool = true, freeBytes: UInt64? = nil,
        takesLinks: Bool? = nil, pace: Int64 = 1,
        onLook: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> [CatalogueAsset] {
        let looks = Mutex(0)
        if writesFile { try stream.write(Array(JSONEncoder().encode(file)), to: StreamFile.name) }
        return try Finisher(
            directory: stream.path, recordings: recordings, lockTimeout: lockTimeout,
            freeBytes: { _ in freeBytes },
            takesLinks: { takesLinks ?? HardLinks.areTaken(of: $0, in: $1) },
            now: {
                let count = looks.withLock { count in
                    count += 1
                    return count
                }
                onLook(count)
                return UnixTime(seconds: 1_770_091_600 + Int64(count) * pace)
            },
            report: { [self] event in log.withLock { $0.append(event) } }
        ).run()
    }

    func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(recordings)/\(path)")))
    }

    func inode(_ path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.systemFileNumber] as? NSNumber)?.intValue
    }
}
