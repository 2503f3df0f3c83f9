public import MediaKernel

/// Where the assets of one recording lie below the root of recordings: 100ms' path scheme.
///
/// ```
/// hls/<room>/<date>/<epoch>/file-recording/Rec-<room>-<epoch>-<layer>.mp4
/// hls/<room>/<date>/<epoch>/vod/Rec-<room>-<epoch>.zip
/// chat/<room>/<date>/Rec-<room>-<epoch>.csv
/// ```
public struct RecordingPlace: Hashable, Sendable {
    /// `hls/<room>/<date>/<epoch>`.
    public let directory: String
    /// Where the chat lies, `chat/<room>/<date>`.
    public let chatDirectory: String
    private let title: String

    /// - Parameters:
    ///   - date: `YYYY-MM-DD` of the start, in UTC.
    ///   - epoch: seconds from 1970 to the start, or the next number that is free in the room.
    public init(room: RoomID, date: String, epoch: Int64) {
        directory = "hls/\(room)/\(date)/\(epoch)"
        chatDirectory = "chat/\(room)/\(date)"
        title = "Rec-\(room)-\(epoch)"
    }

    /// Nil for what is no such directory.
    public init?(directory: String, room: RoomID) {
        let parts = directory.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "hls", parts[1] == room.rawValue,
            let epoch = Int64(parts[3])
        else { return nil }
        self.init(room: room, date: String(parts[2]), epoch: epoch)
    }

    /// Where the files of single layers lie.
    public var moviesDirectory: String { "\(directory)/file-recording" }

    /// Where the archive lies, and the same unzipped.
    public var vodDirectory: String { "\(directory)/vod" }

    /// - Parameter isSoundAlone: such a file is an M4A.
    public func movieName(layer: Int, isSoundAlone: Bool) -> String {
        "\(title)-\(layer).\(isSoundAlone ? "m4a" : "mp4")"
    }

    public var chatName: String { "\(title).csv" }

    public var archiveName: String { "\(title).zip" }
}
