import Codec
import HLS
import ISOMedia
import Logging
import MediaKernel
import RecordedStreams
import Recording
import Stage
import Streams
import Synchronization
import Testing
import Workbench

@testable import Pipeline

/// What a layer of a low-latency stream leaves on disk and reports.
@Suite struct LowLatencyTests {
    private static let layer = Layer(
        width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 96_000)
    private static let start = Instant.zero + .seconds(100)

    private let scratch: Scratch
    private let planner: SegmentPlanner
    private let events = Events()

    private final class Events: Sendable {
        private let list = Mutex<[PipelineEvent]>([])

        func add(_ event: PipelineEvent) { list.withLock { $0.append(event) } }

        var parts: [SegmentPart] {
            list.withLock {
                $0.compactMap { if case .partPublished(let part) = $0 { part } else { nil } }
            }
        }

        /// `12.3` of each part, `12` of each listed segment, in their order.
        var names: [String] {
            list.withLock {
                $0.compactMap {
                    switch $0 {
                    case .partPublished(let part): "\(part.segment).\(part.part)"
                    case .segmentListed(_, let segment): "\(segment)"
                    default: nil
                    }
                }
            }
        }
    }

    init() throws {
        scratch = try Scratch()
        var planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(1))
        planner.partFrames = 10
        self.planner = planner
    }

    private func open(
        _ files: ContainerFiles, layers: Int = 1, isRecorded: Bool = true
    ) throws -> [LayerDirectory] {
        try LayerDirectory.open(
            count: layers, in: scratch.path, mode: .event, planner: planner,
            isRecorded: isRecorded, files: files)
    }

    /// A layer and its sound, ready to be fed.
    private final class Bench {
        let encoder: LayerEncoder
        var sound: AudioOutput
        private let picture: VideoFrame

        init(_ encoder: LayerEncoder, _ sound: AudioOutput) throws {
            self.encoder = encoder
            self.sound = sound
            picture = try VideoFrame.solid(width: 320, height: 180, colour: .white)
        }

        /// As the director does: the sound of each frame, then its picture.
        func play(
            _ frames: Range<Int64>, where isShown: (Int64) -> Bool = { _ in true }
        ) throws {
            for frame in frames {
                var heard: [EncodedPacket] = []
                try sound.append([Float](repeating: 0, count: 1600 * 2)) { _, packets in
                    heard += packets
                }
                encoder.inbox.put(.sound(heard))
                if isShown(frame) { encoder.inbox.put(.picture(picture, index: frame)) }
            }
        }

        func finish(end: Int64) throws {
            var heard: [EncodedPacket] = []
            try sound.finish { _, packets in heard += packets }
            encoder.inbox.put(.sound(heard))
            encoder.inbox.put(.finish(end: end))
            encoder.run()
        }
    }

    private func bench(
        _ container: StreamContainer, now: @escaping () -> Instant = { Self.start }
    ) throws -> Bench {
        let sound = try AudioOutput(bitrates: [Self.layer.audioBitrate], firstSample: 0)
        var configuration = PipelineConfiguration(
            ladder: try Ladder(validating: [Self.layer]), segmentDuration: .seconds(1),
            outputDirectory: scratch.path, title: "Test", preset: "ultrafast")
        configuration.container = container
        let all = ContainerFiles.all(of: container)
        let main = try #require(all.last)
        let beside = all.count > 1 ? try open(all[0])[0] : nil
        let events = events
        let encoder = try LayerEncoder(
            index: 0, directory: try open(main)[0], beside: beside,
            configuration: configuration, planner: planner,
            audio: try #require(sound.parameters(ofLayer: 0)),
            pauses: RecordingPauses(isPaused: false),
            ledger: MasterPlaylistWriter(layers: 1, directory: scratch.path) { events.add($0) },
            logger: Logger(label: "test"), now: now)
        encoder.epoch = 1_700_000_000_000_000_000
        return try Bench(encoder, sound)
    }

    private func segments(_ folder: String) throws -> [Segment] {
        try MediaPlaylist(parsing: scratch.text("\(folder)/stream.m3u8")).segments
    }

    /// As listed.
    private func milliseconds(_ folder: String) throws -> [Int] {
        try segments(folder).map { Int(($0.duration.seconds * 1000).rounded()) }
    }

    private func pictures(_ folder: String, _ name: String) throws -> [FragmentReader.Sample] {
        try FragmentReader(scratch.bytes("\(folder)/\(name)")).samples[1] ?? []
    }

    /// Each part of a segment's file, one after the other, is the segment's file.
    private func expectConcatenations(_ folder: String) throws {
        for segment in Set(events.parts.map(\.segment)) {
            var bytes: [UInt8] = []
            for part in events.parts where part.segment == segment {
                bytes += try scratch.bytes("\(folder)/\(part.name)")
            }
            let name = SegmentRecord.fileName(number: segment, .fragments)
            #expect(try scratch.bytes("\(folder)/\(name)") == bytes)
        }
    }

    @Test(arguments: [StreamContainer.fragments, .both])
    func segmentsAreMadeOfParts(container: StreamContainer) throws {
        let folder = container == .both ? "cmaf_0" : "stream_0"
        let bench = try bench(container)
        try bench.play(0..<75)
        try bench.finish(end: 75)
        let parts = events.parts
        #expect(
            events.names
                == ["0.0", "0.1", "0.2", "0", "1.0", "1.1", "1.2", "1", "2.0", "2.1", "2"])
        #expect(parts.map(\.frames) == [10, 10, 10, 10, 10, 10, 10, 5])
        #expect(parts.map(\.isIndependent) == parts.map { $0.part == 0 })
        #expect(parts.allSatisfy { $0.layer == 0 && $0.frameRate == 30 })
        #expect(parts[4].name == "part_000001_1.m4s")
        let listed = try segments(folder)
        let starts = parts.filter { $0.part == 0 }.compactMap(\.start)
        #expect(starts.map(\.programDateTime) == listed.map(\.programDateTime))
        #expect(starts.map(\.header) == listed.map { $0.initialization?.uri })
        #expect(starts.allSatisfy { !$0.isDiscontinuity })
        #expect(parts.allSatisfy { ($0.part == 0) == ($0.start != nil) })
        #expect(listed.map(\.duration.seconds) == [1, 1, 0.5])
        for part in parts {
            #expect(try pictures(folder, part.name).count == part.frames)
        }
        try expectConcatenations(folder)
        // What a player makes of it.
        var bytes = try scratch.bytes("\(folder)/\(starts[0].header)")
        for part in parts { bytes += try scratch.bytes("\(folder)/\(part.name)") }
        let report = try MediaProbe.decode(bytes)
        #expect(report.damagedPackets == 0 && report.pictures.count == 75)
        #expect(!scratch.names(in: folder).contains(UnfinishedSegment.fileName))
        guard container == .both else { return }
        // The transport stream has the same packets.
        let logs = try StreamFolder(path: scratch.path).logs()
        #expect(logs[0].records.map(\.frameCount) == [30, 30, 15])
        let main = try segments("stream_0")
        #expect(main.map(\.duration) == listed.map(\.duration))
        var packets: [UInt8] = []
        for segment in main { packets += try scratch.bytes("stream_0/\(segment.uri)") }
        let theirs = try MediaProbe.decode(packets)
        #expect(theirs.pictures.count == 75)
        #expect(theirs.samples(ofChannel: 0).count == report.samples(ofChannel: 0).count)
    }

    /// A part is there before the picture after it: sound is a frame behind, no more.
    @Test func aPartDoesNotWaitForTheNextPicture() throws {
        let bench = try bench(.fragments)
        try bench.play(0..<31, where: { $0 < 30 })
        bench.encoder.inbox.close()
        bench.encoder.run()
        #expect(events.names == ["0.0", "0.1", "0.2", "0"])
    }

    /// With two seconds of lateness, and few pictures: parts keep their lengths.
    @Test func partsHaveTheirFirstPictureHoweverShortTheCPUIs() throws {
        let bench = try bench(.fragments, now: { Self.start + .seconds(60) })
        bench.encoder.clock = SampleClock(origin: Self.start, frameRate: 30)
        try bench.play(0..<60)
        try bench.finish(end: 60)
        #expect(bench.encoder.picturesLeftOut == 54)
        #expect(events.parts.map(\.frames) == Array(repeating: 10, count: 6))
        var end: UInt64?
        for part in events.parts {
            let shown = try pictures("stream_0", part.name)
            #expect(shown.count == 1)
            #expect(end == nil || end == shown[0].decodingTime)
            end = shown[0].decodingTime + UInt64(shown[0].duration)
        }
        #expect(try segments("stream_0").map(\.duration.seconds) == [1, 1])
    }

    @Test(arguments: [ContainerFiles.transportStream, ContainerFiles(format: .fragments)])
    func aSegmentBeginsWithAKeyframe(files: ContainerFiles) throws {
        let bench = try bench(.transportStream)
        let writer = SegmentWriter(
            layer: 0, files: files, directory: try open(files)[0], planner: planner,
            pauses: RecordingPauses(isPaused: false),
            ledger: MasterPlaylistWriter(layers: 1, directory: scratch.path) { _ in })
        let sink = SegmentSink(
            try files.container(
                video: bench.encoder.streamParameters,
                audio: try #require(bench.sound.parameters(ofLayer: 0))), to: writer)
        let packet = EncodedPacket(
            data: [0, 0, 0, 1, 0x41, 1], pts: planner.duration(ofFrames: 0),
            dts: planner.duration(ofFrames: 0), duration: planner.duration(ofFrames: 1),
            isKeyframe: false)
        #expect(throws: CodecError.segmentWithoutKeyframe) { try sink.take(picture: packet) }
    }

    @Test func aGapEndsPartAndSegment() throws {
        let bench = try bench(.fragments)
        try bench.play(0..<45)
        bench.encoder.inbox.put(.gap(end: 45, next: 150))
        bench.sound.goOn(at: 5 * 48_000)
        try bench.play(150..<180)
        try bench.finish(end: 180)
        #expect(
            events.names == ["0.0", "0.1", "0.2", "0", "1.0", "1.1", "1", "2.0", "2.1", "2.2", "2"])
        #expect(events.parts.map(\.frames) == [10, 10, 10, 10, 5, 10, 10, 10])
        #expect(events.parts.compactMap(\.start).map(\.isDiscontinuity) == [false, false, true])
        #expect(try segments("stream_0").map(\.duration.seconds) == [1, 0.5, 1])
        #expect(try segments("stream_0").map(\.isDiscontinuity) == [false, false, true])
        try expectConcatenations("stream_0")
    }

    // MARK: Sound alone

    @Test func soundAloneHasPartsToo() throws {
        var sound = try AudioOutput(bitrates: [64_000], firstSample: 0)
        let events = events
        let writer = try SoundWriter(
            index: 0, directory: try open(ContainerFiles(format: .fragments))[0],
            container: .fragments, planner: planner,
            audio: try #require(sound.parameters(ofLayer: 0)),
            pauses: RecordingPauses(isPaused: false),
            ledger: MasterPlaylistWriter(layers: 1, directory: scratch.path) { events.add($0) })
        var heard: [EncodedPacket] = []
        try sound.append([Float](repeating: 0, count: 2 * 120_000)) { _, packets in
            heard += packets
        }
        try sound.finish { _, packets in heard += packets }
        for packet in heard { writer.inbox.put(.sound([packet])) }
        writer.inbox.put(.finish(end: 75))
        writer.run()
        #expect(
            events.names
                == ["0.0", "0.1", "0.2", "0", "1.0", "1.1", "1.2", "1", "2.0", "2.1", "2"])
        #expect(events.parts.allSatisfy { $0.frames <= 10 && $0.isIndependent })
        #expect(events.parts.prefix(6).allSatisfy { $0.frames == 10 })
        try expectConcatenations("stream_0")
        var bytes = try scratch.bytes("stream_0/\(#require(events.parts[0].start).header)")
        for part in events.parts { bytes += try scratch.bytes("stream_0/\(part.name)") }
        let report = try MediaProbe.decode(bytes)
        #expect(report.damagedPackets == 0)
        #expect(abs(report.samples(ofChannel: 0).count - 120_000) <= 2 * 1024)
    }

    // MARK: What is kept, and what a dead bot leaves

    private func publishParts(
        _ parts: Range<Int>, ofSegment number: Int, in directory: inout LayerDirectory
    ) throws {
        for part in parts {
            var content = MultiplexedSegment(bytes: [UInt8(number), UInt8(part)])
            content.header = [1, 2, 3]
            _ = try directory.publish(
                part: content,
                place: LayerDirectory.Place(
                    epoch: 0, frameRate: 30, firstFrame: Int64(number * 30 + part * 10),
                    frameCount: 10), layer: 0)
        }
    }

    private func publish(_ number: Int, in directory: inout LayerDirectory) throws {
        try publishParts(0..<3, ofSegment: number, in: &directory)
        var segment = MultiplexedSegment(
            bytes: (0..<3).flatMap { [UInt8(number), UInt8($0)] })
        segment.header = [1, 2, 3]
        #expect(
            try directory.publish(
                segment,
                place: LayerDirectory.Place(
                    epoch: 0, frameRate: 30, firstFrame: Int64(number * 30), frameCount: 30),
                duration: planner.segmentDuration) == number)
    }

    private var partNames: [String] {
        scratch.names(in: "cmaf_0").filter { $0.hasPrefix("part_") }
    }

    private let beside = ContainerFiles(format: .fragments, isBeside: true)

    /// Six target durations, and the newest part.
    @Test func oldPartsGo() throws {
        var directory = try open(beside)[0]
        for number in 0..<6 { try publish(number, in: &directory) }
        #expect(partNames.count == 18)
        for number in 6..<20 { try publish(number, in: &directory) }
        #expect(partNames.count == 18)
        #expect(partNames.first == "part_000014_0.m4s")
        // The next bot's, too.
        var second = try open(beside)[0]
        #expect(partNames.count == 18)
        for number in 20..<26 { try publish(number, in: &second) }
        #expect(partNames.count == 18 && partNames.first == "part_000020_0.m4s")
    }

    /// Players have its parts already: they become a segment, and their names are not used again.
    @Test func theNextBotEndsTheSegmentThatADeadOneLeft() throws {
        var first = try open(beside, layers: 2)
        for layer in 0...1 {
            try publish(0, in: &first[layer])
            try publishParts(0..<2 - layer, ofSegment: 1, in: &first[layer])
        }
        var second = try open(beside, layers: 2)
        #expect(second.map(\.finished) == [1, 1] && second.map(\.nextIndex) == [2, 2])
        #expect(try scratch.bytes("cmaf_0/segment_000001.m4s") == [1, 0, 1, 1])
        #expect(try milliseconds("cmaf_0") == [1000, 667])
        #expect(try milliseconds("cmaf_1") == [1000, 333])
        #expect(try segments("cmaf_0").map(\.programDateTime) == [0, 1_000_000_000])
        #expect(try segments("cmaf_0").map(\.initialization?.uri).allSatisfy { $0 != nil })
        for layer in 0...1 { try publish(2, in: &second[layer]) }
        for layer in 0...1 {
            #expect(try segments("cmaf_\(layer)").map(\.isDiscontinuity) == [false, false, true])
        }
        // Once is enough.
        let third = try open(beside, layers: 2)
        #expect(third.map(\.finished) == [nil, nil] && third.map(\.nextIndex) == [3, 3])
    }

    /// Also when it died in its first segment, without a playlist.
    @Test func aFirstSegmentIsEndedToo() throws {
        var first = try open(beside)[0]
        try publishParts(0..<1, ofSegment: 0, in: &first)
        let second = try open(beside)[0]
        #expect(second.finished == 0 && second.nextIndex == 1)
        #expect(try milliseconds("cmaf_0") == [333])
    }

    /// Otherwise the numbers of the layers' segments would differ.
    @Test func unlessALayerHasNoPart() throws {
        var first = try open(beside, layers: 2)
        for layer in 0...1 { try publish(0, in: &first[layer]) }
        try publishParts(0..<1, ofSegment: 1, in: &first[0])
        let second = try open(beside, layers: 2)
        #expect(second.map(\.finished) == [nil, nil] && second.map(\.nextIndex) == [1, 1])
        #expect(partNames.last == "part_000000_2.m4s")
    }

    /// Recording may have been paused in it.
    @Test func whatADeadBotLeftIsNotRecorded() throws {
        let files = ContainerFiles(format: .fragments)
        var first = try open(files)[0]
        try publishParts(0..<2, ofSegment: 0, in: &first)
        let second = try open(files)[0]
        #expect(second.finished == 0)
        #expect(try StreamFolder(path: scratch.path).logs()[0].records.isEmpty)
    }
}
