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
    /// In bytes: some thousand streams.
    static let bytesMaximum = 16 << 20

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
    }

    /// In the order in which they began.
    public var members: [Member]

    public init(_ members: [Member] = []) { self.members = members }

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

    /// Empty if there is none, or it cannot be read.
    static func read(in stream: String) -> StreamCast {
        let path = "\(stream)/\(fileName)"
        guard let data = FileManager.default.contents(atPath: path), data.count <= bytesMaximum,
            let cast = try? JSONDocument.decode(StreamCast.self, from: data, limits: .own)
        else { return StreamCast() }
        return cast
    }

    /// The stream of a track. One that the server did not tell of gets names of the same form.
    func member(of track: RecordedTrack, isVideo: Bool) -> Member {
        if let known = members.last(where: { $0.tracks.contains(track.id) }) { return known }
        let source = track.source == "screen" ? "SCREEN" : "CAMERA"
        return Member(
            stream: "str_\(source.prefix(3))_\(track.source)_\(track.peer)", connection: track.peer,
            clientData: track.name, serverData: "", video: source, tracks: [track.id],
            isRecorded: true)
    }
}
