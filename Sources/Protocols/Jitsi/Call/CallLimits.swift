/// How long a call waits, and how much it keeps.
enum CallLimits {
    /// Wishes for tracks.
    static let wishes = 4096
    /// Between two messages about wishes.
    static let wishesInterval: Duration = .milliseconds(250)
    /// Notices for the log, in one stay.
    static let notices = 64

    /// Between two requests for a conference that is not ready: doubled from the first to the last.
    static let firstPause: Duration = .seconds(1)
    static let longestPause: Duration = .seconds(16)
    /// For the focus to be in the room.
    static let conferencePatience: Duration = .seconds(90)
    /// For the room to admit us.
    static let entry: Duration = .seconds(20)
    /// For somebody to let us in from the lobby.
    static let lobby: Duration = .seconds(60)
    /// Attempts to enter with another nick, or a room that is just being created.
    static let entryAttempts = 4
    /// Between two such attempts.
    static let entryPause: Duration = .milliseconds(1500)
    /// For media to arrive after a session was accepted. Jibri's own limit.
    static let connecting: Duration = .seconds(30)
    /// For the focus to invite us again after we asked for that.
    static let invitation: Duration = .seconds(15)
    /// How long media may be lost, or fail to come, while others are in the room.
    static let mediaPatience: Duration = .seconds(90)
}
