/// What is accepted of the members of one conference, and how long they have.
enum FocusLimits {
    /// Members of Jitsi in one room; those of other protocols whom they see.
    static let members = 500
    static let guests = 100
    /// Stanzas of one member: beyond that, requests are refused and the rest is dropped. A client
    /// that joins a large conference answers some twenty.
    static let stanzasPerSecond = 50
    static let stanzasBurst = 300
    /// Newcomers of one conference: beyond that, they are invited one after the other.
    static let arrivalsPerSecond = 50
    static let arrivalsBurst = 200
    /// Of a nick, in bytes. Clients take eight hexadecimal digits.
    static let nickBytes = 64
    /// How long a room waits for the first member, and is kept after the last one.
    static let waiting: Duration = .seconds(30)
    /// How long a client may take to say what it can do, and to accept its session.
    static let answer: Duration = .seconds(15)
    static let acceptance: Duration = .seconds(30)
    /// How long the room may take to tell of a recording that has been started.
    static let recording: Duration = .seconds(90)
    /// Speakers that are remembered.
    static let speakers = 10
    /// Members of a conference in which each is told how the others' connections are.
    static let statisticians = 100
    /// Texts of one member by WebSocket: beyond that, its channel is closed.
    static let textsPerSecond = 100
    static let textsBurst = 1000
    static let textBytesPerSecond = 256 * 1024
    static let textBytesBurst = 4 * 1024 * 1024
    /// What may wait for a member that reads slowly, in bytes of UTF-8: beyond that, too.
    static let channelFrames = 1024
    static let channelBytes = 2 * 1024 * 1024
    /// Connections of one member, one after the other.
    static let sessions = 1000
}
