import Foundation
import GRDB
import MediaKernel
import Streams

extension Catalogue {
    /// What a rebuild found.
    public struct Rebuilt: Hashable, Sendable {
        public var streams = 0
        public var assets = 0
        /// Files that cannot be read or are not where they belong, by their paths.
        public var unreadable: [String] = []
    }

    /// Makes the lists of streams and assets anew from what is on the disk, in one transaction: who
    /// reads meanwhile sees the old ones. Writers wait only while files that changed meanwhile are
    /// read again and the rows are written, so no newer row is overwritten. Deliveries stay as they
    /// are, and none is added: what was told before the catalogue was lost is not known, and nothing
    /// may be told twice.
    ///
    /// - Parameters:
    ///   - streams: the root below which each stream has `<room>/<stream>/stream.json`.
    ///   - recordings: the root below which each recording has
    ///     `hls/<room>/<date>/<epoch>/manifest.json`, or the same below `beam`.
    public func rebuild(
        streams: String, recordings: String
    ) async throws(CatalogueError) -> Rebuilt {
        try await rebuild(streams: streams, recordings: recordings) {}
    }

    /// - Parameter whenRead: called before the catalogue is locked, when all files were read.
    func rebuild(
        streams: String, recordings: String, whenRead: () async -> Void
    ) async throws(CatalogueError) -> Rebuilt {
        // Nobody who writes can wait for a whole disk to be read.
        let read = RebuildSources(streams: streams, recordings: recordings).files
        await whenRead()
        return try await write { database in
            // First, which locks out all others: files are written before rows.
            try database.execute(sql: "DELETE FROM stream; DELETE FROM asset")
            let found = RebuildSources(streams: streams, recordings: recordings, known: read)
            for stream in found.streams.values {
                try stream.insert(into: database, onConflict: .replace)
            }
            for asset in found.assets { try asset.insert(into: database, onConflict: .replace) }
            return Rebuilt(
                streams: found.streams.count, assets: found.assets.count,
                unreadable: found.unreadable)
        }
    }
}

/// The records in the files of two trees.
private struct RebuildSources {
    /// What was read, by the files' paths.
    private(set) var files = ReadFiles()
    private(set) var streams: [StreamID: CatalogueStream] = [:]
    private(set) var assets: [CatalogueAsset] = []
    private(set) var unreadable: [String] = []

    /// - Parameter known: files that are only read again if they changed.
    init(streams root: String, recordings: String, known: ReadFiles = ReadFiles()) {
        // Recordings without a live stream have hidden directories.
        for path in Self.files(StreamFile.name, depth: 2, below: root, isHidden: true) {
            guard let stream = read(path, \.streams, known) else { continue }
            // A directory that was copied or renamed is not the stream's own.
            guard path == "\(root)/\(stream.directory)/\(StreamFile.name)" else {
                unreadable.append(path)
                continue
            }
            take(stream)
        }
        let present = Set(streams.keys)
        let manifests = LiveStream.Kind.allCases.flatMap { kind in
            Self.files(
                RecordingManifest.fileName, depth: 3, below: "\(recordings)/\(kind.rawValue)")
        }
        for path in manifests {
            guard let manifest = read(path, \.manifests, known) else { continue }
            take(manifest.stream)
            assets += manifest.assets.map { asset in
                var asset = asset
                let isThere = FileManager.default.fileExists(atPath: "\(recordings)/\(asset.path)")
                // Retention removes files and leaves the manifest. What lies in a store is over
                // when the manifest says so.
                if asset.status == .completed, asset.location == nil, !isThere {
                    asset.status = .expired
                }
                return asset
            }
        }
        // A manifest says how far the stream was when its assets were made. Whose directory was
        // removed since is brought to its end by nobody else.
        for id in streams.keys where !present.contains(id) { streams[id]?.endIfLeftBehind() }
    }

    /// A stream is in both trees; what was written later knows more.
    private mutating func take(_ stream: CatalogueStream) {
        if let known = streams[stream.id], known.updatedAt > stream.updatedAt { return }
        streams[stream.id] = stream
    }

    private mutating func read<Value: Decodable>(
        _ path: String, _ kind: WritableKeyPath<ReadFiles, [String: ReadFiles.File<Value>]>,
        _ known: ReadFiles
    ) -> Value? {
        let file = ReadFiles.File(path: path, known: known[keyPath: kind][path])
        files[keyPath: kind][path] = file
        if file.value == nil { unreadable.append(path) }
        return file.value
    }

    /// The files of this name in directories so many levels below a root, sorted.
    ///
    /// - Parameter isHidden: whether the last level's directories may be hidden ones.
    private static func files(
        _ name: String, depth: Int, below root: String, isHidden: Bool = false
    ) -> [String] {
        var directories = [root]
        for level in 1...depth {
            let takesHidden = isHidden && level == depth
            directories = directories.flatMap { directory in
                let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
                return (names ?? []).filter { takesHidden || !$0.hasPrefix(".") }.sorted()
                    .map { "\(directory)/\($0)" }
            }
        }
        return directories.map { "\($0)/\(name)" }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }
}

/// Records as they were in files, and whether those are still the same.
private struct ReadFiles: Sendable {
    var streams: [String: File<CatalogueStream>] = [:]
    var manifests: [String: File<RecordingManifest>] = [:]

    struct File<Value: Decodable & Sendable>: Sendable {
        /// Manifests are a few KiB.
        private static var bytesMaximum: Int64 { 1 << 20 }

        /// Nil for what cannot be read.
        let value: Value?
        private let version: FileVersion?

        /// - Parameter known: the same file as it was read before.
        init(path: String, known: File?) {
            // Before it is read: what is written meanwhile is another version.
            version = FileVersion(path)
            if let known, let version, known.version == version {
                value = known.value
                return
            }
            guard let version, version.byteCount <= Self.bytesMaximum,
                let data = FileManager.default.contents(atPath: path)
            else {
                value = nil
                return
            }
            value = try? JSONDocument.decode(Value.self, from: data, limits: .own)
        }
    }
}
