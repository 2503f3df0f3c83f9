import Codec
import Compositor
import Foundation
import HLS
import Logging
import MediaKernel
import RecordedStreams
import Testing
import Workbench

@testable import Pipeline

/// The size of segments in the worst case, compared with the master playlist's bandwidth.
@Suite struct SegmentRateTests {
    private let scratch: Scratch
    private static let rungs = [
        // A quarter of the bench's area and bits: as many bits for each pixel.
        Layer(width: 640, height: 360, videoBitrate: 500_000, audioBitrate: 64_000),
        Layer(width: 320, height: 180, videoBitrate: 150_000, audioBitrate: 64_000),
    ]

    init() throws { scratch = try Scratch() }

    /// A still picture fills the encoder's bucket; noise, then a cut in every fourth picture,
    /// empty it. Two seconds of each.
    private struct HardContent {
        private let still: VideoFrame
        private let noise: [VideoFrame]

        init(width: Int, height: Int) throws {
            still = try .solid(width: width, height: height, colour: .black)
            var random = SeededRandom(seed: 21)
            noise = try (0..<7).map { _ in
                try VideoFrame.make(width: width, height: height) { planes in
                    for plane in [planes.y, planes.u, planes.v] {
                        // Eight pixels at a time, which are cheap to make and equally hard to
                        // predict.
                        for offset in stride(from: 0, to: plane.bytes.count, by: 8) {
                            let value = 16 + UInt8(truncatingIfNeeded: random.next() >> 56) / 2
                            let end = min(offset + 8, plane.bytes.count)
                            plane.bytes[offset..<end].update(repeating: value)
                        }
                    }
                }
            }
        }

        func picture(_ index: Int64) -> VideoFrame {
            switch index / 60 % 4 {
            case 1: noise[Int(index) % noise.count]
            case 3: noise[Int(index) / 4 % noise.count]
            default: still
            }
        }
    }

    /// The last segment is whole, or half of one that comes when the bucket is full.
    @Test(arguments: ["balanced", "sharp"], [240, 90] as [Int64])
    func noSegmentExceedsItsBandwidthByMoreThanATenth(
        preset: String, frames: Int64
    ) async throws {
        let rungs = Self.rungs
        let configuration = PipelineConfiguration(
            ladder: try Ladder(validating: rungs), outputDirectory: scratch.path, title: "Test",
            preset: preset)
        let planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(2))
        let content = try HardContent(width: 640, height: 360)
        let ledger = MasterPlaylistWriter(layers: rungs.count, directory: scratch.path) { _ in }
        let directories = try LayerDirectory.open(
            count: rungs.count, in: scratch.path, mode: .event, planner: planner,
            isRecorded: false)
        var playlists: [MediaPlaylist] = []
        for index in rungs.indices {
            var sound = try AudioOutput(bitrates: [rungs[index].audioBitrate], firstSample: 0)
            let writer = try LayerEncoder(
                index: index, directory: directories[index], configuration: configuration,
                planner: planner, audio: try #require(sound.parameters(ofLayer: 0)),
                pauses: RecordingPauses(isPaused: false), ledger: ledger,
                logger: Logger(label: "test"))
            if index == 0 {
                try ledger.announce(
                    MasterPlaylist(variants: [writer.variant]), isRecorded: false)
            }
            // Safe because the test leaves the writer alone until its thread has ended.
            nonisolated(unsafe) let body = writer
            let thread = MediaThread(name: "layer") { body.run() }
            var random = SeededRandom(seed: 4)
            for frame in 0..<frames {
                let samples = (0..<3200).map { _ in Float.random(in: -0.5...0.5, using: &random) }
                try sound.append(samples) { _, packets in writer.inbox.put(.sound(packets)) }
                writer.inbox.put(.picture(content.picture(frame), index: frame))
            }
            try sound.finish { _, packets in writer.inbox.put(.sound(packets)) }
            writer.inbox.put(.finish(end: frames))
            await thread.join()
            try judge(layer: index, writer.variant, frames: frames)
            playlists.append(try playlist(ofLayer: index))
        }
        #expect(playlists[0].segments.map(\.duration) == playlists[1].segments.map(\.duration))
        #expect(ledger.failure == nil)
    }

    private func playlist(ofLayer index: Int) throws -> MediaPlaylist {
        try MediaPlaylist(parsing: scratch.text("stream_\(index)/stream.m3u8"))
    }

    private func judge(
        layer: Int, _ variant: MasterPlaylist.Variant, frames: Int64
    ) throws {
        let playlist = try playlist(ofLayer: layer)
        #expect(playlist.segments.count == (Int(frames) + 59) / 60)
        var heaviest = 0.0
        for (number, segment) in playlist.segments.enumerated() {
            let bytes = try scratch.bytes("stream_\(layer)/\(segment.uri)")
            let rate = Double(bytes.count * 8) / segment.duration.seconds
            heaviest = max(heaviest, rate)
            let pictures = min(60, Int(frames) - number * 60)
            let announced = 1.1 * Double(variant.bandwidth)
            // In a segment that was cut short the bucket has more weight.
            let bound = TransportStreamBitrate(
                layer: Self.rungs[layer], segmentDuration: segment.duration)
            #expect(rate <= (pictures == 60 ? announced : Double(bound.peak)))
            let report = try MediaProbe.decode(bytes)
            #expect(report.damagedPackets == 0)
            #expect(report.pictures.count == pictures)
            #expect(report.pictures.indices.filter { report.pictures[$0].isKeyframe } == [0])
            // CODECS matches the sequence parameter set in the segment.
            let start = try #require(bytes.firstRange(of: [0, 0, 1, 0x67])).upperBound
            let profile = Hexadecimal.text(bytes[start..<start + 3], uppercase: true)
            #expect(variant.codecs == "avc1.\(profile),mp4a.40.2")
        }
        // Easy content would prove nothing.
        #expect(heaviest > 0.8 * Double(variant.bandwidth))
    }
}
