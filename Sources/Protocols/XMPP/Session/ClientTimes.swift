/// How long a client waits.
public struct ClientTimes: Hashable, Sendable {
    /// For each phase until stanzas may be sent, however busy the server is with it.
    public var phase: Duration = .seconds(10)
    /// Without an element of the server, until a ping asks whether it is there: as Jibri does.
    public var silence: Duration = .seconds(30)
    /// For the ping's answer. With `silence` less than the minute for which Jitsi's Prosody keeps a
    /// lost stream, so that it can be resumed.
    public var pingAnswer: Duration = .seconds(10)
    /// To enter a room, with the presence of all who are there.
    public var entry: Duration = .seconds(20)
    /// For the server to end its half of the stream, or a stay in a room.
    public var farewell: Duration = .seconds(2)

    public init() {}
}
