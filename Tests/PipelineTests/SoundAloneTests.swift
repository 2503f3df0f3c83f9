import Codec
import Compositor
import Foundation
import HLS
import Logging
import MediaKernel
import RecordedStreams
import Stage
import Testing
import Workbench

@testable import Pipeline

/// Audio-only streams, and AAC's effect on a waveform.
@Suite(.serialized) struct SoundAloneTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The result of a clip that was sent too late is not judged, so there is another attempt.
    private static let attempts = 3

    @Test func aRoomCanBeStreamedAsSoundAlone() async throws {
        for attempt in 1...Self.attempts {
            try? FileManager.default.removeItem(atPath: "\(scratch.path)/stream")
            let (summary, lateness) = try await streamSoundAlone()
            if lateness > ClipPlayer.latenessMaximum, attempt < Self.attempts { continue }
            #expect(summary.framesDropped == 0)
            try expectStream(frames: summary.frames)
            break
        }
    }

    private func streamSoundAlone() async throws -> (PipelineSummary, lateness: Duration) {
        var configuration = PipelineConfiguration(
            ladder: .standard, segmentDuration: .seconds(1),
            outputDirectory: "\(scratch.path)/stream", title: "Test",
            playoutDelay: .fixed(.milliseconds(600)))
        configuration.sound.isAlone = true
        let pipeline = try StreamPipeline(configuration, logger: Logger(label: "test"))
        let player = try ClipPlayer(into: pipeline)
        pipeline.start()
        let lateness = await player.play(seconds: 2.7)
        let summary = await pipeline.stop()
        #expect(pipeline.failure == nil)
        return (summary, lateness)
    }

    private func expectStream(frames: Int64) throws {
        let master = try scratch.text("stream/master.m3u8")
        #expect(!master.contains("RESOLUTION") && !master.contains("FRAME-RATE"))
        let variants = try MasterPlaylist(parsing: master).variants
        // 96 kbit/s twice and 64 once in the ladder.
        #expect(variants.count == 2 && variants.allSatisfy { $0.codecs == "mp4a.40.2" })
        var playlists: [MediaPlaylist] = []
        for (index, variant) in variants.enumerated() {
            let playlist = try MediaPlaylist(parsing: scratch.text("stream/\(variant.uri)"))
            #expect(PlaylistValidator.violations(of: playlist).isEmpty)
            try expectSound(of: playlist, index, variant, frames: frames)
            playlists.append(playlist)
        }
        #expect(PlaylistValidator.violations(ofLayers: playlists).isEmpty)
    }

    private func expectSound(
        of playlist: MediaPlaylist, _ index: Int, _ variant: MasterPlaylist.Variant, frames: Int64
    ) throws {
        var whole: [UInt8] = []
        for (number, segment) in playlist.segments.enumerated() {
            let bytes = try scratch.bytes("stream/stream_\(index)/\(segment.uri)")
            whole += bytes
            // Fewer packets are too few for a reader to recognise the format.
            guard bytes.count >= 188 * 20 else { continue }
            // Each can be played on its own, and begins at the right time to within a block.
            let report = try MediaProbe.decode(bytes)
            #expect(report.damagedPackets == 0 && report.pictures.isEmpty)
            let start = try #require(report.sound.first).pts.seconds
            let lateness: Double = start - Double(number + 1)
            #expect(abs(lateness) <= 0.065, "segment \(number) at \(start)")
            let bitrate = Double(bytes.count * 8) / segment.duration.seconds
            #expect(bitrate <= 1.1 * Double(variant.bandwidth), "\(bitrate)")
            #expect(Self.longestClockGap(bytes) <= 0.100)
        }
        let durations = playlist.segments.map(\.duration.seconds)
        #expect(durations.dropLast().allSatisfy { $0 == 1 })
        let seconds = Double(frames) / 30
        let announced: Double = durations.reduce(0, +)
        #expect(abs(announced - seconds) <= 0.065)
        let samples = try MediaProbe.decode(whole).samples(ofChannel: 0)
        let decoded = Double(samples.count) / 48_000
        #expect(abs(decoded - seconds) <= 0.065)
        // At least two beeps of 100 ms, the last one within the last second.
        #expect(samples.filter { abs($0) > 0.1 }.count > 2 * 3_000)
    }

    /// The longest time in seconds between two program clock references.
    private static func longestClockGap(_ bytes: [UInt8]) -> Double {
        var clocks: [Double] = []
        for start in stride(from: 0, to: bytes.count - 187, by: 188) {
            let packet = bytes[start..<start + 188]
            let hasAdaptation = packet[start + 3] & 0x20 != 0
            guard hasAdaptation, packet[start + 4] > 6, packet[start + 5] & 0x10 != 0
            else { continue }
            let field = packet[(start + 6)..<(start + 11)]
                .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            clocks.append(Double(field >> 7) / 90_000)
        }
        guard clocks.count > 1 else { return .infinity }
        return zip(clocks, clocks.dropFirst()).map { $1 - $0 }.max() ?? .infinity
    }

    // MARK: The true peak after AAC

    /// Four shouting voices: chords with vibrato and syllables, together far over full scale.
    private func shouting(seconds: Double) -> [Float] {
        var random = SeededRandom(seed: 7)
        let voices = (0..<4).map { _ in
            (
                pitch: Double.random(in: 90...300, using: &random),
                rate: Double.random(in: 2...5, using: &random)
            )
        }
        return (0..<Int(seconds * 48_000)).flatMap { n -> [Float] in
            let time = Double(n) / 48_000
            var sum = 0.0
            for voice in voices {
                let loud = max(0, sin(2 * .pi * voice.rate * time))
                for harmonic in 1...12 {
                    let angle = 2 * .pi * voice.pitch * Double(harmonic) * time
                    sum += loud * 0.6 * sin(angle + Double(harmonic * harmonic)) / Double(harmonic)
                }
            }
            return [Float(sum), Float(sum)]
        }
    }

    @Test(arguments: [16_000, 24_000, 32_000, 48_000, 64_000, 96_000])
    func whatAPlayerDecodesStaysBelowMinusOneDecibel(bitrate: Int) throws {
        var mixer = AudioMixer(lowestBitrate: bitrate)
        let encoder = try AACEncoder(bitrate: bitrate)
        let muxer = try TransportStreamMuxer(video: nil, audio: encoder.streamParameters)
        let input = shouting(seconds: 2)
        #expect((input.max() ?? 0) > 1.5, "it has to be limited")
        var position: Int64 = 0
        for start in stride(from: 0, to: input.count - 2047, by: 2048) {
            let block = mixer.mix(sources: [Array(input[start..<start + 2048])])
            for packet in try encoder.encode(block, index: position) {
                try muxer.write(audio: packet)
            }
            position += 1024
        }
        let report = try MediaProbe.decode(try muxer.finish().bytes)
        let left = report.samples(ofChannel: 0)
        let peak = CurvePeak.highest(of: left)
        let decibels = 20 * log10(peak)
        let given = 20 * log10(Double(AudioMixer.ceiling(forBitrate: bitrate)))
        #expect(decibels <= -1, "\(decibels) dBTP of \(given) at \(bitrate) bit/s")
        // It is not unnecessarily quiet.
        #expect(decibels >= given - 2, "\(decibels) dBTP of \(given) at \(bitrate) bit/s")
    }
}

/// The highest point of the curve through samples, at eight times the rate.
enum CurvePeak {
    static func highest(of samples: [Float]) -> Double {
        let half = 24
        let kernel: [[Double]] = (1..<8).map { phase in
            (1 - half...half).map { tap in
                let x = Double(tap) - Double(phase) / 8
                return sin(.pi * x) / (.pi * x) * (0.5 + 0.5 * cos(.pi * x / Double(half + 1)))
            }
        }
        var peak = Double(samples.map(abs).max() ?? 0)
        let screen = Float(peak * 0.8)
        guard samples.count > 2 * half else { return peak }
        for n in half..<samples.count - half where abs(samples[n]) > screen {
            for row in kernel {
                var sum = 0.0
                for tap in row.indices { sum += row[tap] * Double(samples[n + 1 - half + tap]) }
                peak = max(peak, abs(sum))
            }
        }
        return peak
    }
}
