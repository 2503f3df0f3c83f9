public import MediaKernel
public import Streams

/// A bot's report to the server.
public enum BotReport: ProcessReport {
    case joined
    /// The first segment of every layer is published; milliseconds since the bot's start.
    case running(firstSegmentMilliseconds: Int64)
    /// Every layer has progressed since the last such report, however slowly: the bot does not
    /// hang.
    case atWork
    case tiles([Tile])
    case segment(layer: Int, index: Int, bytes: Int)
    /// A part of a segment of fragments can be fetched; each layer's come in their order.
    case part(Part)
    /// The playlist that lists this segment of the fragments is in place: of a stream with parts.
    case segmentListed(layer: Int, segment: Int)
    case warning(String)
    /// How much of the picture is left out for lack of CPU: the pictures composed per second, the
    /// layers with even fewer, and the videos not decoded.
    case reduction(frameRate: Double, layersThinned: Int, videosLeftOut: Int)
    /// Tracks that cannot be decoded, even with enough CPU: all of them, or the first
    /// ``leftOutMaximum``.
    case leftOut([LeftOutTrack])
    /// The frame rate of the newest segment, reported when it changes.
    case frameRate(Double)
    /// What the bot has used, every few seconds: CPU time, and its largest resident size in MB of
    /// 1,000,000 bytes.
    case usage(cpuSeconds: Double, residentMegabytes: Double)
    /// The state of one output, at each change; its figures from time to time.
    case push(PushReport)
    /// What a program that recognizes speech has understood.
    case caption(Caption)
    /// Who a peer is, as its room's server tells: an object in its own format. At each change.
    case identity(peer: String, JSONValue)
    /// What somebody has said to all, where the room is not the server's own.
    case message(Message)
    /// What the bot logs, as far as its ``LogAllowance`` goes.
    case log(LogLine)
    case stopped(reason: String, Totals)
    /// - Parameter failure: nil if the kind of failure does not matter.
    case failed(reason: String, failure: BotFailure? = nil)

    /// A peer's place in the picture, in pixels of the top layer.
    public struct Tile: Hashable, Sendable, Codable {
        public var peer: String
        public var peerID: String?
        public var x: Int
        public var y: Int
        public var width: Int
        public var height: Int

        public init(
            peer: String, peerID: String? = nil, x: Int, y: Int, width: Int, height: Int
        ) {
            self.peer = peer
            self.peerID = peerID
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }

        enum CodingKeys: String, CodingKey {
            case peer
            case peerID = "peer_id"
            case x, y, width, height
        }
    }

    /// A caption to be; the server checks it as if it came from outside.
    public struct Caption: Hashable, Sendable, Codable {
        public var language: String
        public var text: String
        /// In milliseconds since 1970; nil for now.
        public var start: Int64?
        public var end: Int64?
        /// The peer's name and id; nil if unknown.
        public var speaker: String?
        public var peer: String?

        public init(
            language: String, text: String, start: Int64? = nil, end: Int64? = nil,
            speaker: String? = nil, peer: String? = nil
        ) {
            self.language = language
            self.text = text
            self.start = start
            self.end = end
            self.speaker = speaker
            self.peer = peer
        }

        enum CodingKeys: String, CodingKey {
            case language, text, speaker
            case start = "start_ms"
            case end = "end_ms"
            case peer = "peer_id"
        }
    }

    /// The most tracks in one report: with names and ids of maximal length they fill half a line.
    public static let leftOutMaximum = 16

    /// A track that the stream leaves out, its peer, and the reason for people to read.
    public struct LeftOutTrack: Hashable, Sendable, Codable {
        public var track: String
        /// The peer's name.
        public var peer: String
        public var peerID: String
        public var reason: String

        public init(track: String, peer: String, peerID: String, reason: String) {
            self.track = track
            self.peer = peer
            self.peerID = peerID
            self.reason = reason
        }

        enum CodingKeys: String, CodingKey {
            case track, peer
            case peerID = "peer_id"
            case reason
        }
    }

    /// The totals of the whole stream.
    public struct Totals: Hashable, Sendable {
        /// Of the top layer.
        public var segments: Int
        /// In seconds.
        public var duration: Double
        public var frames: Int64
        /// Pictures left out for lack of CPU, over all layers.
        public var framesDropped: Int
        public var cpuSeconds: Double
        /// Largest resident size, in MB of 1,000,000 bytes.
        public var residentMegabytes: Double

        public init(
            segments: Int = 0, duration: Double = 0, frames: Int64 = 0, framesDropped: Int = 0,
            cpuSeconds: Double = 0, residentMegabytes: Double = 0
        ) {
            self.segments = segments
            self.duration = duration
            self.frames = frames
            self.framesDropped = framesDropped
            self.cpuSeconds = cpuSeconds
            self.residentMegabytes = residentMegabytes
        }
    }
}

extension BotReport {
    private enum Event: String, Codable {
        case joined, running, tiles, segment, part, warning, reduction, usage, push, caption,
            identity,
            said, log, stopped, failed
        case segmentListed = "segment_listed"
        case atWork = "at_work"
        case leftOut = "left_out"
        case frameRate = "frame_rate"
    }

