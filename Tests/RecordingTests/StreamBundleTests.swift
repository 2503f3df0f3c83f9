import Foundation
import MediaKernel
import Testing
import Workbench

@testable import Recording

/// The archive of a recording's streams.
@Suite struct StreamBundleTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A track of 20 ms packets, or of pictures at the same times.
    private func record(
        _ id: String, _ codec: TrackCodec, packets: Range<Int64>, peer: String = "p",
        source: String = "regular"
    ) throws {
        let folder = try TrackFolder(in: scratch.path)
        if folder.firstNumber == 0 {
            try folder.note(.run(monotonic: 5_000_000_000, unix: 1_770_000_000_000_000_000))
        }
        let number = folder.firstNumber
        var recorder = TrackRecorder(
            RecordedTrack(id: id, peer: peer, name: "Ann", role: "host", source: source),
            codec: codec, number: number)
        // A key frame of VP8 with 320x180 samples; only its head is read.
        let picture: [UInt8] = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xB4, 0x00]
        var now = Instant.zero
        for packet in packets {
            now = Instant(nanoseconds: 5_000_000_000 + packet * 20_000_000)
            let orders = recorder.take(
                .init(
                    data: codec == .opus ? [0xF8, 0xFF, 0xFE] : picture,
                    timestamp: 77 + packet * (codec == .opus ? 960 : 1800), isKeyframe: true,
                    width: codec == .opus ? nil : 320, height: codec == .opus ? nil : 180),
                captured: now, at: now)
            for order in orders { try folder.carryOut(order, track: number) }
        }
        for order in recorder.end(at: now) { try folder.carryOut(order, track: number) }
    }

    private func make(hasSound: Bool = true, hasPicture: Bool = true) throws -> StreamBundle.Made? {
        let directory = "\(scratch.path)/assets"
        let assets = try #require(try TrackAssets(in: scratch.path))
        let bundle = try StreamBundle(
            .init(id: "demo~1", name: "film", session: "demo", createdAt: 1_769_999_999_000),
            hasSound: hasSound, hasPicture: hasPicture, stream: scratch.path,
            startedAt: assets.startedAt)
        var made: StreamBundle.Made?
        _ = try assets.make(
            .init(
                streamID: "s", roomID: "r", sessionID: "", usesOgg: false, directory: directory,
                title: "Rec", archive: nil, createdAt: 1_770_000_000)
        ) { _, _ in
        } compose: { (parts) throws(RecordingError) in
            made = try bundle.make(
                of: parts, at: .init(directory: directory, name: "all.zip"), progress: {})
            return []
        }
        return made
    }

    private func index() throws -> [String: Any] {
        let archive = "\(scratch.path)/assets/all.zip"
        #expect(try Program.run("unzip", ["-tqq", archive]).status == 0)
        let text = try Program.run("unzip", ["-p", archive, "film.json"]).output
        return try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func aStreamHasItsSoundAndItsPictureInOneFile() throws {
        try record("a", .opus, packets: 50..<150)
        try record("v", .vp8, packets: 75..<125)
        try record("w", .vp8, packets: 60..<70, peer: "q", source: "screen")
        try StreamCast([
            .init(
                stream: "str_CAM_x_con_1", connection: "con_1", clientData: "c", serverData: "s",
                video: "CAMERA", tracks: ["a", "v"], isRecorded: true)
        ]).write(in: scratch.path)
        let made = try #require(try make())
        let index = try index()
        #expect(index["id"] as? String == "demo~1" && index["sessionId"] as? String == "demo")
        let files = try #require(index["files"] as? [[String: Any]])
        #expect(files.count == 2)
        let camera = try #require(files.first { $0["connectionId"] as? String == "con_1" })
        #expect(camera["name"] as? String == "str_CAM_x_con_1.webm")
        #expect(camera["clientData"] as? String == "c" && camera["serverData"] as? String == "s")
        #expect(camera["hasAudio"] as? Bool == true && camera["hasVideo"] as? Bool == true)
        // The recording began a second before its first bot.
        #expect(camera["startTimeOffset"] as? Int == 2000)
        #expect(camera["endTimeOffset"] as? Int == 4000)
        // Of a stream that nobody told of.
        let screen = try #require(files.first { $0["connectionId"] as? String == "q" })
        #expect(
            screen["typeOfVideo"] as? String == "SCREEN" && screen["hasAudio"] as? Bool == false)
        #expect(made.duration == 2000)
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(scratch.path)/assets")
        #expect(!names.contains { $0.hasPrefix(".part-") })
        let archive = "\(scratch.path)/assets/all.zip"
        _ = try Program.run("unzip", ["-oqq", archive, "-d", scratch.path])
        let probed = try Program.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=codec_name,width,height:format=duration",
                "-of", "default=nw=1:nk=1", "\(scratch.path)/str_CAM_x_con_1.webm",
            ]
        ).output.split(separator: "\n")
        #expect(probed == ["vp8", "320", "180", "opus", "2.000000"], "\(probed)")
    }

    @Test func whoMayNotBeRecordedIsLeftOutAndSoIsAKind() throws {
        try record("a", .opus, packets: 0..<50)
        try record("v", .vp8, packets: 0..<50)
        try record("b", .opus, packets: 0..<50, peer: "q")
        try StreamCast([
            .init(
                stream: "str_MIC_y_con_2", connection: "con_2", clientData: "", serverData: "",
                video: nil, tracks: ["b"], isRecorded: false)
        ]).write(in: scratch.path)
        _ = try make(hasSound: false)
        let files = try #require(try index()["files"] as? [[String: Any]])
        #expect(files.count == 1 && files[0]["hasAudio"] as? Bool == false)
        #expect(files[0]["connectionId"] as? String == "p")
    }

    /// Else its other pictures could not be decoded.
    @Test func aPartThatBeginsTooEarlyKeepsItsKeyFrame() throws {
        try record("v", .vp8, packets: 50..<100)
        try record("v", .vp8, packets: 95..<145)
        _ = try make()
        let files = try #require(try index()["files"] as? [[String: Any]])
        let name = try #require(files.first?["name"] as? String)
        let archive = "\(scratch.path)/assets/all.zip"
        _ = try Program.run("unzip", ["-oqq", archive, "-d", scratch.path])
        let probed = try Program.run(
            "ffprobe",
            [
                "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of",
                "default=nw=1:nk=1", "\(scratch.path)/\(name)",
            ]
        ).output.split(separator: "\n")
        #expect(files.count == 1 && probed == ["100"], "\(probed)")
    }

    @Test func withoutKnowingWhoMayBeRecordedNothingIsArchived() throws {
        try record("a", .opus, packets: 0..<50)
        try Data("[".utf8).write(to: URL(filePath: "\(scratch.path)/\(StreamCast.fileName)"))
        #expect(throws: RecordingError.self) { try make() }
    }

    @Test func theCastHasNoDataOfWhoMayNotBeRecordedAndForgetsNobodyOfThem() {
        func member(_ id: String, isRecorded: Bool, data: String = "d") -> StreamCast.Member {
            .init(
                stream: id, connection: "con_\(id)", clientData: data, serverData: "s", video: nil,
                tracks: [id], isRecorded: isRecorded)
        }
        func isRecorded(_ track: String, in cast: StreamCast) -> Bool {
            cast.member(
                of: RecordedTrack(
                    id: track, peer: "p", name: "", role: "host", source: "regular"),
                isVideo: false
            ).isRecorded
        }
        var cast = StreamCast()
        for number in 0...StreamCast.recordedMaximum {
            cast.note(member("\(number)", isRecorded: true, data: ""))
        }
        #expect(cast.members.count == StreamCast.recordedMaximum)
        cast.note(member("x", isRecorded: false))
        #expect(cast.members.last?.clientData == "" && cast.members.last?.serverData == "")
        #expect(!isRecorded("x", in: cast) && isRecorded("unknown", in: cast))
        // The same stream again: the last word holds.
        cast.note(member("0", isRecorded: false))
        #expect(!isRecorded("0", in: cast) && cast.members[0].serverData == "")

        var large = StreamCast()
        let data = String(repeating: "d", count: StreamCast.dataMaximum - 1)
        large.note(member("a", isRecorded: true, data: data))
        large.note(member("b", isRecorded: true))
        large.note(member("a", isRecorded: true, data: data))
        #expect(large.members.map(\.clientData.utf8.count) == [data.utf8.count, 0])
    }
}
