/// Turns a counter of a few bits into one that never wraps: picks the candidate nearest to the
/// newest value.
struct WrappingCount {
    private let modulus: Int64
    private var newest: Int64?

    /// - Parameter bits: of the count, 2 ... 32.
    init(bits: Int) { modulus = 1 << Int64(bits) }

    mutating func unwrap(_ value: Int64) -> Int64 {
        guard let newest else {
            self.newest = value
            return value
        }
        var step = (value - newest) % modulus
        if step >= modulus / 2 { step -= modulus }
        if step < -modulus / 2 { step += modulus }
        self.newest = max(newest, newest + step)
        return newest + step
    }
}
