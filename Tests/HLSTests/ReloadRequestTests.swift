import MediaKernel
import Testing

@testable import HLS

/// draft-pantos-hls-rfc8216bis sect. 6.2.5.
@Suite struct ReloadRequestTests {
    private static let part = MediaTime(ticks: 10, timescale: 30)

    @Test(
        arguments: [
            (
                [
                    "_HLS_msn=", "_HLS_msn", "_HLS_msn=-1", "_HLS_msn=a", "_HLS_msn=1&_HLS_msn=2",
                    "_HLS_msn=%31", "_HLS_msn=99999999999999999999", "_HLS_msn=+1",
                ], .malformed("_HLS_msn")
            ),
            (["_HLS_part=1"], .partWithoutSegment),
            (
                [
                    "_HLS_msn=1&_HLS_part=x", "_HLS_msn=1&_HLS_part=-1",
                    "_HLS_msn=1&_HLS_part=1&_HLS_part=1",
                ], .malformed("_HLS_part")
            ),
            (
                ["_HLS_skip=NO", "_HLS_skip=", "_HLS_skip=YES&_HLS_skip=YES"],
                .malformed("_HLS_skip")
            ),
            (["x=" + String(repeating: "1", count: 5000)], .malformed("query")),
        ] as [([String], ReloadRequest.Fault)])
    func aBadReloadIsRefused(queries: [String], fault: ReloadRequest.Fault) {
        for query in queries {
            #expect(throws: fault, "\(query)") { try ReloadRequest(query: query) }
        }
    }

    @Test func otherNamesAreIgnored() throws {
        let request = try ReloadRequest(query: "a&b=&_HLS_msn=3&&c=1=2&_HLS_report=x")
        #expect(request.segment == 3 && request.part == nil && request.skip == nil)
    }

    /// Segment 7 is in the making and has two parts; segment 6 has six.
    @Test(arguments: [
        ("", ReloadRequest.Verdict.ready), ("x=1", .ready), ("_HLS_skip=YES", .ready),
        ("_HLS_msn=0", .ready), ("_HLS_msn=6", .ready), ("_HLS_msn=5&_HLS_part=9", .ready),
        ("_HLS_msn=6&_HLS_part=5", .ready), ("_HLS_msn=6&_HLS_part=6", .ready),
        ("_HLS_msn=7", .wait), ("_HLS_msn=7&_HLS_part=1", .ready),
        ("_HLS_msn=7&_HLS_part=2&_HLS_skip=YES", .wait), ("_HLS_msn=7&_HLS_part=10", .wait),
        ("_HLS_msn=8", .wait), ("_HLS_msn=8&_HLS_part=0&_HLS_skip=v2", .wait),
    ])
    func aReloadWaitsForWhatIsNotThereYet(query: String, verdict: ReloadRequest.Verdict) throws {
        let request = try ReloadRequest(query: query)
        let progress = ReloadRequest.Progress(next: 7, parts: 2, lastParts: 6)
        #expect(try request.verdict(progress, partTarget: Self.part) == verdict)
        // What will never come is not waited for.
        let ended = ReloadRequest.Progress(next: 7, parts: 2, lastParts: 6, isEnded: true)
        #expect(try request.verdict(ended, partTarget: Self.part) == .ready)
    }

    /// A part beyond the last one of segment 6 is the first one of segment 7.
    @Test(arguments: [(5, 0, ReloadRequest.Verdict.ready), (6, 0, .wait), (6, 1, .ready)])
    func aPartBeyondItsSegmentIsTheNextOnesFirst(
        part: Int, open: Int, verdict: ReloadRequest.Verdict
    ) throws {
        let request = try ReloadRequest(query: "_HLS_msn=6&_HLS_part=\(part)")
        let progress = ReloadRequest.Progress(next: 7, parts: open, lastParts: 6)
        #expect(try request.verdict(progress, partTarget: Self.part) == verdict)
    }

    /// The limit is three seconds of parts after the last one.
    @Test(arguments: [
        "_HLS_msn=9", "_HLS_msn=1000000", "_HLS_msn=7&_HLS_part=11", "_HLS_msn=8&_HLS_part=9",
    ])
    func aReloadFarAheadIsRefused(query: String) throws {
        let request = try ReloadRequest(query: query)
        #expect(throws: ReloadRequest.Fault.tooFarAhead) {
            try request.verdict(
                ReloadRequest.Progress(next: 7, parts: 2, lastParts: 6), partTarget: Self.part)
        }
    }

    @Test func longPartsMayBeThreeAhead() throws {
        let long = MediaTime(ticks: 3, timescale: 2)
        let progress = ReloadRequest.Progress(next: 7, parts: 1)
        let three = try ReloadRequest(query: "_HLS_msn=7&_HLS_part=3")
        #expect(try three.verdict(progress, partTarget: long) == .wait)
        let four = try ReloadRequest(query: "_HLS_msn=7&_HLS_part=4")
        #expect(throws: ReloadRequest.Fault.tooFarAhead) {
            try four.verdict(progress, partTarget: long)
        }
    }

    @Test func theNextPartsNameIsKnown() throws {
        let name = try #require(PartName("part_00012_3.m4s"))
        #expect(name.segment == 12 && name.part == 3)
        #expect(name.next(endsSegment: false) == "part_00012_4.m4s")
        #expect(name.next(endsSegment: true) == "part_00013_0.m4s")
        let keyed = try #require(PartName("part_a1b2_99_11.m4s"))
        #expect(keyed.next(endsSegment: true) == "part_a1b2_100_0.m4s")
        for other in ["", "part.m4s", "part_1.m4s", "part_a_1.m4s", "part_1_b.m4s", "part_1_2"] {
            #expect(PartName(other) == nil)
        }
    }
}
