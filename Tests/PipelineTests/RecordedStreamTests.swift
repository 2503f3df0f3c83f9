import Clocks
import Codec
import Foundation
import HLS
import Logging
import MediaKernel
import RecordedStreams
import Recording
import Testing
import Workbench

@testable import Pipeline

/// From frames in to assets out.
@Suite(.serialized) struct RecordedStreamTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let layers = [
        Layer(width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 96_000),
        Layer(width: 256, height: 144, videoBitrate: 150_000, audioBitrate: 64_000),
    ]

    private func stream(seconds: Double, sound: SoundOptions = SoundOptions()) async throws {
        let configuration = PipelineConfiguration(
            ladder: try Ladder(validating: Self.layers), segmentDuration: .seconds(1),
            outputDirectory: "\(scratch.path)/stream", title: "Test", preset: "superfast",
            sound: sound, isRecorded: true)
        let pipeline = try StreamPipeline(configuration, logger: Logger(label: "test"))
        let player = try ClipPlayer(into: pipeline)
        pipeline.start()
        await player.play(seconds: seconds)
        _ = await pipeline.stop()
        #expect(pipeline.failure == nil)
    }

    private func assets() throws -> RecordingAssets {
        let folder = StreamFolder(path: "\(scratch.path)/stream")
        let plan = try RecordingPlan(layers: try folder.logs().map(\.records))
        return RecordingAssets(folder: folder, plan: plan, createdAt: 0)
    }

    private func place(_ name: String) -> RecordingAssets.Place {
        RecordingAssets.Place(directory: "\(scratch.path)/made", name: name)
    }

    /// Two lives of a bot in one directory.
    @Test func aStreamBecomesFilesOfOneLengthWithAllThatWasOnAir() async throws {
        for _ in 0..<2 { try await stream(seconds: 2.2) }
        let assets = try assets()
        let movies = Self.layers.enumerated().map { index, layer in
            RecordingAssets.Movie(
                layer: index, width: layer.width, height: layer.height,
                place: place("\(index).mp4"))
        }
        #expect(try assets.write(movies).count == 2)
        _ = try assets.writeArchive(at: place("vod.zip"))
        #expect(assets.plan.parts.filter(\.isJoin).count == 2)
        let runs = Set(assets.plan.parts.map(\.layers[0].run))
        #expect(runs.count == 2)
        for layer in 0...1 {
            // The first life ended its playlist, so the second one began another.
            let listed = try MediaPlaylist(
                parsing: scratch.text("stream/stream_\(layer)/stream.m3u8"))
            let seconds = listed.segments.reduce(0) { $0 + $1.duration.seconds }
            let own = assets.plan.parts.filter { $0.layers[0].run == runs.max() }
            let frames = own.reduce(0) { $0 + $1.frameCount }
            #expect(abs(Double(frames) / 30 - seconds) < 0.04)
            let report = try MediaProbe.decode(path: "\(scratch.path)/made/\(layer).mp4")
            #expect(report.damagedPackets == 0)
            let shown = report.pictures.map { $0.pts.rescaled(to: 30).ticks }
            #expect(shown == shown.sorted() && Set(shown).count == shown.count)
            #expect(shown.first == 0)
            #expect(try #require(shown.last) < assets.plan.frameCount)
            let sound = try #require(report.sound.last)
            #expect(abs(sound.pts.seconds - assets.plan.duration.seconds) < 0.1)
        }
    }

    @Test func soundAloneBecomesAnM4A() async throws {
        try await stream(seconds: 2.2, sound: SoundOptions(isAlone: true))
        let assets = try assets()
        let sizes = try assets.write([
            RecordingAssets.Movie(layer: 0, width: 0, height: 0, place: place("sound.m4a"))
        ])
        #expect(try [UInt64(scratch.bytes("made/sound.m4a").count)] == sizes)
        let report = try MediaProbe.decode(path: "\(scratch.path)/made/sound.m4a")
        #expect(report.pictures.isEmpty && report.damagedPackets == 0)
        let samples = report.samples(ofChannel: 0).count
        #expect(abs(Double(samples) / 48_000 - assets.plan.duration.seconds) < 0.1)
    }
}
