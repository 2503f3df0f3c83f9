/// What Jibri counts, for `GET /metrics` (jitsi/jibri, `JibriMetrics`). Those of its kind of XMPP
/// connections and of StatsD are not among them.
public struct JibriFigures: Hashable, Sendable {
    public var started = 0
    private var stopped = 0
    private var errors = 0
    private var refused = 0
    private var lost = 0

    public init() {}

    /// What slots are told of sessions.
    public mutating func count(_ fact: BrewerySlot.Fact) {
        switch fact {
        case .closed: stopped += 1
        // Jibri's errors are those of the machine.
        case .ended(_, .failed(let failure)) where failure.isLasting: errors += 1
        case .declined: refused += 1
        case .lost: lost += 1
        default: break
        }
    }

    /// In Prometheus' text format.
    public func text(_ health: JibriHealth) -> String {
        func counter(_ name: String, _ help: String, _ value: Int) -> String {
            """
            # HELP jitsi_jibri_\(name)_total \(help)
            # TYPE jitsi_jibri_\(name)_total counter
            jitsi_jibri_\(name)_total \(value)

            """
        }
        func gauge(_ name: String, _ help: String, _ value: Bool) -> String {
            """
            # HELP jitsi_jibri_\(name) \(help)
            # TYPE jitsi_jibri_\(name) gauge
            jitsi_jibri_\(name) \(value ? 1 : 0)

            """
        }
        return counter("sessions_started", "Number of times a session was started.", started)
            + counter("sessions_stopped", "Number of times a session was stopped.", stopped)
            + counter("errors", "Number of errors.", errors)
            + counter(
                "busy", "Number of times a request was received while the instance was busy.",
                refused)
            + counter(
                "xmpp_closed", "Number of times an XMPP connection was closed.", lost)
            + gauge(
                "healthy", "Whether the jibri instance is currently healthy.", health.isHealthy)
            + gauge("recording", "Whether the jibri instance is currently in use.", health.isBusy)
    }
}
