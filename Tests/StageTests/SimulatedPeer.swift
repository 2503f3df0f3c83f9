import MediaKernel
import Stage

/// A peer with three clocks and a network in between, stepped by the true time.
///
/// It feeds a `SourceClock` in the order of arrival and keeps the latest error of each track: the
/// presentation given by the clock, minus the true time of capture.
struct SimulatedPeer {
    /// Possible faults of the peer or its path.
    struct Conditions {
        /// Parts in a million by which the peer's wall clock, sound card and camera run fast.
        var ntpDrift = 0.0
        var audioDrift = 0.0
        var videoDrift = 0.0
        /// Seconds from capture to sending.
        var audioEncoding = 0.030
        var videoEncoding = 0.015
        /// Seconds on the path: the minimum, and the mean of an additional exponential
        /// distribution.
        var networkDelay = 0.040
        var jitter = 0.008
        var lossShare = 0.0
        /// Seconds between frames, blocks and reports.
        var videoInterval = 1.0 / 15
        var audioInterval = 0.060
        var videoReports: Double? = 1.0
        var audioReports: Double? = 5.0
        /// The time of the first reports.
        var firstReport = 0.5
        /// The most seconds between the readings of a report's two clocks.
        var reportNoise = 0.003
    }

    var conditions: Conditions
    var clock: SourceClock
    /// True time in seconds.
    private(set) var time = 0.0
    /// Seconds to add to the peer's wall clock.
    var wallClockStep = 0.0
    /// The total seconds for which the sound card has stood still.
    var audioStall = 0.0
    /// Seconds added to each report of the audio.
    var audioReportError = 0.0
    var isSilent = false
    /// Extra seconds on the path for all packets.
    var congestion = 0.0

    /// Presentation minus capture in seconds, as of the last arrival.
    private(set) var audioError: Double?
    private(set) var videoError: Double?
    /// The largest differences between neighbours' errors in seconds, per second of stream.
    private(set) var fastestChange = 0.0
    private(set) var wentBackwards = false

    private var random: SeededRandom
    private var nextAudio = 0.0
    private var nextVideo = 0.0
    private var nextAudioReport: Double
    private var nextVideoReport: Double
    private var last: [TrackID: (media: Int64, presentation: Instant, capture: Double)] = [:]

    static let audio: TrackID = "audio"
    static let video: TrackID = "video"
    /// The streams start at arbitrary values, the audio just before its first wrap.
    private let audioOrigin = 4_294_900_000.0
    private let videoOrigin = 1_000_000.0
    private let wallOrigin = 3_900_000_000.0

    private enum Event {
        case media(TrackID, Int64, capture: Double)
        case report(TrackID, Int64, NTPTime)
    }

    init(
        _ conditions: Conditions, seed: UInt64 = 1,
        clock: SourceClock = SourceClock(playoutDelay: .fixed(.milliseconds(150)))
    ) {
        self.conditions = conditions
        self.clock = clock
        random = SeededRandom(seed: seed)
        nextAudioReport = conditions.firstReport
        nextVideoReport = conditions.firstReport
        self.clock.addTrack(Self.audio, clockRate: 48_000, isSound: true)
        self.clock.addTrack(Self.video, clockRate: 90_000)
    }

    /// Audio minus picture in seconds: positive if the audio is late.
    var skew: Double? {
        guard let audioError, let videoError else { return nil }
        return audioError - videoError
    }

    /// Runs for this many seconds of true time, one second's events at a time.
    mutating func run(seconds: Double, each: (Self) -> Void = { _ in }) {
        let end = time + seconds
        while time < end - 1e-9 {
            let until = min(end, time + 1)
            var events = media(until: until) + reports(until: until)
            events.sort { $0.arrival < $1.arrival }
            for event in events { deliver(event.event, at: event.arrival) }
            time = until
            each(self)
        }
    }

    /// Forgets the largest change so far.
    mutating func resetMeasures() { fastestChange = 0 }

    private func audioTimestamp(_ time: Double) -> Int64 {
        let drift = 1 + conditions.audioDrift * 1e-6
        return Int64((audioOrigin + 48_000 * (time - audioStall) * drift).rounded())
    }

    private func videoTimestamp(_ time: Double) -> Int64 {
        let drift = 1 + conditions.videoDrift * 1e-6
        return Int64((videoOrigin + 90_000 * time * drift).rounded())
    }

