import Codec
import Foundation
import MediaKernel
import RecordedStreams
import Testing
import Workbench

@Suite struct MediaFileReaderTests {
    /// A clip of the repository: VP8 at 30 frames per second and Opus, 24 seconds.
    private var clip: String {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../fixtures/media/ann.webm").standardized.path
    }

    @Test func aClipShowsItsTracks() throws {
        let reader = try MediaFileReader(path: clip)
        let video = try #require(reader.tracks.first { $0.isVideo })
        #expect(video.codec == "vp8" && !video.isReordered)
        #expect(video.kind == .video(width: 640, height: 360, frameRate: 30))
        let audio = try #require(reader.tracks.first { !$0.isVideo })
        #expect(audio.codec == "opus" && !audio.isVideo)
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
        // The encoder's pre-skip of 6.5 ms lies before zero; then one packet every 20 ms.
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
        let video = try VideoDecoder(codec: .vp8)
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
        #expect(track.codec == "h264" && track.isReordered)
        let decoder = try VideoDecoder(codec: .h264, allowsReordering: true)
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

    @Test func soundOfAnotherRateIsDecodedToItsEndRoundAfterRound() throws {
        let count = 44_877
        let scratch = try Scratch()
        let path = try scratch.write(Self.wave(rate: 44_100, count: count), to: "tone.wav")
        let reader = try MediaFileReader(path: path, loops: true)
        let track = try #require(reader.tracks.first)
        #expect(track.kind == .audio(sampleRate: 44_100, channels: 2))
        let decoder = try reader.makeAudioDecoder(for: track)
        var rounds: [[DecodedAudio]] = [[]]
        while true {
            let packet = try #require(try reader.read())
            if packet.round == rounds.count {
                rounds[packet.round - 1] += try decoder.flush()
                if packet.round == 3 { break }
                rounds.append([])
            }
            rounds[packet.round] += try decoder.decode(packet.data, pts: packet.pts)
        }
        for (round, blocks) in rounds.enumerated() {
            let samples = blocks.reduce(0) { $0 + $1.samples.count / 2 }
            let expected = Double(count) * 48_000 / 44_100
            #expect(abs(Double(samples) - expected) <= 2, "\(samples) samples in round \(round)")
            for (block, next) in zip(blocks, blocks.dropFirst()) {
                let end = block.pts.ticks + Int64(block.samples.count / 2)
                #expect(abs(next.pts.ticks - end) <= 2)
            }
        }
        // No sound of one round is heard in the next.
        let sounds = rounds.map { $0.flatMap(\.samples) }
        let areAlike = sounds.allSatisfy { $0 == sounds[0] }
        #expect(areAlike)
        withExtendedLifetime(scratch) {}
    }

    /// A WAV file of a stereo tone with 16 bits per sample.
    private static func wave(rate: Int, count: Int) -> [UInt8] {
        func littleEndian(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var file = Array("RIFF".utf8) + littleEndian(36 + count * 4, 4) + Array("WAVEfmt ".utf8)
        for (value, bytes) in [
            (16, 4), (1, 2), (2, 2), (rate, 4), (rate * 4, 4), (4, 2), (16, 2),
        ] { file += littleEndian(value, bytes) }
        file += Array("data".utf8) + littleEndian(count * 4, 4)
        for n in 0..<count {
            let sample = Int(10_000 * sin(2 * .pi * 441 * Double(n) / Double(rate)))
            file += littleEndian(sample, 2) + littleEndian(sample, 2)
        }
        return file
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
