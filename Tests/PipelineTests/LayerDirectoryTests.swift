import Codec
import HLS
import MediaKernel
import Recording
import Testing
import Workbench

@testable import Pipeline

@Suite struct LayerDirectoryTests {
    /// 2023-11-14T22:13:20Z in nanoseconds.
    static let epoch: Int64 = 1_700_000_000_000_000_000

    private let scratch: Scratch
    private let planner: SegmentPlanner

    init() throws {
        scratch = try Scratch()
        planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(1))
    }

    private func open(
        _ mode: PlaylistMode, _ metadata: TimedMetadataBoard = TimedMetadataBoard()
    ) throws -> LayerDirectory {
        try openBoth(mode, metadata)[1]
    }

    private func openBoth(
        _ mode: PlaylistMode, _ metadata: TimedMetadataBoard = TimedMetadataBoard()
    ) throws -> [LayerDirectory] {
        try LayerDirectory.open(
            count: 2, in: scratch.path, mode: mode, planner: planner, isRecorded: false,
            metadata: metadata)
    }

    private func place(_ number: Int, frames: Int = 30) -> LayerDirectory.Place {
        LayerDirectory.Place(
            epoch: Self.epoch, frameRate: 30, firstFrame: Int64(number) * 30, frameCount: frames)
    }

    private func publish(_ numbers: Range<Int>, in directory: inout LayerDirectory) throws {
        for number in numbers {
            let given = try directory.publish(
                MultiplexedSegment(bytes: [UInt8(number), 1, 2]), place: place(number),
                duration: planner.segmentDuration)
            #expect(given == number)
        }
    }

    private func playlist() throws -> MediaPlaylist {
        try MediaPlaylist(parsing: scratch.text("stream_1/stream.m3u8"))
    }

    @Test func segmentsAreNumberedAndListed() throws {
        var directory = try open(.event)
        #expect(scratch.names(in: "stream_1").isEmpty)
        try publish(0..<3, in: &directory)
        let names = (0..<3).map { "segment_00000\($0).ts" }
        #expect(scratch.names(in: "stream_1") == names + ["stream.m3u8"])
        #expect(try scratch.bytes("stream_1/segment_000002.ts") == [2, 1, 2])
        let playlist = try playlist()
        #expect(playlist.kind == .event && !playlist.isEnded)
        #expect(playlist.targetDuration == 1 && playlist.mediaSequence == 0)
        #expect(playlist.segments.map(\.uri) == names)
        #expect(
            playlist.segments.map(\.programDateTime)
                == (0..<3).map {
                    Self.epoch + $0 * 1_000_000_000
                })
        try directory.end()
        #expect(try self.playlist().isEnded)
    }

    @Test(arguments: [PlaylistMode.event, .live(window: 3)])
    func anInterruptedStreamGoesOnBehindOneDiscontinuity(mode: PlaylistMode) throws {
        var validator = PlaylistValidator()
        var first = try open(mode)
        try publish(0..<4, in: &first)
        #expect(validator.observe(try playlist()).isEmpty)
        var second = try open(mode)
        #expect(second.nextIndex == 4)
        for number in 4..<7 {
            try publish(number..<(number + 1), in: &second)
            #expect(validator.observe(try playlist()).isEmpty)
        }
        let playlist = try playlist()
        let marked = playlist.segments.indices.filter { playlist.segments[$0].isDiscontinuity }
        #expect(marked.map { playlist.mediaSequence + $0 } == [4])
        #expect(playlist.mediaSequence + playlist.segments.count == 7)
        #expect(try scratch.bytes("stream_1/segment_000006.ts") == [6, 1, 2])
    }

    /// Each bot writes one segment in the named layers, and dies. Players that switch layers must
    /// then find the same discontinuity sequence numbers (RFC 8216 sect. 6.2.4).
    @Test(
        arguments: [PlaylistMode.event, .live(window: 3)],
        [
            [[0], [0, 1]], [[1], [0, 1]], [[0], [0], [0, 1]], [[0], [1], [0, 1]],
            [[0, 1], [1], [1], [0], [0, 1]], [[], [0], [0, 1]],
        ] as [[[Int]]])
    func layersCountTheSameDiscontinuitiesAfterDeathsInAFirstSegment(
        mode: PlaylistMode, deaths: [[Int]]
    ) throws {
        for run in 0..<deaths.count + 5 {
            var layers = try openBoth(mode)
            for layer in run < deaths.count ? deaths[run] : [0, 1] {
                _ = try layers[layer].publish(
                    MultiplexedSegment(bytes: [1]), place: place(run),
                    duration: planner.segmentDuration)
            }
            guard run >= deaths.count - 1 else { continue }
            let playlists = try (0...1).map {
                try MediaPlaylist(parsing: scratch.text("stream_\($0)/stream.m3u8"))
            }
            // The other layers have a segment that this one may lack.
            let both = Set(playlists[0].segments.map(\.programDateTime))
                .intersection(playlists[1].segments.map(\.programDateTime))
            let numbers = playlists.map { playlist in
                zip(playlist.segments, playlist.discontinuitySequences)
                    .filter { both.contains($0.0.programDateTime) }.map(\.1)
            }
            #expect(!numbers[0].isEmpty && numbers[0] == numbers[1])
        }
    }

    @Test func whatLeftTheWindowGoesAlsoAfterABotsDeath() throws {
        var first = try open(.live(window: 3))
        try publish(0..<30, in: &first)
        let kept = scratch.names(in: "stream_1")
        // Three in the window, eight outside it, and the playlist.
        #expect(kept.count == 12)
        for start in [30, 31, 60] {
            var next = try open(.live(window: 3))
            try publish(start..<(start == 31 ? 60 : start + 1), in: &next)
            // The newest segments that left the window stay.
            let last = start == 31 ? 59 : start
            let names = (last - 10...last).map { SegmentRecord.fileName(number: $0) }
            #expect(scratch.names(in: "stream_1") == names + ["stream.m3u8"])
        }
    }

    /// Fragments beside the main files take a bounded part of the disk, also those of a bot that
    /// continues; their sections stay, and are written once.
    @Test func fragmentsBesideTheMainFilesAreAWindow() throws {
        let files = ContainerFiles(format: .fragments, isBeside: true)
        for run in 0..<3 {
            var directory = try LayerDirectory.open(
                count: 1, in: scratch.path, mode: .event, planner: planner, isRecorded: true,
                files: files)[0]
            for number in run * 40..<run * 40 + 40 {
                var segment = MultiplexedSegment(bytes: [UInt8(number), 1, 2])
                segment.header = run < 2 ? [1, 2, 3] : [4, 5, 6]
                let given = try directory.publish(
                    segment, place: place(number), duration: planner.segmentDuration)
                #expect(given == number)
                let names = scratch.names(in: "cmaf_0").filter { $0.hasSuffix(".m4s") }
                #expect(names.count <= ContainerFiles.besideSegmentsMaximum)
            }
            let playlist = try MediaPlaylist(parsing: scratch.text("cmaf_0/stream.m3u8"))
            #expect(playlist.kind == .live && playlist.segments.count == 10)
            let name = try #require(playlist.segments[0].initialization?.uri)
            #expect(try scratch.bytes("cmaf_0/\(name)") == (run < 2 ? [1, 2, 3] : [4, 5, 6]))
            let names = scratch.names(in: "cmaf_0").filter { $0.hasSuffix(".mp4") }
            #expect(names.count == (run < 2 ? 1 : 2))
        }
        #expect(!scratch.names(in: "cmaf_0").contains("segments.log"))
    }

    /// - Parameter seconds: relative to the first frame.
    private func metadata(_ number: Int, at seconds: Double) -> TimedMetadata {
        TimedMetadata(
            number: number, start: Self.epoch / 1_000_000 + Int64(seconds * 1000), seconds: 60,
            payload: "p")
    }

    @Test(arguments: [PlaylistMode.event, .live(window: 3)])
    func timedMetadataIsListedAndABotThatComesAfterAnotherKeepsIt(mode: PlaylistMode) throws {
        var validator = PlaylistValidator()
        let board = TimedMetadataBoard()
        var first = try open(mode, board)
        try publish(0..<2, in: &first)
        board.add(metadata(1, at: 2.5))
        try publish(2..<4, in: &first)
        #expect(try playlist().dateRanges.map(\.id) == ["1"])
        #expect(validator.observe(try playlist()).isEmpty)
        // Accepted and logged, but the bot died before its segment came.
        let again = TimedMetadataBoard([metadata(1, at: 2.5), metadata(2, at: 4.5)])
        var second = try open(mode, again)
        again.add(metadata(2, at: 4.5))
        for number in 4..<6 {
            try publish(number..<(number + 1), in: &second)
            #expect(validator.observe(try playlist()).isEmpty)
        }
        #expect(try playlist().dateRanges.map(\.id) == ["1", "2"])
        again.add(metadata(3, at: 99))
        try second.end()
        #expect(try playlist().trailingDateRanges.map(\.id) == ["3"])
        #expect(validator.observe(try playlist()).isEmpty)
    }

    @Test func aStreamThatEndedStartsAnew() throws {
        var first = try open(.event)
        try publish(0..<2, in: &first)
        try first.end()
        #expect(try open(.event).nextIndex == 0)
    }

    /// Starting over would overwrite segments that viewers know.
    @Test func aPlaylistThatCannotBeReadIsAnError() throws {
        try AtomicFile.makeDirectory("\(scratch.path)/stream_1")
        try AtomicFile.write("no playlist", to: "stream.m3u8", in: "\(scratch.path)/stream_1")
        #expect(throws: PipelineError.self) { try open(.event) }
    }

    /// A window, and the number of segments that stay outside it.
    @Test(arguments: [(3, 8), (10, 12)])
    func theLiveWindowMovesAndOldFilesGo(window: Int, behind: Int) throws {
        var validator = PlaylistValidator()
        var directory = try open(.live(window: window))
        let last = window + behind + 9
        for number in 0...last {
            try publish(number..<(number + 1), in: &directory)
            let playlist = try playlist()
            #expect(validator.observe(playlist).isEmpty)
            let files = scratch.names(in: "stream_1")
            for segment in playlist.segments { #expect(files.contains(segment.uri)) }
        }
        let playlist = try playlist()
        #expect(playlist.kind == .live && playlist.mediaSequence == last - window + 1)
        #expect(playlist.segments.count == window)
        // The window, and segments that a player with an older playlist may still request.
        let files = scratch.names(in: "stream_1").filter { $0.hasSuffix(".ts") }
        let first = last - window - behind + 1
        #expect(files == (first...last).map { SegmentRecord.fileName(number: $0) })
    }

    @Test func numbersOfMoreThanSixDigitsAreWritten() throws {
        try AtomicFile.makeDirectory("\(scratch.path)/stream_1")
        let builder = MediaPlaylistBuilder(
            mode: .live(window: 3), targetDuration: 1, firstMediaSequence: 999_999)
        try AtomicFile.write(
            builder.rendered(), to: "stream.m3u8", in: "\(scratch.path)/stream_1")
        var directory = try open(.live(window: 3))
        for _ in 0..<2 {
            _ = try directory.publish(
                MultiplexedSegment(bytes: [1]), place: place(0), duration: planner.segmentDuration)
        }
        let files = scratch.names(in: "stream_1")
        #expect(files == ["segment_1000000.ts", "segment_999999.ts", "stream.m3u8"])
    }

    @Test func aSegmentThatIsTooLongIsAnError() throws {
        var directory = try open(.event)
        #expect(throws: PipelineError.self) {
            try directory.publish(
                MultiplexedSegment(bytes: [1]), place: place(0, frames: 90),
                duration: MediaTime(ticks: 3, timescale: 1))
        }
    }
}
