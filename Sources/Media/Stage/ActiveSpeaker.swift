public import MediaKernel

/// Finds the active speaker from the peers' audio levels.
///
/// Each peer has a loudness: its level, smoothed, so that it lasts through the pauses between
/// words. A peer becomes the speaker when it is clearly louder than the present one for long
/// enough; a cough is too short. The speaker stays the speaker through silence until another peer
/// takes over.
public struct ActiveSpeaker: Sendable {
    /// dB above digital silence at which a room's noise ends and speech begins: -50 dBov.
    static let noiseFloor = 77.0
    /// dB above the noise floor at which levels are cut: shouting or a slammed door is not more
    /// speech.
    static let loudest = 35.0
    /// How fast loudness follows: to two thirds within this time.
    static let timeConstant: Duration = .milliseconds(200)
    /// A level holds for at least this long, or for 1.5 times its packet's length to allow for
    /// jitter; without a packet after that the peer is silent (DTX).
    static let levelLifetime: Duration = .milliseconds(80)
    /// dB above the noise floor, smoothed, from which a peer counts as speaking.
    static let speakingThreshold = 6.0
    /// dB by which a peer must be louder than the present speaker.
    static let lead = 6.0
    /// How long the lead must last for a peer to replace the speaker.
    static let takeover: Duration = .seconds(1)
    /// How long a peer must lead to become the first speaker.
    static let firstWord: Duration = .milliseconds(250)
    /// How long a peer still counts as speaking after its last word.
    static let afterglow: Duration = .milliseconds(1500)
    /// Longer time steps are cut to this: nothing was heard in between.
    static let longestStep: Duration = .milliseconds(500)

    private struct Voice {
        /// dB above the noise floor as last heard, and until when the level holds.
        var level = 0.0
        var believedUntil: Instant
        /// The same, smoothed.
        var loudness = 0.0
        /// For how long this peer has led, less the time in which it has not.
        var credit: Duration = .zero
    }

    private var voices: [PeerID: Voice] = [:]
    private var advancedTo: Instant?
    private var lastWord: Instant?
    /// The present or last speaker; nil until a peer has spoken.
    public private(set) var speaker: PeerID?

    public init() {}

    /// Takes the level of one packet.
    ///
    /// - Parameters:
    ///   - level: -dBov, 0 (loudest) to 127 (digital silence), as in RFC 6464.
    ///   - length: of the packet: up to 120 ms in Opus.
    public mutating func heard(
        _ peer: PeerID, level: Int, lasting length: Duration, at now: Instant
    ) {
        let above = min(Self.loudest, max(0, Double(127 - level) - Self.noiseFloor))
        let until = now + max(Self.levelLifetime, length * 3 / 2)
        var voice = voices[peer] ?? Voice(believedUntil: until)
        voice.level = above
        voice.believedUntil = until
        voices[peer] = voice
    }

    /// The peer has muted itself: it is silent from now on, but stays the speaker if it is.
    public mutating func muted(_ peer: PeerID) { voices[peer] = nil }

    /// Forgets all other peers.
    public mutating func keep(only peers: Set<PeerID>) {
        voices = voices.filter { peers.contains($0.key) }
        if let speaker, !peers.contains(speaker) {
            self.speaker = nil
            lastWord = nil
        }
    }

    /// Whether the speaker is speaking now.
    public func isSpeaking(at now: Instant) -> Bool {
        lastWord.map { now - $0 <= Self.afterglow } ?? false
    }

    /// Advances all loudnesses to a moment, such as that of an output frame. Moments never go back.
    public mutating func advance(to now: Instant) {
        let step = min(now - (advancedTo ?? now), Self.longestStep)
        advancedTo = max(now, advancedTo ?? now)
        guard step > .zero else { return }
        let share = step.inSeconds / (step.inSeconds + Self.timeConstant.inSeconds)
        for (peer, var voice) in voices {
            let target = now <= voice.believedUntil ? voice.level : 0
            voice.loudness += (target - voice.loudness) * share
            voices[peer] = voice
        }
        if let speaker, (voices[speaker]?.loudness ?? 0) >= Self.speakingThreshold {
            lastWord = now
        }
        judge(step, at: now)
    }

    private mutating func judge(_ step: Duration, at now: Instant) {
        let present = speaker.map { voices[$0]?.loudness ?? 0 } ?? 0
        let others = voices.filter { $0.key != speaker }
        // Peer ids break ties, so that equal rooms have equal speakers.
        let loudest = others.max { ($0.value.loudness, $1.key) < ($1.value.loudness, $0.key) }
        for (peer, var voice) in others {
            let leads =
                peer == loudest?.key && voice.loudness >= Self.speakingThreshold
                && voice.loudness >= present + Self.lead
            voice.credit = leads ? voice.credit + step : max(.zero, voice.credit - step)
            voices[peer] = voice
        }
        let needed = speaker == nil ? Self.firstWord : Self.takeover
        guard let candidate = loudest?.key, (voices[candidate]?.credit ?? .zero) >= needed else {
            return
        }
        speaker = candidate
        lastWord = now
        for peer in voices.keys { voices[peer]?.credit = .zero }
    }
}
