public import MediaClient

/// A publisher's deviations from a good one on a good network, for tests of receivers.
public struct PublisherConditions: Sendable {
    /// The possible clock skews, in millionths: far beyond any crystal.
    public static let clockSkews = -100_000...100_000

    /// The network's effect on each outgoing packet.
    public var network: NetworkConditions
    /// How much faster than real time the publisher's own clock runs, in millionths. Capture
    /// times, RTP timestamps and sender reports all follow it.
    public var clockSkew: Int
    public var senderReports: SenderReports
    /// Whether sequence numbers and RTP timestamps begin so high that they wrap within seconds.
    public var wrapsSoon: Bool
    /// Whether silence is not sent, except for a sign of life. RFC 7587 sect. 3.1.3.
    public var usesDTX: Bool
    /// Whether the file's position follows the wall clock, so that publishers of files of the same
    /// length show the same moment at once.
    public var followsWallClock: Bool
    public var script: Script

    public init(
        network: NetworkConditions = NetworkConditions(), clockSkew: Int = 0,
        senderReports: SenderReports = .regular, wrapsSoon: Bool = false, usesDTX: Bool = false,
        followsWallClock: Bool = false, script: Script = Script()
    ) {
        self.network = network
        self.clockSkew = clockSkew
        self.senderReports = senderReports
        self.wrapsSoon = wrapsSoon
        self.usesDTX = usesDTX
        self.followsWallClock = followsWallClock
        self.script = script
    }
}
