import Glibc
import MediaKernel
import Zip

/// Makes the finished files of a stream's recorded tracks, `tracks.json`, and the archive of both.
///
/// Blocks; meant for a process or a thread of its own. Memory holds a second of one track and the
/// sizes of its frames.
public struct TrackAssets {
    public struct Wish: Hashable, Sendable {
        public var streamID: String
        public var roomID: String
        public var sessionID: String
        /// Whether sound becomes Ogg; otherwise WebM.
        public var usesOgg: Bool
        /// The directory of all files, absolute.
        public var directory: String
        /// The beginning of the files' names.
        public var title: String
        /// The archive's place; nil for none.
        public var archive: RecordingAssets.Place?
        /// Seconds since 1970.
        public var createdAt: Int64

        public init(
            streamID: String, roomID: String, sessionID: String, usesOgg: Bool,
            directory: String, title: String, archive: RecordingAssets.Place?, createdAt: Int64
        ) {
            self.streamID = streamID
            self.roomID = roomID
            self.sessionID = sessionID
            self.usesOgg = usesOgg
            self.directory = directory
            self.title = title
            self.archive = archive
            self.createdAt = createdAt
        }
    }

    public struct Made: Hashable, Sendable {
        public var index: TrackIndex
        /// Of `tracks.json`, whose name begins as the others do.
        public var indexName: String
        public var indexByteCount: UInt64
        /// Of the archive; nil for none.
        public var archiveByteCount: UInt64?
    }

    private let stream: String
    private let parts: TrackParts

    /// Nil if the stream's bots have recorded no tracks.
    ///
    /// - Parameter stream: the stream's directory.
    /// - Throws: `.file`.
    public init?(in stream: String) throws(RecordingError) {
        guard let parts = TrackParts(try TrackFolder.entries(in: stream)) else { return nil }
        self.stream = stream
        self.parts = parts
    }

    /// Of all live files: about what the finished ones will take.
    public var byteCount: UInt64 {
        parts.parts.reduce(0) { sum, part in
            var status = stat()
            return stat(live(part).path, &status) == 0 ? sum + UInt64(status.st_size) : sum
        }
    }

    /// The wall clock's time at the common clock's zero, in milliseconds since 1970.
    public var startedAt: Int64 { parts.startedAt / 1_000_000 }

    private func live(_ part: TrackParts.Part) -> LiveTrackFile {
        LiveTrackFile(path: "\(stream)/\(TrackFolder.name)/\(part.file)")
    }

    /// Makes further files of the tracks, in the same directory.
    public typealias Composer =
        ([RecordedPart]) throws(RecordingError) -> [TrackIndex.Composition]

    /// - Parameters:
    ///   - progress: called often, with the shares done of all parts.
    ///   - compose: called once all tracks have their files; the index and the archive have its
    ///     files too.
    /// - Returns: nil if no file has a frame.
    /// - Throws: `.file`, `.archive`.
    public func make(
        _ wish: Wish, progress: (Int, Int) -> Void,
        compose: Composer = { (_) throws(RecordingError) in [] }
    ) throws(RecordingError) -> Made? {
        var tracks: [TrackIndex.Track] = []
        var recorded: [RecordedPart] = []
        var archived: [ArchivedFile] = []
        var number = 0
        for (done, part) in parts.parts.enumerated() {
            let output = TrackOutput(
                part: part, live: live(part), usesOgg: wish.usesOgg, createdAt: wish.createdAt)
            let name = "\(wish.title)-track-\(number).\(output.container.rawValue)"
            guard
                let result = try output.write(
                    to: RecordingAssets.Place(directory: wish.directory, name: name),
                    progress: { progress(done, parts.parts.count) })
            else { continue }
            let file = file(
                result, of: part, name: name, id: "\(wish.streamID)-track-\(number)",
                output.container)
            number += 1
            recorded.append(RecordedPart(part, file, live: live(part)))
            archived.append(
                ArchivedFile(
                    name: name, byteCount: result.byteCount, checksum: result.checksum))
            if let known = tracks.firstIndex(where: { $0.id == part.track.id }) {
                tracks[known].files.append(file)
            } else {
                tracks.append(track(part, file))
            }
        }
        guard number > 0 else { return nil }
        let compositions = try compose(recorded)
        archived += compositions.map {
            ArchivedFile(name: $0.name, byteCount: $0.bytes, checksum: $0.checksum)
        }
        let index = TrackIndex(
            streamID: wish.streamID, roomID: wish.roomID, sessionID: wish.sessionID,
            startedAt: startedAt,
            duration: tracks.flatMap(\.files).map { $0.start + $0.duration }.max() ?? 0,
            tracks: tracks, compositions: compositions.isEmpty ? nil : compositions)
        let text = index.encoded
        let indexName = "\(wish.title)-\(TrackIndex.fileName)"
        try AssetFile.write(text, to: indexName, in: wish.directory)
        var made = Made(
            index: index, indexName: indexName, indexByteCount: UInt64(text.count),
            archiveByteCount: nil)
        if let place = wish.archive {
            made.archiveByteCount = try writeArchive(
                at: place, wish, text: text, files: archived.sorted { $0.name < $1.name }
            ) { progress(parts.parts.count, parts.parts.count) }
        }
        return made
    }

    private func track(_ part: TrackParts.Part, _ file: TrackIndex.File) -> TrackIndex.Track {
        TrackIndex.Track(
            id: part.track.id, type: part.format.codec.isVideo ? "video" : "audio",
            source: part.track.source,
            peer: TrackIndex.Peer(part.track),
            mutes: parts.mutes(of: part.track.id), files: [file])
    }

    private func file(
        _ result: TrackOutput.Result, of part: TrackParts.Part, name: String, id: String,
        _ container: TrackOutput.Container
    ) -> TrackIndex.File {
        let isVideo = part.format.codec.isVideo
        return TrackIndex.File(
            name: name, assetID: id, codec: part.format.codec, container: container.rawValue,
            start: (part.clock.start + 500_000) / 1_000_000, duration: result.duration,
            bytes: result.byteCount, frames: result.frames, silences: result.silences,
            leftOut: result.leftOut, width: isVideo ? part.format.width : nil,
            height: isVideo ? part.format.height : nil,
            rotation: isVideo ? part.format.rotation : nil,
            drift: (part.clock.drift * 1e8).rounded() / 100, gaps: part.gaps)
    }

    private struct ArchivedFile {
        var name: String
        var byteCount: UInt64
        var checksum: UInt32
    }

    private func writeArchive(
        at place: RecordingAssets.Place, _ wish: Wish, text: [UInt8],
        files: [ArchivedFile], progress: () -> Void
    ) throws(RecordingError) -> UInt64 {
        var archive = ArchiveFile(
            try AssetFile.create(place.name, in: place.directory),
            modified: ZipDate(unixSeconds: wish.createdAt))
        try archive.add(TrackIndex.fileName, text, checksum: CRC32.checksum(text))
        for file in files {
            try archive.add(
                file.name, from: "\(wish.directory)/\(file.name)", byteCount: file.byteCount,
                checksum: file.checksum, progress: progress)
        }
        return try archive.finish()
    }
}
