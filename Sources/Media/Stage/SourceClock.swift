public import MediaKernel

/// Puts one peer's media on the stream's clock (docs/design/timeline.md, rule 2).
///
/// The answer combines two relations. Sender reports tie every track's RTP clock to the peer's NTP
/// clock, and so the tracks to each other. The smallest arrival delay in a sliding window ties the
/// peer's NTP clock to the stream's. A track without a report relies on its own arrivals. Whatever
/// changes, the answer moves by bounded steps and never backwards:
///
/// ```
/// presentation = capture time on the stream's clock + playout delay
/// ```
///
/// - Each peer has its own playout delay: the time that its slowest recent packets needed, within
///   bounds. It grows at once where that is inaudible or was heard already; otherwise it grows, as
///   it shrinks, at a pace that the sound can follow by being stretched. All tracks move together.
/// - Reports that contradict earlier ones wait until they are repeated. A jump that all tracks
///   share means that the peer's wall clock was set: nothing moves. A jump of one track alone means
///   that its RTP clock stood still for a while: the track moves.
/// - A track that is further behind the fastest one than the longest playout delay can absorb
///   delays the whole peer, so that sound and picture stay together and in time.
/// - A relation between tracks is ignored when their arrivals contradict it by more than a second,
///   or by more than 200 ms if only one report supports it. Reports that all contradict each other
///   are no relation at all.
public struct SourceClock: Sendable {
    /// The part of the playout delay that no packet may use up, in nanoseconds.
    private let reserve: Int64
    private var playout: PlayoutDelay
    private var tracks: [TrackID: TrackClock] = [:]
    /// When media or a report of the peer last arrived; nil before the first.
    public private(set) var lastSign: Instant?
    /// When sound last arrived.
    private var lastSound: Instant?
    /// The origin of the playout delay: a track's place without it. Floors count from a track
    /// clock's first timestamp, so those of another track clock, or of one that has begun anew,
    /// cannot be compared with it.
    private var origin: (track: TrackID, beginnings: Int, floor: Int64)?

    /// A peer has a camera, a microphone, a screen with sound, and a few more at most.
    public static let tracksMaximum = 32
    /// The time that a track's fastest packets have left before their presentation.
    private static let margin: Int64 = 60_000_000
    /// Tracks of one peer share a path; larger differences are false reports.
    private static let skewMaximum: Int64 = 1_000_000_000
    /// The most that a single report may claim: hardly any encoder takes so much longer than
    /// another.
    private static let unconfirmedSkewMaximum: Int64 = 200_000_000
    /// A track that was silent for longer says nothing about the path any more.
    private static let activity: Int64 = 10_000_000_000
    /// A peer whose sound has paused for this long is silent: senders that omit silent packets
    /// (DTX) still send one every 400 ms.
    private static let soundPause: Int64 = 1_000_000_000
    /// A track whose reports stopped cannot confirm or deny a jump.
    private static let reportActivity: Int64 = 30_000_000_000
    /// Repetitions after which a jump is adopted without the other tracks' reports.
    private static let lonelyConfirmations = 4

    /// - Parameters:
    ///   - range: of the playout delay. It absorbs jitter, the wait for repaired packets and the
    ///     difference in delay between a peer's tracks.
    ///   - reserve: how long before its presentation a packet must be there, for decoding and for
    ///     mixing a whole frame at a time.
    public init(
        playoutDelay range: PlayoutDelayRange = PlayoutDelayRange(),
        reserve: Duration = .milliseconds(50)
    ) {
        playout = PlayoutDelay(range)
        self.reserve = reserve.nanoseconds
    }

    /// The present time from capture to presentation, as seen by the fastest packet.
    public var playoutDelay: Duration { .nanoseconds(playout.current) }

    /// By how much all presentations have moved since the beginning at the pace that sound can
    /// follow; positive for a later time. Sound that knows this value follows without lagging.
    public var slid: Duration { .nanoseconds(playout.slid) }

