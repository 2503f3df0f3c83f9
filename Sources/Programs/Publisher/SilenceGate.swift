import MediaKernel

/// Decides which packets of sound are sent when silence is not (DTX). RFC 7587 sect. 3.1.3.
struct SilenceGate: Sendable {
    /// Silence that is still sent, so that the end of a sound is not cut.
    static let hangover: Duration = .milliseconds(100)
    /// A sign of life during silence, as libopus gives.
    static let lifeSign: Duration = .milliseconds(400)

    private var lastSound: Duration?
    private var lastSent: Duration?
    /// Whether the next packet begins a talkspurt, which its marker says. RFC 3551 sect. 4.1.
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
