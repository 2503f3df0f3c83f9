import MediaKernel

/// Decides when a stream that is behind skips what it has missed and continues from now. Has no
/// clock of its own.
///
/// A stream that was held up catches up in a moment: sound takes a fiftieth of its duration to
/// make. A stream that does not catch up lacks CPU even for the sound and would fall behind without
/// end.
struct LagGovernor: Sendable {
    /// The lag from which a stream is too late; with long segments it is one and a half of them.
    /// With the segment in the making, viewers are at most twice that behind.
    static let lagMaximum: Duration = .seconds(4)
    /// How long the stream may try to catch up.
    static let patience: Duration = .seconds(1)

    private let maximum: Duration
    private var lateSince: Instant?

    init(segment: Duration) {
        maximum = max(Self.lagMaximum, segment + segment / 2)
    }

    /// Takes the lateness of the next frame.
    ///
    /// - Returns: whether to skip all that is due.
    mutating func observe(lateness: Duration, at now: Instant) -> Bool {
        guard lateness >= maximum else {
            lateSince = nil
            return false
        }
        let since = lateSince ?? now
        lateSince = since
        guard now - since >= Self.patience else { return false }
        lateSince = nil
        return true
    }
}