    /// Adds a track, or resets a known one: a republished track is a new one.
    ///
    /// - Returns: false when the peer has `tracksMaximum` already; the track then has no
    ///   presentation times.
    @discardableResult
    public mutating func addTrack(
        _ track: TrackID, clockRate: Int, isSound: Bool = false
    ) -> Bool {
        guard tracks[track] != nil || tracks.count < Self.tracksMaximum else { return false }
        tracks[track] = TrackClock(clockRate: clockRate, isSound: isSound)
        if origin?.track == track { origin = nil }
        return true
    }

    public mutating func removeTrack(_ track: TrackID) { tracks[track] = nil }

    /// A whole frame or packet of the track has arrived. Call it for each one before asking for its
    /// `presentation`.
    ///
    /// - Parameters:
    ///   - rtpTimestamp: unwrapped.
    ///   - ready: when it could be decoded, if it had to wait for earlier packets.
    ///   - now: when it arrived, not when it was decoded.
    public mutating func arrived(
        _ track: TrackID, rtpTimestamp: Int64, ready: Instant? = nil, at now: Instant
    ) {
        let ready = max(now, ready ?? now)
        lastSign = max(now, lastSign ?? now)
        // One lookup: hashing the track's name takes longer than computing its time.
        guard let place = tracks.index(forKey: track) else { return }
        tracks.values[place].arrived(
            rtpTimestamp, ready: ready, playout: playout.current, at: now)
        if tracks.values[place].isSound { lastSound = max(now, lastSound ?? now) }
        let spread = spread(with: track, at: now)
        guard let floor = floor(of: tracks.values[place], spread) else { return }
        adaptPlayout(to: tracks.values[place], spread, ready: ready, at: now, rtpTimestamp)
        tracks.values[place].follow(
            target: floor + playout.current, timestamp: rtpTimestamp, at: now)
    }

    /// A moment of the peer's sound in which a change is inaudible.
    public mutating func soundIsQuiet(at now: Instant) {
        let needed = needed(spread(with: nil, at: now), at: now)
        postpone(by: playout.update(needed: needed, isFree: true, at: now))
    }

    /// A sender report of the track has arrived. RFC 3550 sect. 6.4.1.
    ///
    /// - Parameter rtpTimestamp: unwrapped together with the media's.
    public mutating func senderReport(
        _ track: TrackID, rtpTimestamp: Int64, ntp: NTPTime, at now: Instant
    ) {
        lastSign = max(now, lastSign ?? now)
        // Before the first packet there is no media time for the report to relate to.
        guard let clock = tracks[track], clock.base != nil,
            let media = clock.mediaTime(rtpTimestamp)
        else { return }
        tracks[track]?.reports.reported(offset: ntp.nanoseconds &- media, at: now)
        // Another track's jump may become clear only now. Sorted, because a dictionary's order
        // differs from run to run.
        for id in tracks.keys.sorted() { settle(id, at: now) }
    }

    /// When a timestamp is to be seen or heard, on the stream's clock. Nil for an unknown track,
    /// before its first arrival, and for absurd timestamps.
    public func presentation(of track: TrackID, rtpTimestamp: Int64) -> Instant? {
        guard let clock = tracks[track], let base = clock.base,
            let media = clock.mediaTime(rtpTimestamp)
        else { return nil }
        return Instant(nanoseconds: media + base)
    }

    /// Whether the track is tied to its peer's other tracks by sender reports.
    public func isSynchronized(_ track: TrackID) -> Bool {
        tracks[track]?.reports.offset != nil
    }

    /// Adopts a confirmed jump of the track's relation, once its meaning is clear.
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
            // The wall clock was set: all offsets change alike and their differences stay.
            for id in sharing.keys { tracks[id]?.reports.adopt() }
            tracks[track]?.reports.adopt()
        } else if haveSpoken || candidate.count >= Self.lonelyConfirmations {
            tracks[track]?.reports.adopt()
            tracks[track]?.forgetDelays(before: candidate.firstSeen)
        }
    }
}

