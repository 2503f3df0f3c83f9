/// Lets a track's sound through or not. Between the two it fades, so that neither clicks.
struct MuteGate {
    var isMuted = false
    /// How far it is open, in samples of the fade; nil until something comes, which finds it open or
    /// closed.
    private var opening: Int?

    /// - Parameter block: the next samples, interleaved.
    mutating func pass(_ block: inout [Float]) {
        let fade = SampleQueue.fadeSamples
        var position = opening ?? (isMuted ? 0 : fade)
        defer { opening = position }
        guard isMuted || position < fade else { return }
        for n in 0..<block.count / 2 {
            let gain = Float(position) / Float(fade)
            block[2 * n] *= gain
            block[2 * n + 1] *= gain
            position = max(0, min(position + (isMuted ? -1 : 1), fade))
        }
    }
}
