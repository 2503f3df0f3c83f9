#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One line of a bot's standard output, as far as the server has use for it.
public enum BotReport: Hashable, Sendable {
    case joined
    /// The first segment of every layer is published; milliseconds since the bot's start.
    case running(firstSegmentMilliseconds: Int)
    case tiles([Tile])
    case segment
    case warning(String)
    /// How much of the picture is left out for want of CPU.
    case reduction(frameRate: Double, layersThinned: Int)
    case stopped(reason: String, Totals)
    case failed(reason: String)

    /// Where a peer is in the picture, in pixels of the top layer.
    public struct Tile: Hashable, Sendable, Codable {
        public var peer: String
        public var peerID: String?
        public var x: Int
        public var y: Int
        public var width: Int
        public var height: Int

        enum CodingKeys: String, CodingKey {
            case peer
            case peerID = "peer_id"
            case x, y, width, height
        }
    }

    /// What the whole stream came to.
    public struct Totals: Hashable, Sendable {
        public var segments: Int
        public var duration: Double
        public var cpuSeconds: Double
        public var residentMegabytes: Double
    }

    /// Longer lines are not read: a bot that writes one is broken.
    static let lineBytesMaximum = 64 * 1024

    /// Nil for what is no report: a newer bot may say more than this server understands.
    init?(line: some StringProtocol) {
        guard line.utf8.count <= Self.lineBytesMaximum,
            let fields = try? JSONDecoder().decode(Fields.self, from: Data(line.utf8))
        else { return nil }
        switch fields.event {
        case "joined": self = .joined
        case "running":
            self = .running(firstSegmentMilliseconds: Int(fields.firstSegment ?? 0))
        case "tiles": self = .tiles(fields.tiles ?? [])
        case "segment": self = .segment
        case "warning": self = .warning(fields.message ?? fields.reason ?? "")
        case "reduction":
            self = .reduction(
                frameRate: fields.frameRate ?? 0, layersThinned: fields.layersThinned ?? 0)
        case "stopped":
            self = .stopped(
                reason: fields.reason ?? "",
                Totals(
                    segments: fields.segments ?? 0, duration: fields.duration ?? 0,
                    cpuSeconds: fields.cpuSeconds ?? 0, residentMegabytes: fields.resident ?? 0))
        case "failed": self = .failed(reason: fields.reason ?? "no reason given")
        default: return nil
        }
    }

    private struct Fields: Decodable {
        var event: String
        var firstSegment: Double?
        var tiles: [Tile]?
        var message: String?
        var reason: String?
        var frameRate: Double?
        var layersThinned: Int?
        var segments: Int?
        var duration: Double?
        var cpuSeconds: Double?
        var resident: Double?

        enum CodingKeys: String, CodingKey {
            case event
            case firstSegment = "first_segment_ms"
            case tiles, message, reason, segments, duration
            case frameRate = "frame_rate"
            case layersThinned = "layers_thinned"
            case cpuSeconds = "cpu_seconds"
            case resident = "rss_mb"
        }
    }
}

/// What a stream's bots reported so far: for the demonstration, and for whoever asks how it goes.
public struct StreamStatistics: Hashable, Sendable {
    /// From the request to the first segment of every layer; nil until then.
    public var startedAfter: Duration?
    /// The layout as last reported.
    public var tiles: [BotReport.Tile] = []
    /// Known once the bot has finished.
    public var totals: BotReport.Totals?
    /// Bots started, the first one included.
    public var launches = 0
}
