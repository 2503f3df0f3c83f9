import MediaKernel
import Stage
import Testing

@Suite struct AudioTrackTimelineTests {
    private let clock = SampleClock(origin: .zero, frameRate: 30)

    private func instant(_ sample: Int64) -> Instant { clock.instant(ofSample: sample) }

    /// Blocks of 20 ms from a timestamp on, each presented at its timestamp.
    private func play(
        _ sound: inout SimulatedSound, blocks: Range<Int64>, late: Int64 = 0, isQuiet: Bool = false
    ) {
        for block in blocks {
            sound.block(
                960, timestamp: 5000 + block * 960, presentation: instant(block * 960 + late),
                isQuiet: isQuiet)
        }
    }

    @Test func blocksInStepAreAppendedUntouched() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<100)
        #expect(sound.runs == [.sound(96_000)])
        #expect(sound.ratios.allSatisfy { $0 == 1 })
        #expect(sound.timeline.writePosition == 96_000)
    }

    @Test func aLateJoinStartsWhereItBelongs() {
        var sound = SimulatedSound(clock: clock, position: 480_000)
        play(&sound, blocks: 507..<510)
        #expect(sound.runs == [.silence(6_720), .sound(2_880)])
        #expect(sound.timeline.queuedSamples == 9_600)
    }

    @Test func pausesOfTheSenderAreFilledExactly() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        play(&sound, blocks: 30..<40)
        play(&sound, blocks: 41..<42)
        #expect(
            sound.runs == [
                .sound(9_600), .silence(19_200), .sound(9_600), .silence(960), .sound(960),
            ])
    }

    @Test func aPauseThatTheMixerPassedIsFilledFromThere() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        sound.pull(through: 24_000)
        play(&sound, blocks: 30..<40)
        #expect(sound.missingSamples == 14_400)
        #expect(sound.runs == [.sound(9_600), .silence(4_800), .sound(9_600)])
        #expect(sound.timeline.writePosition == 38_400)
    }

    @Test func lostBlocksAreConcealedAndLongLossesFallSilent() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        sound.lost(960, timestamp: 5000 + 9_600, presentation: instant(9_600))
        play(&sound, blocks: 11..<12)
        sound.lost(19_200, timestamp: 5000 + 11_520, presentation: instant(11_520))
        play(&sound, blocks: 32..<33)
        #expect(
            sound.runs == [
                .sound(9_600), .concealed(960), .sound(960), .concealed(5_760),
                .silence(13_440), .sound(960),
            ])
        #expect(sound.timeline.writePosition == 33 * 960)
    }

    /// Redundancy comes in whole packets, and the ratio compensates for the clocks' difference.
    @Test(arguments: [-239, -5, 0, 5, 239], [960, 2_880, 5_760])
    func aLossIsFilledWithItsOwnLength(error: Int64, samples: Int64) {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        sound.lost(
            Int(samples), timestamp: 5000 + 9_600, presentation: instant(9_600 + error))
        sound.block(
            960, timestamp: 5000 + 9_600 + samples,
            presentation: instant(9_600 + samples + error))
        #expect(sound.runs.prefix(2) == [.sound(9_600), .concealed(samples)])
        #expect(sound.runs.count == 3)
    }

    @Test func aLossOfWhichTheMixerHasMadeUpAPartIsFilledFromThere() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        sound.pull(through: 9_600 + 480)
        sound.lost(960, timestamp: 5000 + 9_600, presentation: instant(9_600))
        #expect(sound.runs == [.sound(9_600), .concealed(480)])
    }

    @Test func whatWasRefusedIsNotQueuedAndTheNextBlockGoesWhereItBelongs() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        sound.timeline.refused(2_000)
        #expect(sound.timeline.queuedSamples == 7_600)
        play(&sound, blocks: 10..<12)
        #expect(sound.runs == [.sound(9_600), .silence(2_000), .sound(1_920)])
        sound.timeline.refused(1 << 40)
        #expect(sound.timeline.queuedSamples == 0)
    }

    @Test func aLossIsNotFilledTwice() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        for _ in 0..<2 {
            sound.lost(960, timestamp: 5000 + 9_600, presentation: instant(9_600))
        }
        play(&sound, blocks: 11..<12)
        #expect(sound.runs == [.sound(9_600), .concealed(960), .sound(960)])
    }

    @Test func nothingIsLostBeforeTheFirstBlock() {
        var sound = SimulatedSound(clock: clock)
        sound.lost(960, timestamp: 4_040, presentation: instant(0))
        #expect(sound.runs == [])
    }

    @Test func repeatedBlocksAreSkippedAndOverlapsTrimmed() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        play(&sound, blocks: 9..<10)
        sound.block(960, timestamp: 5000 + 9_120, presentation: instant(9_120))
        #expect(sound.runs == [.sound(9_600 + 480)])
        #expect(sound.timeline.droppedSamples == 960 + 480)
    }

    @Test func timestampsThatStartAnewGoOnWhereTheyArePresented() {
        for jump: Int64 in [-1 << 40, 1 << 40, .max - 10_000] {
            var sound = SimulatedSound(clock: clock)
            play(&sound, blocks: 0..<10)
            sound.block(960, timestamp: 5000 &+ jump, presentation: instant(10_000))
            #expect(sound.runs == [.sound(9_600), .silence(400), .sound(960)])
        }
    }

    @Test func quietMomentsAreUsedToCorrectAtOnce() {
        var early = SimulatedSound(clock: clock)
        play(&early, blocks: 0..<10)
        play(&early, blocks: 10..<11, late: 2_400, isQuiet: true)
        #expect(early.runs == [.sound(9_600), .silence(2_400), .sound(960)])

        var late = SimulatedSound(clock: clock)
        play(&late, blocks: 0..<10)
        play(&late, blocks: 10..<13, late: -2_400, isQuiet: true)
        // Two blocks are dropped; the remaining 10 ms are too little for a cut.
        #expect(late.timeline.droppedSamples == 1_920)
        #expect(abs(late.timeline.writePosition - (13 * 960 - 1_920)) <= 1)
    }

    @Test func aLargeErrorIsDroppedOnlyAfterASecond() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<50)
        play(&sound, blocks: 50..<100, late: -9_600)
        #expect(sound.timeline.droppedSamples == 0)
        play(&sound, blocks: 100..<130, late: -9_600)
        let dropped = sound.timeline.droppedSamples
        #expect(dropped > 8_000 && dropped <= 9_600)
        // The ratio took back the part that had not been dropped.
        let error = 130 * 960 - 9_600 - sound.timeline.writePosition
        #expect(abs(error) <= 960)
    }

    @Test func anErrorThatPassesIsLeftAlone() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<50)
        play(&sound, blocks: 50..<90, late: -9_600)
        play(&sound, blocks: 90..<300)
        #expect(sound.timeline.droppedSamples == 0)
        #expect(sound.runs.count == 1)
    }

    @Test func soundThatComesTooLateIsPlayedWhenItComes() {
        var sound = SimulatedSound(clock: clock)
        for block in Int64(0)..<500 {
            // The mixer is 300 ms past each block's place when it comes.
            sound.pull(through: block * 960 + 14_400)
            play(&sound, blocks: block..<(block + 1))
        }
        #expect(sound.timeline.droppedSamples == 0)
        #expect(sound.usedSamples == 500 * 960)
        // Late once, but never short: each block fills the mixer's next request, except for the
        // ratio.
        #expect(sound.missingSamples <= 14_400 + 500 * 5)
    }

    @Test func aHiccupIsPlayedAndThenTakenBack() {
        var sound = SimulatedSound(clock: clock)
        for block in Int64(0)..<4000 {
            // 150 ms in reserve, except for one late stretch: its blocks come together.
            let held = (100..<115).contains(block) ? Int64(115) : block
            sound.pull(through: held * 960 - 7_200)
            play(&sound, blocks: block..<(block + 1))
        }
        #expect(sound.missingSamples == 7_200)
        #expect(sound.timeline.droppedSamples == 0)
        #expect(sound.usedSamples == 4000 * 960)
        let error = 4000 * 960 - sound.timeline.writePosition
        #expect(abs(error) <= 240, "\(error) samples off")
    }

    @Test func silenceIsNeverInsertedWithoutLimit() {
        var sound = SimulatedSound(clock: clock)
        sound.block(960, timestamp: 0, presentation: instant(1 << 40))
        #expect(sound.runs == [.silence(96_000), .sound(960)])
    }

    @Test func hostileNumbersDoNotTrap() {
        var random = SeededRandom(seed: 99)
        var sound = SimulatedSound(clock: clock)
        for _ in 0..<5000 {
            let timestamp = Int64(truncatingIfNeeded: random.next())
            let presentation = Instant(nanoseconds: Int64.random(in: 0...(1 << 60), using: &random))
            let samples = Int.random(in: -10...6000, using: &random)
            sound.block(samples, timestamp: timestamp, presentation: presentation)
            sound.lost(samples, timestamp: timestamp &+ 1000, presentation: presentation)
        }
    }

    @Test func aLossOfSecondsIsFilledForTwo() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        sound.lost(144_000, timestamp: 5000 + 9_600, presentation: instant(9_600))
        #expect(sound.runs == [.sound(9_600), .concealed(5_760), .silence(90_240)])
    }

    /// Audio that is too late is taken back from the waiting audio, part of which the mixer needs.
    @Test func whatTheMixerNeedsNextIsNotTakenBack() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        sound.pull(through: 7_700)
        play(&sound, blocks: 10..<11, late: -2_000, isQuiet: true)
        #expect(sound.usedSamples == 10_560 && sound.timeline.droppedSamples == 0)
    }

    @Test func onlyAnErrorThatStaysIsCutAway() {
        var sound = SimulatedSound(clock: clock)
        play(&sound, blocks: 0..<10)
        play(&sound, blocks: 10..<50, late: 9_600)
        play(&sound, blocks: 50..<55)
        play(&sound, blocks: 55..<95, late: 9_600)
        #expect(!sound.runs.contains { if case .silence = $0 { true } else { false } })
        play(&sound, blocks: 95..<120, late: 9_600)
        #expect(sound.runs.contains { if case .silence = $0 { true } else { false } })
    }
}
