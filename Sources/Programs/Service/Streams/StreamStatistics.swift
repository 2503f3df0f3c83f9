public import ChildProcesses

/// What a stream's bots reported so far: for the demonstration, and for whoever asks how it goes.
public struct StreamStatistics: Hashable, Sendable {
    /// From the request to the first segment of every layer; nil until then.
    public var startedAfter: Duration?
    /// The layout as last reported.
    public var tiles: [BotReport.Tile] = []
    /// Known once the bot has finished.
    public var totals: BotReport.Totals?
    /// Bots started, the first one included.
    public var launches = 0
}
