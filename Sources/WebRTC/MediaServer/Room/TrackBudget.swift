import MediaKernel

/// Limits the bandwidth of one track to several times the rate that the publisher's role states.
/// Encoders overshoot and pages ask for more, but a client must not flood all subscribers.
///
/// Duplicates, retransmissions of received packets and padding do not count: they are not
/// forwarded.
struct TrackBudget {
    /// A multiple of the rate that the role states.
    static let factor = 4
    /// Opus' maximum, 510 kbit/s (RFC 6716 sect. 2.1.1), and some reserve.
    static let soundMinimum = 640_000
    /// Audio packets per second: the shortest Opus packets have 2.5 ms. RFC 7587 sect. 4.2.
    static let soundPackets = 400
    static let videoMinimum = 10_000_000
    /// The limit if the role states no rate: a sharp 4K picture.
    static let videoUnstated = 40_000_000
    /// The burst size in seconds of the rate: for key frames, and packets that a network delayed.
    static let burstSeconds = 2
    private let isVideo: Bool
    private var stated: Int?
    private var bytes: TokenBucket
    private var packets: TokenBucket
    private var warnings = Warnings()

    init(isVideo: Bool, stated: Int?, at now: Instant) {
        self.isVideo = isVideo
        self.stated = stated
        bytes = Self.bytes(isVideo: isVideo, stated: stated, at: now)
        packets = TokenBucket(
            rate: Self.soundPackets, burst: Self.soundPackets * Self.burstSeconds, at: now)
    }

    /// The sustained limit in bits per second.
    static func maximum(isVideo: Bool, stated: Int?) -> Int {
        let least = isVideo ? videoMinimum : soundMinimum
        // Caps the policy's rate so that counters do not overflow.
        guard let stated else { return isVideo ? videoUnstated : least }
        return max(min(stated, 1_000_000_000) * factor, least)
    }

    private static func bytes(isVideo: Bool, stated: Int?, at now: Instant) -> TokenBucket {
        let rate = maximum(isVideo: isVideo, stated: stated) / 8
        return TokenBucket(rate: rate, burst: rate * burstSeconds, at: now)
    }

    /// Sets the rate stated by the role, in bits per second, or none.
    mutating func state(_ stated: Int?, at now: Instant) {
        guard stated != self.stated else { return }
        self.stated = stated
        bytes = Self.bytes(isVideo: isVideo, stated: stated, at: now)
    }

    /// Returns whether a packet may be forwarded.
    mutating func take(bytes count: Int, at now: Instant) -> Bool {
        guard isVideo || packets.take(at: now) else { return false }
        return bytes.take(count, at: now)
    }

    /// Returns whether to tell the publisher now that packets were dropped.
    mutating func warns(at now: Instant) -> Bool { warnings.take(at: now) }
}

/// Limits the bandwidth of everything that one peer publishes.
struct PeerBudget {
    /// Enough for several screens and cameras in layers.
    static let bitsPerSecond = 100_000_000
    static let packetsPerSecond = 20_000

    private var bytes: TokenBucket
    private var packets: TokenBucket
    private var warnings = Warnings()

    init(at now: Instant) {
        let seconds = TrackBudget.burstSeconds
        let rate = Self.bitsPerSecond / 8
        bytes = TokenBucket(rate: rate, burst: rate * seconds, at: now)
        packets = TokenBucket(
            rate: Self.packetsPerSecond, burst: Self.packetsPerSecond * seconds, at: now)
    }

    mutating func take(bytes count: Int, at now: Instant) -> Bool {
        packets.take(at: now) && bytes.take(count, at: now)
    }

    mutating func warns(at now: Instant) -> Bool { warnings.take(at: now) }
}

/// Limits how often a warning is repeated.
private struct Warnings {
    static let interval: Duration = .seconds(10)

    private var next: Instant?

    mutating func take(at now: Instant) -> Bool {
        if let next, now < next { return false }
        next = now + Self.interval
        return true
    }
}
