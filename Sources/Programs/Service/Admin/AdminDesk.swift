import Catalogue
import ControlAPI
import Foundation
import Glibc
import HLS
import MediaKernel
import NIOPosix
import Streams

/// What the operator's page is told of this server.
struct AdminDesk: AdminControl {
    let streamService: StreamService
    let catalogue: Catalogue
    /// `s3://bucket/prefix`; nil without a store.
    let store: String?
    let passwordFile: AdminPasswordFile
    let board: SettingsBoard
    let log: LogRing
    /// By the names of their settings.
    let directories: [(setting: String, path: String)]
    let startedAt: UnixTime

    var settings: SettingsShown { board.shown }

    func password() async -> AdminPassword {
        let file = passwordFile
        // A disk may hang.
        return (try? await NIOThreadPool.singleton.runIfActive { file.read() }) ?? .unusable
    }

    func streams() async -> [WatchedStream] { await streamService.watched }

    func uploads() async throws -> WatchedUploads? {
        guard let store else { return nil }
        let files = try await catalogue.assetsToUpload(limit: WatchedUploads.filesMaximum)
        let copied = await streamService.remembered.filter { stream in
            stream.upload.map { !$0.isComplete || $0.failures > 0 } ?? false
        }
        return WatchedUploads(
            store: store, files: files.map { WatchedUploads.File($0.asset, upload: $0.upload) },
            streams: copied)
    }

    func machine() async -> MachineFigures {
        let idle = await streamService.idleCores
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        let directories = directories
        let disks =
            (try? await NIOThreadPool.singleton.runIfActive {
                directories.compactMap { Self.disk($0.setting, $0.path) }
            }) ?? []
        return MachineFigures(
            startedAt: startedAt, cores: cores, busyCores: idle.map { max(0, cores - $0) },
            memory: InstalledMemory.bytes, memoryFree: AvailableMemory.bytes.map { Int64($0) },
            serverMemory: Int64(ProcessMetrics.residentBytes), disks: disks)
    }

    private static func disk(_ name: String, _ path: String) -> MachineFigures.Disk? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        func bytes(_ blocks: UInt) -> Int64 {
            Int64(clamping: blocks.multipliedReportingOverflow(by: status.f_frsize).partialValue)
        }
        return MachineFigures.Disk(
            name: name, free: bytes(status.f_bavail), total: bytes(status.f_blocks))
    }
}

/// The machine's memory.
private enum InstalledMemory {
    static var bytes: Int64? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let size = sysconf(Int32(_SC_PAGESIZE))
        return pages > 0 && size > 0 ? Int64(pages) * Int64(size) : nil
    }
}

extension StreamService {
    /// The average of the last seconds; nil until known.
    var idleCores: Double? { kernel.idleCores }

    /// The streams in memory with what their bots use and make, oldest first.
    var watched: [WatchedStream] {
        let now = clock().instant
        return remembered.map { stream in
            let load = book.statistics(of: stream.id)?.load ?? StreamLoad()
            return WatchedStream(
                stream, load: load.figures(layers: stream.plan.ladder.layers.count, at: now))
        }
    }
}
