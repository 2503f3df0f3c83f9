import Foundation
import GRDB
import MediaKernel
import Streams

extension Catalogue {
    /// The result of a rebuild.
    public struct Rebuilt: Hashable, Sendable {
        public var streams = 0
        public var assets = 0
        /// The paths of files that are unreadable or misplaced.
        public var unreadable: [String] = []
    }

    /// Rebuilds the lists of streams and assets from the disk, in one transaction: readers see the
    /// old lists meanwhile. Writers wait only while changed files are read again and the rows are
    /// written, so no newer row is overwritten. Deliveries stay as they are, and none is added: the
    /// events sent before the loss of the catalogue are unknown, and no event may be sent twice.
    ///
    /// - Parameters:
    ///   - streams: the root directory of `<room>/<stream>/stream.json`.
    ///   - recordings: the root directory of `hls/<room>/<date>/<epoch>/manifest.json`, and of the
    ///     same below `beam`; beside the manifest may be a `recording.json`.
    public func rebuild(
        streams: String, recordings: String
    ) async throws(CatalogueError) -> Rebuilt {
        try await rebuild(streams: streams, recordings: recordings) {}
    }

    /// - Parameter whenRead: called after all files are read, before the catalogue is locked.
    func rebuild(
        streams: String, recordings: String, whenRead: () async -> Void
    ) async throws(CatalogueError) -> Rebuilt {
        // Reading a whole disk takes longer than any writer can wait.
        let read = RebuildSources(streams: streams, recordings: recordings).files
        await whenRead()
        return try await write { database in
            // This comes first and locks out all others: files are written before rows.
            try database.execute(
                sql: "DELETE FROM stream; DELETE FROM asset; DELETE FROM recordingNote")
            let found = RebuildSources(streams: streams, recordings: recordings, known: read)
            for stream in found.streams.values {
                try stream.insert(into: database, onConflict: .replace)
            }
            for asset in found.assets { try asset.insert(into: database, onConflict: .replace) }
            for note in found.notes.values {
                try note.insert(into: database, onConflict: .replace)
            }
            return Rebuilt(
                streams: found.streams.count, assets: found.assets.count,
                unreadable: found.unreadable)
        }
    }
}

/// The records found in the files of two directory trees.
private struct RebuildSources {
    /// The files that were read, by path.
    private(set) var files = ReadFiles()
    private(set) var streams: [StreamID: CatalogueStream] = [:]
    private(set) var assets: [CatalogueAsset] = []
    /// On streams that there are.
    private(set) var notes: [StreamID: RecordingNote] = [:]
    private(set) var unreadable: [String] = []

    /// - Parameter known: files to read again only if they have changed.
    init(streams root: String, recordings: String, known: ReadFiles = ReadFiles()) {
        // Recordings without a live stream have hidden directories.
        for path in Self.files(StreamFile.name, depth: 2, below: root, isHidden: true) {
            guard let stream = read(path, \.streams, known) else { continue }
            // A copied or renamed directory does not belong to the stream.
            guard path == "\(root)/\(stream.directory)/\(StreamFile.name)" else {
                unreadable.append(path)
                continue
            }
            take(stream)
        }
        let present = Set(streams.keys)
        func recorded(_ name: String) -> [String] {
            LiveStream.Kind.allCases.flatMap { kind in
                Self.files(name, depth: 3, below: "\(recordings)/\(kind.rawValue)")
            }
        }
        for path in recorded(RecordingManifest.fileName) {
            guard let manifest = read(path, \.manifests, known) else { continue }
            take(manifest.stream)
            assets += manifest.assets.map { asset in
                var asset = asset
                let isThere = FileManager.default.fileExists(atPath: "\(recordings)/\(asset.path)")
                // Retention removes files but leaves the manifest. An asset in a store is over only
                // when the manifest says so.
                if asset.status == .completed, asset.location == nil, !isThere {
                    asset.status = .expired
                }
                return asset
            }
        }
        // A manifest has the stream's status from when its assets were made. If the stream's
        // directory has been removed since, only this code ends the stream.
        for id in streams.keys where !present.contains(id) { streams[id]?.endIfLeftBehind() }
        for path in recorded(RecordingNote.fileName) {
            guard let note = read(path, \.notes, known) else { continue }
            take(note, at: path, below: recordings)
        }
    }

    /// A note belongs to the recording in whose directory it is: a copied one is none.
    private mutating func take(_ note: RecordingNote, at path: String, below root: String) {
        guard let stream = streams[note.stream], let directory = stream.assetDirectory,
            path == "\(root)/\(directory)/\(RecordingNote.fileName)"
        else { return unreadable.append(path) }
        notes[note.stream] = note
        guard let time = note.deletedAt else { return }
        streams[note.stream]?.label = nil
        for index in assets.indices
        where assets[index].stream == note.stream && assets[index].status == .completed {
            assets[index].expiresAt = time
        }
    }

    /// A stream appears in both trees; the later record wins.
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

    /// The sorted paths of files with this name in directories at this depth below a root.
    ///
    /// - Parameter isHidden: whether directories of the last level may be hidden.
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

/// Records as read from files, with the version of each file.
private struct ReadFiles: Sendable {
    var streams: [String: File<CatalogueStream>] = [:]
    var manifests: [String: File<RecordingManifest>] = [:]
    var notes: [String: File<RecordingNote>] = [:]

    struct File<Value: Decodable & Sendable>: Sendable {
        /// Manifests are a few KiB.
        private static var bytesMaximum: Int64 { 1 << 20 }

        /// Nil if the file cannot be read.
        let value: Value?
        private let version: FileVersion?

        /// - Parameter known: the result of an earlier reading of the file.
        init(path: String, known: File?) {
            // Taken before reading, so that a concurrent write results in a different version.
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
