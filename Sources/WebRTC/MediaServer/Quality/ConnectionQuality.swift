import MediaKernel

/// The quality of a peer's downlink as a score: 0 (no connection), 1 (bad) to 5 (no loss, and
/// all wanted media is carried). The worst of packet loss, delay and missing video decides,
/// averaged over some seconds. Pure.
struct ConnectionQuality {
    /// Measurements of an open connection.
    struct Sample: Hashable {
        /// Share of packets lost recently, 0…1; nil if unknown.
        var loss: Double?
        /// Nil if unknown.
        var roundTrip: Duration?
        /// The number of videos that the peer wants.
        var videos = 0
        /// The wanted videos that the path carries only in a poorer layer.
        var reduced = 0
        /// The wanted videos that the path does not carry at all.
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

    /// The average moves by this share of the difference with each sample, once a second.
    static let adaptation = 0.4
    /// The score changes when the average passes the midpoint to another score by this margin.
    static let hysteresis = 0.25

    /// 0…5.
    private(set) var score: Int
    private var average: Double?

    init() { score = 0 }

    /// Takes the measurements of the last second; nil if the connection is not open.
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
