public import MediaKernel
public import Streams

/// Where the assets of one recording lie below the root of recordings: 100ms' path scheme.
///
/// ```
/// hls/<room>/<date>/<epoch>/file-recording/Rec-<room>-<epoch>-<layer>.mp4
/// hls/<room>/<date>/<epoch>/vod/Rec-<room>-<epoch>.zip
/// hls/<room>/<date>/<epoch>/thumbnails/Rec-<room>-<epoch>-<seconds>s.jpg
/// chat/<room>/<date>/Rec-<room>-<epoch>.csv
/// beam/<room>/<date>/Rec-<room>-<epoch>.mp4
/// ```
///
/// The directory `<epoch>` belongs to one recording, so making it reserves the name, and the
/// manifest lies in it, also where 100ms has the files beside it.
public struct RecordingPlace: Hashable, Sendable {
    /// `hls/<room>/<date>/<epoch>`, `beam/<room>/<date>/<epoch>`.
    public let directory: String
    /// Where the chat lies, `chat/<room>/<date>`.
    public let chatDirectory: String
    private let kind: LiveStream.Kind
    /// The directory above, which is a room's day.
    private let day: String
    private let title: String

    /// - Parameters:
    ///   - date: `YYYY-MM-DD` of the start, in UTC.
    ///   - epoch: seconds from 1970 to the start, or the next number that is free in the room.
    public init(
        kind: LiveStream.Kind = .stream, room: RoomID, date: String, epoch: Int64
    ) {
        self.kind = kind
        day = "\(kind.rawValue)/\(room)/\(date)"
        directory = "\(day)/\(epoch)"
        chatDirectory = "chat/\(room)/\(date)"
        title = "Rec-\(room)-\(epoch)"
    }

    /// Nil for what is no such directory.
    public init?(directory: String, room: RoomID) {
        let parts = directory.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let kind = LiveStream.Kind(rawValue: String(parts[0])),
            parts[1] == room.rawValue, let epoch = Int64(parts[3])
        else { return nil }
        self.init(kind: kind, room: room, date: String(parts[2]), epoch: epoch)
    }

    /// Where the files of single layers lie; other recordings' too, where these have but one.
    public var moviesDirectory: String {
        switch kind {
        case .stream: "\(directory)/file-recording"
        case .recording: day
        }
    }

    /// All directories in which nothing of another recording lies.
    public var ownDirectories: [String] {
        switch kind {
        case .stream: [directory, moviesDirectory, vodDirectory, thumbnailsDirectory]
        case .recording: [directory, vodDirectory, thumbnailsDirectory]
        }
    }

    /// Where the archive lies, and the same unzipped.
    public var vodDirectory: String { "\(directory)/vod" }

    /// - Parameter isSoundAlone: such a file is an M4A.
    public func movieName(layer: Int, isSoundAlone: Bool) -> String {
        let suffix = isSoundAlone ? "m4a" : "mp4"
        return switch kind {
        case .stream: "\(title)-\(layer).\(suffix)"
        case .recording: "\(title).\(suffix)"
        }
    }

    public var chatName: String { "\(title).csv" }

    public var archiveName: String { "\(title).zip" }

    /// Where pictures of the recording lie.
    public var thumbnailsDirectory: String { "\(directory)/\(Self.thumbnailsName)" }

    /// The last part of `thumbnailsDirectory`, which stands in links too.
    public static let thumbnailsName = "thumbnails"

    /// - Parameter offset: in seconds.
    public func thumbnailName(offset: Int) -> String { "\(title)-\(offset)s.jpg" }

    public var spriteName: String { "\(title)-sprite.jpg" }

    /// The WebVTT file beside it.
    public var spriteTracksName: String { "\(title)-sprite.vtt" }
}
