import MediaKernel
import Stage
import Testing

extension VideoTrackTimeline {
    fileprivate mutating func insert(_ frame: Frame, at presentation: Instant) {
        insert(frame, at: presentation, bytes: 0)
    }
}

@Suite struct VideoTrackTimelineTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant.zero + .milliseconds(milliseconds)
    }

    private func text(_ choice: VideoTrackTimeline<Int>.Choice) -> String {
        switch choice {
        case .show(let frame): "show \(frame)"
        case .hold(let frame): "hold \(frame)"
        case .placeholder: "placeholder"
        }
    }

    @Test func theNewestFrameThatIsDueIsShown() {
        var timeline = VideoTrackTimeline<Int>()
        #expect(text(timeline.frame(at: at(0))) == "placeholder")
        for frame in 0..<5 { timeline.insert(frame, at: at(Int64(frame) * 33)) }
        #expect(text(timeline.frame(at: at(0))) == "show 0")
        #expect(text(timeline.frame(at: at(20))) == "hold 0")
        #expect(text(timeline.frame(at: at(33))) == "show 1")
        #expect(text(timeline.frame(at: at(100))) == "show 3")
        #expect(timeline.skippedFrames == 1)
        #expect(timeline.queuedFrames == 1)
        #expect(timeline.current == 3)
    }

    @Test(arguments: [5, 15, 16, 24, 30, 60])
    func everySourceRateFillsTheOutputsTicks(rate: Int) {
        var timeline = VideoTrackTimeline<Int>()
        let clock = SampleClock(origin: .zero, frameRate: 30)
        var shown: [Int] = []
        var next = 0
        for tick in Int64(0)..<300 {
            let now = clock.instant(ofFrame: tick)
            while Int64(next) * 1_000_000_000 / Int64(rate) <= now.nanoseconds + 150_000_000 {
                timeline.insert(
                    next, at: Instant(nanoseconds: Int64(next) * 1_000_000_000 / Int64(rate)))
                next += 1
            }
            switch timeline.frame(at: now) {
            case .show(let frame), .hold(let frame): shown.append(frame)
            case .placeholder: Issue.record("no picture at tick \(tick)")
            }
        }
        #expect(shown.count == 300)
        #expect(shown == (0..<300).map { $0 * rate / 30 })
    }

    /// Frames whose times are `phase` off the ticks and rounded to milliseconds, as in WebM and
    /// from many senders; the frames shown at 30 ticks per second.
    private func steps(rate: Int, phase: Double) -> [Int] {
        var timeline = VideoTrackTimeline<Int>()
        let clock = SampleClock(origin: .zero, frameRate: 30)
        for frame in 0..<30 {
            let milliseconds = (Double(frame) * 1000 / Double(rate) + phase).rounded()
            timeline.insert(frame, at: at(Int64(milliseconds)))
        }
        var shown: [Int] = []
        for tick in Int64(0)..<Int64(27 * 30 / rate) {
            if case .show(let frame) = timeline.frame(at: clock.instant(ofFrame: tick)) {
                shown.append(frame)
            } else {
                shown.append(shown.last ?? 0)
            }
        }
        // A rhythm needs a few frames.
        return zip(shown.dropFirst(6), shown.dropFirst(5)).map(-)
    }

    @Test(arguments: [-1, -0.5, -0.34, 0, 0.33, 0.5, 1, 16, 17])
    func roundedTimesDoNotMakeAPictureRepeat(phase: Double) {
        #expect(steps(rate: 30, phase: phase).allSatisfy { $0 == 1 })
        #expect(steps(rate: 60, phase: phase / 2).allSatisfy { $0 == 2 })
        let slow = steps(rate: 15, phase: phase)
        #expect(zip(slow, slow.dropFirst()).allSatisfy { $0 + $1 == 1 })
    }

    @Test func aSlowlyShiftingSourceRepeatsOnePictureForEachWholeOneItFallsBehind() {
        var timeline = VideoTrackTimeline<Int>()
        let clock = SampleClock(origin: .zero, frameRate: 30)
        var repeated = 0
        // Slow by a thousandth, with up to 3 ms of jitter either way: three pictures in 100 s.
        for tick in Int64(0)..<3000 {
            let time = Double(tick) * 1001 / 30 + Double(tick * 5 % 7 - 3)
            timeline.insert(Int(tick), at: at(Int64(time.rounded())))
            if case .hold = timeline.frame(at: clock.instant(ofFrame: tick)) { repeated += 1 }
        }
        #expect(repeated == 3)
        #expect(timeline.skippedFrames == 0)
    }

    @Test func aPictureThatStopsIsHeldUpToTheLimit() {
        var timeline = VideoTrackTimeline<Int>(holdLimit: .seconds(3))
        timeline.insert(1, at: at(0))
        #expect(text(timeline.frame(at: at(20))) == "show 1")
        #expect(text(timeline.frame(at: at(3020))) == "hold 1")
        #expect(text(timeline.frame(at: at(3021))) == "placeholder")
        timeline.insert(2, at: at(5000))
        #expect(text(timeline.frame(at: at(4989))) == "placeholder")
        #expect(text(timeline.frame(at: at(5000))) == "show 2")
    }

    /// A still screen, of which its sender has nothing to send.
    @Test func aPictureIsHeldForAsLongAsItsSenderIsHeardOf() {
        var timeline = VideoTrackTimeline<Int>(holdLimit: .seconds(3))
        #expect(!timeline.hasFrame(at: at(0)))
        timeline.insert(1, at: at(150))
        #expect(timeline.hasFrame(at: at(0)))
        #expect(text(timeline.frame(at: at(150))) == "show 1")
        for (tick, sign, isHeld) in [
            (3150, nil, true), (3151, nil, false), (60_000, 57_000, true), (60_000, 56_999, false),
            (3_600_000, 3_599_000, true),
        ] as [(Int64, Int64?, Bool)] {
            let hasFrame = timeline.hasFrame(at: at(tick), lastSign: { sign.map(at) })
            let choice = text(timeline.frame(at: at(tick), lastSign: { sign.map(at) }))
            #expect(hasFrame == isHeld, "\(tick)")
            #expect(choice == (isHeld ? "hold 1" : "placeholder"))
        }
        timeline.setMuted(true)
        let isThere = timeline.hasFrame(at: at(3_600_000), lastSign: { at(3_600_000) })
        #expect(!isThere)
    }

    /// A tile that returns to the canvas.
    @Test func whatNobodyLookedAtInTimeIsNotShownLater() {
        var timeline = VideoTrackTimeline<Int>(holdLimit: .seconds(3))
        timeline.insert(1, at: at(0))
        #expect(text(timeline.frame(at: at(0))) == "show 1")
        for number in 2...4 { timeline.insert(number, at: at(Int64(number) * 30)) }
        #expect(text(timeline.frame(at: at(60_000))) == "placeholder")
        timeline.insert(5, at: at(60_090))
        #expect(text(timeline.frame(at: at(60_030))) == "show 5")
    }

    @Test func aFirstPictureIsShownAtOnceAndStandsStillUntilTheOthersTimeComes() {
        var timeline = VideoTrackTimeline<Int>()
        timeline.insert(1, at: at(150))
        timeline.insert(2, at: at(183))
        #expect(text(timeline.frame(at: at(0))) == "show 1")
        #expect(text(timeline.frame(at: at(33))) == "hold 1")
        #expect(text(timeline.frame(at: at(167))) == "hold 1")
        #expect(text(timeline.frame(at: at(200))) == "show 2")
        timeline.setMuted(true)
        timeline.setMuted(false)
        timeline.insert(8, at: at(1000))
        #expect(text(timeline.frame(at: at(800))) == "show 8")
    }

    @Test func aLateFrameIsShownUnlessANewerOneWas() {
        var timeline = VideoTrackTimeline<Int>()
        timeline.insert(1, at: at(100))
        #expect(text(timeline.frame(at: at(900))) == "show 1")
        timeline.insert(3, at: at(300))
        timeline.insert(2, at: at(200))
        #expect(text(timeline.frame(at: at(933))) == "show 3")
        timeline.insert(2, at: at(250))
        timeline.insert(3, at: at(300))
        #expect(text(timeline.frame(at: at(966))) == "hold 3")
        #expect(timeline.skippedFrames == 3)
    }

    @Test func mutingShowsThePlaceholderAtOnceAndNothingOldComesBack() {
        var timeline = VideoTrackTimeline<Int>()
        timeline.insert(1, at: at(0))
        timeline.insert(2, at: at(50))
        #expect(text(timeline.frame(at: at(0))) == "show 1")
        timeline.setMuted(true)
        #expect(timeline.isMuted && timeline.current == nil)
        #expect(text(timeline.frame(at: at(33))) == "placeholder")
        timeline.insert(3, at: at(60))
        timeline.setMuted(true)
        timeline.setMuted(false)
        #expect(text(timeline.frame(at: at(100))) == "placeholder")
        timeline.insert(4, at: at(110))
        #expect(text(timeline.frame(at: at(133))) == "show 4")
        timeline.setMuted(false)
        #expect(text(timeline.frame(at: at(166))) == "hold 4")
    }

    @Test func aFullQueueIsThinnedOutBetweenTheNextFrameAndTheNewest() {
        var timeline = VideoTrackTimeline<Int>(framesMaximum: 5)
        for frame in 0..<9 { timeline.insert(frame, at: at(Int64(frame) * 10)) }
        #expect(timeline.queuedFrames == 5)
        #expect(timeline.skippedFrames == 4)
        let shown = (0..<9).map { text(timeline.frame(at: at($0 * 10))) }
        let expected = (0..<9).map { $0.isMultiple(of: 2) ? "show \($0)" : "hold \($0 - 1)" }
        #expect(shown == expected)
    }

    /// Pictures come 120 times per second and wait for half a second, or are so large that only six
    /// may wait.
    @Test(arguments: [(120, 1_000_000), (30, 12 << 20)])
    func aPictureGoesOnWhereTheDelayHoldsMoreThanTheQueue(rate: Int, bytes: Int) {
        var timeline = VideoTrackTimeline<Int>()
        var changes: [Int64] = []
        var next = 0
        for tick in Int64(0)..<300 {
            let now = at(tick * 100 / 3)
            while at(Int64(next * 1000 / rate)) <= now {
                timeline.insert(next, at: at(Int64(next * 1000 / rate) + 500), bytes: bytes)
                next += 1
            }
            #expect(timeline.queuedFrames <= 36)
            #expect(timeline.queuedFrames * bytes <= 64 << 20)
            if case .show = timeline.frame(at: now), tick > 30 { changes.append(tick) }
        }
        let longest = zip(changes.dropFirst(), changes).map(-).max() ?? .max
        #expect(longest <= (rate == 120 ? 2 : 5), "stands still for \(longest) ticks")
    }

    @Test func onePictureMayWaitHoweverLargeItIs() {
        var timeline = VideoTrackTimeline<Int>(bytesMaximum: 100)
        timeline.insert(1, at: at(0), bytes: 1000)
        timeline.insert(2, at: at(33), bytes: 1000)
        #expect(text(timeline.frame(at: at(33))) == "show 1")
        timeline.insert(3, at: at(66), bytes: 90)
        timeline.setMuted(true)
        timeline.setMuted(false)
        timeline.insert(4, at: at(99), bytes: 50)
        timeline.insert(5, at: at(132), bytes: 50)
        #expect(timeline.queuedFrames == 2)
    }
}
