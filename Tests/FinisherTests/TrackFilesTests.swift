import Catalogue
import Codec
import Foundation
import MediaKernel
import RecordedStreams
import Testing
import Workbench

@testable import Finisher
@testable import Recording

/// Files of several tracks, made of what bots leave.
@Suite struct TrackFilesTests {
    private let scratch: Scratch
    private static let zero: Int64 = 5_000_000_000

    init() throws { scratch = try Scratch() }

    // MARK: Recording

    private struct Speaker {
        var peer = "p1"
        var role = "host"
        var source = "regular"
    }

    private func begin(
        _ speaker: Speaker, _ codec: TrackCodec
    ) throws -> (TrackFolder, TrackRecorder, Int) {
        let folder = try TrackFolder(in: scratch.path)
        let number = folder.firstNumber
        if number == 0 {
            try folder.note(.run(monotonic: Self.zero, unix: 1_770_000_000_000_000_000))
        }
        let track = RecordedTrack(
            id: "t\(number)", peer: speaker.peer, name: speaker.peer, role: speaker.role,
            source: speaker.source)
        return (folder, TrackRecorder(track, codec: codec, number: number), number)
    }

    /// Sound of 20 ms packets: a tone in those with these numbers, nothing at all in the others.
    ///
    /// - Parameter start: in milliseconds on the common clock.
    private func speak(
        _ speaker: Speaker = Speaker(), packets: [Int], frequency: Float = 1000, start: Int64 = 0
    ) throws {
        var (folder, recorder, number) = try begin(speaker, .opus)
        let encoder = try OpusEncoder()
        var now = Instant.zero
        for packet in 0...(packets.max() ?? 0) {
            let samples = (0..<960).flatMap { n -> [Float] in
                let value =
                    0.3 * sin(Float(packet * 960 + n) * frequency * 2 * .pi / 48_000)
                return [value, value]
            }
            guard packets.contains(packet) else { continue }
            now = Instant(nanoseconds: Self.zero + start * 1_000_000 + Int64(packet) * 20_000_000)
            let orders = recorder.take(
                .init(
                    data: try encoder.encode(samples), timestamp: Int64(packet) * 960,
                    isKeyframe: true), captured: now, at: now)
            for order in orders { try folder.carryOut(order, track: number) }
        }
        for order in recorder.end(at: now) { try folder.carryOut(order, track: number) }
    }

    /// A picture of one colour every 40 ms.
    private func show(
        _ speaker: Speaker = Speaker(), _ codec: TrackCodec, width: Int, height: Int,
        pictures: [Int], rotation: Int = 0, luma: UInt8 = 200, start: Int64 = 0
    ) throws {
        var (folder, recorder, number) = try begin(speaker, codec)
        var settings = VideoEncoderSettings(
            width: width, height: height, frameRate: 25, bitrate: 300_000, keyframeInterval: 50)
        settings.preset = "ultrafast"
        settings.bFramesMaximum = 0
        let h264 = codec == .h264 ? try H264Encoder(settings) : nil
        let vpx = codec == .vp8 ? try VPXEncoder(.vp8, settings) : nil
        let picture = try VideoFrame.solid(
            width: width, height: height,
            colour: Colour(luma: luma, blueDifference: 128, redDifference: 128))
        var packets: [EncodedPacket] = []
        for index in pictures.indices {
            packets +=
                try h264?.encode(picture, index: Int64(index), forceKeyframe: index == 0) ?? []
            packets +=
                try vpx?.encode(picture, index: Int64(index), forceKeyframe: index == 0) ?? []
        }
        packets += try h264?.flush() ?? []
        var now = Instant.zero
        for (packet, picture) in zip(packets, pictures) {
            now = Instant(
                nanoseconds: Self.zero + start * 1_000_000 + Int64(picture) * 40_000_000)
            let sets = packet.isKeyframe ? h264?.parameterSets.annexB ?? [] : []
            let orders = recorder.take(
                .init(
                    data: sets + packet.data, timestamp: Int64(picture) * 3600,
                    isKeyframe: packet.isKeyframe, rotation: rotation, width: width,
                    height: height), captured: now, at: now)
            for order in orders { try folder.carryOut(order, track: number) }
        }
        let end = now + .milliseconds(40)
        for order in recorder.end(at: end) { try folder.carryOut(order, track: number) }
    }

    // MARK: Files

