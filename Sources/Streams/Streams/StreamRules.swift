/// The timing of a stream's life, and how much failure it survives.
public struct StreamRules: Hashable, Sendable {
    /// From a bot's death to the start of the next one.
    public var restartDelay: Duration = .milliseconds(300)
    /// Deaths within the window that the stream survives. One more fails it.
    public var restartsMaximum = 5
    public var failureWindow: Duration = .seconds(60)
    /// How long a new bot may take until every layer's first segment is published, or go without
    /// progress.
    public var readyTimeout: Duration = .seconds(30)
    /// How long a ready bot may go without a segment or progress. Should be at least several
    /// segments.
    public var segmentTimeout: Duration = .seconds(30)
    /// Consecutive bots that may miss one of these two deadlines before the stream fails.
    public var hangsMaximum = 3
    /// How long a bot may take to finish its playlists before SIGTERM, and after that before
    /// SIGKILL.
    public var stopTimeout: Duration = .seconds(15)
    public var terminateTimeout: Duration = .seconds(5)
    /// How long a stream goes on in an empty room; nil for ever.
    public var emptyTimeout: Duration?
    /// How long a stream goes on while nobody publishes; nil for ever.
    public var idleTimeout: Duration?
    /// How long a stream may run; nil for ever.
    public var durationMaximum: Duration?
    /// Finishers that may fail before the stream does.
    public var finishAttemptsMaximum = 5
    /// From the first finisher's end to the next start; doubles each time.
    public var finishRetryDelay: Duration = .seconds(1)
    /// The longest delay while the disk lacks space for the assets, and how long to keep trying:
    /// somebody has to notice a full disk, and fixes it within minutes or hours.
    public var roomRetryDelayMaximum: Duration = .seconds(300)
    public var roomPatience: Duration = .seconds(86_400)
    /// How long a finisher may be silent before it is killed. A working finisher reports every 10
    /// s, also while it waits for a process that an earlier server left running.
    public var finishStallTimeout: Duration = .seconds(600)

    /// The least number of segments that a bot must miss before it counts as hanging.
    private static let segmentsMissed = 5

    /// As `readyTimeout`, for a stream of a source.
    private static let sourceTimeout: Duration = .seconds(90)
    /// A page is given 30 s, twice, and its browser some seconds each time.
    private static let pageTimeout: Duration = .seconds(120)

    public init(emptyTimeout: Duration? = nil) { self.emptyTimeout = emptyTimeout }

    /// The rules for a stream whose request says how long it waits for peers and for media.
    ///
    /// - Parameter patience: nil to change nothing.
    public func waiting(_ patience: Duration?) -> StreamRules {
        guard let patience else { return self }
        var rules = self
        rules.emptyTimeout = patience
        rules.idleTimeout = patience
        return rules
    }

    /// The rules for a stream with this plan.
    public func fitting(_ plan: StreamPlan) -> StreamRules {
        var rules = self
        rules.segmentTimeout = max(segmentTimeout, plan.segmentDuration * Self.segmentsMissed)
        if plan.variant.source != nil {
            // A source goes on without peers in the room.
            rules.emptyTimeout = nil
            rules.idleTimeout = nil
            // A bot waits for its source for a minute. Three of them have waited long enough.
            rules.readyTimeout = plan.page == nil ? Self.sourceTimeout : Self.pageTimeout
            rules.restartsMaximum = 2
            rules.failureWindow = .seconds(600)
        }
        return rules
    }
}
