import Codec
import Foundation
import MediaKernel
public import Recording
import Workbench

/// A stream's output directory as left by the bots: segments of real pictures and audio, their
/// logs, and a master playlist.
public final class RecordedStream {
    public struct Layer: Sendable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    public static let frameRate = 30
    public static let framesPerSegment = 30
    /// The muxer's time zero, in ticks of 90 kHz.
    public static let origin = TransportStreamMuxer.timestampOffset.rescaled(to: 90_000).ticks

    private let scratch: Scratch
    public let layers: [Layer]
    public private(set) var records: [[SegmentRecord]]

    public init(
        layers: [Layer] = [Layer(width: 320, height: 180), Layer(width: 192, height: 144)]
    ) throws {
        scratch = try Scratch()
        self.layers = layers
        records = layers.map { _ in [] }
        for layer in layers.indices {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/stream_\(layer)", withIntermediateDirectories: true)
        }
        let names = layers.indices.map {
            "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"avc1.64000D,mp4a.40.2\"\n"
                + "stream_\($0)/stream.m3u8\n"
        }
        try write(Array("#EXTM3U\n\(names.joined())".utf8), to: "master.m3u8")
    }

    public var path: String { scratch.path }

    public var folder: StreamFolder { StreamFolder(path: path) }

    public func write(_ bytes: [UInt8], to name: String) throws {
        try scratch.write(bytes, to: name)
    }

    public func bytes(_ name: String) throws -> [UInt8] {
        try scratch.bytes(name)
    }

    public func plan(damaged: [Int: Set<Int>] = [:]) throws -> RecordingPlan {
        try RecordingPlan(layers: try folder.logs().map(\.records), damaged: damaged)
    }

    /// One life of a bot: `frames` of each layer, numbered on from the existing ones.
    ///
    /// - Parameters:
    ///   - run: its epoch.
    ///   - pictured: whether a frame is encoded, which it is not for lack of CPU.
    public func record(
        run: Int64, frames: Int, leavingOut: Set<Int> = [], preset: String = "veryfast",
        pictured: (Int, Int) -> Bool = { _, _ in true }
    ) throws {
        for (index, layer) in layers.enumerated() {
            var settings = VideoEncoderSettings(
                width: layer.width, height: layer.height, frameRate: Self.frameRate,
                bitrate: 200_000, keyframeInterval: Self.framesPerSegment)
            settings.preset = preset
            let writer = try SegmentCutter(settings: settings, frames: frames) {
                pictured(index, $0)
            }
            let first = records[index].count
            for (number, segment) in writer.segments.enumerated() {
                let record = try SegmentRecord(
                    number: first + number, run: run,
                    clock: SegmentClock(
                        frameRate: Self.frameRate, origin: Self.origin,
                        firstFrame: Int64(number * Self.framesPerSegment)),
                    frameCount: min(
                        Self.framesPerSegment, frames - number * Self.framesPerSegment),
                    isLeftOut: leavingOut.contains(first + number), bytes: segment)
                try write(segment, to: "stream_\(index)/\(record.fileName)")
                records[index].append(record)
            }
            try writeLog(ofLayer: index)
        }
    }

    public func writeLog(ofLayer layer: Int) throws {
        let text = records[layer].map(\.line).joined()
        try write(Array(text.utf8), to: "stream_\(layer)/\(SegmentLog.fileName)")
    }
}

/// Encodes and cuts like in production.
private struct SegmentCutter {
    private(set) var segments: [[UInt8]] = []

    init(settings: VideoEncoderSettings, frames: Int, pictured: (Int) -> Bool) throws {
        let video = try H264Encoder(settings)
        let audio = try AACEncoder(bitrate: 64_000)
        let muxer = try TransportStreamMuxer(
            video: video.streamParameters, audio: audio.streamParameters)
        // All audio first: the muxer keeps the part that belongs to later segments.
        let samples = (frames + 6) * 48_000 / settings.frameRate
        for block in 0..<samples / AACEncoder.frameSize {
            let tone = (0..<AACEncoder.frameSize).flatMap { n -> [Float] in
                let phase = Double((block * AACEncoder.frameSize + n) % 480) / 480
                let value = Float(phase < 0.5 ? 0.2 : -0.2)
                return [value, value]
            }
            let index = Int64(block * AACEncoder.frameSize)
            for packet in try audio.encode(tone, index: index) { try muxer.write(audio: packet) }
        }
        func take(_ packets: [EncodedPacket]) throws {
            for packet in packets {
                if packet.isKeyframe, packet.pts.ticks > 0 {
                    segments.append(try muxer.cut(before: packet.pts).bytes)
                }
                try muxer.write(video: packet)
            }
        }
        for index in 0..<frames where pictured(index) {
            let isStart = index.isMultiple(of: settings.keyframeInterval)
            let picture = try VideoFrame.make(width: settings.width, height: settings.height) {
                planes in
                for row in 0..<settings.height {
                    for column in 0..<settings.width {
                        planes.y.bytes[row * planes.y.stride + column] =
                            UInt8(truncatingIfNeeded: 40 + (column + row + index * 6) % 160)
                    }
                }
                planes.u.bytes.update(repeating: 110)
                planes.v.bytes.update(repeating: 140)
            }
            try take(try video.encode(picture, index: Int64(index), forceKeyframe: isStart))
        }
        try take(try video.flush())
        let end = MediaTime(ticks: Int64(frames), timescale: Int32(settings.frameRate))
        segments.append(try muxer.cut(before: end).bytes)
    }
}
