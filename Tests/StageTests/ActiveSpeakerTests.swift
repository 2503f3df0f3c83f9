import MediaKernel
import Testing

@testable import Stage

/// Packets every 20 ms and output frames every 33 ms, on a simulated clock.
@Suite struct ActiveSpeakerTests {
    /// The loudness of a peer over a period in ms. Levels are in -dBov.
    private struct Sound {
        var peer: PeerID
        var level: Int
        var from: Int
        var to: Int
    }

    private static let speech = 25
    private static let noise = 60
    private static let packet: Duration = .milliseconds(20)

    /// The changes of speaker: the peer, and the time in ms.
    private func speakers(
        _ sounds: [Sound], until end: Int, isSilenceSent: Bool = true, packets length: Int = 20
    ) -> [(peer: PeerID?, at: Int)] {
        var core = ActiveSpeaker()
        var changes: [(peer: PeerID?, at: Int)] = []
        for millisecond in 0..<end {
            let now = Instant.zero + .milliseconds(millisecond)
            if millisecond.isMultiple(of: length) {
                for peer in Set(sounds.map(\.peer)) {
                    let current = sounds.last {
                        $0.peer == peer && $0.from <= millisecond && millisecond < $0.to
                    }
                    if current != nil || isSilenceSent {
                        core.heard(
                            peer, level: current?.level ?? 127, lasting: .milliseconds(length),
                            at: now)
                    }
                }
            }
            if millisecond.isMultiple(of: 33) {
                core.advance(to: now)
                if core.speaker != changes.last?.peer {
                    changes.append((core.speaker, millisecond))
                }
            }
        }
        return changes
    }

    private func talk(_ peer: PeerID, _ from: Int, _ to: Int, level: Int = speech) -> Sound {
        Sound(peer: peer, level: level, from: from, to: to)
    }

    @Test func theFirstWordMakesASpeakerAtOnce() {
        let changes = speakers([talk("a", 1000, 5000)], until: 5000)
        #expect(changes.map(\.peer) == ["a"])
        #expect(changes.allSatisfy { (1250...1500).contains($0.at) })
    }

    /// Opus has packets of up to 120 ms.
    @Test(arguments: [20, 60, 100, 120])
    func longPacketsAreNoPauses(length: Int) {
        // Loud enough by 1 dB: with pauses it would not be.
        let changes = speakers([talk("a", 1200, 5000, level: 43)], until: 5000, packets: length)
        #expect(changes.map(\.peer) == ["a"])
        #expect(changes.allSatisfy { (1450...2000).contains($0.at) }, "\(changes)")
    }

    @Test func whoTakesTheWordGetsItWithinASecondAndAHalf() {
        let changes = speakers([talk("a", 0, 5000), talk("b", 5000, 10_000)], until: 10_000)
        #expect(changes.map(\.peer) == ["a", "b"])
        #expect(changes.last.map { (6000...6500).contains($0.at) } == true)
    }

    @Test(arguments: [true, false])
    func aCoughChangesNothing(isSilenceSent: Bool) {
        for length in [100, 300, 500] {
            for level in [0, 10, Self.speech] {
                let changes = speakers(
                    [talk("a", 0, 4000), talk("b", 5000, 5000 + length, level: level)],
                    until: 9000, isSilenceSent: isSilenceSent)
                #expect(changes.map(\.peer) == ["a"], "\(length) ms at -\(level) dBov")
            }
        }
    }

    @Test func theWordIsKeptThroughPauses() {
        // Words of 400 ms with pauses of 250 ms, then a long silence; b's room is noisy.
        let words = (0..<12).map { talk("a", $0 * 650, $0 * 650 + 400) }
        let changes = speakers(
            words + [talk("b", 0, 60_000, level: Self.noise)], until: 60_000)
        #expect(changes.map(\.peer) == ["a"])
    }

    @Test func wordsWithPausesTakeTheWordToo() {
        let words = (0..<12).map { talk("b", 3000 + $0 * 550, 3000 + $0 * 550 + 400) }
        let changes = speakers([talk("a", 0, 2500)] + words, until: 9000)
        #expect(changes.map(\.peer) == ["a", "b"])
    }

    @Test func twoWhoSpeakAtOnceDoNotFlicker() {
        let changes = speakers(
            [talk("a", 0, 20_000, level: 28), talk("b", 2000, 20_000, level: 25)], until: 20_000)
        #expect(changes.map(\.peer) == ["a"])
    }

    @Test func noiseIsNoSpeech() {
        #expect(speakers([talk("a", 0, 9000, level: Self.noise)], until: 9000).isEmpty)
    }

    @Test func nobodyIsSpeakingAfterAWhileOfSilence() {
        var core = ActiveSpeaker()
        var spoke: [Bool] = []
        for frame in 0..<180 {
            let now = Instant.zero + .milliseconds(frame * 33)
            if frame < 60 { core.heard("a", level: 20, lasting: Self.packet, at: now) }
            core.advance(to: now)
            spoke.append(core.isSpeaking(at: now))
        }
        #expect(spoke[59] && spoke[80] && !spoke[130] && core.speaker == "a")
    }

    @Test func whoLeavesOrMutesIsNotHeardOfAgain() {
        var core = ActiveSpeaker()
        for frame in 0..<60 {
            let now = Instant.zero + .milliseconds(frame * 33)
            core.heard("a", level: 20, lasting: Self.packet, at: now)
            core.advance(to: now)
        }
        core.muted("a")
        #expect(core.speaker == "a")
        let later = Instant.zero + .seconds(10)
        core.advance(to: later)
        #expect(!core.isSpeaking(at: later))
        core.keep(only: ["b"])
        #expect(core.speaker == nil)
    }

    @Test func stepsOfAnyLengthAndBackwardsAreTaken() {
        var core = ActiveSpeaker()
        for milliseconds in [0, 5000, 4000, 4000, 1_000_000] {
            let now = Instant.zero + .milliseconds(milliseconds)
            core.heard("a", level: 0, lasting: Self.packet, at: now)
            core.heard("b", level: 300, lasting: Self.packet, at: now)
            core.advance(to: now)
        }
        #expect(core.speaker == "a")
    }
}
