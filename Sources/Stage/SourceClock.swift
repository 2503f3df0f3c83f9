public import MediaKernel

/// Puts one peer's media on the stream's clock (docs/ARCHITECTURE.md, timeline rule 2).
///
/// Two relations make up the answer. Sender reports tie every track's RTP clock to the peer's NTP
/// clock, and so the tracks to each other. The smallest arrival delay in a sliding window ties the
/// peer's NTP clock to the stream's. A track without a report stands by its own arrivals. Whatever
/// changes, the answer moves by bounded steps and never backwards:
///
/// ```
/// presentation = capture time on the stream's clock + playout delay
/// ```
///
/// - Reports that contradict the ones before wait until they are repeated. A jump that all tracks
///   share is the peer's wall clock being set: it moves nothing. A jump of one track alone means
///   that its RTP clock stood still for a while: the track moves.
/// - A track that is further behind the fastest one than the playout delay can absorb delays the
///   peer as a whole, so that sound and picture stay together and in time.
/// - A relation between tracks that their arrivals belie by more than a second is not believed.
public struct SourceClock: Sendable {
    /// From capture to presentation, as seen by the fastest packet. It absorbs jitter and the
    /// difference in delay between a peer's tracks.
    public let playoutDelay: Duration

    private var tracks: [TrackID: TrackClock] = [:]

    /// A peer has a camera, a microphone, a screen with sound, and a few more at most.
    public static let maximumTracks = 32
    /// What a track's fastest packets have in hand before their presentation.
    private static let margin: Int64 = 60_000_000
    /// Tracks of one peer share a path; larger differences are false reports.
    private static let maximumSkew: Int64 = 1_000_000_000
    /// A track that has been silent for longer says nothing about the path any more.
    private static let activity: Int64 = 10_000_000_000
    /// A track whose reports stopped cannot confirm or deny a jump.
    private static let reportActivity: Int64 = 30_000_000_000
    /// Repetitions after which a jump is adopted without hearing the other tracks.
    private static let lonelyConfirmations = 4

    public init(playoutDelay: Duration = .milliseconds(150)) {
        self.playoutDelay = playoutDelay
    }

    /// Adds a track, or starts it anew when it is known: a republished track is a new one.
    ///
    /// - Returns: false when the peer has `maximumTracks` already; the track then has no
    ///   presentation times.
    @discardableResult
    public mutating func addTrack(_ track: TrackID, clockRate: Int) -> Bool {
        guard tracks[track] != nil || tracks.count < Self.maximumTracks else { return false }
        tracks[track] = TrackClock(clockRate: clockRate)
        return true
    }

    public mutating func removeTrack(_ track: TrackID) { tracks[track] = nil }

    /// A frame or packet of the track has arrived whole. To be called for each one, before its
    /// `presentation` is asked for.
    ///
    /// - Parameters:
    ///   - rtpTimestamp: unwrapped.
    ///   - now: when it arrived, not when it was decoded.
    public mutating func arrived(_ track: TrackID, rtpTimestamp: Int64, at now: Instant) {
        let allowance = playoutDelay.nanoseconds
        tracks[track]?.arrived(rtpTimestamp, lateAfter: allowance, at: now)
        guard let target = target(of: track, at: now) else { return }
        tracks[track]?.follow(target: target, timestamp: rtpTimestamp, at: now)
    }

    /// A sender report of the track has arrived. RFC 3550 sect. 6.4.1.
    ///
    /// - Parameter rtpTimestamp: unwrapped together with the media's.
    public mutating func senderReport(
        _ track: TrackID, rtpTimestamp: Int64, ntp: NTPTime, at now: Instant
    ) {
        // Before the first packet there is no media time that the report could speak of.
        guard let clock = tracks[track], clock.base != nil,
            let media = clock.mediaTime(rtpTimestamp)
        else { return }
        tracks[track]?.reports.reported(offset: ntp.nanoseconds &- media, at: now)
        // What another track's jump means may be clear only now. In order, for a dictionary's own
        // order differs from run to run.
        for id in tracks.keys.sorted() { settle(id, at: now) }
    }

    /// When a timestamp is to be seen or heard, on the stream's clock. Nil for a track that is
    /// unknown or of which nothing has arrived, and for absurd timestamps.
    public func presentation(of track: TrackID, rtpTimestamp: Int64) -> Instant? {
        guard let clock = tracks[track], let base = clock.base,
            let media = clock.mediaTime(rtpTimestamp)
        else { return nil }
        return Instant(nanoseconds: media + base) + playoutDelay
    }

    /// Whether the track is tied to its peer's other tracks by sender reports.
    public func isSynchronized(_ track: TrackID) -> Bool {
        tracks[track]?.reports.offset != nil
    }

    /// Adopts a confirmed jump of the track's relation, once it is clear what it means.
    private mutating func settle(_ track: TrackID, at now: Instant) {
        guard let clock = tracks[track], clock.reports.isConfirmed,
            let jump = clock.reports.jump, let candidate = clock.reports.candidate
        else { return }
        let others = tracks.filter { id, other in
            guard id != track, let last = other.reports.lastReport else { return false }
            return now.nanoseconds - last.nanoseconds < Self.reportActivity
        }
        let sharing = others.filter { _, other in
            guard let jumpThere = other.reports.jump else { return false }
            return (jumpThere &- jump).magnitude <= UInt64(2 * ReportMapping.tolerance)
        }
        let haveSpoken = others.values.allSatisfy {
            ($0.reports.lastReport ?? .zero) > candidate.firstSeen
        }
        if sharing.count == others.count {
            // The wall clock was set: all offsets change alike and their differences not at all.
            for id in sharing.keys { tracks[id]?.reports.adopt() }
            tracks[track]?.reports.adopt()
        } else if haveSpoken || candidate.count >= Self.lonelyConfirmations {
            tracks[track]?.reports.adopt()
            tracks[track]?.forgetDelays(before: candidate.firstSeen)
        }
    }

    /// Where the track's base should be.
    private func target(of track: TrackID, at now: Instant) -> Int64? {
        guard let clock = tracks[track], let own = clock.delays.minimum else { return nil }
        guard let offset = clock.reports.offset else { return own }
        // Delays on the peer's NTP clock, comparable between its tracks.
        var smallest = own &- offset
        var largest = smallest
        for other in tracks.values {
            guard let otherOffset = other.reports.offset, let minimum = other.delays.minimum,
                let last = other.lastArrival,
                now.nanoseconds - last.nanoseconds <= Self.activity
            else { continue }
            smallest = min(smallest, minimum &- otherOffset)
            largest = max(largest, minimum &- otherOffset)
        }
        guard (largest &- smallest).magnitude <= UInt64(Self.maximumSkew) else { return own }
        let absorbed = max(0, playoutDelay.nanoseconds - Self.margin)
        return offset &+ max(smallest, largest &- absorbed)
    }
}
