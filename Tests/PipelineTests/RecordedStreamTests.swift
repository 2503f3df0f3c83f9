import Clocks
import Codec
import Foundation
import HLS
import Logging
import MediaKernel
import RecordedStreams
import Recording
import Streams
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

    private func stream(
        seconds: Double, sound: SoundOptions = SoundOptions(),
        container: StreamContainer = .transportStream, partFrames: Int? = nil
    ) async throws {
        var configuration = PipelineConfiguration(
            ladder: try Ladder(validating: Self.layers), segmentDuration: .seconds(1),
            outputDirectory: "\(scratch.path)/stream", title: "Test", preset: "superfast",
            sound: sound, isRecorded: true)
        configuration.container = container
        configuration.partFrames = partFrames
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
    @Test(
        arguments: [
            (.transportStream, nil), (.fragments, nil), (.fragments, 10), (.both, nil), (.both, 10),
        ] as [(StreamContainer, Int?)])
    func aStreamBecomesFilesOfOneLengthWithAllThatWasOnAir(
        container: StreamContainer, partFrames: Int?
    ) async throws {
        for _ in 0..<2 {
            try await stream(seconds: 2.2, container: container, partFrames: partFrames)
        }
        let assets = try assets()
        let movies = Self.layers.enumerated().map { index, layer in
            RecordingAssets.Movie(
                layer: index, width: layer.width, height: layer.height,
                place: place("\(index).mp4"))
        }
        #expect(try assets.write(movies).count == 2)
        let archive = try assets.writeArchive(at: place("vod.zip"))
        try assets.unpack(
            into: "\(scratch.path)/made/vod", archive: "vod.zip", contents: archive)
        try checkUnpacked(assets, container)
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

    /// The unpacked recording has all files that its playlists name, and each layer can be decoded
    /// from its first file to its last.
    private func checkUnpacked(_ assets: RecordingAssets, _ container: StreamContainer) throws {
        for layer in 0...1 {
            let playlist = try MediaPlaylist(
                parsing: scratch.text("made/vod/stream_\(layer)/stream.m3u8"))
            #expect(playlist.segments.count == assets.plan.parts.count)
            var bytes: [UInt8] = []
            for (index, segment) in playlist.segments.enumerated() {
                let isFragment = segment.uri.hasSuffix(".m4s")
                #expect(isFragment == (container == .fragments))
                #expect((segment.initialization != nil) == isFragment)
                if index == 0, let section = segment.initialization {
                    bytes += try scratch.bytes("made/vod/stream_\(layer)/\(section.uri)")
                }
                let isFirstRun = segment.discontinuities == 0 || index == 0
                guard isFirstRun, !segment.isDiscontinuity || index == 0 else { break }
                bytes += try scratch.bytes("made/vod/stream_\(layer)/\(segment.uri)")
            }
            let report = try MediaProbe.decode(bytes)
            #expect(report.damagedPackets == 0)
            #expect(report.pictures.count >= 60)
        }
        let inArchive = try MediaPlaylist(
            parsing: scratch.text("made/vod/stream_0/archive.m3u8"))
        let section = inArchive.segments[0].initialization
        #expect((section?.byteRange != nil) == (container == .fragments))
    }

    /// The same packets in both containers, with the same boundaries; beside them only a window is
    /// kept.
    @Test func fragmentsLieBesideTransportStreams() async throws {
        try await stream(seconds: 3.2, container: .both)
        let master = try MasterPlaylist(parsing: scratch.text("stream/cmaf.m3u8"))
        #expect(master.variants.map(\.uri) == ["cmaf_0/stream.m3u8", "cmaf_1/stream.m3u8"])
        #expect(master.independentSegments)
        for layer in 0...1 {
            let main = try MediaPlaylist(
                parsing: scratch.text("stream/stream_\(layer)/stream.m3u8"))
            let beside = try MediaPlaylist(
                parsing: scratch.text("stream/cmaf_\(layer)/stream.m3u8"))
            #expect(beside.kind == .live && main.kind == .event && beside.isEnded)
            #expect(beside.version == 6)
            #expect(main.segments.map(\.duration) == beside.segments.map(\.duration))
            #expect(
                main.segments.map(\.programDateTime) == beside.segments.map(\.programDateTime))
            let section = try #require(beside.segments[0].initialization)
            var fragments = try scratch.bytes("stream/cmaf_\(layer)/\(section.uri)")
            var packets: [UInt8] = []
            for (one, other) in zip(main.segments, beside.segments) {
                packets += try scratch.bytes("stream/stream_\(layer)/\(one.uri)")
                fragments += try scratch.bytes("stream/cmaf_\(layer)/\(other.uri)")
            }
            let (ours, theirs) = try (MediaProbe.decode(fragments), MediaProbe.decode(packets))
            #expect(ours.damagedPackets == 0)
            #expect(ours.pictures.count == theirs.pictures.count)
            #expect(ours.samples(ofChannel: 0).count == theirs.samples(ofChannel: 0).count)
        }
    }

    @Test(arguments: StreamContainer.allCases)
    func soundAloneBecomesAnM4A(container: StreamContainer) async throws {
        try await stream(
            seconds: 2.2, sound: SoundOptions(isAlone: true), container: container)
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
