/// Why a stream failed.
public struct StreamFailure: Hashable, Sendable {
    /// Kept by these names.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The server that it ran on is gone.
        case serverRestarted = "server_restarted"
        case directoryLost = "directory_lost"
        case botNotStarted = "bot_not_started"
        /// Bots did not get ready, or published nothing more.
        case botStoodStill = "bot_stood_still"
        /// Bots died too often, or one did while it finished.
        case botDied = "bot_died"
        /// The bot left before the stream ran.
        case botLeftEarly = "bot_left_early"
        /// No encoder can be opened for a layer.
        case notEncoded = "not_encoded"
        case diskFull = "disk_full"
        /// The stream is there, and its assets cannot be made.
        case assetsNotMade = "assets_not_made"
        /// Nor can they, since a disk is full.
        case noRoomForAssets = "no_room_for_assets"
        /// In records of before there were causes.
        case unknown = "failed"
    }

    public var cause: Cause
    /// For people.
    public var words: String

    public init(_ cause: Cause, _ words: String) {
        self.cause = cause
        self.words = words
    }

    public static let serverRestarted = StreamFailure(
        .serverRestarted, "the server was restarted")
}