// MARK: Where a track belongs

extension SourceClock {
    /// The smallest and the largest of the tracks' delays on the peer's NTP clock, where they are
    /// comparable.
    private struct Spread {
        var smallest = Int64.max
        var largest = Int64.min
        var isEstablished = true
    }

    private func isActive(_ track: TrackClock, at now: Instant) -> Bool {
        track.lastArrival.map { now.nanoseconds - $0.nanoseconds <= Self.activity } ?? false
    }

    /// - Parameter arrived: a track that counts even if it was silent for long.
    private func spread(with arrived: TrackID?, at now: Instant) -> Spread {
        var spread = Spread()
        for (id, track) in tracks where id == arrived || isActive(track, at: now) {
            guard let offset = track.reports.offset, let minimum = track.delays.minimum
            else { continue }
            spread.smallest = min(spread.smallest, minimum &- offset)
            spread.largest = max(spread.largest, minimum &- offset)
            if !track.reports.isEstablished { spread.isEstablished = false }
        }
        return spread
    }

    /// Where the track's base belongs without the playout delay.
    private func floor(of clock: TrackClock, _ spread: Spread) -> Int64? {
        guard let own = clock.delays.minimum else { return nil }
        guard let offset = clock.reports.offset, spread.smallest <= spread.largest,
            (spread.largest &- spread.smallest).magnitude
                <= UInt64(spread.isEstablished ? Self.skewMaximum : Self.unconfirmedSkewMaximum)
        else { return own }
        let absorbed = max(0, playout.range.maximum.nanoseconds - Self.margin)
        return offset &+ max(spread.smallest, spread.largest &- absorbed)
    }

    // MARK: The playout delay

    /// The delay that the slowest packets of all tracks need.
    private func needed(_ spread: Spread, at now: Instant) -> Int64 {
        var needed: Int64 = 0
        for track in tracks.values where isActive(track, at: now) {
            guard let slowest = track.slowest, let floor = floor(of: track, spread)
            else { continue }
            needed = max(needed, slowest &- floor)
        }
        return needed &+ reserve
    }

    private mutating func adaptPlayout(
        to clock: TrackClock, _ spread: Spread, ready: Instant, at now: Instant,
        _ rtpTimestamp: Int64
    ) {
        guard let base = clock.base, let media = clock.mediaTime(rtpTimestamp) else { return }
        let needed = needed(spread, at: now)
        noteOrigin(spread, needed: needed, at: now)
        // Late sound has torn a hole already: all later media is delayed for it.
        let isHeard = lastSound.map { now.nanoseconds - $0.nanoseconds < Self.soundPause } ?? false
        let isLate = clock.isSound && ready.nanoseconds + reserve > media + base
        postpone(by: playout.update(needed: needed, isFree: !isHeard || isLate, at: now))
    }

    /// The sound's moves count as the peer's, if it has sound.
    private mutating func noteOrigin(_ spread: Spread, needed: Int64, at now: Instant) {
        guard let leader = leader(at: now), let floor = floor(of: leader.clock, spread)
        else { return }
        let beginnings = leader.clock.beginnings
        if let origin, origin.track == leader.track, origin.beginnings == beginnings {
            playout.originMoved(by: floor &- origin.floor, needed: needed)
        }
        origin = (leader.track, beginnings, floor)
    }

    /// The first of the active tracks by name, sound before pictures.
    private func leader(at now: Instant) -> (track: TrackID, clock: TrackClock)? {
        var leader: (track: TrackID, clock: TrackClock)?
        for (id, clock) in tracks where isActive(clock, at: now) {
            if let leader {
                guard clock.isSound == leader.clock.isSound ? id < leader.track : clock.isSound
                else { continue }
            }
            leader = (id, clock)
        }
        return leader
    }

    private mutating func postpone(by nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        for id in tracks.keys { tracks[id]?.postpone(by: nanoseconds) }
    }
}
