import MediaKernel

/// How well what is sent to a peer arrives, in 100ms' figures: 0 (no way at all), 1 (bad) to 5
/// (nothing is lost, and all that is wanted is carried). The worst of loss, delay and what the way
/// leaves out decides, averaged over some seconds. Pure.
struct ConnectionQuality {
    /// What is known of a way that is open.
    struct Sample: Hashable {
        /// Share of packets lost lately, 0…1; nil when nothing is known.
        var loss: Double?
        /// Nil when nothing is known.
        var roundTrip: Duration?
        /// Videos that the peer wants …
        var videos = 0
        /// … of which the way carries a poorer form than is wanted …
        var reduced = 0
        /// … or nothing.
        var missing = 0

        fileprivate var score: Int { min(lossScore, delayScore, videoScore) }

        private var lossScore: Int {
            switch loss ?? 0 {
            case ..<0.01: 5
            case ..<0.03: 4
            case ..<0.08: 3
            case ..<0.2: 2
            default: 1
            }
        }

        private var delayScore: Int {
            switch roundTrip ?? .zero {
            case ..<Duration.milliseconds(250): 5
            case ..<Duration.milliseconds(500): 4
            case ..<Duration.milliseconds(1000): 3
            default: 2
            }
        }

        private var videoScore: Int {
            if missing > 0 { return missing == videos ? 1 : 2 }
            if reduced > 0 { return reduced == videos ? 3 : 4 }
            return 5
        }
    }

    /// Between samples, which come once a second, this share of the difference is taken over.
    static let adaptation = 0.4
    /// The score changes when the average is nearer to another one by so much.
    static let hysteresis = 0.25

    /// 0…5.
    private(set) var score: Int
    private var average: Double?

    init() { score = 0 }

    /// Takes what was seen in the last second; nil for a way that is not open.
    mutating func update(_ sample: Sample?) {
        guard let sample else {
            (score, average) = (0, nil)
            return
        }
        let seen = Double(sample.score)
        guard let before = average else {
            (score, average) = (sample.score, seen)
            return
        }
        let next = before + (seen - before) * Self.adaptation
        average = next
        if abs(next - Double(score)) > 0.5 + Self.hysteresis { score = Int(next.rounded()) }
    }
}
