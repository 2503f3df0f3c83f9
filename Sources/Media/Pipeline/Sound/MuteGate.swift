/// Lets a track's sound through or blocks it. It fades between the two, so that neither clicks.
struct MuteGate {
    private(set) var isMuted = false
    /// Samples from before the mute, which are still played.
    private var wanted = 0
    /// How far it is open, in samples of the fade; nil before the first samples, which find it open
    /// or closed.
    private var opening: Int?

    /// - Parameter waiting: samples that are still to be played.
    mutating func set(isMuted: Bool, waiting: Int) {
        guard isMuted != self.isMuted else { return }
        self.isMuted = isMuted
        wanted = isMuted ? waiting : 0
    }

    /// Whether no sound passes.
    var isClosed: Bool { isMuted && wanted == 0 && opening == 0 }

    /// The waiting samples are gone.
    mutating func nothingWaits() { wanted = 0 }

    /// - Parameter block: the next samples, interleaved.
    mutating func pass(_ block: inout [Float]) {
        let fade = SampleQueue.fadeSamples
        var position = opening ?? (isMuted && wanted == 0 ? 0 : fade)
        defer { opening = position }
        guard isMuted || position < fade else { return }
        for n in 0..<block.count / 2 {
            let gain = Float(position) / Float(fade)
            block[2 * n] *= gain
            block[2 * n + 1] *= gain
            let closes = isMuted && wanted == 0
            wanted = max(0, wanted - 1)
            position = max(0, min(position + (closes ? -1 : 1), fade))
        }
    }

    /// This many samples of silence pass.
    mutating func rest(_ count: Int) {
        wanted = max(0, wanted - count)
        opening = isMuted && wanted == 0 ? 0 : SampleQueue.fadeSamples
    }
}
