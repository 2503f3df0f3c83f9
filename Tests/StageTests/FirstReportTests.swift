import MediaKernel
import Stage
import Testing

/// Sound against picture when the first sender reports show that they do not match: the clock and
/// the sound that follows it, with the adaptive playout delay.
@Suite struct FirstReportTests {
    private enum Event {
        case sound(Int64)
        case picture(Int64)
        case reports
    }

    /// Seconds of audio from capture to arrival; a picture takes 40 ms.
    private static let soundDelay = 0.150

    private func events(firstReport: Double, seconds: Int64) -> [(time: Double, event: Event)] {
        var events: [(time: Double, event: Event)] = []
        for index in 0..<seconds * 50 {
            events.append((Double(index) * 0.020 + Self.soundDelay, .sound(index)))
        }
        for index in 0..<seconds * 30 {
            events.append((Double(index) / 30 + 0.040, .picture(index)))
        }
        for index in 0..<seconds { events.append((firstReport + Double(index), .reports)) }
        return events.sorted { $0.time < $1.time }
    }

    private func instant(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64(seconds * 1e9))
    }

    /// The last time at which sound was more than 45 ms from its picture, and the final difference.
    private func run(firstReport: Double) -> (apartUntil: Double, end: Double) {
        var clock = SourceClock()
        clock.addTrack("sound", clockRate: 48_000, isSound: true)
        clock.addTrack("picture", clockRate: 90_000)
        let output = SampleClock(origin: .zero, frameRate: 30)
        var sound = SimulatedSound(clock: output)
        var seen = 0.0
        var apartUntil = 0.0
        var difference = 0.0
        for (time, event) in events(firstReport: firstReport, seconds: 60) {
            let now = instant(time)
            switch event {
            case .reports:
                let ntp = NTPTime(unixNanoseconds: 1_700_000_000_000_000_000 + now.nanoseconds)
                for (track, rate) in [("sound", 48_000.0), ("picture", 90_000)] {
                    clock.senderReport(
                        TrackID(track), rtpTimestamp: Int64((time * rate).rounded()), ntp: ntp,
                        at: now)
                }
            case .picture(let index):
                clock.arrived("picture", rtpTimestamp: index * 3000, at: now)
                let shown = clock.presentation(of: "picture", rtpTimestamp: index * 3000)
                seen = ((shown ?? now) - .zero).inSeconds - Double(index) / 30
            case .sound(let index):
                let timestamp = index * 960
                clock.arrived("sound", rtpTimestamp: timestamp, at: now)
                sound.pull(through: output.sample(at: now))
                sound.block(
                    960, timestamp: timestamp,
                    presentation: clock.presentation(of: "sound", rtpTimestamp: timestamp) ?? now,
                    slid: clock.slid)
                let end = Double(sound.timeline.writePosition) / 48_000
                difference = end - Double(timestamp + 960) / 48_000 - seen
                if abs(difference) > 0.045 { apartUntil = time }
            }
        }
        return (apartUntil, difference)
    }

    @Test(arguments: [0.5, 2, 8]) func whatIsHeardIsInSyncWithinThreeSeconds(firstReport: Double) {
        let (apartUntil, end) = run(firstReport: firstReport)
        #expect(apartUntil > firstReport, "arrival alone cannot know")
        #expect(apartUntil <= firstReport + 3, "apart until \(apartUntil) s")
        #expect(abs(end) <= 0.010, "\(end) s in the end")
    }

    /// It may come from a clock that was just set: sound is not delayed because of a single report.
    @Test func firstReportsThatPartTracksFarAreBelievedWithTheSecond() throws {
        var clock = SourceClock(playoutDelay: .fixed(.milliseconds(150)))
        clock.addTrack("sound", clockRate: 48_000, isSound: true)
        clock.addTrack("picture", clockRate: 90_000)
        func time(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
        func run(_ span: Range<Int64>) {
            for now in stride(from: span.lowerBound, to: span.upperBound, by: 20) {
                clock.arrived("sound", rtpTimestamp: now * 48, at: time(now))
                clock.arrived("picture", rtpTimestamp: now * 90, at: time(now))
            }
        }
        /// The picture takes half a second longer on its way.
        func report(at now: Int64) {
            let ntp = { NTPTime(unixNanoseconds: (1_770_000_000_000 + $0) * 1_000_000) }
            clock.senderReport("sound", rtpTimestamp: now * 48, ntp: ntp(now), at: time(now))
            clock.senderReport(
                "picture", rtpTimestamp: now * 90, ntp: ntp(now - 500), at: time(now))
        }
        /// The additional delay of the sound.
        func parted(_ now: Int64) throws -> Duration {
            let sound = clock.presentation(of: "sound", rtpTimestamp: now * 48)
            let picture = clock.presentation(of: "picture", rtpTimestamp: now * 90)
            return try #require(sound) - #require(picture)
        }
        run(0..<100)
        report(at: 100)
        run(100..<1100)
        #expect(try parted(1100).magnitude < .milliseconds(5))
        report(at: 1100)
        run(1100..<8000)
        #expect(try (parted(8000) - .milliseconds(500)).magnitude < .milliseconds(10))
    }
}
