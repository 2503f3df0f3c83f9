import Foundation
import HLS
import MediaKernel
import Testing

@testable import Recording

@Suite struct ArchiveTests {
    private func assets(_ stream: RecordedStream) throws -> RecordingAssets {
        RecordingAssets(folder: stream.folder, plan: try stream.plan(), createdAt: 1_770_091_506)
    }

    private func target(_ stream: RecordedStream, _ name: String) -> RecordingAssets.Target {
        RecordingAssets.Target(directory: "\(stream.path)/made/vod", name: name)
    }

    @Test func itPlaysFromTheDiskOnceItIsUnpacked() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 75, leavingOut: [1])
        try stream.record(run: 1_700_000_000_000_000_000, frames: 30)
        let count = try assets(stream).writeArchive(to: target(stream, "a.zip"))
        #expect(try stream.bytes("made/vod/a.zip").count == count)
        let path = "\(stream.path)/made/vod/a.zip"
        #expect(try Probe.run("unzip", ["-tqq", path]).status == 0)
        let unpacked = "\(stream.path)/unpacked"
        #expect(try Probe.run("unzip", ["-qq", path, "-d", unpacked]).status == 0)
        for layer in stream.layers.indices {
            let text = String(
                decoding: try stream.bytes("unpacked/stream_\(layer)/stream.m3u8"), as: UTF8.self)
            let playlist = try MediaPlaylist(parsing: text)
            #expect(playlist.kind == .vod && playlist.isEnded && playlist.targetDuration == 1)
            #expect(playlist.segments.map(\.isDiscontinuity) == [false, true, true])
            #expect(
                playlist.segments.map(\.uri)
                    == ["segment_000000.ts", "segment_000002.ts", "segment_000003.ts"])
            #expect(!text.contains("/"))
            #expect(playlist.segments[2].programDateTime == 1_700_000_000_000_000_000)
        }
        let facts = try Probe.run(
            "ffprobe",
            [
                "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
                "stream=nb_read_frames", "-of", "csv=p=0", "\(unpacked)/master.m3u8",
            ])
        #expect(facts.output.contains("75"))
    }

    @Test func aDamagedSegmentIsNamedAndTheRestIsMadeWithoutIt() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 120, preset: "ultrafast")
        var bytes = try stream.bytes("stream_1/segment_000002.ts")
        bytes[bytes.count / 2] ^= 1
        try stream.write(bytes, to: "stream_1/segment_000002.ts")
        try FileManager.default.removeItem(atPath: "\(stream.path)/stream_0/segment_000001.ts")
        let first = try assets(stream)
        #expect(throws: RecordingError.damaged(layer: 0, segment: 1)) {
            try first.writeArchive(to: target(stream, "a.zip"))
        }
        #expect(throws: RecordingError.damaged(layer: 1, segment: 2)) {
            try first.writeMovie(layer: 1, width: 192, height: 144, to: target(stream, "a.mp4"))
        }
        let made = "\(stream.path)/made/vod"
        #expect(try FileManager.default.contentsOfDirectory(atPath: made) == [])
        let damaged = first.damagedSegments()
        #expect(damaged == [0: [1], 1: [2]])
        let second = RecordingAssets(
            folder: stream.folder, plan: try stream.plan(damaged: damaged), createdAt: 0)
        #expect(second.plan.frameCount == 60)
        _ = try second.writeMovie(
            layer: 1, width: 192, height: 144, to: target(stream, "a.mp4"))
        #expect(try Probe.facts("\(made)/a.mp4").videoDuration == "2.000000")
    }

    @Test func progressIsToldAndTheFullDiskIsAnError() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 60, preset: "ultrafast")
        let steps = Steps()
        var target = target(stream, "a.zip")
        target.progress = { done, all in steps.note(done, all) }
        _ = try assets(stream).writeArchive(to: target)
        #expect(steps.noted == ["1/4", "2/4", "3/4", "4/4"])
        // Nothing can be written there, as on a full disk.
        #expect(throws: RecordingError.self) {
            var file = try AssetFile.create("x", in: "\(stream.path)/x")
            try FileManager.default.removeItem(atPath: "\(stream.path)/x")
            try file.write([1])
            try file.finish()
            file = try AssetFile.create("y", in: "\(stream.path)/master.m3u8/y")
        }
    }
}

private final class Steps: @unchecked Sendable {
    // Called from one thread, that of the test.
    private(set) var noted: [String] = []
    func note(_ done: Int, _ all: Int) { noted.append("\(done)/\(all)") }
}
