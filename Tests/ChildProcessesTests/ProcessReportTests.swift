import ChildProcesses
import MediaKernel
import Testing

@Suite struct ProcessReportTests {
    static let tile = BotReport.Tile(
        peer: "Ann", peerID: "p1", x: 0, y: 2, width: 640, height: 720)
    static let totals = BotReport.Totals(
        segments: 4, duration: 8.5, frames: 255, framesDropped: 1, cpuSeconds: 1.5,
        residentMegabytes: 120.5)

    @Test(arguments: [
        (BotReport.joined, #"{"event":"joined"}"#),
        (.atWork, #"{"event":"at_work"}"#),
        (
            .running(firstSegmentMilliseconds: 2345),
            #"{"event":"running","first_segment_ms":2345}"#
        ),
        (
            .tiles([tile]),
            #"{"event":"tiles","tiles":[{"height":720,"peer":"Ann","peer_id":"p1","#
                + #""width":640,"x":0,"y":2}]}"#
        ),
        (
            .segment(layer: 1, index: 7, bytes: 9),
            #"{"bytes":9,"event":"segment","index":7,"layer":1}"#
        ),
        (
            .usage(cpuSeconds: 1.5, residentMegabytes: 120.5),
            #"{"cpu_seconds":1.5,"event":"usage","rss_mb":120.5}"#
        ),
        (.warning("a/b"), #"{"event":"warning","message":"a/b"}"#),
        (
            .leftOut([
                .init(track: "t1", peer: "Ann", peerID: "p1", reason: "too large")
            ]),
            #"{"event":"left_out","tracks":[{"peer":"Ann","peer_id":"p1","#
                + #""reason":"too large","track":"t1"}]}"#
        ),
        (
            .reduction(frameRate: 7.5, layersThinned: 1, videosLeftOut: 2),
            #"{"event":"reduction","frame_rate":7.5,"layers_thinned":1,"videos_left_out":2}"#
        ),
        (
            .message(.init(peerID: "p1", peer: "Ann", type: "chat", text: "hi")),
            #"{"event":"said","said":{"peer":"Ann","peer_id":"p1","text":"hi","type":"chat"}}"#
        ),
        (
            .log(.init(logger: "l", level: "info", message: "hi", fields: [("a", "b")])),
            #"{"event":"log","line":{"fields":[{"name":"a","value":"b"}],"level":"info","#
                + #""logger":"l","message":"hi"}}"#
        ),
        (
            .stopped(reason: "room ended", totals),
            #"{"cpu_seconds":1.5,"duration":8.5,"event":"stopped","frames":255,"#
                + #""frames_dropped":1,"reason":"room ended","rss_mb":120.5,"segments":4}"#
        ),
        (
            .identity(peer: "p1", .object(["user": .object(["name": "Ann"])])),
            #"{"event":"identity","identity":{"user":{"name":"Ann"}},"peer":"p1"}"#
        ),
        (.failed(reason: "disk full"), #"{"event":"failed","reason":"disk full"}"#),
    ])
    func aBotsReportIsALineOfJSON(report: BotReport, line: String) throws {
        #expect(try report.line() == line)
        #expect(BotReport(line: line) == report)
    }

    @Test(arguments: [
        (FinisherReport.progress(20), #"{"event":"progress","permille":20}"#),
        (.leftOut(layer: 1, segment: 7), #"{"event":"left_out","layer":1,"segment":7}"#),
        (
            .withoutThumbnails(reason: "none"),
            #"{"event":"without_thumbnails","reason":"none"}"#
        ),
        (
            .withoutFile(name: "a", reason: "none"),
            #"{"event":"without_file","name":"a","reason":"none"}"#
        ),
        (.finished(assets: 3), #"{"assets":3,"event":"finished"}"#),
        (
            .failed(reason: "disk full", isForWantOfRoom: true),
            #"{"event":"failed","no_room":true,"reason":"disk full"}"#
        ),
    ])
    func aFinishersReportIsALineOfJSON(report: FinisherReport, line: String) throws {
        #expect(try report.line() == line)
        #expect(FinisherReport(line: line) == report)
    }

    /// A line that is longer would not be read.
    @Test func aMessageOfAnyLengthIsReported() throws {
        let long = String(repeating: "\u{1F3A5}", count: 100_000)
        let line = try BotReport.message(.init(peerID: long, peer: long, type: long, text: long))
            .line()
        #expect(line.utf8.count < BotReport.lineBytesMaximum)
        guard case .message(let message)? = BotReport(line: line) else {
            Issue.record("it is no message")
            return
        }
        #expect(message.text.unicodeScalars.count == BotReport.Message.textMaximum)
    }

    @Test func whatAnEventDoesNotSayIsNothing() {
        #expect(BotReport(line: #"{"event":"segment"}"#) == .segment(layer: 0, index: 0, bytes: 0))
        #expect(
            BotReport(line: #"{"event":"stopped","reason":"x"}"#)
                == .stopped(reason: "x", BotReport.Totals()))
        #expect(
            FinisherReport(line: #"{"event":"failed"}"#)
                == .failed(reason: "no reason given", isForWantOfRoom: false))
    }

    @Test func aPartIsALineOfJSON() throws {
        var part = BotReport.Part(
            layer: 1, segment: 12, part: 3, uri: "part_000012_3.m4s", frames: 7, frameRate: 30,
            isIndependent: false)
        let line =
            #"{"event":"part","frame_rate":30,"frames":7,"independent":false,"layer":1,"part":3,"#
            + #""segment":12,"uri":"part_000012_3.m4s"}"#
        #expect(try BotReport.part(part).line() == line)
        #expect(BotReport(line: line) == .part(part))
        part.start = BotReport.SegmentStart(
            programDateTime: 1_700_000_000_123_456_789, header: "init_1a2b3c4d.mp4",
            isDiscontinuity: true)
        let first =
            #"{"discontinuity":true,"event":"part","frame_rate":30,"frames":7,"#
            + #""header":"init_1a2b3c4d.mp4","independent":false,"layer":1,"part":3,"#
            + #""program_date_time_ns":1700000000123456789,"segment":12,"#
            + #""uri":"part_000012_3.m4s"}"#
        #expect(try BotReport.part(part).line() == first)
        #expect(BotReport(line: first) == .part(part))
    }

    @Test func aListedSegmentIsALineOfJSON() throws {
        let line = #"{"event":"segment_listed","layer":2,"segment":13}"#
        #expect(try BotReport.segmentListed(layer: 2, segment: 13).line() == line)
        #expect(BotReport(line: line) == .segmentListed(layer: 2, segment: 13))
    }

    @Test func aPartMayHaveFieldsFromTheFuture() {
        let line = #"""
            {"event":"part","layer":0,"segment":1,"part":2,"uri":"a.m4s","frames":10,\#
            "frame_rate":30,"bytes":[1],"gap":false}
            """#
        #expect(
            BotReport(line: line)
                == .part(
                    .init(
                        layer: 0, segment: 1, part: 2, uri: "a.m4s", frames: 10, frameRate: 30,
                        isIndependent: false)))
    }

    @Test(arguments: [
        "", "joined", "{}", #"{"event":"segment_listed","layer":0}"#,
        #"{"event":"part","layer":0,"segment":1,"part":2,"frames":10,"frame_rate":30}"#,
        #"{"event":"from the future"}"#, #"{"event":1}"#,
        #"{"event":"running","first_segment_ms":"soon"}"#,
    ])
    func whatIsNoReportIsNone(line: String) {
        #expect(BotReport(line: line) == nil)
    }

    // Not among the arguments above, which are printed.
    @Test func aLineThatIsTooLongIsNoReport() {
        let reason = String(repeating: "a", count: BotReport.lineBytesMaximum)
        #expect(BotReport(line: #"{"event":"failed","reason":"\#(reason)"}"#) == nil)
    }
}
