import Foundation
import MediaKernel
import Testing
import Workbench

@testable import Recording

@Suite struct TrackAssetsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func record(
        packets: [Int64], codec: TrackCodec = .opus, start: Int64 = 0, ends: Bool = true
    ) throws {
        let folder = try TrackFolder(in: scratch.path)
        if folder.firstNumber == 0 {
            try folder.note(.run(monotonic: 5_000_000_000, unix: 1_770_000_000_000_000_000))
        }
        let number = folder.firstNumber
        var recorder = TrackRecorder(
            RecordedTrack(
                id: "t\(number)", peer: "p", name: "Ann", role: "host", source: "regular"),
            codec: codec, number: number)
        var now = Instant.zero
        for packet in packets {
            now = Instant(nanoseconds: 5_000_000_000 + start + packet * 20_000_000)
            let orders = recorder.take(
                .init(data: [0xF8, 0xFF, 0xFE], timestamp: 77 + packet * 960, isKeyframe: true),
                captured: now, at: now)
            for order in orders { try folder.carryOut(order, track: number) }
        }
        guard ends else { return }
        for order in recorder.end(at: now) { try folder.carryOut(order, track: number) }
    }

    private func make(usesOgg: Bool = true, zip: Bool = false) throws -> TrackAssets.Made? {
        let directory = "\(scratch.path)/assets"
        return try TrackAssets(in: scratch.path)?.make(
            .init(
                streamID: "s", roomID: "r", sessionID: "", usesOgg: usesOgg, directory: directory,
                title: "Rec", archive: zip ? .init(directory: directory, name: "all.zip") : nil,
                createdAt: 1_770_000_000)
        ) { _, _ in }
    }

    private func seconds(_ name: String) throws -> Double {
        let path = "\(scratch.path)/assets/\(name)"
        let decoded = try Program.run(
            "ffmpeg",
            ["-v", "error", "-xerror", "-i", path, "-f", "f32le", "-ac", "1", "-y", "\(path).raw"])
        #expect(decoded.status == 0 && decoded.errors == "", "\(decoded.errors)")
        let size = try FileManager.default.attributesOfItem(atPath: "\(path).raw")[.size]
        return Double((size as? Int) ?? 0) / 4 / 48_000
    }

    @Test func aStreamWithoutTracksHasNone() throws {
        #expect(try TrackAssets(in: scratch.path) == nil)
    }

    @Test(arguments: [true, false])
    func soundHasSilenceWhereItIsMissing(usesOgg: Bool) throws {
        try record(packets: Array(0..<50) + Array(100..<200), start: 1_234_400_000)
        let made = try #require(try make(usesOgg: usesOgg))
        let file = try #require(made.index.tracks.first?.files.first)
        #expect(file.start == 1234 && file.duration == 4000)
        #expect(file.frames == 150 && file.silences == 50 && file.leftOut == 0)
        #expect(file.gaps == [.init(from: 1000, to: 2000, reason: .silence)])
        #expect(file.name == "Rec-track-0.\(usesOgg ? "ogg" : "webm")")
        // The decoder's delay is not heard.
        #expect(try abs(seconds(file.name) - 3.9935) < 0.002)
        #expect(made.index.startedAt == 1_770_000_000_000 && made.index.duration == 5234)
    }

    @Test func aFileCutAtAnyByteHasWhatCameBefore() throws {
        try record(packets: Array(0..<120), ends: false)
        let path = "\(scratch.path)/tracks/0-0.mkv"
        let whole = try Data(contentsOf: URL(filePath: path))
        var counts: [Int] = []
        for length in stride(from: whole.count, to: 0, by: -37) {
            try whole.prefix(length).write(to: URL(filePath: path))
            counts.append(try make()?.index.tracks.first?.files.first?.frames ?? 0)
        }
        // Two clusters of a second each; the third was not written yet.
        #expect(Set(counts) == [100, 50, 0] && counts == counts.sorted(by: >))
    }

    @Test func theArchiveHasAllFilesAndTheirIndex() throws {
        try record(packets: Array(0..<60))
        try record(packets: Array(0..<70), start: 500_000_000)
        let made = try #require(try make(zip: true))
        #expect(made.index.tracks.map(\.id) == ["t0", "t1"])
        let archive = "\(scratch.path)/assets/all.zip"
        #expect(try Program.run("unzip", ["-tqq", archive]).status == 0)
        let listed = try Program.run("unzip", ["-Z1", archive]).output
        #expect(
            listed.split(separator: "\n") == ["tracks.json", "Rec-track-0.ogg", "Rec-track-1.ogg"])
        let size = try FileManager.default.attributesOfItem(atPath: archive)[.size] as? Int
        #expect(size.map(UInt64.init) == made.archiveByteCount)
    }

    @Test func aTornLineOfTheLogCostsOnlyItself() throws {
        try record(packets: Array(0..<60))
        let log = "\(scratch.path)/tracks/tracks.log"
        var bytes = try Data(contentsOf: URL(filePath: log))
        bytes.append(contentsOf: Array("{\"gap\":{\"file\":\"0-0.mkv\"".utf8))
        try bytes.write(to: URL(filePath: log))
        try record(packets: Array(0..<60))
        #expect(try make()?.index.tracks.count == 2)
    }
}
