import MediaKernel

/// Tells a path that carries less than is sent from one that held packets back for a moment: a busy
/// machine or a radio link delays packets by some milliseconds again and again, and catches up.
struct CongestionWatch: Sendable {
    /// How long a path counts as congested after a sign of congestion.
    static let lifetime: Duration = .seconds(1)
    /// A queue that has not drained within this time does not drain by itself.
    static let patience: Duration = .milliseconds(1500)
    /// A shorter queue does no harm, even if it stays.
    static let queueMinimum: Duration = .milliseconds(15)
    /// A longer queue is not waited for: it would delay the audio.
    static let queueMaximum: Duration = .milliseconds(100)

    /// Since when there has been a queue.
    private var queuedSince: Instant?
    private var congestedAt: Instant?

    func isCongested(at now: Instant) -> Bool {
        congestedAt.map { now - $0 < Self.lifetime } ?? false
    }

    /// - Parameters:
    ///   - queue: the delay that a queue has added; nil if there is none.
    ///   - isGrowing: whether the queue grows now.
    ///   - losesTooMuch: whether the path has just lost too many packets.
    /// - Returns: whether the queue has been judged, so that only a further one counts.
    mutating func update(
        queue: Duration?, isGrowing: Bool, losesTooMuch: Bool, at now: Instant
    ) -> Bool {
        if losesTooMuch || isGrowing && isCongested(at: now) { congestedAt = now }
        guard let queue else {
            queuedSince = nil
            return false
        }
        let since = queuedSince ?? now
        queuedSince = since
        let isOver = now - since >= Self.patience
        guard isOver || queue > Self.queueMaximum else { return false }
        if queue > Self.queueMinimum { congestedAt = now }
        queuedSince = nil
        return true
    }
}
