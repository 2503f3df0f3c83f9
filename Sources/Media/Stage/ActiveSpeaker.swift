public import MediaKernel

/// Decides who speaks, from how loud everybody is.
///
/// Each peer has a loudness that follows what is heard with a time constant, so that it lasts
/// through the pauses between words. Somebody becomes the speaker by being louder than the present
/// one, clearly and for long enough: a cough is over before. Who has the word keeps it through
/// silence, until somebody else takes it.
public struct ActiveSpeaker: Sendable {
    /// dB above digital silence at which a room's noise ends and speech begins: -50 dBov.
    static let noiseFloor = 77.0
    /// dB above the noise floor from which louder is not more speech: shouting, a slammed door.
    static let loudest = 35.0
    /// How fast loudness follows: to two thirds within this time.
    static let timeConstant: Duration = .milliseconds(200)
    /// A level is believed for this long at least, and for as long as its packet with half as much
    /// again for jitter; then nothing comes, and that is silence (DTX).
    static let levelLifetime: Duration = .milliseconds(80)
    /// dB above the noise floor, smoothed, from which somebody is said to be speaking.
    static let speakingThreshold = 6.0
    /// dB by which somebody must be louder than who has the word.
    static let lead = 6.0
    /// How long the lead must last to take the word from somebody.
    static let takeover: Duration = .seconds(1)
    /// How long one must be heard to be the first speaker of all.
    static let firstWord: Duration = .milliseconds(250)
    /// How long after the last word somebody still counts as speaking.
    static let afterglow: Duration = .milliseconds(1500)
    /// Longer steps of time than this are taken as this: nothing was heard meanwhile.
    static let longestStep: Duration = .milliseconds(500)

    private struct Voice {
        /// dB above the noise floor as last heard, and until when that is believed.
        var level = 0.0
        var believedUntil: Instant
        /// The same, smoothed.
        var loudness = 0.0
        /// For how long this peer has led, less the time it has not.
        var credit: Duration = .zero
    }

    private var voices: [PeerID: Voice] = [:]
    private var advancedTo: Instant?
    private var lastWord: Instant?
    /// Who speaks, or spoke last; nil until anybody has.
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

    /// The peer has muted itself: it is silent from now on, but keeps the word if it has it.
    public mutating func muted(_ peer: PeerID) { voices[peer] = nil }

    /// Forgets everybody else.
    public mutating func keep(only peers: Set<PeerID>) {
        voices = voices.filter { peers.contains($0.key) }
        if let speaker, !peers.contains(speaker) {
            self.speaker = nil
            lastWord = nil
        }
    }

    /// Whether the speaker is speaking, rather than having spoken last.
    public func isSpeaking(at now: Instant) -> Bool {
        lastWord.map { now - $0 <= Self.afterglow } ?? false
    }

    /// Brings everything up to a moment, such as that of an output frame. Moments do not go back.
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
        // Peers break ties, so that equal rooms have equal speakers.
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
