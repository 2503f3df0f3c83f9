import MediaKernel
import Stage
import Testing

@Suite struct SourceClockTests {
    private let track: TrackID = "video"
    private let second = Duration.seconds(1)

    private func clock() -> SourceClock {
        var clock = SourceClock(playoutDelay: .fixed(.milliseconds(150)))
        clock.addTrack(track, clockRate: 90_000)
        return clock
    }

    private func at(_ milliseconds: Int64) -> Instant {
        Instant.zero + .milliseconds(milliseconds)
    }

    @Test func theFirstFrameIsPresentedOnePlayoutDelayAfterItsArrival() {
        var clock = clock()
        #expect(clock.presentation(of: track, rtpTimestamp: 7) == nil)
        clock.arrived(track, rtpTimestamp: 4_294_967_290, at: at(1000))
        #expect(clock.presentation(of: track, rtpTimestamp: 4_294_967_290) == at(1150))
        // Across the wrap of the 32 bits, which are unwrapped here.
        #expect(clock.presentation(of: track, rtpTimestamp: 4_294_967_290 + 90_000) == at(2150))
        #expect(clock.presentation(of: track, rtpTimestamp: 4_294_967_290 - 45_000) == at(650))
    }

    @Test func unknownTracksHaveNoPresentation() {
        var clock = clock()
        clock.arrived("other", rtpTimestamp: 0, at: at(0))
        #expect(clock.presentation(of: "other", rtpTimestamp: 0) == nil)
        clock.arrived(track, rtpTimestamp: 0, at: at(0))
        clock.removeTrack(track)
        #expect(clock.presentation(of: track, rtpTimestamp: 0) == nil)
    }

    @Test func whateverComesIsASignOfLife() {
        var clock = clock()
        #expect(clock.lastSign == nil)
        clock.senderReport(track, rtpTimestamp: 0, ntp: NTPTime(unixNanoseconds: 5), at: at(5))
        #expect(clock.lastSign == at(5))
        clock.arrived(track, rtpTimestamp: 0, at: at(90))
        // A packet that had to wait for another one arrived earlier.
        clock.arrived(track, rtpTimestamp: 3000, at: at(70))
        #expect(clock.lastSign == at(90))
    }

    @Test func reportsBeforeTheFirstFrameAreIgnored() {
        var clock = clock()
        clock.senderReport(track, rtpTimestamp: 0, ntp: NTPTime(unixNanoseconds: 5), at: at(0))
        #expect(!clock.isSynchronized(track))
        clock.arrived(track, rtpTimestamp: 0, at: at(10))
        clock.senderReport(track, rtpTimestamp: 0, ntp: NTPTime(unixNanoseconds: 5), at: at(20))
        #expect(clock.isSynchronized(track))
        #expect(clock.presentation(of: track, rtpTimestamp: 0) == at(160))
    }

    private static let jumps: [Int64] = [
        -1 << 40, -5_400_000, 5_400_000, 1 << 40, .max - 10_000_000,
    ]

    @Test(arguments: Self.jumps)
    func timestampsThatJumpGoOnFromTheirArrival(jump: Int64) {
        var clock = clock()
        var last = Instant.zero
        for frame in Int64(0)..<300 {
            let offset = frame < 150 ? 0 : jump
            let timestamp = frame * 3000 + offset
            let now = at(frame * 100 / 3)
            clock.arrived(track, rtpTimestamp: timestamp, at: now)
            let presentation = clock.presentation(of: track, rtpTimestamp: timestamp)
            #expect(presentation ?? .zero >= last)
            last = presentation ?? .zero
            #expect(abs((last - now).milliseconds - 150) <= 5, "frame \(frame)")
        }
    }

    @Test func aRepublishedTrackStartsAnew() {
        var clock = clock()
        clock.arrived(track, rtpTimestamp: 0, at: at(0))
        clock.senderReport(track, rtpTimestamp: 0, ntp: NTPTime(unixNanoseconds: 5), at: at(1))
        clock.addTrack(track, clockRate: 48_000)
        #expect(!clock.isSynchronized(track))
        #expect(clock.presentation(of: track, rtpTimestamp: 0) == nil)
        clock.arrived(track, rtpTimestamp: 77, at: at(5000))
        #expect(clock.presentation(of: track, rtpTimestamp: 77 + 48_000) == at(6150))
    }

    @Test func onlySoManyTracksAreKept() {
        var clock = SourceClock()
        for index in 0..<SourceClock.tracksMaximum {
            let isTaken = clock.addTrack(TrackID("t\(index)"), clockRate: 90_000)
            #expect(isTaken)
        }
        let isOneMoreTaken = clock.addTrack("one more", clockRate: 90_000)
        #expect(!isOneMoreTaken)
        let isKnownTaken = clock.addTrack("t0", clockRate: 48_000)
        #expect(isKnownTaken)
        clock.removeTrack("t1")
        let isTakenInstead = clock.addTrack("one more", clockRate: 90_000)
        #expect(isTakenInstead)
    }

    @Test func hostileTimestampsAndReportsDoNotTrap() {
        var random = SeededRandom(seed: 3550)
        var clock = clock()
        let sound: TrackID = "audio"
        clock.addTrack(sound, clockRate: 48_000)
        var now = Int64(0)
        for round in 0..<20_000 {
            now += Int64.random(in: 0...50, using: &random)
            let id = round.isMultiple(of: 2) ? track : sound
            // An occasional valid stretch, so that the states behind the checks are reached.
            let isSane = (round / 100).isMultiple(of: 3)
            let wild = Int64(truncatingIfNeeded: random.next())
            let timestamp = isSane ? now * 90 : wild >> Int64(round % 60)
            clock.arrived(id, rtpTimestamp: timestamp, at: at(now))
            clock.senderReport(
                id, rtpTimestamp: timestamp, ntp: NTPTime(rawValue: random.next()), at: at(now))
            let presentation = clock.presentation(of: id, rtpTimestamp: timestamp)
            let ahead = ((presentation ?? at(now)) - at(now)).milliseconds
            #expect(ahead <= 3000, "presented \(ahead) ms after it came")
        }
    }
}
