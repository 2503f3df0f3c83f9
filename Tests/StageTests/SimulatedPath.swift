import MediaKernel
import Stage

/// A peer with perfect clocks behind a network that delays each packet as defined by a test.
///
/// Audio comes every 20 ms and pictures 30 times per second, each in order: a late packet delays
/// those after it.
struct SimulatedPath {
    static let sound: TrackID = "sound"
    static let picture: TrackID = "picture"
    static let reserve = 0.050

    var clock: SourceClock
    /// Seconds on top of 40 ms until a packet that was sent at a time can be used, and whether it
    /// arrived by then only: a packet that waits for another one has arrived.
    var delay: (TrackID, Double, inout SeededRandom) -> (seconds: Double, isArrival: Bool) = {
        _, _, _ in (0, true)
    }
    /// Whether a track sends nothing at a time.
    var isAway: (TrackID, Double) -> Bool = { _, _ in false }
    /// The total seconds for which a track's RTP clock has stood still.
    var stalls: [TrackID: Double] = [:]
    /// Whether the audio is quiet at a time.
    var isQuiet: (Double) -> Bool = { _ in false }

    private(set) var time = 0.0
    /// Presentation minus capture of the last packet of each track, in seconds.
    private(set) var errors: [TrackID: Double] = [:]
    /// The largest difference between sound and picture, in seconds.
    private(set) var worstSkew = 0.0
    /// Packets that became usable only after their presentation.
    private(set) var latePackets: [TrackID: Int] = [:]
    private(set) var wentBackwards = false

    private var random = SeededRandom(seed: 5)
    private var lastReady: [TrackID: Double] = [:]
    private var lastPresentation: [TrackID: Instant] = [:]
    private var sent: [TrackID: Int64] = [:]

    init(_ range: PlayoutDelayRange = PlayoutDelayRange()) {
        clock = SourceClock(
            playoutDelay: range, reserve: .nanoseconds(Int64(Self.reserve * 1e9)))
        clock.addTrack(Self.sound, clockRate: 48_000, isSound: true)
        clock.addTrack(Self.picture, clockRate: 90_000)
    }

    var playout: Double { clock.playoutDelay.inSeconds }

    mutating func resetMeasures() {
        worstSkew = 0
        latePackets = [:]
    }

    /// - Parameter each: called after each packet.
    mutating func run(seconds: Double, each: (Self) -> Void = { _ in }) {
        let end = time + seconds
        while true {
            // In the order of sending: close enough, since neighbours have similar delays.
            let nextSound = Double(sent[Self.sound, default: 0]) * 0.020
            let nextPicture = Double(sent[Self.picture, default: 0]) / 30
            let isSound = nextSound <= nextPicture
            let capture = isSound ? nextSound : nextPicture
            guard capture < end else { break }
            let track = isSound ? Self.sound : Self.picture
            sent[track, default: 0] += 1
            guard !isAway(track, capture) else { continue }
            if sent[track] == 1 || sent[track]?.isMultiple(of: 100) == true {
                report(track, capture)
            }
            send(track, capture)
            each(self)
        }
        time = end
    }

    private func timestamp(_ track: TrackID, _ capture: Double) -> Int64 {
        let elapsed = capture - stalls[track, default: 0]
        return Int64((elapsed * (track == Self.sound ? 48_000 : 90_000)).rounded())
    }

    private mutating func report(_ track: TrackID, _ capture: Double) {
        clock.senderReport(
            track, rtpTimestamp: timestamp(track, capture),
            ntp: NTPTime(unixNanoseconds: 1_700_000_000_000_000_000 + Int64(capture * 1e9)),
            at: instant(capture + 0.040))
    }

    private func instant(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64(seconds * 1e9))
    }

    private mutating func send(_ track: TrackID, _ capture: Double) {
        let extra = delay(track, capture, &random)
        let ready = max(capture + 0.040 + extra.seconds, lastReady[track] ?? 0)
        lastReady[track] = ready
        let arrival = extra.isArrival ? capture + 0.040 + extra.seconds : capture + 0.040
        let timestamp = timestamp(track, capture)
        clock.arrived(
            track, rtpTimestamp: timestamp, ready: instant(ready), at: instant(arrival))
        if track == Self.sound, isQuiet(capture) { clock.soundIsQuiet(at: instant(arrival)) }
        guard let presentation = clock.presentation(of: track, rtpTimestamp: timestamp)
        else { return }
        if presentation < lastPresentation[track] ?? .zero { wentBackwards = true }
        lastPresentation[track] = presentation
        if instant(ready) > presentation { latePackets[track, default: 0] += 1 }
        errors[track] = Double(presentation.nanoseconds) / 1e9 - capture
        if let sound = error(of: Self.sound), let picture = error(of: Self.picture) {
            worstSkew = max(worstSkew, abs(sound - picture))
        }
    }

    /// Presentation minus capture of the next packet.
    private func error(of track: TrackID) -> Double? {
        let capture = Double(sent[track] ?? 0) * (track == Self.sound ? 0.020 : 1.0 / 30)
        return clock.presentation(of: track, rtpTimestamp: timestamp(track, capture)).map {
            Double($0.nanoseconds) / 1e9 - capture
        }
    }
}
