import MediaKernel

/// What may go on of one track: several times of what its publisher's role is told to send, since
/// encoders overshoot and pages ask for more, but not whatever a client likes to send to everybody.
///
/// What comes twice, repairs of what came and padding do not count: they go no further.
struct TrackBudget {
    /// Of the rate that the role states.
    static let factor = 4
    /// Opus' most, 510 kbit/s (RFC 6716 sect. 2.1.1), and some.
    static let soundMinimum = 640_000
    /// Packets of sound a second: Opus' shortest have 2.5 ms. RFC 7587 sect. 4.2.
    static let soundPackets = 400
    static let videoMinimum = 10_000_000
    /// Where the role states nothing: a sharp 4K picture.
    static let videoUnstated = 40_000_000
    /// What may come at once, in seconds of the rate: key frames, and what waited for a network.
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

    /// Bits per second that may go on for long.
    static func maximum(isVideo: Bool, stated: Int?) -> Int {
        let least = isVideo ? videoMinimum : soundMinimum
        // Whatever a policy may say, no more than counters hold.
        guard let stated else { return isVideo ? videoUnstated : least }
        return max(min(stated, 1_000_000_000) * factor, least)
    }

    private static func bytes(isVideo: Bool, stated: Int?, at now: Instant) -> TokenBucket {
        let rate = maximum(isVideo: isVideo, stated: stated) / 8
        return TokenBucket(rate: rate, burst: rate * burstSeconds, at: now)
    }

    /// The role states another rate, in bits per second, or none.
    mutating func state(_ stated: Int?, at now: Instant) {
        guard stated != self.stated else { return }
        self.stated = stated
        bytes = Self.bytes(isVideo: isVideo, stated: stated, at: now)
    }

    /// Whether a packet may go on.
    mutating func take(bytes count: Int, at now: Instant) -> Bool {
        guard isVideo || packets.take(at: now) else { return false }
        return bytes.take(count, at: now)
    }

    /// Whether the publisher is to be told that something was left out just now.
    mutating func warns(at now: Instant) -> Bool { warnings.take(at: now) }
}

/// What may go on of everything that one peer publishes.
struct PeerBudget {
    /// Several screens and cameras in layers.
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

/// When somebody is told once more.
private struct Warnings {
    static let interval: Duration = .seconds(10)

    private var next: Instant?

    mutating func take(at now: Instant) -> Bool {
        if let next, now < next { return false }
        next = now + Self.interval
        return true
    }
}
