import Glibc
import MediaKernel
import Zip

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes the archive of a recording's published streams: a file for each, and `<name>.json`, which
/// says whose they are and when. Its form is OpenVidu's.
///
/// Blocks. The streams' files exist only until they are in the archive.
public struct StreamBundle {
    /// What the text file says of the recording.
    public struct Title: Hashable, Sendable {
        public var id: String
        public var name: String
        public var session: String
        /// In milliseconds since 1970.
        public var createdAt: Int64

        public init(id: String, name: String, session: String, createdAt: Int64) {
            self.id = id
            self.name = name
            self.session = session
            self.createdAt = createdAt
        }
    }

    public struct Made: Hashable, Sendable {
        public var byteCount: UInt64
        /// From the first stream's beginning to the last one's end, in milliseconds.
        public var duration: Int64
    }

    let title: Title
    let hasSound: Bool
    let hasPicture: Bool
    let cast: StreamCast
    /// The wall clock's time at the common clock's zero, in milliseconds since 1970.
    let startedAt: Int64

    /// - Parameters:
    ///   - stream: the stream's directory.
    ///   - startedAt: of ``TrackAssets``.
    /// - Throws: `.file` if it is unknown which streams must not be archived.
    public init(
        _ title: Title, hasSound: Bool, hasPicture: Bool, stream: String, startedAt: Int64
    ) throws(RecordingError) {
        self.title = title
        self.hasSound = hasSound
        self.hasPicture = hasPicture
        cast = try StreamCast.read(in: stream)
        self.startedAt = startedAt
    }

    /// - Returns: nil if there is nothing to archive.
    /// - Throws: `.file`, `.archive`.
    public func make(
        of parts: [RecordedPart], at place: RecordingAssets.Place, progress: () -> Void
    ) throws(RecordingError) -> Made? {
        var files: [(entry: Entry, size: MeteredFile.Size)] = []
        defer {
            for (entry, _) in files { unlink("\(place.directory)/\(Self.hidden(entry.name))") }
        }
        for group in groups(of: parts) {
            let takes = JoinedStream(group.parts).takes
            for (number, take) in takes.enumerated() {
                let suffix = number == 0 ? "" : "-\(number)"
                let ending = JoinedStream.isWebM(take) ? "webm" : "mkv"
                let name = "\(group.member.stream)\(suffix).\(ending)"
                let hidden = RecordingAssets.Place(
                    directory: place.directory, name: Self.hidden(name))
                guard let made = try JoinedStream.write(take, to: hidden, progress: progress)
                else { continue }
                files.append((entry(of: take, group.member, name, made), made.size))
            }
        }
        guard !files.isEmpty else { return nil }
        let modified = ZipDate(unixSeconds: title.createdAt / 1000)
        var archive = ArchiveFile(
            try AssetFile.create(place.name, in: place.directory), modified: modified)
        let text = text(files.map(\.entry))
        try archive.add("\(title.name).json", text, checksum: CRC32.checksum(text))
        for (entry, size) in files {
            let path = "\(place.directory)/\(Self.hidden(entry.name))"
            try archive.add(
                entry.name, from: path, byteCount: size.byteCount, checksum: size.checksum,
                progress: progress)
            unlink(path)
        }
        let byteCount = try archive.finish()
        let start = files.map(\.entry.startTimeOffset).min() ?? 0
        return Made(
            byteCount: byteCount,
            duration: (files.map(\.entry.endTimeOffset).max() ?? 0) - start)
    }

    /// A name that is never served, and removed before the next attempt.
    private static func hidden(_ name: String) -> String { "\(AssetFile.temporaryPrefix)\(name)" }

    private func groups(
        of parts: [RecordedPart]
    ) -> [(member: StreamCast.Member, parts: [RecordedPart])] {
        var groups: [(member: StreamCast.Member, parts: [RecordedPart])] = []
        for part in parts {
            let isVideo = part.format.codec.isVideo
            let member = cast.member(of: part.track, isVideo: isVideo)
            guard member.isRecorded, isVideo ? hasPicture : hasSound else { continue }
            if let known = groups.firstIndex(where: { $0.member.stream == member.stream }) {
                groups[known].parts.append(part)
            } else {
                groups.append((member, [part]))
            }
        }
        return groups
    }

    private func entry(
        of take: JoinedStream.Take, _ member: StreamCast.Member, _ name: String,
        _ made: JoinedStream.Result
    ) -> Entry {
        let offset = startedAt - title.createdAt
        return Entry(
            name: name, connectionId: member.connection, streamId: member.stream,
            size: made.size.byteCount, clientData: member.clientData,
            serverData: member.serverData, hasAudio: !take.sounds.isEmpty,
            hasVideo: !take.pictures.isEmpty,
            typeOfVideo: take.pictures.isEmpty ? nil : member.video ?? "CAMERA",
            startTimeOffset: made.start + offset, endTimeOffset: made.end + offset)
    }

    /// OpenVidu's names.
    private struct Entry: Encodable {
        var name: String
        var connectionId: String
        var streamId: String
        var size: UInt64
        var clientData: String
        var serverData: String
        var hasAudio: Bool
        var hasVideo: Bool
        var typeOfVideo: String?
        /// In milliseconds from the recording's beginning.
        var startTimeOffset: Int64
        var endTimeOffset: Int64
    }

    private struct Document: Encodable {
        var createdAt: Int64
        var id: String
        var name: String
        var sessionId: String
        var files: [Entry]
    }

    private func text(_ entries: [Entry]) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(
            createdAt: title.createdAt, id: title.id, name: title.name, sessionId: title.session,
            files: entries)
        guard let data = try? encoder.encode(document) else {
            preconditionFailure("texts and numbers always encode")
        }
        return Array(data)
    }
}
