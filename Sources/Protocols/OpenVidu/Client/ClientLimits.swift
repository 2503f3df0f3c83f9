/// What a client accepts from a server, and how long it waits.
enum ClientLimits {
    /// In bytes: the list of a session with the most participants.
    static let frameBytes = 16 << 20
    /// Participants in a session. Later ones are left out.
    static let participants = 2000
    /// Candidates of one connection that wait for its description.
    static let waitingCandidates = 64
    /// Connections that are set up at once.
    static let openings = 8
    /// Frames waiting for the socket. It is closed when there are more.
    static let outboxFrames = 4096
    /// Unusable frames, and other troubles of the server, that are logged for each socket.
    static let loggedFaults = 16

    /// Between two pings, as in openvidu-browser.
    static let pingInterval: Duration = .seconds(5)
    /// For the answer to a ping, or to any other call.
    static let pingAnswer: Duration = .seconds(5)
    static let answer: Duration = .seconds(10)
    /// Between two attempts to reach the server, or to set up a stream's connection.
    static let pause: Duration = .seconds(1)
    static let streamPause: Duration = .seconds(3)
    /// Between two attempts to set up the connection of a stream that is left out.
    static let leftOutPause: Duration = .seconds(60)
    /// For media to arrive on a connection that has been described.
    static let opening: Duration = .seconds(15)
    /// How long a lost server is sought, and a stream's connection is set up again and again.
    static let patience: Duration = .seconds(60)
    /// How long a recorder waits for the place of another: OpenVidu and ours keep that of one that is
    /// lost for 10 s, after its socket has been silent for up to 15 s; earlier versions of ours for a
    /// minute. Less than a stream is given to begin.
    static let placePatience: Duration = .seconds(75)
    /// How long a server, or a stream, must have been back before it does not count as lost any more.
    static let calm: Duration = .seconds(10)

    /// By which openvidu-browser says that it closes the socket.
    static let closedByClient: UInt16 = 4102
    /// Of openvidu-browser, whose calls these are. Servers compare it with their own version, and
    /// only warn.
    static let version = "2.32.1"
    static let platform = "Roomcast"
}
