/// Why a stream failed.
public struct StreamFailure: Hashable, Sendable {
    /// The raw values are the names in storage.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The stream's server is gone.
        case serverRestarted = "server_restarted"
        case directoryLost = "directory_lost"
        case botNotStarted = "bot_not_started"
        /// Bots did not get ready, or stopped publishing.
        case botStoodStill = "bot_stood_still"
        /// Bots died too often, or one died while it finished.
        case botDied = "bot_died"
        /// The bot exited before the stream ran.
        case botLeftEarly = "bot_left_early"
        /// No encoder can be opened for a layer.
        case notEncoded = "not_encoded"
        case diskFull = "disk_full"
        /// A web page cannot be shown.
        case pageNotShown = "page_not_shown"
        /// What is to be shown is encrypted from end to end.
        case sourceEncrypted = "source_encrypted"
        /// Nothing came from what is to be shown.
        case sourceSilent = "source_silent"
        /// The connection to what is to be shown was lost.
        case sourceLost = "source_lost"
        /// What is to be shown does not admit us.
        case sourceClosed = "source_closed"
        /// The stream is complete, but its assets cannot be made.
        case assetsNotMade = "assets_not_made"
        /// The assets cannot be made because a disk is full.
        case noRoomForAssets = "no_room_for_assets"
        /// In records that predate causes.
        case unknown = "failed"
    }

    public var cause: Cause
    /// For people to read.
    public var words: String

    public init(_ cause: Cause, _ words: String) {
        self.cause = cause
        self.words = words
    }

    public static let serverRestarted = StreamFailure(
        .serverRestarted, "the server was restarted")
}
