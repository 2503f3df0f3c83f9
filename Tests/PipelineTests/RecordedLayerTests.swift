import Codec
import HLS
import MediaKernel
import Recording
import Testing
import Workbench

@testable import Pipeline

/// A bot's files of a recorded layer, and their use by the next bot.
@Suite struct RecordedLayerTests {
    private let scratch: Scratch
    private let planner: SegmentPlanner
    /// A second of audio each.
    private let segments: [MultiplexedSegment]

    init() throws {
        scratch = try Scratch()
        planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(1))
        let encoder = try AACEncoder(bitrate: 64_000)
        let muxer = try TransportStreamMuxer(video: nil, audio: encoder.streamParameters)
        let silence = [Float](repeating: 0, count: AACEncoder.frameSize * AACEncoder.channels)
        for block in 0..<1000 {
            let index = Int64(block * AACEncoder.frameSize)
            for packet in try encoder.encode(silence, index: index) {
                try muxer.write(audio: packet)
            }
        }
        segments = try (1...20).map {
            try muxer.cut(at: MediaTime(ticks: $0, timescale: 1))
        }
    }

    private func open(_ mode: PlaylistMode = .event) throws -> LayerDirectory {
        try LayerDirectory.open(
            count: 1, in: scratch.path, mode: mode, planner: planner, isRecorded: true)[0]
    }

    /// - Parameter run: the bot's run; segments are counted from 0 in each.
    private func publish(_ range: Range<Int>, run: Int64, in directory: inout LayerDirectory) throws
    {
        for index in range {
            let place = LayerDirectory.Place(
                epoch: run * 1_000_000_000, frameRate: 30, firstFrame: Int64(index) * 30,
                frameCount: 30)
            _ = try directory.publish(segments[index], place: place, duration: place.duration)
        }
    }

    private func playlist() throws -> MediaPlaylist {
        try MediaPlaylist(parsing: scratch.text("stream_0/stream.m3u8"))
    }

    private func log() throws -> SegmentLog {
        SegmentLog(parsing: try scratch.bytes("stream_0/segments.log"))
    }

    private func plan() throws -> RecordingPlan {
        try RecordingPlan(layers: [try log().records])
    }

    @Test func eachSegmentHasALineWithWhatIsInIt() throws {
        var directory = try open()
        try publish(0..<3, run: 1, in: &directory)
        let records = try log().records
        #expect(records.map(\.number) == [0, 1, 2])
        #expect(records.map(\.firstFrame) == [0, 30, 60])
        for (record, segment) in zip(records, segments) {
            #expect(record.byteCount == segment.bytes.count)
            #expect(record.checksum == CRC32.checksum(segment.bytes))
            let blocks = try #require(record.sound).blockSizes.count
            #expect(46...48 ~= blocks)
        }
        #expect(try plan().frameCount == 90)
    }

    @Test func aStreamThatIsNotRecordedHasNoLog() throws {
        var directory = try LayerDirectory.open(
            count: 1, in: scratch.path, mode: .event, planner: planner, isRecorded: false)[0]
        try publish(0..<1, run: 1, in: &directory)
        #expect(scratch.names(in: "stream_0") == ["segment_000000.ts", "stream.m3u8"])
    }

    /// Killed between the log line and the playlist.
    @Test func whatIsLoggedAndNotListedIsListedByTheNextBot() throws {
        var first = try open()
        try publish(0..<2, run: 1, in: &first)
        let earlier = try scratch.text("stream_0/stream.m3u8")
        try publish(2..<3, run: 1, in: &first)
        try AtomicFile.write(earlier, to: "stream.m3u8", in: "\(scratch.path)/stream_0")
        var second = try open()
        #expect(second.nextIndex == 3)
        try publish(0..<1, run: 2, in: &second)
        let playlist = try playlist()
        #expect(playlist.segments.count == 4)
        #expect(playlist.segments.map(\.isDiscontinuity) == [false, false, false, true])
        #expect(try log().records.map(\.run) == [1, 1, 1, 2].map { $0 * 1_000_000_000 })
        #expect(try plan().parts.map(\.isJoin) == [true, false, false, true])
    }

    @Test func aLineThatIsTornCostsItsSegmentOnly() throws {
        var first = try open()
        try publish(0..<3, run: 1, in: &first)
        let log = try scratch.bytes("stream_0/segments.log")
        try AtomicFile.write(
            Array(log.dropLast(20)), to: "segments.log", in: "\(scratch.path)/stream_0")
        var second = try open()
        try publish(0..<2, run: 2, in: &second)
        #expect(try self.log().records.map(\.number) == [0, 1, 3, 4])
        #expect(try self.log().damagedLines == 1)
    }

    /// Lines with correct checksums and impossible numbers.
    @Test func aLogThatWasForgedDoesNotEndTheNextBot() throws {
        var first = try open()
        try publish(0..<2, run: 1, in: &first)
        var text = try scratch.text("stream_0/segments.log")
        var forged = try log().records[1]
        (forged.number, forged.run) = (2, .max - 1)
        text += forged.line
        forged.number = .max
        text += forged.line
        try AtomicFile.write(text, to: "segments.log", in: "\(scratch.path)/stream_0")
        let second = try open()
        #expect(second.nextIndex == 3)
        #expect(try log().records.map(\.number) == [0, 1, 2])
    }

    @Test func theWindowMovesAndNothingThatWasRecordedGoes() throws {
        var directory = try open(.live(window: 3))
        try publish(0..<20, run: 1, in: &directory)
        #expect(try playlist().segments.count == 3)
        #expect(scratch.names(in: "stream_0").filter { $0.hasSuffix(".ts") }.count == 20)
        #expect(try plan().frameCount == 600)
    }

    @Test func aStreamThatGoesOnAfterItsEndWritesNothingOver() throws {
        var first = try open()
        try publish(0..<2, run: 1, in: &first)
        try first.end()
        var second = try open()
        #expect(second.nextIndex == 2)
        try publish(0..<2, run: 2, in: &second)
        #expect(try plan().frameCount == 120)
    }
}