    private enum CodingKeys: String, CodingKey {
        case event
        case firstSegment = "first_segment_ms"
        case tiles, layer, index, bytes, message, reason, failure, tracks, output, caption, peer,
            identity, said, line
        case frameRate = "frame_rate"
        case layersThinned = "layers_thinned"
        case videosLeftOut = "videos_left_out"
        case segment, segments, duration, frames
        case framesDropped = "frames_dropped"
        case cpuSeconds = "cpu_seconds"
        case resident = "rss_mb"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .joined:
            try container.encode(Event.joined, forKey: .event)
        case .running(let milliseconds):
            try container.encode(Event.running, forKey: .event)
            try container.encode(milliseconds, forKey: .firstSegment)
        case .atWork:
            try container.encode(Event.atWork, forKey: .event)
        case .tiles(let tiles):
            try container.encode(Event.tiles, forKey: .event)
            try container.encode(tiles, forKey: .tiles)
        case .segment(let layer, let index, let bytes):
            try container.encode(Event.segment, forKey: .event)
            try container.encode(layer, forKey: .layer)
            try container.encode(index, forKey: .index)
            try container.encode(bytes, forKey: .bytes)
        case .part(let part):
            try container.encode(Event.part, forKey: .event)
            try part.encode(to: encoder)
        case .segmentListed(let layer, let segment):
            try container.encode(Event.segmentListed, forKey: .event)
            try container.encode(layer, forKey: .layer)
            try container.encode(segment, forKey: .segment)
        case .warning(let message):
            try container.encode(Event.warning, forKey: .event)
            try container.encode(message, forKey: .message)
        case .reduction(let frameRate, let layersThinned, let videosLeftOut):
            try container.encode(Event.reduction, forKey: .event)
            try container.encode(frameRate, forKey: .frameRate)
            try container.encode(layersThinned, forKey: .layersThinned)
            try container.encode(videosLeftOut, forKey: .videosLeftOut)
        case .leftOut(let tracks):
            try container.encode(Event.leftOut, forKey: .event)
            try container.encode(tracks, forKey: .tracks)
        case .frameRate(let frameRate):
            try container.encode(Event.frameRate, forKey: .event)
            try container.encode(frameRate, forKey: .frameRate)
        case .usage(let seconds, let megabytes):
            try container.encode(Event.usage, forKey: .event)
            try container.encode(seconds, forKey: .cpuSeconds)
            try container.encode(megabytes, forKey: .resident)
        case .push(let report):
            try container.encode(Event.push, forKey: .event)
            try container.encode(report, forKey: .output)
        case .caption(let caption):
            try container.encode(Event.caption, forKey: .event)
            try container.encode(caption, forKey: .caption)
        case .identity(let peer, let identity):
            try container.encode(Event.identity, forKey: .event)
            try container.encode(peer, forKey: .peer)
            try container.encode(identity, forKey: .identity)
        case .message(let message):
            try container.encode(Event.said, forKey: .event)
            try container.encode(message, forKey: .said)
        case .log(let line):
            try container.encode(Event.log, forKey: .event)
            try container.encode(line, forKey: .line)
        case .stopped(let reason, let totals):
            try container.encode(Event.stopped, forKey: .event)
            try container.encode(reason, forKey: .reason)
            try container.encode(totals.segments, forKey: .segments)
            try container.encode(totals.duration, forKey: .duration)
            try container.encode(totals.frames, forKey: .frames)
            try container.encode(totals.framesDropped, forKey: .framesDropped)
            try container.encode(totals.cpuSeconds, forKey: .cpuSeconds)
            try container.encode(totals.residentMegabytes, forKey: .resident)
        case .failed(let reason, let failure):
            try container.encode(Event.failed, forKey: .event)
            try container.encode(reason, forKey: .reason)
            try container.encodeIfPresent(failure, forKey: .failure)
        }
    }

    /// Missing fields get defaults: the event itself counts most.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Event.self, forKey: .event) {
        case .joined: self = .joined
        case .running:
            self = .running(firstSegmentMilliseconds: try container.found(.firstSegment, or: 0))
        case .atWork: self = .atWork
        case .tiles: self = .tiles(try container.found(.tiles, or: []))
        case .segment:
            self = .segment(
                layer: try container.found(.layer, or: 0),
                index: try container.found(.index, or: 0),
                bytes: try container.found(.bytes, or: 0))
        case .part: self = .part(try Part(from: decoder))
        case .segmentListed:
            self = .segmentListed(
                layer: try container.found(.layer, or: 0),
                segment: try container.decode(Int.self, forKey: .segment))
        case .warning: self = .warning(try container.found(.message, or: ""))
        case .leftOut: self = .leftOut(try container.found(.tracks, or: []))
        case .reduction:
            self = .reduction(
                frameRate: try container.found(.frameRate, or: 0),
                layersThinned: try container.found(.layersThinned, or: 0),
                videosLeftOut: try container.found(.videosLeftOut, or: 0))
        case .frameRate: self = .frameRate(try container.found(.frameRate, or: 0))
        case .usage:
            self = .usage(
                cpuSeconds: try container.found(.cpuSeconds, or: 0),
                residentMegabytes: try container.found(.resident, or: 0))
        case .push: self = .push(try container.decode(PushReport.self, forKey: .output))
        case .caption: self = .caption(try container.decode(Caption.self, forKey: .caption))
        case .identity:
            self = .identity(
                peer: try container.decode(String.self, forKey: .peer),
                try container.decode(JSONValue.self, forKey: .identity))
        case .said: self = .message(try container.decode(Message.self, forKey: .said))
        case .log: self = .log(try container.decode(LogLine.self, forKey: .line))
        case .stopped:
            self = .stopped(
                reason: try container.found(.reason, or: ""),
                Totals(
                    segments: try container.found(.segments, or: 0),
                    duration: try container.found(.duration, or: 0),
                    frames: try container.found(.frames, or: 0),
                    framesDropped: try container.found(.framesDropped, or: 0),
                    cpuSeconds: try container.found(.cpuSeconds, or: 0),
                    residentMegabytes: try container.found(.resident, or: 0)))
        case .failed:
            self = .failed(
                reason: try container.found(.reason, or: "no reason given"),
                failure: try? container.decodeIfPresent(BotFailure.self, forKey: .failure))
        }
    }
}
