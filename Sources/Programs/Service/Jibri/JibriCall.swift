import Jibri

/// A meeting that a slot is to record or stream.
struct JibriCall: Sendable {
    let start: JibriStart
    /// Whose the meeting is; has the account that joins it.
    let environment: JibriEnvironment
    /// By which the meeting's server is reached.
    let host: JibriEnvironment.Host

    var session: String { start.session }
    var meeting: MeetingAddress { MeetingAddress(room: start.room, in: environment) }
}
