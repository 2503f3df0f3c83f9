/// The timing of a stream's life, and how much failure it survives.
public struct StreamRules: Hashable, Sendable {
    /// From a bot's death to the next one.
    public var restartDelay: Duration = .milliseconds(300)
    /// Deaths within the window that are repaired. One more fails the stream.
    public var restartsMaximum = 5
    public var failureWindow: Duration = .seconds(60)
    /// How long a new bot may take until every layer's first segment is there, or may not get on at
    /// all.
    public var readyTimeout: Duration = .seconds(30)
    /// How long a bot that is ready may publish nothing, and not get on. To be several segments at
    /// least.
    public var segmentTimeout: Duration = .seconds(30)
    /// Bots in a row that may miss one of these two times before the stream fails.
    public var hangsMaximum = 3
    /// How long a bot may take to finish its playlists before it is sent SIGTERM, and how long
    /// after that before it is killed.
    public var stopTimeout: Duration = .seconds(15)
    public var terminateTimeout: Duration = .seconds(5)
    /// How long a stream goes on in an empty room; nil for ever.
    public var emptyTimeout: Duration?
    /// How long a stream goes on while nobody publishes anything; nil for ever.
    public var idleTimeout: Duration?
    /// How long a stream may run; nil for ever.
    public var durationMaximum: Duration?
    /// Finishers that may fail before the stream does.
    public var finishAttemptsMaximum = 5
    /// From the first finisher's end to the next one; doubled from one to the next.
    public var finishRetryDelay: Duration = .seconds(1)
    /// What that delay comes to at most while there is no room for the assets, and for how long they
    /// are tried then: a full disk is mended in minutes or hours, by somebody who has to see it.
    public var roomRetryDelayMaximum: Duration = .seconds(300)
    public var roomPatience: Duration = .seconds(86_400)
    /// How long a finisher may say nothing before it is killed. One that is at work, or waits for
    /// somebody whom a server that is gone left at work, speaks every 10 s.
    public var finishStallTimeout: Duration = .seconds(600)

    /// Segments that a bot may miss at least before it counts as hanging.
    private static let segmentsMissed = 5

    public init(emptyTimeout: Duration? = nil) { self.emptyTimeout = emptyTimeout }

    /// The same, for a stream of that plan.
    public func fitting(_ plan: StreamPlan) -> StreamRules {
        var rules = self
        rules.segmentTimeout = max(segmentTimeout, plan.segmentDuration * Self.segmentsMissed)
        if plan.variant.source != nil {
            // A source goes on whoever is in the room.
            rules.emptyTimeout = nil
            rules.idleTimeout = nil
        }
        return rules
    }
}
