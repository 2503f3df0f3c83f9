public import ChildProcesses
public import MediaKernel
public import Streams

/// Everything a bot's process needs to be started.
public struct BotJob: Hashable, Sendable {
    public var stream: StreamID
    public var room: RoomID
    /// Where the bot finds the room: the server's HTTP address.
    public var endpoint: String
    /// A room token of the hidden recorder's role.
    public var token: String
    public var outputDirectory: String
    /// The path of the JSON file with the stream's settings.
    public var configurationFile: String
}

/// What a running bot is told.
public enum BotSignal: Hashable, Sendable {
    /// Finish the playlists and leave.
    case stop
    case order(BotOrder)
    /// SIGTERM, for a bot that does not read its standard input any more.
    case terminate
    case kill
}

/// Starts bots. The server does it with processes, tests without.
public protocol BotLauncher: Sendable {
    /// Runs one bot to its end.
    ///
    /// - Parameters:
    ///   - signals: what to tell it; ends when there is nothing more to say.
    ///   - report: called for each of its reports, one at a time, in order.
    func run(
        _ job: BotJob, signals: AsyncStream<BotSignal>,
        report: @escaping @Sendable (BotReport) async -> Void
    ) async -> BotExit
}
