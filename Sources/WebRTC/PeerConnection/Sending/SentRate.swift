import MediaKernel

/// How much a connection has sent lately, what it sent again left out: bits per second over the
/// last whole second, or over this one where that is more already.
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
