import Foundation
import HLS
import MediaKernel
import RecordedStreams
import Testing
import Workbench

@testable import Recording

@Suite struct ArchiveTests {
    private func assets(_ stream: RecordedStream) throws -> RecordingAssets {
        RecordingAssets(folder: stream.folder, plan: try stream.plan(), createdAt: 1_770_091_506)
    }

    private func place(_ stream: RecordedStream, _ name: String) -> RecordingAssets.Place {
        RecordingAssets.Place(directory: "\(stream.path)/made/vod", name: name)
    }

    private func movie(_ stream: RecordedStream, layer: Int) -> RecordingAssets.Movie {
        RecordingAssets.Movie(
            layer: layer, width: stream.layers[layer].width, height: stream.layers[layer].height,
            place: place(stream, "\(layer).mp4"))
    }

    @Test func itPlaysFromTheDiskOnceItIsUnpacked() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 75, leavingOut: [1])
        try stream.record(run: 1_700_000_000_000_000_000, frames: 30)
        let archive = try assets(stream).writeArchive(at: place(stream, "a.zip"))
        #expect(try UInt64(stream.bytes("made/vod/a.zip").count) == archive.byteCount)
        let path = "\(stream.path)/made/vod/a.zip"
        #expect(try Program.run("unzip", ["-tqq", path]).status == 0)
        let unpacked = "\(stream.path)/unpacked"
        #expect(try Program.run("unzip", ["-qq", path, "-d", unpacked]).status == 0)
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
        let facts = try Program.run(
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
            try first.writeArchive(at: place(stream, "a.zip"))
        }
        #expect(throws: RecordingError.damaged(layer: 1, segment: 2)) {
            try first.write([movie(stream, layer: 1)])
        }
        let made = "\(stream.path)/made/vod"
        #expect(try FileManager.default.contentsOfDirectory(atPath: made) == [])
        let damaged = first.damagedSegments()
        #expect(damaged == [0: [1], 1: [2]])
        let second = RecordingAssets(
            folder: stream.folder, plan: try stream.plan(damaged: damaged), createdAt: 0)
        #expect(second.plan.frameCount == 60)
        let movies = [movie(stream, layer: 1), movie(stream, layer: 0)]
        #expect(try second.write(movies).count == 2)
        _ = try second.writeArchive(at: place(stream, "a.zip"))
        for layer in 0...1 {
            #expect(try Probe.facts("\(made)/\(layer).mp4").videoDuration == "2.000000")
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: made).sorted()
                == ["0.mp4", "1.mp4", "a.zip"])
    }

    @Test func progressIsTold() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 75, preset: "ultrafast")
        var steps: [String] = []
        _ = try assets(stream).writeArchive(at: place(stream, "a.zip")) {
            steps.append("\($0)/\($1)")
        }
        #expect(steps == ["1/3", "2/3", "3/3"])
    }

    @Test func aFileThatIsNotFinishedIsNotThere() throws {
        let stream = try RecordedStream()
        let made = "\(stream.path)/made"
        var unfinished: AssetFile? = try AssetFile.create("a", in: made)
        try unfinished?.write([1, 2, 3])
        #expect(try FileManager.default.contentsOfDirectory(atPath: made) == [".part-a"])
        unfinished = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: made) == [])
        let file = try AssetFile.create("a", in: made)
        try file.write([1, 2, 3])
        try file.finish()
        #expect(try stream.bytes("made/a") == [1, 2, 3])
    }

    /// A device that accepts no byte, like a full disk.
    @Test func aFullDiskIsAnErrorThatNamesTheCall() throws {
        let stream = try RecordedStream()
        let made = "\(stream.path)/made"
        try FileManager.default.createDirectory(
            atPath: made, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(made)/.part-a", withDestinationPath: "/dev/full")
        let file = try AssetFile.create("a", in: made)
        let error = #expect(throws: RecordingError.self) { try file.write([1]) }
        guard case .file(_, "write", ENOSPC, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func theArchiveAloneIsEnoughToPlayARecording() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 75, leavingOut: [1])
        let made = "\(stream.path)/made/vod"
        let maker = try assets(stream)
        let contents = try maker.writeArchive(at: place(stream, "a.zip"))
        let segments = contents.segments
        try maker.unpack(into: made, archive: "a.zip", contents: contents)
        let archive = try stream.bytes("made/vod/a.zip")
        for layer in stream.layers.indices {
            for (range, part) in zip(segments[layer], maker.plan.parts) {
                let bytes = try stream.bytes("stream_\(layer)/\(part.layers[layer].fileName)")
                #expect(Array(archive[Int(range.lowerBound)..<Int(range.upperBound)]) == bytes)
            }
            let text = String(
                decoding: try stream.bytes("made/vod/stream_\(layer)/archive.m3u8"), as: UTF8.self)
            let range = segments[layer][0]
            #expect(
                text.contains(
                    "#EXT-X-BYTERANGE:\(range.count)@\(range.lowerBound)\n../a.zip\n"))
            let playlist = try MediaPlaylist(parsing: text)
            #expect(playlist.segments.compactMap(\.byteRange) == segments[layer])
            #expect(PlaylistValidator.violations(of: playlist) == [])
            let facts = try Program.run(
                "ffprobe",
                [
                    "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
                    "stream=nb_read_frames", "-of", "csv=p=0", "-allowed_extensions",
                    "ALL", "-extension_picky", "0",
                    "\(made)/stream_\(layer)/archive.m3u8",
                ])
            #expect(facts.output.contains("45"), "\(facts.output)")
        }
    }

    /// Not the bitrates that the live stream announced before it had any segment. One was paused.
    @Test func theMasterSaysWhatTheSegmentsInTheRecordingWeigh() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 75, leavingOut: [1], preset: "ultrafast")
        let maker = try assets(stream)
        let archive = try maker.writeArchive(at: place(stream, "a.zip"))
        try maker.unpack(
            into: "\(stream.path)/made/vod", archive: "a.zip", contents: archive)
        let text = String(decoding: try stream.bytes("made/vod/master.m3u8"), as: UTF8.self)
        let path = "\(stream.path)/made/vod/a.zip"
        #expect(try Program.run("unzip", ["-p", path, "master.m3u8"]).output == text)
        let variants = try MasterPlaylist(parsing: text).variants
        #expect(variants.map(\.uri) == ["stream_0/stream.m3u8", "stream_1/stream.m3u8"])
        #expect(variants.map(\.codecs) == Array(repeating: "avc1.64000D,mp4a.40.2", count: 2))
        for (layer, variant) in variants.enumerated() {
            // A second, and half of one.
            let bits = try ["segment_000000.ts", "segment_000002.ts"].map {
                try stream.bytes("stream_\(layer)/\($0)").count * 8
            }
            #expect(variant.bandwidth == max(bits[0], bits[1] * 2))
            #expect(variant.averageBandwidth == ((bits[0] + bits[1]) * 2 + 2) / 3)
        }
    }

    @Test func aMasterThatIsNoneIsAnErrorThatNamesTheFile() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 30, preset: "ultrafast")
        try stream.write([], to: "master.m3u8")
        let maker = try assets(stream)
        let error = #expect(throws: RecordingError.self) {
            try maker.writeArchive(at: place(stream, "a.zip"))
        }
        let master = "\(stream.path)/master.m3u8"
        guard case .file(master, "parse", EBADMSG, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(stream.path)/made/vod") == [])
    }
}
