import Foundation
import HLS
import MediaKernel
import RecordedStreams
import Testing
import Workbench

@testable import Recording

@Suite struct TimedMetadataTests {
    private func entry(
        _ number: Int, _ payload: String = "hello", start: Int64 = 0
    ) -> TimedMetadata {
        TimedMetadata(
            number: number, start: 1_770_091_506_789 + start, seconds: 5, payload: payload)
    }

    @Test(arguments: ["hello", "a\"b\\c/d\n\u{0}", "Grüße, 日本 🎥", "", "x", "xy", "xyz"])
    func playersFindThePayloadInAnEnvelopeOfASCII(payload: String) throws {
        let range = entry(3, payload).dateRange
        #expect(range.id == "3" && range.start == 1_770_091_506_789_000_000)
        let base64 = try #require(range.payload)
        // Players that split attributes at each "=" would lose the end.
        #expect(!base64.contains("="))
        let data = try #require(Data(base64Encoded: base64))
        #expect(data.allSatisfy { (0x20..<0x7F).contains($0) })
        let read = try JSONDocument.decode([String: String].self, from: data)
        #expect(
            read == [
                "payload": payload, "start_date": "2026-02-03T04:05:06.789+0000",
                "end_date": "2026-02-03T04:05:11.789+0000", "hms_version": "v1.1",
            ])
    }

    @Test func whatIsLoggedIsReadBackAndATornLineCostsItselfOnly() throws {
        let scratch = try Scratch()
        let path = scratch.path
        #expect(try TimedMetadataLog.read(in: path).isEmpty)
        let entries = (1...3).map { entry($0, "„\($0)\n*\"") }
        try TimedMetadataLog.append([entries[0]], in: path)
        let file = "\(path)/\(TimedMetadataLog.fileName)"
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(TimedMetadataLog.line(entry(9)).utf8.dropLast(4)))
        try handle.close()
        try TimedMetadataLog.append([entries[1], entries[2]], in: path)
        #expect(try TimedMetadataLog.read(in: path) == entries)
    }

    @Test func timesThatNoCalendarHasArePassedOver() {
        let times: [(Int64, Int)] = [
            (.max, 5), (.min, 5), ((1 << 43) + 1, 5), (0, .max), (0, -1), (1 << 43, 1 << 24),
        ]
        let lines = times.map { start, seconds in
            TimedMetadataLog.line(
                TimedMetadata(number: 1, start: start, seconds: seconds, payload: "p"))
        }
        let read = TimedMetadataLog.parse(Array(lines.joined().utf8))
        #expect(read.map(\.dateRange.start) == [(1 << 43) * 1_000_000])
    }

    @Test func noByteThatIsCutOffOrChangedMakesAnEntryThatWasNotWritten() {
        let lines = (1...3).map { TimedMetadataLog.line(entry($0, "p\($0)")) }
        let whole = Array(lines.joined().utf8)
        let written = Set(TimedMetadataLog.parse(whole))
        #expect(written.count == 3)
        for count in 0..<whole.count {
            #expect(written.isSuperset(of: TimedMetadataLog.parse(Array(whole[..<count]))))
        }
        var random = SeededRandom(seed: 11)
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            #expect(written.isSuperset(of: TimedMetadataLog.parse(bytes)))
        }
    }

    @Test func theRecordingHasItWhereItsSegmentIsAndNotWhereItWasPaused() throws {
        let stream = try RecordedStream()
        let run: Int64 = 1_770_091_506_789_000_000
        try stream.record(run: run, frames: 120, leavingOut: [1], preset: "ultrafast")
        // Another bot, five seconds later.
        try stream.record(run: run + 9_000_000_000, frames: 30, preset: "ultrafast")
        let metadata = [
            entry(1, start: 100), entry(2, start: 1500), entry(3, start: 2999),
            // Between the bots, and after the last segment.
            entry(4, start: 6000), entry(5, start: 60_000),
        ]
        let assets = RecordingAssets(
            folder: stream.folder, plan: try stream.plan(), createdAt: 1_770_091_506,
            timedMetadata: metadata)
        for layer in stream.layers.indices {
            let playlist = assets.playlist(ofLayer: layer)
            let ids = playlist.segments.map { $0.dateRanges.map(\.id) }
            #expect(ids == [["1"], ["3"], [], ["4", "5"]])
            #expect(PlaylistValidator.violations(of: playlist) == [])
        }
        let place = RecordingAssets.Place(directory: "\(stream.path)/made", name: "a.zip")
        let archive = try assets.writeArchive(at: place)
        try assets.unpack(
            into: "\(stream.path)/made", archive: place.name, contents: archive)
        let zipped = try Program.run(
            "unzip", ["-p", "\(stream.path)/made/a.zip", "stream_1/stream.m3u8"]
        ).output
        let unpacked = String(
            decoding: try stream.bytes("made/stream_1/stream.m3u8"), as: UTF8.self)
        let ranged = String(
            decoding: try stream.bytes("made/stream_1/archive.m3u8"), as: UTF8.self)
        #expect(dateRangeLines(of: ranged) == dateRangeLines(of: unpacked))
        for text in [zipped, unpacked] {
            let read = try MediaPlaylist(parsing: text)
            let kept = [0, 2, 3, 4].map { metadata[$0].dateRange }
            #expect(read.dateRanges.map(\.start) == kept.map(\.start))
            #expect(read.dateRanges.map(\.payload) == kept.map(\.payload))
        }
    }

    private func dateRangeLines(of playlist: String) -> [Substring] {
        playlist.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-DATERANGE:") }
    }
}
