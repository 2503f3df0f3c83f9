/// How long a call is recorded in which nothing happens. Names and defaults are Jibri's
/// (`call-status-checks`).
public struct CallTimeouts: Hashable, Sendable {
    /// Somebody is unmuted, but nothing arrives.
    public var noMedia = Duration.seconds(180)
    /// Nobody is unmuted.
    public var allMuted = Duration.seconds(600)
    /// Nobody is there.
    public var empty = Duration.seconds(30)
    /// Somebody is there, but not connected to us.
    public var connection = Duration.seconds(30)

    public init() {}
}
