import MediaKernel
import Stage
import Testing

@Suite struct SampleClockTests {
    private let origin = Instant(nanoseconds: 1_234_567_891)

    @Test func framesAndSamplesAreExactForEver() {
        for rate in [1, 7, 15, 24, 25, 30, 48, 60] {
            let clock = SampleClock(origin: origin, frameRate: rate)
            for seconds: Int64 in [0, 1, 59, 7200, 86_400 * 365 * 10] {
                let instant = origin + .seconds(seconds)
                #expect(clock.instant(ofFrame: seconds * Int64(rate)) == instant)
                #expect(clock.instant(ofSample: seconds * 48_000) == instant)
                #expect(clock.frame(at: instant) == seconds * Int64(rate))
                #expect(clock.sample(at: instant) == seconds * 48_000)
                #expect(clock.firstSample(ofFrame: seconds * Int64(rate)) == seconds * 48_000)
            }
        }
    }

    @Test func aFramesInstantBelongsToTheFrame() {
        for rate in [7, 24, 30, 60] {
            let clock = SampleClock(origin: origin, frameRate: rate)
            for frame in (Int64(-100)..<1000) {
                let instant = clock.instant(ofFrame: frame)
                #expect(clock.frame(at: instant) == frame)
                #expect(clock.frame(at: instant - .nanoseconds(1)) == frame - 1)
            }
        }
    }

    @Test func samplesAreTheNearest() {
        let clock = SampleClock(origin: origin, frameRate: 30)
        #expect(clock.sample(at: origin + .nanoseconds(10_416)) == 0)
        #expect(clock.sample(at: origin + .nanoseconds(10_417)) == 1)
        #expect(clock.sample(at: origin - .nanoseconds(10_416)) == 0)
        #expect(clock.sample(at: origin - .nanoseconds(10_417)) == -1)
        for sample in Int64(-500)..<500 {
            #expect(clock.sample(at: clock.instant(ofSample: sample)) == sample)
        }
    }

    @Test func theFirstSampleOfAFrameIsNotBeforeIt() {
        let clock = SampleClock(origin: origin, frameRate: 7)
        #expect(clock.firstSample(ofFrame: 1) == 6858)
        #expect(clock.firstSample(ofFrame: 7_000_001) == 48_000_006_858)
        for frame in Int64(0)..<200 {
            let first = clock.firstSample(ofFrame: frame)
            #expect(clock.instant(ofSample: first) >= clock.instant(ofFrame: frame))
            #expect(clock.instant(ofSample: first - 1) < clock.instant(ofFrame: frame))
        }
    }
}
