import Codec
import MediaKernel
import Stage

/// One audio track: packets in, samples of the output's clock out. Owned by the director's thread.
final class AudioSource {
    /// Below this peak a correction of the timing is not heard. About -60 dBFS.
    static let quietPeak: Float = 0.001

    private struct Loss {
        var timestamp: Int64
    }

    private let decoder: OpusDecoder
    private let resampler = AudioResampler()
    private var timeline: AudioTrackTimeline?
    private var queue = SampleQueue()
    /// Packets that did not come, until the next one tells how long they were.
    private var loss: Loss?
    /// Packets that could not be decoded. For the record.
    private(set) var damagedPackets = 0

    init() throws(CodecError) { decoder = try OpusDecoder() }

    /// The output begins: from now on samples have places.
    func begin(_ clock: SampleClock, position: Int64) {
        timeline = AudioTrackTimeline(clock: clock, position: position)
        queue = SampleQueue()
        resampler.reset()
    }

    func lost(from timestamp: Int64) { loss = loss ?? Loss(timestamp: timestamp) }

    /// Decodes a packet and queues it where it belongs.
    ///
    /// - Parameters:
    ///   - presentation: of a timestamp; nil while the track has no clock.
    ///   - isQuiet: called before a quiet block is placed.
    func receive(
        _ frame: IncomingFrame, presentation: (Int64) -> Instant?, isQuiet: () -> Void = {}
    ) {
        if let loss {
            self.loss = nil
            fill(from: loss.timestamp, before: frame, presentation)
        }
        let samples: [Float]
        do throws(CodecError) {
            samples = try decoder.decode(frame.data)
        } catch {
            damagedPackets += 1
            loss = Loss(timestamp: frame.timestamp)
            return
        }
        let peak = samples.reduce(Float(0)) { max($0, abs($1)) }
        if peak < Self.quietPeak { isQuiet() }
        guard let instant = presentation(frame.timestamp), timeline != nil else { return }
        let instructions =
            timeline?.place(
                samples: samples.count / 2, rtpTimestamp: frame.timestamp, presentation: instant,
                isQuiet: peak < Self.quietPeak) ?? []
        follow(instructions, block: samples)
    }

    /// Makes up for what was lost before `frame`: the last packet from the redundancy in it, the
    /// ones before by concealment.
    private func fill(
        from timestamp: Int64, before frame: IncomingFrame, _ presentation: (Int64) -> Instant?
    ) {
        let missing = Int(clamping: frame.timestamp - timestamp)
        guard missing > 0, let instant = presentation(timestamp), timeline != nil else { return }
        let instructions =
            timeline?.lost(samples: missing, rtpTimestamp: timestamp, presentation: instant) ?? []
        let packet = OpusDecoder.sampleCount(of: frame.data) ?? 0
        for instruction in instructions {
            switch instruction {
            case .conceal(let samples): conceal(samples, packet: packet, redundancyIn: frame.data)
            case .silence(let samples): silence(samples)
            case .resync, .append: break
            }
        }
    }

    private func conceal(_ samples: Int, packet: Int, redundancyIn data: [UInt8]) {
        var block: [Float] = []
        let redundant = packet > 0 && packet <= samples ? packet : 0
        if samples > redundant {
            block = (try? decoder.decodeLost(samples: samples - redundant)) ?? []
        }
        if redundant > 0 { block += (try? decoder.decodeFEC(data, samples: redundant)) ?? [] }
        block += [Float](repeating: 0, count: max(0, samples * 2 - block.count))
        queue.append(block)
    }

    private func silence(_ samples: Int) {
        // What the resampler still holds comes before the silence and is part of its length.
        let rest = resampler.flush()
        queue.append(Array(rest.prefix(samples * 2)))
        queue.appendSilence(samples - rest.count / 2)
    }

    private func follow(_ instructions: [AudioInstruction], block: [Float]) {
        var block = block
        for instruction in instructions {
            switch instruction {
            case .silence(let samples):
                silence(samples)
            case .conceal(let samples):
                queue.append((try? decoder.decodeLost(samples: samples)) ?? [])
            case .resync(let dropped):
                block.removeFirst(min(block.count, dropped * 2))
            case .append(let ratio):
                let output = resampler.process(block, ratio: ratio)
                queue.append(output)
                timeline?.appended(output.count / 2)
            }
        }
    }

    /// The samples for the next stretch of output; nil for silence.
    func pull(_ count: Int, through position: Int64) -> [Float]? {
        defer { timeline?.pulled(through: position) }
        return queue.pull(count)
    }
}
