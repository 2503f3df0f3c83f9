import MediaKernel

/// The recent sending rate of a connection without retransmissions: bits per second over the last
/// whole second, or over the current one if that is already more.
struct SentRate {
    static let window: Duration = .seconds(1)

    private var began: Instant?
    private var bytes = 0
    private var bytesBefore = 0

    mutating func sent(bytes count: Int, at now: Instant) {
        advance(to: now)
        bytes += count
    }

    mutating func bitsPerSecond(at now: Instant) -> Int {
        advance(to: now)
        return max(bytes, bytesBefore) * 8
    }

    private mutating func advance(to now: Instant) {
        guard let began else {
            began = now
            return
        }
        let elapsed = now - began
        guard elapsed >= Self.window else { return }
        bytesBefore = elapsed < Self.window * 2 ? bytes : 0
        bytes = 0
        self.began = now
    }
}
