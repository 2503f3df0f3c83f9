import MediaKernel

/// Decides which audio packets are sent with DTX. RFC 7587 sect. 3.1.3.
struct SilenceGate: Sendable {
    /// Silence that is still sent, so that the end of a sound is not cut.
    static let hangover: Duration = .milliseconds(100)
    /// The interval of signs of life during silence, as in libopus.
    static let lifeSign: Duration = .milliseconds(400)

    private var lastSound: Duration?
    private var lastSent: Duration?
    /// Whether the next packet begins a talkspurt, for its marker. RFC 3551 sect. 4.1.
    private(set) var beginsTalkspurt = true

    /// Whether to send the packet of this time. Times rise.
    mutating func passes(isSilent: Bool, at time: Duration) -> Bool {
        beginsTalkspurt = lastSent.map { time - $0 > Self.hangover } ?? true
        if !isSilent { lastSound = time }
        let isSpeaking = lastSound.map { time - $0 <= Self.hangover } ?? false
        let isDue = lastSent.map { time - $0 >= Self.lifeSign } ?? true
        guard isSpeaking || isDue else { return false }
        lastSent = time
        return true
    }
}
