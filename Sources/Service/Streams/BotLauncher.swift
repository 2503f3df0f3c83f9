public import ChildProcesses
import Glibc
public import MediaKernel

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

/// How a bot's process came to its end.
public enum BotExit: Hashable, Sendable, CustomStringConvertible {
    /// It finished its playlists and left with status 0.
    case finished(reason: String)
    case failed(reason: String, ProcessEnding = .unknown)
    /// There never was a process.
    case notStarted(reason: String)

    /// Of SIGTERM, which it had not come as far as to heed.
    var isTermination: Bool {
        if case .failed(_, .signal(SIGTERM)) = self { true } else { false }
    }

    public var description: String {
        switch self {
        case .finished(let reason): "finished: \(reason)"
        case .failed(let reason, _): "failed: \(reason)"
        case .notStarted(let reason): "not started: \(reason)"
        }
    }
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
