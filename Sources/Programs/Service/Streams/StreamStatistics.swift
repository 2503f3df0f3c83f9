public import ChildProcesses

/// The reports of a stream's bots so far: for the demonstration and for status requests.
public struct StreamStatistics: Hashable, Sendable {
    /// From the request to the first segment of every layer; nil until then.
    public var startedAfter: Duration?
    /// The layout as last reported.
    public var tiles: [BotReport.Tile] = []
    /// Known once the bot has finished.
    public var totals: BotReport.Totals?
    /// Bots started, the first one included.
    public var launches = 0
    /// Of a conference whose server tells who is there.
    public var attendance = StreamAttendance()
    /// What it takes and makes.
    var load = StreamLoad()
}
