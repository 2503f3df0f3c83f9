import Foundation
import HLS
import MediaKernel
import Testing

@testable import Recording

@Suite struct RecordedCaptionTests {
    /// 2023-11-14T22:13:20Z.
    private static let begin: Int64 = 1_700_000_000_000

    /// - Parameter run: milliseconds after the begin of frame 0.
    private func record(
        _ number: Int, run: Int64 = 0, first: Int64, left: Bool = false
    ) -> SegmentRecord {
        SegmentRecord(
            number: number, run: (Self.begin + run) * 1_000_000, frameRate: 30, origin: 90_000,
            firstFrame: first, frameCount: 60, isLeftOut: left, byteCount: 1000, checksum: 0,
            parameterSets: nil, pictures: [], sound: nil)
    }

    /// Two segments, a pause of one, another, a dead bot for four seconds, and two more.
    private func plan() throws -> RecordingPlan {
        try RecordingPlan(layers: [
            [
                record(0, first: 0), record(1, first: 60), record(2, first: 120, left: true),
                record(3, first: 180), record(4, run: 12_000, first: 0),
                record(5, run: 12_000, first: 60),
            ]
        ])
    }

    private func caption(
        _ number: Int, _ start: Int64, _ end: Int64, _ language: String = "en"
    ) -> Caption {
        Caption(
            number: number, language: language, start: Self.begin + start,
            end: Self.begin + end, speaker: "Ann", peer: "p", text: "text \(number)")
    }

    private func recorded(_ captions: [Caption]) throws -> RecordedCaptions {
        RecordedCaptions(captions, language: "en", in: try plan())
    }

    private func times(_ captions: RecordedCaptions) -> [[Int64]] {
        captions.lines.map { [$0.start, $0.end] }
    }

    @Test func theyAreInTheRecordingWhereTheyWereSaid() throws {
        let captions = try recorded([
            // As they came.
            caption(1, 6500, 7000), caption(2, 500, 2500), caption(3, 12_100, 12_200),
            caption(4, 100, 200, "de"),
        ])
        #expect(times(captions) == [[500, 2500], [4500, 5000], [6100, 6200]])
        #expect(captions.lines.map(\.text) == ["text 2", "text 1", "text 3"])
        #expect(captions.lines.allSatisfy { $0.speaker == "Ann" && $0.peer == "p" })
    }

    @Test func whatWasSaidInAPauseIsLeftOutAndInAGapComesNext() throws {
        let captions = try recorded([
            caption(1, 4500, 5000), caption(2, 9000, 9500), caption(3, 99_000, 99_500),
        ])
        #expect(times(captions) == [[6000, 6500], [9999, 10_000]])
        #expect(
            captions.segment(ofPart: 3).contains("00:00:00.000 --> 00:00:00.500\n<v Ann>text 2"))
        #expect(captions.segment(ofPart: 4).contains("text 3"))
        #expect((0..<5).allSatisfy { !captions.segment(ofPart: $0).contains("text 1") })
    }

    @Test func aSegmentHasOnlySoManyAndTheTranscriptAll() throws {
        let most = CaptionPlacer.perSegmentMaximum
        let captions = try recorded((1...most + 1).map { caption($0, Int64($0), 3000) })
        for part in 0..<2 {
            let shown = captions.segment(ofPart: part)
            #expect(shown.contains("text \(most)<") && !shown.contains("text \(most + 1)<"))
        }
        #expect(captions.lines.count == most + 1)
    }

    @Test func aSegmentHasTheClockOfItsRunAndOneThatSpansIsRepeated() throws {
        let captions = try recorded([caption(1, 1500, 3500), caption(2, 13_900, 14_100)])
        let said = "\n1\n00:00:01.500 --> 00:00:03.500\n<v Ann>text 1</v>\n"
        #expect(
            captions.segment(ofPart: 0)
                == "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000\n" + said)
        #expect(
            captions.segment(ofPart: 1)
                == "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:270000,LOCAL:00:00:02.000\n" + said)
        #expect(
            captions.segment(ofPart: 2)
                == "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:630000,LOCAL:00:00:06.000\n")
        let later = "\n2\n00:00:01.900 --> 00:00:02.100\n<v Ann>text 2</v>\n"
        #expect(
            captions.segment(ofPart: 3)
                == "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000\n" + later)
        #expect(captions.segment(ofPart: 4).hasSuffix(later))
    }

    @Test func aTranscriptHasFourForms() throws {
        let transcript = Transcript(
            stream: "s", room: "r", session: "", language: "en",
            lines: [
                RecordedCaptions.Line(
                    start: 500, end: 3_661_002, text: "a < b\n--> c", speaker: "Ann\n", peer: "p"),
                RecordedCaptions.Line(start: 4000, end: 4001, text: "d"),
            ])
        #expect(transcript.rendered(.text) == "[00:00:00] Ann: a < b --> c\n[00:00:04] d\n")
        #expect(
            transcript.rendered(.subRip) == """
                1
                00:00:00,500 --> 01:01:01,002
                Ann: a ‹ b
                -> c

                2
                00:00:04,000 --> 00:00:04,001
                d


                """)
        #expect(
            transcript.rendered(.webVTT) == """
                WEBVTT

                00:00:00.500 --> 01:01:01.002
                <v Ann>a &lt; b
                --&gt; c</v>

                00:00:04.000 --> 00:00:04.001
                d

                """)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(transcript.rendered(.json).utf8))
                as? [String: Any])
        #expect(document["language"] as? String == "en" && document["room_id"] as? String == "r")
        let lines = try #require(document["transcript"] as? [[String: Any]])
        #expect(lines.map { $0["text"] as? String } == ["a < b\n--> c", "d"])
        #expect(
            lines[0]["peer_name"] as? String == "Ann\n" && lines[0]["peer_id"] as? String == "p")
        #expect(lines[0]["start_ms"] as? Int == 500 && lines[1]["peer_name"] == nil)
    }
}
