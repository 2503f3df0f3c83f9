import Codec
import HLS
import Logging
import MediaKernel
import RecordedStreams
import Stage
import Testing
import Workbench

@testable import Pipeline

@Suite struct LayerEncoderTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// For instance if mixing takes long, or the encoder does not look ahead.
    @Test func aSegmentWaitsForItsSound() throws {
        let layer = Layer(width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 96_000)
        let planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(1))
        var sound = try AudioOutput(bitrates: [layer.audioBitrate], firstSample: 0)
        let directories = try LayerDirectory.open(
            count: 1, in: scratch.path, mode: .event, planner: planner, isRecorded: false)
        let ledger = MasterPlaylistWriter(layers: 1, directory: scratch.path) { _ in }
        let writer = try LayerEncoder(
            index: 0, directory: directories[0],
            configuration: PipelineConfiguration(
                ladder: try Ladder(validating: [layer]), segmentDuration: .seconds(1),
                outputDirectory: scratch.path, title: "Test", preset: "ultrafast"),
            planner: planner, audio: try #require(sound.parameters(ofLayer: 0)),
            pauses: RecordingPauses(isPaused: false), ledger: ledger,
            logger: Logger(label: "test"))
        let picture = try VideoFrame.solid(width: 320, height: 180, colour: .white)
        for frame in Int64(0)..<90 { writer.inbox.put(.picture(picture, index: frame)) }
        var heard: [EncodedPacket] = []
        let silence = [Float](repeating: 0, count: 48_000 * 3 * 2)
        try sound.append(silence) { _, packets in heard += packets }
        try sound.finish { _, packets in heard += packets }
        writer.inbox.put(.sound(heard))
        writer.inbox.put(.finish(end: 90))
        writer.run()
        #expect(ledger.failure == nil)
        let segments = try MediaPlaylist(parsing: scratch.text("stream_0/stream.m3u8")).segments
        #expect(segments.map(\.duration.seconds) == [1, 1, 1])
        for segment in segments {
            let report = try MediaProbe.decode(scratch.bytes("stream_0/\(segment.uri)"))
            let seconds = Double(report.samples(ofChannel: 0).count) / 48_000
            #expect(abs(seconds - 1) < 0.1, "\(seconds) s of sound in \(segment.uri)")
        }
    }

    /// A stream that was too far behind skips the missed time: the segment before has the length of
    /// its contents, and the next one is marked as a discontinuity.
    @Test func aGapIsADiscontinuity() throws {
        let layer = Layer(width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 96_000)
        let planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(1))
        var sound = try AudioOutput(bitrates: [layer.audioBitrate], firstSample: 0)
        let directories = try LayerDirectory.open(
            count: 1, in: scratch.path, mode: .event, planner: planner, isRecorded: false)
        let ledger = MasterPlaylistWriter(layers: 1, directory: scratch.path) { _ in }
        let writer = try LayerEncoder(
            index: 0, directory: directories[0],
            configuration: PipelineConfiguration(
                ladder: try Ladder(validating: [layer]), segmentDuration: .seconds(1),
                outputDirectory: scratch.path, title: "Test", preset: "veryfast"),
            planner: planner, audio: try #require(sound.parameters(ofLayer: 0)),
            pauses: RecordingPauses(isPaused: false), ledger: ledger,
            logger: Logger(label: "test"))
        let picture = try VideoFrame.solid(width: 320, height: 180, colour: .white)
        func hear(seconds: Double) throws {
            let silence = [Float](repeating: 0, count: Int(48_000 * seconds) * 2)
            var heard: [EncodedPacket] = []
            try sound.append(silence) { _, packets in heard += packets }
            writer.inbox.put(.sound(heard))
        }
        for frame in Int64(0)..<45 { writer.inbox.put(.picture(picture, index: frame)) }
        try hear(seconds: 1.5)
        writer.inbox.put(.gap(end: 45, next: 150))
        sound.goOn(at: 5 * 48_000)
        for frame in Int64(150)..<210 { writer.inbox.put(.picture(picture, index: frame)) }
        try hear(seconds: 2.1)
        writer.inbox.put(.finish(end: 210))
        writer.run()
        #expect(ledger.failure == nil)
        let text = try scratch.text("stream_0/stream.m3u8")
        let segments = try MediaPlaylist(parsing: text).segments
        #expect(segments.map(\.duration.seconds) == [1, 0.5, 1, 1])
        #expect(text.split(separator: "\n").count { $0 == "#EXT-X-DISCONTINUITY" } == 1)
        let third = try MediaProbe.decode(scratch.bytes("stream_0/\(segments[2].uri)"))
        let seconds = Double(third.samples(ofChannel: 0).count) / 48_000
        #expect(abs(seconds - 1) < 0.1, "\(seconds) s of sound behind the gap")
    }

    /// A picture that is two seconds late is useless, unless all layers are cut there.
    @Test func latePicturesAreLeftOutAndSegmentsBeginAllTheSame() throws {
        let layer = Layer(width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 96_000)
        let planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(1))
        var sound = try AudioOutput(bitrates: [layer.audioBitrate], firstSample: 0)
        let directories = try LayerDirectory.open(
            count: 1, in: scratch.path, mode: .event, planner: planner, isRecorded: false)
        let ledger = MasterPlaylistWriter(layers: 1, directory: scratch.path) { _ in }
        let start = Instant.zero + .seconds(100)
        let writer = try LayerEncoder(
            index: 0, directory: directories[0],
            configuration: PipelineConfiguration(
                ladder: try Ladder(validating: [layer]), segmentDuration: .seconds(1),
                outputDirectory: scratch.path, title: "Test", preset: "ultrafast"),
            planner: planner, audio: try #require(sound.parameters(ofLayer: 0)),
            pauses: RecordingPauses(isPaused: false), ledger: ledger,
            logger: Logger(label: "test"), now: { start + .seconds(4) })
        writer.clock = SampleClock(origin: start, frameRate: 30)
        let picture = try VideoFrame.solid(width: 320, height: 180, colour: .white)
        for frame in Int64(0)..<90 { writer.inbox.put(.picture(picture, index: frame)) }
        var heard: [EncodedPacket] = []
        let silence = [Float](repeating: 0, count: 48_000 * 3 * 2)
        try sound.append(silence) { _, packets in heard += packets }
        try sound.finish { _, packets in heard += packets }
        writer.inbox.put(.sound(heard))
        writer.inbox.put(.finish(end: 90))
        writer.run()
        #expect(ledger.failure == nil)
        let segments = try MediaPlaylist(parsing: scratch.text("stream_0/stream.m3u8")).segments
        #expect(segments.map(\.duration.seconds) == [1, 1, 1])
        // All up to frame 59 but 0 and 30: frame 60 is two seconds late and begins a segment.
        #expect(writer.picturesLeftOut == 29 + 29)
    }

    /// Each sink receives all packets, in order, regardless of the other sinks.
    @Test func everySinkGetsWhatIsEncoded() throws {
        final class Collector: PacketSink {
            var log: [String] = []
            func take(picture packet: EncodedPacket) { log.append("picture") }
            func take(sound packets: [EncodedPacket]) { log.append("sound \(packets.count)") }
            func leaveOut(from end: Int64, to next: Int64) { log.append("gap \(end) \(next)") }
            func finish(end: Int64) { log.append("end \(end)") }
        }
        let layer = Layer(width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 96_000)
        let planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(1))
        var sound = try AudioOutput(bitrates: [layer.audioBitrate], firstSample: 0)
        let collectors = [Collector(), Collector()]
        let ledger = MasterPlaylistWriter(layers: 1, directory: scratch.path) { _ in }
        let encoder = try LayerEncoder(
            index: 0,
            directory: LayerDirectory.open(
                count: 1, in: scratch.path, mode: .event, planner: planner, isRecorded: false)[0],
            configuration: PipelineConfiguration(
                ladder: try Ladder(validating: [layer]), segmentDuration: .seconds(1),
                outputDirectory: scratch.path, title: "Test", preset: "ultrafast"),
            planner: planner, audio: try #require(sound.parameters(ofLayer: 0)),
            pauses: RecordingPauses(isPaused: false), ledger: ledger,
            logger: Logger(label: "test"), others: collectors)
        let picture = try VideoFrame.solid(width: 320, height: 180, colour: .white)
        for frame in Int64(0)..<30 { encoder.inbox.put(.picture(picture, index: frame)) }
        var heard: [EncodedPacket] = []
        try sound.append([Float](repeating: 0, count: 48_000 * 2)) { _, packets in heard += packets
        }
        encoder.inbox.put(.sound(heard))
        encoder.inbox.put(.gap(end: 30, next: 60))
        for frame in Int64(60)..<90 { encoder.inbox.put(.picture(picture, index: frame)) }
        encoder.inbox.put(.finish(end: 90))
        encoder.run()
        #expect(ledger.failure == nil)
        for collector in collectors {
            #expect(collector.log.count { $0 == "picture" } == 60)
            #expect(collector.log.contains("sound \(heard.count)"))
            #expect(collector.log.contains("gap 30 60") && collector.log.last == "end 90")
        }
    }

    /// Otherwise segments would exceed the bandwidth in the master playlist.
    @Test func theEncodersBucketIsTheOneThatBandwidthsAreComputedFrom() throws {
        let planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(2))
        let control = VideoRateControl.standard
        for layer in Ladder.standard.layers {
            let settings = LayerEncoder.encoderSettings(of: layer, planner, preset: "sharp")
            let bucket = try #require(settings.bucket)
            #expect(bucket.bitrateMaximum == control.bitrateMaximum(average: layer.videoBitrate))
            #expect(bucket.bufferBits == control.bufferBits(average: layer.videoBitrate))
            #expect(settings.bitrate == layer.videoBitrate && settings.preset == "sharp")
            #expect(settings.frameRate == 30 && settings.keyframeInterval == 60)
        }
    }
}
