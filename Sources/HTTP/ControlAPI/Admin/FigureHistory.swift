import MediaKernel
import Synchronization

/// The server's figures at one moment.
struct Figures: Hashable, Sendable {
    var time: UnixTime
    var streams: Int
    var viewers: Int
    var peers: Int
    /// The share of the machine's cores that is in use, 0 to 1; nil until known.
    var busy: Double?
    /// The share of its memory that is in use, 0 to 1; nil if the kernel does not say.
    var memory: Double?
    /// Bits per second of all layers of all streams together.
    var bitrate: Int
}

extension Figures: Encodable {
    enum CodingKeys: String, CodingKey {
        case time, streams, viewers, peers, busy, memory, bitrate
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time.description, forKey: .time)
        try container.encode(streams, forKey: .streams)
        try container.encode(viewers, forKey: .viewers)
        try container.encode(peers, forKey: .peers)
        try container.encode(busy, forKey: .busy)
        try container.encode(memory, forKey: .memory)
        try container.encode(bitrate, forKey: .bitrate)
    }
}

/// The figures of the last hour.
final class FigureHistory: Sendable {
    /// Between two samples.
    static let interval: Duration = .seconds(10)
    static let length: Duration = .seconds(3600)
    static let samplesMaximum = 361

    private let samples = Mutex<[Figures]>([])

    func add(_ figures: Figures) {
        samples.withLock { samples in
            // Those of a clock that has been set back since would stay for ever.
            samples.removeAll { $0.time > figures.time || $0.time < figures.time - Self.length }
            samples.append(figures)
            samples.removeFirst(max(0, samples.count - Self.samplesMaximum))
        }
    }

    /// Oldest first.
    var all: [Figures] { samples.withLock { $0 } }
}
