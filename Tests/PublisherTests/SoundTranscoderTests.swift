import Codec
import Foundation
import MediaKernel
import Testing
import Workbench

@testable import Publisher

@Suite struct SoundTranscoderTests {
    /// 31 pictures at 30 per second last 49 600 samples, which are 48.4 blocks of AAC and 496
    /// periods of the tone.
    private static let pictures = 31
    private static let samples = pictures * 1600
    private static let period = 100

    @Test func anyOtherSoundIsOpusWithoutASeamFromRoundToRound() throws {
        let scratch = try Scratch()
        var file = try MediaFile(path: try scratch.write(try Self.stream(), to: "tone.ts"))
        let rounds = 4
        var sounds: [MediaFile.Frame] = []
        while (sounds.last?.time.seconds ?? 0) * 48_000 < Double(rounds * Self.samples) {
            let frame = try #require(try file.next())
            if !frame.isVideo { sounds.append(frame) }
        }
        let first = sounds[0].time.ticks
        #expect(first == Int64(-(try OpusEncoder().lookahead)))
        #expect(sounds.map(\.time.ticks) == sounds.indices.map { first + Int64($0) * 960 })

        let decoder = try OpusDecoder()
        var heard: [Float] = []
        for sound in sounds { heard += try decoder.decode(sound.data) }
        // Opus keeps phase and amplitude only roughly, but a steady tone steady: a seam shows
        // against the previous period. The beginning has no previous period for comparison.
        var (worst, place, furthest) = (Float(0), 0, Float(0))
        for position in 4800..<rounds * Self.samples - 4800 {
            let here = heard[2 * (position - Int(first))]
            let change = abs(here - heard[2 * (position - Self.period - Int(first))])
            if change > worst { (worst, place) = (change, position % Self.samples) }
            furthest = max(furthest, abs(here - Self.tone(at: position)))
        }
        #expect(worst < 0.15, "\(place) samples into a round")
        #expect(furthest < 0.15)
    }

    private static func tone(at position: Int) -> Float {
        Float(0.5 * sin(Double(position % period) / Double(period) * 2 * .pi))
    }

    /// A transport stream of grey pictures and a tone.
    private static func stream() throws -> [UInt8] {
        var settings = VideoEncoderSettings(
            width: 64, height: 64, frameRate: 30, bitrate: 50_000, keyframeInterval: 60)
        settings.preset = "ultrafast"
        let video = try H264Encoder(settings)
        let audio = try AACEncoder(bitrate: 128_000)
        let muxer = try TransportStreamMuxer(
            video: video.streamParameters, audio: audio.streamParameters)
        let grey = try VideoFrame.solid(
            width: 64, height: 64, colour: Colour(red: 90, green: 90, blue: 90))
        for index in 0..<pictures {
            let packets = try video.encode(grey, index: Int64(index), forceKeyframe: index == 0)
            for packet in packets { try muxer.write(video: packet) }
        }
        for packet in try video.flush() { try muxer.write(video: packet) }
        // More than the pictures, so that the last whole block ends after them.
        for begin in stride(from: 0, to: samples + 1024, by: AACEncoder.frameSize) {
            let block = (0..<AACEncoder.frameSize * 2).map { index in
                tone(at: begin + index / 2)
            }
            for packet in try audio.encode(block, index: Int64(begin)) {
                try muxer.write(audio: packet)
            }
        }
        for packet in try audio.flush() { try muxer.write(audio: packet) }
        return try muxer.finish().bytes
    }
}
