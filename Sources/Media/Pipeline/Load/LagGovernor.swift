import MediaKernel

/// Decides when a stream that is behind gives up what it has missed and goes on from now. Knows no
/// clock.
///
/// Who stood still makes up for it in a moment: sound takes a fiftieth of its time. Who does not
/// get nearer in spite of that has less CPU than even the sound needs, and would fall behind without
/// end.
struct LagGovernor: Sendable {
    /// Behind by so much, or by a segment and a half where these are long, a stream is too late.
    /// With the segment that is being made viewers are twice that behind at most.
    static let lagMaximum: Duration = .seconds(4)
    /// For how long it may try to get nearer.
    static let patience: Duration = .seconds(1)

    private let maximum: Duration
    private var lateSince: Instant?

    init(segment: Duration) {
        maximum = max(Self.lagMaximum, segment + segment / 2)
    }

    /// Takes the time by which the frame that is made next is late.
    ///
    /// - Returns: whether all that is due is to be left out.
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
