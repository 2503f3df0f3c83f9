import Codec
import HLS
import Logging
import MediaKernel
import RecordedStreams
import Testing
import Workbench

@testable import Pipeline

/// The end of layers that lack different pictures, as when the CPU was short until the end.
@Suite struct StreamEndTests {
    private static let rungs = [
        Layer(width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 64_000),
        Layer(width: 256, height: 144, videoBitrate: 150_000, audioBitrate: 64_000),
    ]

    /// Two layers of 47 frames with their sound; the second has one in six pictures.
    private func write(in scratch: Scratch) async throws -> MasterPlaylistWriter {
        let configuration = PipelineConfiguration(
            ladder: try Ladder(validating: Self.rungs), outputDirectory: scratch.path,
            title: "Test", preset: "ultrafast")
        let planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(1))
        let ledger = MasterPlaylistWriter(layers: 2, directory: scratch.path) { _ in }
        let directories = try LayerDirectory.open(
            count: 2, in: scratch.path, mode: .event, planner: planner, isRecorded: false)
        let picture = try VideoFrame.solid(width: 320, height: 180, colour: .black)
        // A segment of silence would be too small to be recognised.
        let tone = (0..<1600).flatMap { n -> [Float] in
            let value: Float = n % 96 < 48 ? 0.2 : -0.2
            return [value, value]
        }
        for (index, interval) in [(0, 1), (1, 6)] as [(Int, Int64)] {
            var sound = try AudioOutput(bitrates: [64_000], firstSample: 0)
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
            for frame in 0..<Int64(47) {
                try sound.append(tone) { _, packets in writer.inbox.put(.sound(packets)) }
                if frame.isMultiple(of: interval) {
                    writer.inbox.put(.picture(picture, index: frame))
                }
            }
            try sound.finish { _, packets in writer.inbox.put(.sound(packets)) }
            writer.inbox.put(.finish(end: 47))
            await thread.join()
        }
        return ledger
    }

    @Test func theLastSegmentIsAsLongInAllLayers() async throws {
        let scratch = try Scratch()
        #expect(try await write(in: scratch).failure == nil)
        let durations = try (0..<2).map { index in
            try MediaPlaylist(parsing: scratch.text("stream_\(index)/stream.m3u8"))
                .segments.map(\.duration.seconds)
        }
        #expect(durations[0].count == 2 && durations[0] == durations[1], "\(durations)")
    }

    /// A player that switches between the layers at a segment's end misses nothing.
    @Test func aSegmentHasTheSameSoundInAllLayers() async throws {
        let scratch = try Scratch()
        _ = try await write(in: scratch)
        for segment in ["segment_000000.ts", "segment_000001.ts"] {
            let sounds = try (0..<2).map { layer in
                try MediaProbe.decode(scratch.bytes("stream_\(layer)/\(segment)"))
                    .sound.map(\.pts.ticks)
            }
            #expect(!sounds[0].isEmpty && sounds[0] == sounds[1], "\(segment)")
        }
    }
}
