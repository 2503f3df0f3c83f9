public import MediaKernel
public import Streams

/// The paths of one recording's assets, relative to the root of recordings: 100ms' path scheme.
///
/// ```
/// hls/<room>/<date>/<epoch>/file-recording/Rec-<room>-<epoch>-<layer>.mp4
/// hls/<room>/<date>/<epoch>/vod/Rec-<room>-<epoch>.zip
/// hls/<room>/<date>/<epoch>/thumbnails/Rec-<room>-<epoch>-<seconds>s.jpg
/// hls/<room>/<date>/<epoch>/tracks/Rec-<room>-<epoch>-track-<number>.webm
/// hls/<room>/<date>/<epoch>/tracks/Rec-<room>-<epoch>-peer-<number>.mp4
/// hls/<room>/<date>/<epoch>/tracks/Rec-<room>-<epoch>-mix.flac
/// hls/<room>/<date>/<epoch>/transcripts/Rec-<room>-<epoch>-transcript-<language>.vtt
/// chat/<room>/<date>/Rec-<room>-<epoch>.csv
/// beam/<room>/<date>/Rec-<room>-<epoch>.mp4
/// ```
///
/// The directory `<epoch>` belongs to one recording. So creating it reserves the name, and it holds
/// the manifest, even where 100ms places the files beside it.
public struct RecordingPlace: Hashable, Sendable {
    /// `hls/<room>/<date>/<epoch>`, `beam/<room>/<date>/<epoch>`.
    public let directory: String
    /// The directory of the chat, `chat/<room>/<date>`.
    public let chatDirectory: String
    private let kind: LiveStream.Kind
    /// The parent directory: one day of a room.
    private let day: String
    private let title: String

    /// - Parameters:
    ///   - date: the start's `YYYY-MM-DD` in UTC.
    ///   - epoch: the start in seconds since 1970, or the next number that is free in the room.
    public init(
        kind: LiveStream.Kind = .stream, room: RoomID, date: String, epoch: Int64
    ) {
        self.kind = kind
        day = "\(kind.rawValue)/\(room)/\(date)"
        directory = "\(day)/\(epoch)"
        chatDirectory = "chat/\(room)/\(date)"
        title = "Rec-\(room)-\(epoch)"
    }

    /// Nil if the path is not such a directory.
    public init?(directory: String, room: RoomID) {
        let parts = directory.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let kind = LiveStream.Kind(rawValue: String(parts[0])),
            parts[1] == room.rawValue, let epoch = Int64(parts[3])
        else { return nil }
        self.init(kind: kind, room: room, date: String(parts[2]), epoch: epoch)
    }

    /// The directory of the files of single layers. Recordings with only one file share it.
    public var moviesDirectory: String {
        switch kind {
        case .stream: "\(directory)/file-recording"
        case .recording: day
        }
    }

    /// All directories that no other recording uses.
    public var ownDirectories: [String] {
        switch kind {
        case .stream:
            [
                directory, moviesDirectory, vodDirectory, thumbnailsDirectory, tracksDirectory,
                transcriptsDirectory,
            ]
        case .recording: [directory, vodDirectory, thumbnailsDirectory, tracksDirectory]
        }
    }

    /// The directory of the archive and of its unzipped files.
    public var vodDirectory: String { "\(directory)/vod" }

    /// - Parameter isSoundAlone: the file is an M4A if true.
    public func movieName(layer: Int, isSoundAlone: Bool) -> String {
        let suffix = isSoundAlone ? "m4a" : "mp4"
        return switch kind {
        case .stream: "\(title)-\(layer).\(suffix)"
        case .recording: "\(title).\(suffix)"
        }
    }

    /// The directory of single tracks' files.
    public var tracksDirectory: String { "\(directory)/tracks" }

    /// The beginning of the names of tracks' files.
    public var tracksTitle: String { title }

    /// The movie of one peer, beside the tracks.
    ///
    /// - Parameter isSoundAlone: the file is an M4A if true.
    public func peerMovieName(number: Int, isSoundAlone: Bool) -> String {
        "\(title)-peer-\(number).\(isSoundAlone ? "m4a" : "mp4")"
    }

    /// The sound of all tracks, beside them.
    public func mixName(_ format: MixOrder.Format) -> String { "\(title)-mix.\(format.rawValue)" }

    /// The archive of single tracks.
    public var tracksArchiveName: String { "\(title)-tracks.zip" }

    /// The directory of what was said.
    public var transcriptsDirectory: String { "\(directory)/transcripts" }

    /// - Parameter suffix: of the format: `vtt`, `srt`.
    public func transcriptName(language: String, suffix: String) -> String {
        "\(title)-transcript-\(language).\(suffix)"
    }

    public var chatName: String { "\(title).csv" }

    public var archiveName: String { "\(title).zip" }

    /// The directory of the thumbnails.
    public var thumbnailsDirectory: String { "\(directory)/\(Self.thumbnailsName)" }

    /// The last component of `thumbnailsDirectory`; links contain it too.
    public static let thumbnailsName = "thumbnails"

    /// - Parameter offset: in seconds.
    public func thumbnailName(offset: Int) -> String { "\(title)-\(offset)s.jpg" }

    public var spriteName: String { "\(title)-sprite.jpg" }

    /// The WebVTT file of the sprite.
    public var spriteTracksName: String { "\(title)-sprite.vtt" }
}
