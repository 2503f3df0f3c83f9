import Clocks
import Codec
import Foundation
import HLS
import Logging
import MediaKernel
import RecordedStreams
import Recording
import Stage
import Synchronization
import Testing
import Workbench

@testable import Pipeline

/// Whole pipelines, in real time but judged by their output and not by its timing.
@Suite(.serialized) struct StreamTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let layers = [
        Layer(width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 96_000),
        Layer(width: 256, height: 144, videoBitrate: 150_000, audioBitrate: 64_000),
    ]

    private func pipeline(_ change: (inout PipelineConfiguration) -> Void = { _ in }) throws
        -> StreamPipeline
    {
        var configuration = PipelineConfiguration(
            ladder: try Ladder(validating: Self.layers), segmentDuration: .seconds(1),
            outputDirectory: "\(scratch.path)/stream", title: "Test", preset: "ultrafast",
            playoutDelay: .fixed(.milliseconds(600)))
        change(&configuration)
        return try StreamPipeline(configuration, logger: Logger(label: "test"))
    }

    private func playlist(_ layer: Int) throws -> MediaPlaylist {
        try MediaPlaylist(parsing: scratch.text("stream/stream_\(layer)/stream.m3u8"))
    }

    private func bytes(of segment: Segment, _ layer: Int) throws -> [UInt8] {
        try scratch.bytes("stream/stream_\(layer)/\(segment.uri)")
    }

    /// A layer as seen by a player that starts at the beginning.
    private func whole(_ layer: Int) throws -> MediaProbe.Report {
        try MediaProbe.decode(playlist(layer).segments.flatMap { try bytes(of: $0, layer) })
    }

    // MARK: A clip through the whole pipeline

    /// A busy machine leaves pictures out, and reports that. The output of such a run must still be
    /// right, but shows less, so there is another attempt. The same applies if the clip was sent
    /// too late to be placed correctly.
    private static let attempts = 3

    @Test func aClipBecomesAlignedLayersThatDecodeAndAreInSync() async throws {
        for attempt in 1...Self.attempts {
            try? FileManager.default.removeItem(atPath: "\(scratch.path)/stream")
            let pipeline = try pipeline()
            let player = try ClipPlayer(into: pipeline)
            pipeline.start()
            let lateness = await player.play(seconds: 3.2)
            let summary = await pipeline.stop()
            #expect(pipeline.failure == nil)
            if lateness > ClipPlayer.latenessMaximum, attempt < Self.attempts { continue }
            try expectPlaylists(summary)
            let decoded = try [whole(0), whole(1)]
            try expectAlignedAndWhole(decoded, summary)
            for layer in 0...1 { try expectIndependentSegments(layer) }
            for (index, layer) in decoded.enumerated() {
                expectSync(layer, of: index, isWhole: summary.framesDropped == 0)
            }
            try expectMaster()
            try await expectEvents(pipeline, summary)
            if summary.framesDropped == 0 || attempt == Self.attempts { break }
        }
    }

    private func expectPlaylists(_ summary: PipelineSummary) throws {
        let layers = try [playlist(0), playlist(1)]
        for playlist in layers {
            #expect(playlist.isEnded && playlist.kind == .event)
            #expect(PlaylistValidator.violations(of: playlist).isEmpty)
            #expect(playlist.segments.count == summary.segments)
        }
        #expect(PlaylistValidator.violations(ofLayers: layers).isEmpty)
        let durations = layers.map { $0.segments.map(\.duration.seconds) }
        #expect(durations[0] == durations[1])
        #expect(durations[0].dropLast().allSatisfy { $0 == 1 })
        let dates = layers.map { $0.segments.map(\.programDateTime) }
        #expect(dates[0] == dates[1])
    }

    private func expectAlignedAndWhole(
        _ layers: [MediaProbe.Report], _ summary: PipelineSummary
    ) throws {
        var missing = 0
        for (index, report) in layers.enumerated() {
            #expect(report.damagedPackets == 0)
            let sizes = Set(report.pictures.map { [$0.frame.width, $0.frame.height] })
            #expect(sizes == [[Self.layers[index].width, Self.layers[index].height]])
            let frames = report.pictures.map { Self.frame($0.pts) }
            // Frames left out were counted, and no other frame moved.
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0 < $1 })
            missing += Int(summary.frames) - frames.count
            // Every segment begins with a key frame, at the same frame in all layers.
            let keys = report.pictures.filter(\.isKeyframe).map { Self.frame($0.pts) }
            let starts: [Int64] = (0..<summary.segments).map { Int64($0) * 30 }
            #expect(keys == starts)
        }
        #expect(missing == summary.framesDropped)
    }

    /// With fewer pictures the bytes are too few for a reader to recognise the format.
    private static let picturesToRecognise = 6

    /// A viewer may start with any segment.
    private func expectIndependentSegments(_ layer: Int) throws {
        for (index, segment) in try playlist(layer).segments.enumerated() {
            let pictures = Int((segment.duration.seconds * 30).rounded())
            guard pictures >= Self.picturesToRecognise else { continue }
            let report = try MediaProbe.decode(bytes(of: segment, layer))
            #expect(report.damagedPackets == 0)
            let first = try #require(report.pictures.first)
            #expect(first.isKeyframe && Self.frame(first.pts) == Int64(index) * 30)
            let end = Int64(index * 30 + pictures)
            #expect(report.pictures.allSatisfy { Self.frame($0.pts) < end })
        }
    }

    /// Frame number of a picture, from the container's clock of 90 kHz that begins at 1 s.
    private static func frame(_ pts: MediaTime) -> Int64 {
        let ticks = pts.rescaled(to: 90_000).ticks - TransportStreamMuxer.timestampOffset.ticks
        #expect(ticks.isMultiple(of: 3000))
        return ticks / 3000
    }

    /// The clip flashes and beeps at every whole second.
    private func expectSync(_ report: MediaProbe.Report, of layer: Int, isWhole: Bool) {
        let flashes = Self.flashes(report.pictures)
        let beeps = Self.beeps(report.sound)
        #expect(beeps.count >= 2, "layer \(layer): \(beeps)")
        let offsets = beeps.compactMap { beep in
            flashes.map { beep - $0 }.min { abs($0) < abs($1) }
        }
        let paired = offsets.filter { abs($0) < 0.5 }
        if isWhole { #expect(paired.count >= 2, "layer \(layer): \(flashes) \(beeps)") }
        #expect(paired.allSatisfy { abs($0) <= 0.045 }, "layer \(layer): \(flashes) \(beeps)")
    }

    /// The times at which the picture turned white, if the picture before is available.
    private static func flashes(_ pictures: [MediaProbe.Picture]) -> [Double] {
        let isWhite = pictures.map { picture in
            picture.frame.withPlanes { $0.y[$0.y.width / 8, $0.y.height * 7 / 8] > 200 }
        }
        return pictures.indices.dropFirst().compactMap { index in
            let isNext = frame(pictures[index].pts) == frame(pictures[index - 1].pts) + 1
            guard isNext, isWhite[index], !isWhite[index - 1] else { return nil }
            return pictures[index].pts.seconds
        }
    }

    /// The times at which audio began after half a second of silence.
    private static func beeps(_ sound: [DecodedAudio]) -> [Double] {
        var beeps: [Double] = []
        var quiet = 0
        for block in sound {
            for n in 0..<block.samples.count / 2 {
                quiet += 1
                guard abs(block.samples[2 * n]) > 0.1 else { continue }
                if quiet > 24_000 { beeps.append(block.pts.seconds + Double(n) / 48_000) }
                quiet = 0
            }
        }
        return beeps
    }

    private func expectMaster() throws {
        let master = try MasterPlaylist(parsing: scratch.text("stream/master.m3u8"))
        #expect(master.variants.map(\.uri) == ["stream_0/stream.m3u8", "stream_1/stream.m3u8"])
        #expect(master.variants.map(\.width) == [320, 256])
        #expect(master.variants.allSatisfy { $0.codecs.hasPrefix("avc1.") })
        let everything = scratch.names(in: "stream/stream_0") + scratch.names(in: "stream")
        #expect(everything.allSatisfy { !$0.hasPrefix(AssetFile.temporaryPrefix) })
    }

    private func expectEvents(_ pipeline: StreamPipeline, _ summary: PipelineSummary) async throws {
        var published: [Int: [Int]] = [:]
        var runningAfter: [Int: Int]?
        var tiles: [[PlacedTile]] = []
        for await event in pipeline.events {
            switch event {
            case .segmentPublished(let layer, let index, let bytes):
                let name = "segment_00000\(index).ts"
                #expect(try scratch.bytes("stream/stream_\(layer)/\(name)").count == bytes)
                published[layer, default: []].append(index)
            case .running: runningAfter = published.mapValues(\.count)
            case .tilesChanged(let placed, _, _): tiles.append(placed)
            case .failed(let reason): Issue.record("failed: \(reason)")
            default: break
            }
        }
        #expect(published[0] == Array(0..<summary.segments))
        #expect(published[1] == published[0])
        #expect(runningAfter != nil)
        let whole = Rectangle(x: 0, y: 0, width: 320, height: 180)
        let tile = PlacedTile(
            peer: "ann", track: ClipPlayer.camera, name: "Ann", rectangle: whole, fit: .crop)
        #expect(tiles.last == [tile])
    }

    // MARK: Other lives

    @Test func anEmptyRoomIsStreamedAsASlate() async throws {
        let pipeline = try pipeline { $0.playoutDelay = .fixed(.zero) }
        pipeline.show([])
        pipeline.start()
        var events = pipeline.events.makeAsyncIterator()
        while let event = await events.next() {
            if case .running = event { break }
        }
        let summary = await pipeline.stop()
        #expect(summary.segments >= 1)
        let first = try whole(0)
        let picture = try #require(first.pictures.first).frame
        // Text on a plain ground: neither black nor a single colour.
        let shades = picture.withPlanes { planes in
            Set(
                (0..<planes.y.height).flatMap { y in
                    (0..<planes.y.width).map { planes.y[$0, y] / 16 }
                })
        }
        #expect(shades.count > 1)
        let peak = first.samples(ofChannel: 0).map(abs).max() ?? 0
        #expect(peak < 0.001)
    }

    /// The server starts another bot, which continues with the files of this one.
    @Test func aStreamThatFailedLeavesItsPlaylistsToTheNextBot() async throws {
        for failure in [PipelineFailure("the room is lost"), nil] {
            let pipeline = try pipeline { $0.playoutDelay = .fixed(.zero) }
            pipeline.show([])
            pipeline.start()
            var events = pipeline.events.makeAsyncIterator()
            while let event = await events.next() {
                if case .running = event { break }
            }
            _ = await pipeline.stop(failure: failure)
            #expect(pipeline.failure == failure)
            for layer in 0...1 { #expect(try playlist(layer).isEnded == (failure == nil)) }
        }
        for layer in 0...1 {
            let segments = try playlist(layer).segments
            let marked = segments.filter(\.isDiscontinuity)
            #expect(marked.count == 1 && !segments[0].isDiscontinuity)
            #expect(segments.map(\.uri) == segments.indices.map { "segment_00000\($0).ts" })
        }
    }

    @Test func aStreamThatNeverBeganLeavesNoPlaylist() async throws {
        let pipeline = try pipeline()
        pipeline.show([])
        let summary = await pipeline.stop()
        #expect(summary == PipelineSummary(segments: 0, frames: 0, framesDropped: 0))
        #expect(pipeline.failure == nil)
        var count = 0
        for await _ in pipeline.events { count += 1 }
        #expect(count == 0)
        #expect(scratch.names(in: "stream") == ["stream_0", "stream_1"])
        #expect(scratch.names(in: "stream/stream_0").isEmpty)
    }

    /// Media keeps arriving while the last segments are written.
    @Test func whatComesBehindTheEndIsNoLoss() async throws {
        let pipeline = try pipeline {
            $0.playoutDelay = .fixed(.zero)
            $0.preset = "slow"
        }
        pipeline.show([])
        pipeline.start()
        var events = pipeline.events.makeAsyncIterator()
        while let event = await events.next() {
            if case .running = event { break }
        }
        let hasEnded = Mutex(false)
        let sender = MediaThread(name: "sender") {
            while !hasEnded.withLock({ $0 }) {
                pipeline.receive(
                    IncomingFrame(
                        data: [0x31], timestamp: 0, isKeyframe: false,
                        arrival: MonotonicClock.now), of: "nobody's", isVideo: true)
                usleep(1000)
            }
        }
        _ = await pipeline.stop()
        hasEnded.withLock { $0 = true }
        await sender.join()
        while let event = await events.next() {
            switch event {
            case .inputOverflow, .keyframeNeeded: Issue.record("\(event)")
            default: break
            }
        }
    }

    @Test func aPictureThatCannotBeDecodedAsksForAKeyFrame() async throws {
        let pipeline = try pipeline()
        pipeline.show([ClipPlayer.ann])
        pipeline.mediaBegan(ClipPlayer.camera, codec: .vp8)
        pipeline.receive(
            IncomingFrame(
                data: [0x31, 0, 0, 1, 2, 3], timestamp: 0, isKeyframe: false,
                arrival: MonotonicClock.now), of: ClipPlayer.camera, isVideo: true)
        let summary = await pipeline.stop()
        #expect(summary.frames == 0)
        var wanted: [TrackID] = []
        for await event in pipeline.events {
            if case .keyframeNeeded(let track) = event { wanted.append(track) }
        }
        #expect(wanted == [ClipPlayer.camera])
    }

    @Test func aPlaceThatCannotBeWrittenToIsAnErrorAtOnce() throws {
        try AtomicFile.write("in the way", to: "stream", in: scratch.path)
        #expect {
            try pipeline()
        } throws: { error in
            if case PipelineError.file = error { true } else { false }
        }
    }
}
