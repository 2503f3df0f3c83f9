import Codec
import Foundation
import MediaKernel
import Stage

@testable import Pipeline

/// A speaker's Opus packets on their way through a network into an `AudioSource`, and its output,
/// in simulated time.
struct Voice {
    static let packetSamples = 960
    var packets: [[UInt8]]

    /// - Parameter signal: as a function of the time in seconds, equal for both channels.
    init(seconds: Double, signal: (Double) -> Double) throws {
        let encoder = try OpusEncoder(bitrate: 64_000, expectedLossPercent: 20)
        var packets: [[UInt8]] = []
        for index in 0..<Int(seconds * 50) {
            let block = (0..<Self.packetSamples).flatMap { n -> [Float] in
                let time = Double(index * Self.packetSamples + n) / 48_000
                return [Float(signal(time)), Float(signal(time))]
            }
            packets.append(try encoder.encode(block))
        }
        self.packets = packets
    }

    /// A hum with the overtones of a vowel, which Opus treats as speech.
    static func hum(_ time: Double) -> Double {
        let vibrato = 0.02 * sin(2 * .pi * 5 * time)
        var sum = 0.0
        for harmonic in 1...10 {
            let weight = 0.2 / Double(harmonic) * (harmonic == 4 || harmonic == 5 ? 2 : 1)
            sum += weight * sin(Double(harmonic) * (2 * .pi * 140 * time + vibrato))
        }
        return sum
    }

    /// The mixer's input for the left channel from the first sample on.
    ///
    /// - Parameters:
    ///   - beginning: the packet with whose arrival the output begins; it and earlier ones have
    ///     been decoded by then and are not part of the output; nil to begin before the first.
    ///   - held: packets at whose arrival the mixer takes nothing; it catches up afterwards.
    ///   - delay: from a packet's arrival to its presentation; its changes are slides.
    ///   - arrives: whether a packet arrives; nil for one that was never sent.
    func heard(
        beginning: Int? = nil, held: Range<Int> = 0..<0,
        delay: (Int) -> Duration = { _ in .milliseconds(100) },
        arrives: (Int) -> Bool?
    ) throws -> [Float] {
        let clock = SampleClock(origin: .zero, frameRate: 50)
        let source = try AudioSource()
        if beginning == nil { source.begin(clock, position: 0) }
        var output: [Float] = []
        var loss: Int64?
        for index in packets.indices {
            let timestamp = Int64(index * Self.packetSamples)
            let arrival = clock.instant(ofSample: timestamp)
            switch arrives(index) {
            case true?:
                if let loss { source.lost(from: loss) }
                loss = nil
                source.receive(
                    IncomingFrame(
                        data: packets[index], timestamp: timestamp, isKeyframe: true,
                        arrival: arrival),
                    presentation: { clock.instant(ofSample: $0) + delay(index) },
                    slid: delay(index) - delay(0))
            case false?: loss = loss ?? timestamp
            case nil: break
            }
            guard index >= beginning ?? 0 else { continue }
            if index == beginning { source.begin(clock, position: timestamp) }
            guard !held.contains(index) else { continue }
            for taken in (held.upperBound == index ? held.lowerBound : index)...index {
                let end = Int64((taken + 1) * Self.packetSamples)
                let block = source.pull(Self.packetSamples, through: end)
                output += (0..<Self.packetSamples).map { block?[2 * $0] ?? 0 }
            }
        }
        return output
    }

    /// The largest second difference in each 2.5 ms: high for a click, low for a tone.
    static func edges(_ samples: [Float]) -> [Float] {
        stride(from: 2, to: samples.count - 120, by: 120).map { start -> Float in
            var highest: Float = 0
            for n in start..<start + 120 {
                let middle: Float = (samples[n] + samples[n - 2]) / 2
                highest = max(highest, 2 * abs(middle - samples[n - 1]))
            }
            return highest
        }
    }

    /// The loudness of each 10 ms.
    static func levels(_ samples: [Float]) -> [Float] {
        stride(from: 0, to: samples.count - 480, by: 480).map { start in
            let power = samples[start..<start + 480].reduce(0) { $0 + $1 * $1 } / 480
            return power.squareRoot()
        }
    }
}