    private func wallClock(_ time: Double) -> NTPTime {
        let drift = 1 + conditions.ntpDrift * 1e-6
        let seconds = wallOrigin + time * drift + wallClockStep
        let whole = seconds.rounded(.down)
        let fraction = UInt64((seconds - whole) * 4_294_967_296)
        return NTPTime(rawValue: UInt64(whole) << 32 | fraction)
    }

    private mutating func transit() -> Double {
        let uniform = Double.random(in: 0.000_001...1, using: &random)
        return conditions.networkDelay + congestion + conditions.jitter * -logarithm(uniform)
    }

    /// The natural logarithm for (0, 1]: powers of two are taken out, the rest is a short series.
    private func logarithm(_ value: Double) -> Double {
        let mantissa = value.significand
        let y = (mantissa - 1) / (mantissa + 1)
        let series = 2 * y * (1 + y * y / 3 + y * y * y * y / 5 + y * y * y * y * y * y / 7)
        return Double(value.exponent) * 0.693_147_180_56 + series
    }

    private mutating func media(until: Double) -> [(arrival: Double, event: Event)] {
        var events: [(arrival: Double, event: Event)] = []
        while nextAudio < until {
            let capture = nextAudio
            nextAudio += conditions.audioInterval
            guard survives() else { continue }
            let arrival = capture + conditions.audioEncoding + transit()
            events.append(
                (arrival, .media(Self.audio, audioTimestamp(capture), capture: capture)))
        }
        while nextVideo < until {
            let capture = nextVideo
            nextVideo += conditions.videoInterval
            guard survives() else { continue }
            let arrival = capture + conditions.videoEncoding + transit()
            events.append(
                (arrival, .media(Self.video, videoTimestamp(capture), capture: capture)))
        }
        return events
    }

    private mutating func survives() -> Bool {
        !isSilent && Double.random(in: 0..<1, using: &random) >= conditions.lossShare
    }

    private mutating func reports(until: Double) -> [(arrival: Double, event: Event)] {
        var events: [(arrival: Double, event: Event)] = []
        while let interval = conditions.audioReports, nextAudioReport < until {
            let now = nextAudioReport
            nextAudioReport += interval
            guard survives() else { continue }
            let noise = Double.random(in: -1...1, using: &random) * conditions.reportNoise
            let ntp = wallClock(now + noise + audioReportError)
            events.append((now + transit(), .report(Self.audio, audioTimestamp(now), ntp)))
        }
        while let interval = conditions.videoReports, nextVideoReport < until {
            let now = nextVideoReport
            nextVideoReport += interval
            guard survives() else { continue }
            let noise = Double.random(in: -1...1, using: &random) * conditions.reportNoise
            let report = Event.report(Self.video, videoTimestamp(now), wallClock(now + noise))
            events.append((now + transit(), report))
        }
        return events
    }

    private mutating func deliver(_ event: Event, at arrival: Double) {
        let now = Instant(nanoseconds: Int64(arrival * 1e9))
        switch event {
        case .report(let track, let timestamp, let ntp):
            clock.senderReport(track, rtpTimestamp: timestamp, ntp: ntp, at: now)
        case .media(let track, let timestamp, let capture):
            clock.arrived(track, rtpTimestamp: timestamp, at: now)
            guard let presentation = clock.presentation(of: track, rtpTimestamp: timestamp)
            else { return }
            note(track, timestamp, presentation, capture)
        }
    }

    private mutating func note(
        _ track: TrackID, _ timestamp: Int64, _ presentation: Instant, _ capture: Double
    ) {
        let error = Double(presentation.nanoseconds) / 1e9 - capture
        if let before = last[track], timestamp > before.media {
            if presentation < before.presentation { wentBackwards = true }
            let advance = capture - before.capture
            let earlier = Double(before.presentation.nanoseconds) / 1e9 - before.capture
            // Neighbours that arrived at once say nothing about speed.
            if advance > 0.01 {
                fastestChange = max(fastestChange, abs(error - earlier) / max(advance, 0.5))
            }
        }
        if timestamp > last[track]?.media ?? .min {
            last[track] = (timestamp, presentation, capture)
        }
        if track == Self.audio { audioError = error } else { videoError = error }
    }
}
