import Codec
import Foundation
import MediaKernel
import Testing

@Suite struct MediaFileReaderTests {
    /// A clip of the repository: VP8 at 30 frames a second and Opus, 24 seconds.
    private var clip: String {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../fixtures/media/ann.webm").standardized.path
    }

    @Test func aClipShowsItsTracks() throws {
        let reader = try MediaFileReader(path: clip)
        let video = try #require(reader.tracks.first { $0.isVideo })
        #expect(video.codec == "vp8" && video.videoCodec == .vp8 && !video.isReordered)
        #expect(video.kind == .video(width: 640, height: 360, frameRate: 30))
        let audio = try #require(reader.tracks.first { !$0.isVideo })
        #expect(audio.codec == "opus" && audio.videoCodec == nil)
        #expect(reader.duration.seconds == 24)
    }

    @Test func timesAreExactOverTheSeamOfALoop() throws {
        let reader = try MediaFileReader(path: clip, loops: true)
        let video = try #require(reader.tracks.first { $0.isVideo }).index
        var pictures: [MediaFileReader.Packet] = []
        var sounds: [MediaFileReader.Packet] = []
        while pictures.count < 720 * 2 + 90 {
            let packet = try #require(try reader.read())
            if packet.track == video { pictures.append(packet) } else { sounds.append(packet) }
        }
        #expect(pictures.map(\.pts.ticks) == pictures.indices.map { Int64($0) * 3_000 })
        #expect(pictures.allSatisfy { $0.pts.timescale == 90_000 && $0.dts == $0.pts })
        #expect(pictures[0].isKeyframe && pictures[720].isKeyframe && pictures[1440].isKeyframe)
        #expect(pictures[720].data == pictures[0].data)
        // The encoder's run-up of 6.5 ms lies before zero; then one packet every 20 ms.
        let first = try #require(sounds.first).pts.ticks
        #expect(first == -312)
        #expect(sounds.map(\.pts.ticks) == sounds.indices.map { first + Int64($0) * 960 })
        #expect(sounds.allSatisfy { $0.pts.timescale == 48_000 })
        let soundEnd = try #require(sounds.last).pts.seconds
        #expect(abs(soundEnd - pictures[pictures.count - 1].pts.seconds) < 0.5)
    }

    @Test func aClipThatDoesNotLoopEnds() throws {
        let reader = try MediaFileReader(path: clip)
        let video = try #require(reader.tracks.first { $0.isVideo }).index
        var count = 0
        while let packet = try reader.read() { count += packet.track == video ? 1 : 0 }
        #expect(count == 720)
        #expect(try reader.read() == nil)
    }

    @Test func theFlashesAndBeepsOfAClipLieOnWholeSeconds() throws {
        let reader = try MediaFileReader(path: clip)
        let videoTrack = try #require(reader.tracks.first { $0.isVideo })
        let audioTrack = try #require(reader.tracks.first { !$0.isVideo })
        let video = try reader.makeVideoDecoder(for: videoTrack)
        let audio = try reader.makeAudioDecoder(for: audioTrack)
        var flashes: [Double] = []
        var beeps: [Double] = []
        var wasWhite = false
        var quiet = 48_000
        while let packet = try reader.read(), packet.pts.seconds < 3.9 {
            if packet.track == videoTrack.index {
                for picture in try video.decode(packet.data, timestamp: packet.pts.ticks) {
                    let isWhite = picture.frame.withPlanes { $0.y[20, 300] > 200 }
                    if isWhite, !wasWhite { flashes.append(Double(picture.timestamp) / 90_000) }
                    wasWhite = isWhite
                }
            } else {
                for block in try audio.decode(packet.data, pts: packet.pts) {
                    for n in 0..<block.samples.count / 2 {
                        quiet += 1
                        guard abs(block.samples[2 * n]) > 0.05 else { continue }
                        if quiet > 9_600 { beeps.append(block.pts.seconds + Double(n) / 48_000) }
                        quiet = 0
                    }
                }
            }
        }
        #expect(flashes == [0, 1, 2, 3])
        #expect(beeps.count == 4)
        for (flash, beep) in zip(flashes, beeps) { #expect(abs(flash - beep) < 0.004) }
    }

    @Test func h264AndAACOfATransportStreamAreRead() throws {
        let stream = try EncodedStream(seconds: 2) {
            $0.preset = "veryfast"
            $0.bFramesMaximum = 3
        }
        let path = NSTemporaryDirectory() + "roomcast-\(UInt64.random(in: 0 ... .max)).ts"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(stream.segments.flatMap { $0 }).write(to: URL(filePath: path))
        let reader = try MediaFileReader(path: path)
        let track = try #require(reader.tracks.first { $0.isVideo })
        #expect(track.videoCodec == .h264 && track.isReordered)
        let decoder = try reader.makeVideoDecoder(for: track)
        var shown: [Int64] = []
        var sound = 0
        let audio = try reader.makeAudioDecoder(for: try #require(reader.tracks.last))
        while let packet = try reader.read() {
            if packet.track == track.index {
                shown += try decoder.decode(packet.data, timestamp: packet.pts.ticks)
                    .map(\.timestamp)
            } else {
                sound += try audio.decode(packet.data, pts: packet.pts)
                    .reduce(0) { $0 + $1.samples.count / 2 }
            }
        }
        shown += try decoder.flush().map(\.timestamp)
        #expect(shown == (0..<60).map { $0 * 3_000 })
        #expect(sound > 95_000)
    }

    @Test func whatIsNoMediaFileIsRefused() throws {
        #expect(throws: CodecError.self) { try MediaFileReader(path: "/nonexistent.webm") }
        #expect(throws: CodecError.self) { try MediaFileReader(path: #filePath) }
        #expect(throws: CodecError.self) { try MediaProbe.decode([1, 2, 3]) }
        #expect(throws: CodecError.self) { try MediaProbe.decode([]) }
    }

    @Test func aDamagedFileNeverStopsTheProbe() throws {
        let segment = try #require(try EncodedStream(seconds: 2).segments.first)
        var random = SeededRandom(seed: 5)
        for _ in 0..<12 {
            var bytes = segment
            for _ in 0..<200 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            _ = try? MediaProbe.decode(bytes)
        }
        for length in stride(from: 0, to: segment.count, by: max(1, segment.count / 12)) {
            _ = try? MediaProbe.decode(Array(segment.prefix(length)))
        }
    }
}