    private func make(
        _ order: TrackOrder = TrackOrder(perPeer: true)
    ) throws -> [TrackIndex.Composition] {
        let place = try #require(
            RecordingPlace(directory: "beam/r/2026-02-03/1", room: "r"))
        let directory = "\(scratch.path)/assets"
        let composer = TrackComposer(
            streamID: "s", order: order, directory: directory, place: place, createdAt: 1,
            progress: {}, leftOut: { Issue.record("\($0): \($1)") })
        let made = try TrackAssets(in: scratch.path)?.make(
            .init(
                streamID: "s", roomID: "r", sessionID: "", usesOgg: true, directory: directory,
                title: "Rec", archive: nil, createdAt: 1), progress: { _, _ in },
            compose: { (parts) throws(RecordingError) in try composer.make(parts) })
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(!names.contains { $0.hasPrefix(".part-") })
        return made?.index.compositions ?? []
    }

    /// What ffmpeg makes of a file, as bytes.
    private func decoded(_ name: String, _ options: String) throws -> [UInt8] {
        let path = "\(scratch.path)/assets/\(name)"
        let result = try Program.run(
            "ffmpeg",
            ["-v", "error", "-xerror", "-i", path] + options.split(separator: " ").map(String.init)
                + ["-y", "\(path).raw"])
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        return Array(try Data(contentsOf: URL(filePath: "\(path).raw")))
    }

    private func sound(_ name: String, channels: Int = 2) throws -> [[Float]] {
        let bytes = try decoded(name, "-map 0:a -f f32le")
        let values = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        return (0..<channels).map { channel in
            stride(from: channel, to: values.count, by: channels).map { values[$0] }
        }
    }

    /// The loudest sample of a stretch, in milliseconds.
    private func peak(_ samples: [Float], _ stretch: Range<Int>, rate: Int = 48_000) -> Float {
        let range = (stretch.lowerBound * rate / 1000)..<(stretch.upperBound * rate / 1000)
        return samples[range.clamped(to: samples.indices)].map(abs).max() ?? 0
    }

    private func pictureTimes(_ name: String) throws -> [Double] {
        try Program.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of",
                "csv=p=0", "\(scratch.path)/assets/\(name)",
            ]
        ).output.split(separator: "\n").compactMap {
            Double($0.trimmingCharacters(in: CharacterSet(charactersIn: ", ")))
        }
    }

    // MARK: Movies

    @Test func picturesInH264AreCopiedAndSoundIsPlacedBeside() throws {
        try show(.init(), .h264, width: 64, height: 48, pictures: Array(0..<50), start: 1000)
        // Nothing is said in the second second.
        try speak(packets: Array(0..<50) + Array(100..<150), start: 1500)
        let made = try make()
        let movie = try #require(made.first)
        #expect(made.count == 1 && movie.name.hasSuffix("-peer-0.mp4"))
        #expect(movie.start == 1000 && movie.duration == 3500 && movie.isCopied == true)
        #expect(movie.width == 64 && movie.height == 48 && movie.source == "regular")
        let left = try sound(movie.name)[0]
        #expect(abs(left.count - 3500 * 48) <= 1024)
        #expect(peak(left, 0..<480) < 0.001)
        #expect(peak(left, 520..<1480) > 0.25)
        #expect(peak(left, 1540..<2480) < 0.001)
        #expect(peak(left, 2520..<3480) > 0.25)
        let times = try pictureTimes(movie.name)
        #expect(times.count == 50 && times.first == 0)
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.04) < 0.001 })
    }

    @Test func otherPicturesAreEncodedAtTheirTimes() throws {
        // A second without any picture: the last one is held.
        try show(
            .init(), .vp8, width: 64, height: 48, pictures: Array(0..<25) + Array(50..<75),
            start: 500)
        try speak(packets: Array(0..<150))
        let movie = try #require(try make().first)
        #expect(movie.start == 0 && movie.duration == 3500 && movie.isCopied == false)
        let times = try pictureTimes(movie.name)
        #expect(times.count == 50 && abs((times.first ?? 0) - 0.5) < 0.002)
        #expect(times.count == 50 && abs(times[25] - times[24] - 1.04) < 0.002)
        #expect(
            try decoded(movie.name, "-map 0:v -fps_mode passthrough -f rawvideo").count == 50 * 64
                * 48 * 3 / 2)
    }

    @Test func aPictureThatIsTurnedAndSmallerGetsBars() throws {
        try show(.init(), .h264, width: 64, height: 48, pictures: Array(0..<10))
        try show(
            .init(), .vp8, width: 48, height: 32, pictures: Array(0..<10), rotation: 90,
            start: 1000)
        let movie = try #require(try make().first)
        #expect(movie.width == 64 && movie.height == 48 && movie.isCopied == false)
        let bytes = try decoded(
            movie.name, "-map 0:v -fps_mode passthrough -f rawvideo -pix_fmt gray")
        #expect(bytes.count == 20 * 64 * 48)
        func luma(_ picture: Int, _ x: Int, _ y: Int) -> UInt8 {
            bytes[picture * 64 * 48 + y * 64 + x]
        }
        #expect(luma(5, 4, 24) > 150)
        // 32 by 48 upright, in the middle.
        #expect(luma(15, 4, 24) < 40 && luma(15, 60, 24) < 40 && luma(15, 32, 2) > 150)
        #expect(try abs(pictureTimes(movie.name)[10] - 1) < 0.002)
    }

    @Test func picturesOfOneRotationAreTurnedByThePlayer() throws {
        try show(.init(), .h264, width: 64, height: 48, pictures: Array(0..<10), rotation: 90)
        let movie = try #require(try make().first)
        #expect(movie.isCopied == true)
        let upright = try decoded(movie.name, "-map 0:v -frames:v 1 -c:v png -f image2pipe")
        // The sides in a PNG's first chunk.
        #expect(Array(upright[16..<24]) == [0, 0, 0, 48, 0, 0, 0, 64])
    }

    @Test func eachPeerAndItsScreenHaveFilesOfTheirOwn() throws {
        try speak(.init(peer: "p1"), packets: Array(0..<20))
        try speak(.init(peer: "p2"), packets: Array(0..<20))
        try show(
            .init(peer: "p1", source: "screen"), .vp8, width: 64, height: 48, pictures: [0, 1])
        try speak(.init(peer: "p1", source: "screen"), packets: Array(0..<20))
        let made = try make()
        #expect(made.map { $0.peer?.id } == ["p1", "p2", "p1"])
        #expect(made.map(\.source) == ["regular", "regular", "screen"])
        #expect(made.map { $0.name.suffix(3) } == ["m4a", "m4a", "mp4"])
        #expect(made.map(\.video) == [nil, nil, "h264"] && made.allSatisfy { $0.audio == "aac" })
    }

    // MARK: Mixes

    @Test(arguments: [MixOrder.Format.wav, .flac])
    func aMixBeginsWithTheRecordingAndEndsWithTheLastTrack(_ format: MixOrder.Format) throws {
        try speak(packets: Array(0..<50), start: 1000)
        try speak(.init(peer: "p2"), packets: Array(0..<50), frequency: 400, start: 3000)
        let made = try make(
            TrackOrder(mix: MixOrder(format: format, sampleRate: 16_000)))
        let mix = try #require(made.first)
        #expect(mix.start == 0 && mix.duration == 4000 && mix.channels == 1 && mix.left == nil)
        let samples = try sound(mix.name, channels: 1)[0]
        #expect(samples.count == 64_000)
        for (stretch, isLoud) in [
            (0..<990, false), (1010..<1990, true), (2010..<2990, false), (3010..<3990, true),
        ] {
            let peak = peak(samples, stretch, rate: 16_000)
            #expect(isLoud ? peak > 0.25 : peak < 0.002, "\(stretch): \(peak)")
        }
    }

    @Test(arguments: [nil, "guest"])
    func oneSpeakerIsOnTheLeft(_ left: String?) throws {
        try speak(.init(peer: "p1"), packets: Array(0..<50))
        try speak(.init(peer: "p2", role: "guest"), packets: Array(0..<50), start: 1000)
        let made = try make(
            TrackOrder(
                mix: MixOrder(format: .flac, sampleRate: 48_000, isDual: true, left: left)))
        let mix = try #require(made.first)
        #expect(mix.left == [left == nil ? "p1" : "p2"] && mix.channels == 2)
        let sides = try sound(mix.name)
        let (first, second) = left == nil ? (sides[0], sides[1]) : (sides[1], sides[0])
        #expect(sides[0].count == 96_000)
        #expect(peak(first, 20..<980) > 0.25 && peak(first, 1020..<1980) < 0.001)
        #expect(peak(second, 20..<980) < 0.001 && peak(second, 1020..<1980) > 0.25)
    }

    @Test func decimationKeepsSpeechAndItsTime() {
        func through(_ frequency: Double) -> [Float] {
            var decimator = Decimator()
            let input = (0..<48_000).map { Float(sin(Double($0) * frequency * 2 * .pi / 48_000)) }
            var output: [Float] = []
            for start in stride(from: 0, to: input.count, by: 1000) {
                output += decimator.process(Array(input[start..<start + 1000]))
            }
            return output + decimator.flush()
        }
        for frequency in [300.0, 3000, 6000] {
            let output = through(frequency)
            #expect(output.count >= 16_000)
            for n in 200..<15_800 {
                let wanted = Float(sin(Double(n) * frequency * 2 * .pi / 16_000))
                guard abs(output[n] - wanted) < 0.01 else {
                    Issue.record("\(frequency) Hz at \(n)")
                    break
                }
            }
        }
        // What would come back as 7 kHz is gone.
        #expect(through(9000)[200..<15_800].map(abs).max() ?? 1 < 0.001)
    }

    @Test func aLongWavHasSixtyFourBits() {
        let header = SoundFile.wavHeader(sampleRate: 48_000, channels: 2, samples: 2_000_000_000)
        #expect(Array(header.prefix(4)) == Array("RF64".utf8) && header.count == 80)
        #expect(SoundFile.wavHeader(sampleRate: 16_000, channels: 1, samples: 1).count == 44)
    }
}
