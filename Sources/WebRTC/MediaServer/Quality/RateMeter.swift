import MediaKernel

/// Bits per second over the last second, in steps of an eighth.
struct RateMeter {
    static let step: Duration = .milliseconds(125)
    static let steps = 8

    private var buckets = SIMD8<Int32>()
    private var position: Int64 = 0
    private var began: Instant?

    mutating func count(_ bytes: Int, at now: Instant) {
        advance(to: now)
        buckets[Int(position & 7)] &+= Int32(clamping: bytes)
    }

    /// Converges to the true rate within the first second.
    mutating func bitsPerSecond(at now: Instant) -> Int {
        guard let began else { return 0 }
        advance(to: now)
        let whole = (Self.step * Self.steps).inSeconds
        // The current step is incomplete, so only the elapsed time counts.
        let seen = min(max((now - began).inSeconds, Self.step.inSeconds), whole)
        var bytes = 0
        for index in 0..<Self.steps { bytes += Int(buckets[index]) }
        return Int(Double(bytes * 8) / seen)
    }

    private mutating func advance(to now: Instant) {
        let next = now.nanoseconds / Self.step.nanoseconds
        guard began != nil else {
            began = now
            position = next
            return
        }
        guard next > position else { return }
        if next - position >= Int64(Self.steps) {
            buckets = SIMD8<Int32>()
        } else {
            for index in (position + 1)...next { buckets[Int(index & 7)] = 0 }
        }
        position = next
    }
}
