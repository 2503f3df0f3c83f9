import Codec
import HLS
import MediaKernel
import Recording
import Streams
import Testing
import Workbench

@testable import Pipeline

@Suite struct CaptionDirectoryTests {
    /// 2023-11-14T22:13:20Z.
    private static let begin: Int64 = 1_700_000_000_000

    private let scratch: Scratch
    private let planner: SegmentPlanner

    init() throws {
        scratch = try Scratch()
        planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(1))
    }

    private func open(
        _ mode: PlaylistMode, _ board: CaptionBoard?, _ files: ContainerFiles = .transportStream
    ) throws -> [LayerDirectory] {
        try LayerDirectory.open(
            count: 2, in: scratch.path, mode: mode, planner: planner, isRecorded: false,
            captions: board, files: files)
    }

    private func board(_ captions: [Caption] = []) throws -> CaptionBoard {
        try say(captions)
        return CaptionBoard(
            [CaptionLanguage(code: "en", name: "English"), CaptionLanguage(code: "pt-BR")],
            in: scratch.path)
    }

    private func say(_ captions: [Caption]) throws {
        guard !captions.isEmpty else { return }
        #expect(try CaptionLog.append(captions, in: scratch.path))
    }

    private func caption(
        _ number: Int, _ start: Int64, _ end: Int64, _ language: String = "en"
    ) -> Caption {
        Caption(
            number: number, language: language, start: Self.begin + start,
            end: Self.begin + end, text: "text \(number)")
    }

    /// - Parameter run: milliseconds after the stream's begin of the bot's frame 0.
    private func publish(
        _ frames: Range<Int64>, run: Int64 = 0, in directory: inout LayerDirectory
    ) throws {
        let place = LayerDirectory.Place(
            epoch: (Self.begin + run) * 1_000_000, frameRate: 30, firstFrame: frames.lowerBound,
            frameCount: frames.count)
        _ = try directory.publish(
            MultiplexedSegment(bytes: [1]), place: place, duration: place.duration)
    }

    private func playlist(_ name: String) throws -> MediaPlaylist {
        try MediaPlaylist(parsing: scratch.text("\(name)/stream.m3u8"))
    }

    /// Lines of the segment without its note and the numbers.
    private func segment(_ number: Int, _ name: String = "captions_en") throws -> [String] {
        try scratch.text("\(name)/segment_00000\(number).vtt").split(separator: "\n")
            .map(String.init).filter { !$0.hasPrefix("NOTE") && Int($0) == nil }
    }

    /// All but the names.
    private func shape(_ playlist: MediaPlaylist) -> MediaPlaylist {
        var playlist = playlist
        for index in playlist.segments.indices {
            let uri = playlist.segments[index].uri
            playlist.segments[index].uri = String(uri.prefix { $0 != "." })
            playlist.segments[index].initialization = nil
        }
        return playlist
    }

    private func expectMirror(_ captions: String, of layer: String) throws {
        let (one, other) = (try playlist(captions), try playlist(layer))
        #expect(shape(one) == shape(other))
        for one in one.segments {
            #expect(scratch.names(in: captions).contains(one.uri))
        }
    }

    @Test(
        arguments: [PlaylistMode.event, .live(window: 3)],
        [ContainerFiles.transportStream, ContainerFiles(format: .fragments, isBeside: true)])
    func thePlaylistMirrorsTheFirstLayersAlsoAfterABotsDeath(
        mode: PlaylistMode, files: ContainerFiles
    ) throws {
        let (layer, captions) =
            files.isBeside ? ("cmaf_0", "cmaf_captions_en") : ("stream_0", "captions_en")
        for run in 0..<3 as Range<Int64> {
            var layers = try open(mode, try board(), files)
            // The first run dies after a segment that only the other layer has.
            if run == 0 { try publish(0..<30, in: &layers[1]) }
            for number in 0..<(run == 0 ? 0 : 12) as Range<Int64> {
                if number == 7 { layers[0].markDiscontinuity() }
                let first = number * 30 + (number < 7 ? 0 : 90)
                let length: Int64 = number == 6 ? 20 : 30
                try publish(first..<(first + length), run: run * 20_000, in: &layers[0])
                try expectMirror(captions, of: layer)
            }
            if run == 2 { try layers[0].end() }
        }
        try expectMirror(captions, of: layer)
        #expect(try playlist(captions).isEnded)
    }

    @Test func expiredFilesGoWithThoseOfTheLayer() throws {
        for run in 0..<2 as Range<Int64> {
            var layers = try open(.live(window: 3), try board())
            for number in 0..<20 as Range<Int64> {
                try publish(number * 30..<(number + 1) * 30, run: run * 20_000, in: &layers[0])
            }
            let names = scratch.names(in: "stream_0").map { $0.prefix { $0 != "." } }
            #expect(scratch.names(in: "captions_en").map { $0.prefix { $0 != "." } } == names)
        }
    }

    @Test func aCaptionIsShownWhereItWasSaidAndALateOneNext() throws {
        var layers = try open(.event, try board())
        try say([caption(1, 500, 1500), caption(2, 100, 200, "pt-BR")])
        try publish(0..<30, in: &layers[0])
        try say([caption(3, 200, 400)])
        try publish(30..<60, in: &layers[0])
        try publish(60..<90, in: &layers[0])
        let said = ["00:00:00.500 --> 00:00:01.500", "text 1"]
        #expect(
            try segment(0) == [
                "WEBVTT", "X-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000",
            ] + said)
        #expect(
            try segment(1) == [
                "WEBVTT", "X-TIMESTAMP-MAP=MPEGTS:180000,LOCAL:00:00:01.000",
            ] + said + ["00:00:01.000 --> 00:00:01.200", "text 3"])
        #expect(
            try segment(2) == ["WEBVTT", "X-TIMESTAMP-MAP=MPEGTS:270000,LOCAL:00:00:02.000"])
        #expect(try segment(0, "captions_pt-BR").suffix(1) == ["text 2"])
        #expect(try segment(1, "captions_pt-BR").count == 2)
    }

    @Test func theNextBotShowsWhatTheDeadOneCouldNot() throws {
        var first = try open(
            .event, try board([caption(1, 500, 900), caption(2, 900, 6000)]))
        try publish(0..<30, in: &first[0])
        // Accepted while there is no bot.
        var second = try open(
            .event,
            try board([caption(3, 700, 1200), caption(4, 2500, 2600), caption(5, 7000, 7100)]))
        try publish(0..<30, run: 5000, in: &second[0])
        #expect(
            try segment(1) == [
                "WEBVTT", "X-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000",
                "00:00:00.000 --> 00:00:01.000", "text 2",
                "00:00:00.000 --> 00:00:00.500", "text 3",
                "00:00:00.000 --> 00:00:00.100", "text 4",
            ])
        try publish(30..<60, run: 5000, in: &second[0])
        #expect(try segment(2).count == 2)
        try publish(60..<90, run: 5000, in: &second[0])
        #expect(
            try segment(3).suffix(2) == ["00:00:02.000 --> 00:00:02.100", "text 5"])
    }

    @Test func theNextBotReadsOnlyTheBeginningOfALargeFile() throws {
        var first = try open(.event, try board([caption(1, 100, 200)]))
        try publish(0..<30, in: &first[0])
        let name = "captions_en/segment_000000.vtt"
        let padding = [UInt8](repeating: 10, count: 2 << 20)
        try scratch.write(try scratch.bytes(name) + padding, to: name)
        var second = try open(.event, try board([caption(2, 1100, 1200)]))
        try publish(0..<30, run: 1000, in: &second[0])
        #expect(try segment(1).filter { $0.hasPrefix("text") } == ["text 2"])
    }

    /// The bot has died between publishing a segment and its captions.
    @Test func aSegmentWithoutItsCaptionsGetsAFileAndTheyAreShownNext() throws {
        var first = try open(.event, try board([caption(1, 100, 200)]))
        try publish(0..<30, in: &first[0])
        // Without captions, as if it had died before them.
        var dying = try open(.event, nil)
        try publish(30..<60, in: &dying[0])
        var second = try open(.event, try board([caption(2, 1100, 1200)]))
        try expectMirror("captions_en", of: "stream_0")
        #expect(try segment(1) == ["WEBVTT"])
        try publish(0..<30, run: 2000, in: &second[0])
        #expect(try segment(2).suffix(2) == ["00:00:00.000 --> 00:00:00.100", "text 2"])
        try expectMirror("captions_en", of: "stream_0")
    }
}
