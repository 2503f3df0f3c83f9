public import ChildProcesses
public import MediaKernel
public import Streams

/// Everything needed to start a bot's process.
public struct BotJob: Hashable, Sendable {
    public var stream: StreamID
    public var room: RoomID
    /// The server's HTTP address, where the bot joins the room.
    public var endpoint: String
    /// A room token of the hidden recorder's role.
    public var token: String
    public var outputDirectory: String
    /// The path of the JSON file with the stream's settings.
    public var configurationFile: String
}

/// A signal to a running bot.
public enum BotSignal: Hashable, Sendable {
    /// The bot finishes the playlists and exits.
    case stop
    case order(BotOrder)
    /// SIGTERM, for a bot that no longer reads its standard input.
    case terminate
    case kill
}

/// Starts bots: as processes in the server, without them in tests.
public protocol BotLauncher: Sendable {
    /// Runs one bot to its end.
    ///
    /// - Parameters:
    ///   - signals: the signals to send; ends after the last one.
    ///   - report: called for each report of the bot, one at a time, in order.
    func run(
        _ job: BotJob, signals: AsyncStream<BotSignal>,
        report: @escaping @Sendable (BotReport) async -> Void
    ) async -> BotExit
}
