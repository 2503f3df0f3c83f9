import Glibc
import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which published streams the recorded tracks belong to, as the clients of a protocol know them:
/// `cast.json` beside the tracks, written by the server.
public struct StreamCast: Hashable, Sendable, Codable {
    public static let fileName = "cast.json"
    /// In bytes: of more than all members at their maximums, each character of the data escaped.
    static let bytesMaximum = 128 << 20
    /// Streams that may be recorded. Further ones get names of the same form.
    static let recordedMaximum = 5000
    /// Streams that may not be recorded.
    static let unrecordedMaximum = 20_000
    /// In bytes of UTF-8: the data of clients and servers. Further members have none.
    static let dataMaximum = 8 << 20

    public struct Member: Hashable, Sendable, Codable {
        public var stream: String
        public var connection: String
        public var clientData: String
        public var serverData: String
        /// `CAMERA`, `SCREEN`; nil without pictures.
        public var video: String?
        public var tracks: [String]
        /// Whether the publisher may be recorded.
        public var isRecorded: Bool

        public init(
            stream: String, connection: String, clientData: String, serverData: String,
            video: String?, tracks: [String], isRecorded: Bool
        ) {
            self.stream = stream
            self.connection = connection
            self.clientData = clientData
            self.serverData = serverData
            self.video = video
            self.tracks = tracks
            self.isRecorded = isRecorded
        }

        fileprivate var dataBytes: Int { clientData.utf8.count + serverData.utf8.count }

        fileprivate mutating func dropData() { (clientData, serverData) = ("", "") }
    }

    /// In the order in which they began.
    public private(set) var members: [Member]
    /// Nil unless a stream that may not be recorded had no room: then no stream is archived that is
    /// not among the members.
    public private(set) var isClosed: Bool?

    public init(_ members: [Member] = []) { self.members = members }

    /// Adds a stream, or replaces it. What must not be recorded leaves no data here.
    public mutating func note(_ member: Member) {
        let known = members.firstIndex { $0.stream == member.stream }
        var member = member
        let before = known.map { members[$0].dataBytes } ?? 0
        let data = members.reduce(member.dataBytes - before) { $0 + $1.dataBytes }
        if !member.isRecorded || data > Self.dataMaximum { member.dropData() }
        if let known {
            members[known] = member
            return
        }
        let maximum = member.isRecorded ? Self.recordedMaximum : Self.unrecordedMaximum
        if members.count(where: { $0.isRecorded == member.isRecorded }) < maximum {
            members.append(member)
        } else if !member.isRecorded {
            isClosed = true
        }
    }

    /// Replaces the file.
    ///
    /// - Parameter stream: the stream's directory; must exist.
    /// - Throws: `.file`.
    public func write(in stream: String) throws(RecordingError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("texts and flags always encode")
        }
        try AssetFile.publish(Array(data), to: Self.fileName, in: stream)
    }

    /// Empty if there is none.
    ///
    /// - Throws: `.file` for one that cannot be read: it may name streams that must not be archived.
    static func read(in stream: String) throws(RecordingError) -> StreamCast {
        let path = "\(stream)/\(fileName)"
        guard FileManager.default.fileExists(atPath: path) else { return StreamCast() }
        guard let data = FileManager.default.contents(atPath: path), data.count <= bytesMaximum,
            let cast = try? JSONDocument.decode(StreamCast.self, from: data, limits: .own)
        else { throw .file(path: path, call: "read", code: EIO, reason: "no list of streams") }
        return cast
    }

    /// The stream of a track. One that the server did not tell of gets names of the same form.
    func member(of track: RecordedTrack, isVideo: Bool) -> Member {
        if let known = members.last(where: { $0.tracks.contains(track.id) }) { return known }
        let source = track.source == "screen" ? "SCREEN" : "CAMERA"
        return Member(
            stream: "str_\(source.prefix(3))_\(track.source)_\(track.peer)", connection: track.peer,
            clientData: track.name, serverData: "", video: source, tracks: [track.id],
            isRecorded: isClosed != true)
    }
}
