import Codec
import Glibc
import MediaKernel
import Stage

/// One audio track: packets in, samples of the output's clock out. Owned by the director's thread.
final class AudioSource {
    /// Below this peak a correction of the timing is inaudible. About -60 dBFS.
    static let quietPeak: Float = 0.001

    private let decoder: OpusDecoder
    private let resampler = AudioResampler()
    private var timeline: AudioTrackTimeline?
    private var queue = SampleQueue()
    private var concealment = Concealment()
    private var gate = MuteGate()
    /// Whether more sound is expected: packets that do not come in time are concealed.
    var isSpeaking = false
    /// The first timestamp of the lost packets, until the next packet shows how long they were.
    private var loss: Int64?
    /// Gets what is mixed, and where; nil for silence.
    var listener: (([Float]?, Range<Int64>) -> Void)?
    /// Packets that could not be decoded. For the record.
    private(set) var damagedPackets = 0

    init() throws(CodecError) { decoder = try OpusDecoder() }

    /// The output begins: from now on samples have places.
    func begin(_ clock: SampleClock, position: Int64) {
        timeline = AudioTrackTimeline(clock: clock, position: position)
        queue = SampleQueue()
        gate.nothingWaits()
        resampler.reset()
    }

    func lost(from timestamp: Int64) { loss = loss ?? timestamp }

    /// Sound from before the mute is played to its end. Sound that arrives while the track is muted
    /// keeps its time, so that nothing moves, and is silenced unless the track is unmuted when it
    /// is due: sound often arrives earlier than the news that it was unmuted.
    func setMuted(_ isMuted: Bool) {
        gate.set(isMuted: isMuted, waiting: queue.count)
        if isMuted { isSpeaking = false }
    }

    /// Decodes a packet and queues its samples in their place.
    ///
    /// - Parameters:
    ///   - presentation: of a timestamp; nil while the track has no clock.
    ///   - slid: of the peer's clock.
    ///   - isQuiet: called before a quiet block is placed.
    /// - Returns: the packet's level, in -dBov from 0 (loudest) to 127 (digital silence), as the
    ///   sender reports it or else as measured from the samples; and its length. Nil for a packet
    ///   that cannot be decoded.
    @discardableResult
    func receive(
        _ frame: IncomingFrame, presentation: (Int64) -> Instant?, slid: Duration = .zero,
        isQuiet: () -> Void = {}
    ) -> (level: Int, length: Duration)? {
        if let loss {
            self.loss = nil
            fill(from: loss, before: frame, presentation)
        }
        let tail = concealment.end(from: decoder)
        var samples: [Float]
        do throws(CodecError) {
            samples = try decoder.decode(frame.data)
        } catch {
            damagedPackets += 1
            loss = frame.timestamp
            return nil
        }
        let count = samples.count / OpusDecoder.channels
        let level = frame.audioLevel ?? Self.level(of: samples)
        let heard = (level, Duration.seconds(1) * count / OpusDecoder.sampleRate)
        let peak = samples.reduce(Float(0)) { max($0, abs($1)) }
        if peak < Self.quietPeak { isQuiet() }
        // Sound without a place is not heard, so nothing of it needs to be continued.
        guard let instant = presentation(frame.timestamp), timeline != nil else { return heard }
        isSpeaking = !gate.isMuted
        Concealment.blend(tail, into: &samples)
        let instructions =
            timeline?.place(
                samples: count, rtpTimestamp: frame.timestamp, presentation: instant, slid: slid,
                isQuiet: peak < Self.quietPeak) ?? []
        follow(instructions, block: samples)
        return heard
    }

    /// The level of samples as RFC 6464 defines it: a full-scale square wave has 0.
    static func level(of samples: [Float]) -> Int {
        guard !samples.isEmpty else { return 127 }
        let power = samples.reduce(Float(0)) { $0 + $1 * $1 } / Float(samples.count)
        guard power > 0 else { return 127 }
        return Int(max(0, min(127, -10 * log10(power))).rounded())
    }

    /// Fills the loss before `frame`: the last packet from the redundancy in it, the earlier ones
    /// by concealment.
    private func fill(
        from timestamp: Int64, before frame: IncomingFrame, _ presentation: (Int64) -> Instant?
    ) {
        let missing = Int(clamping: frame.timestamp - timestamp)
        guard missing > 0, let instant = presentation(timestamp), timeline != nil else { return }
        let instructions =
            timeline?.lost(samples: missing, rtpTimestamp: timestamp, presentation: instant) ?? []
        // The redundancy holds the last missing packet: after a silence it is not used.
        let isWhole = !instructions.contains { if case .silence = $0 { true } else { false } }
        for instruction in instructions {
            switch instruction {
            case .conceal(let samples):
                conceal(samples, redundancyIn: isWhole ? frame.data : nil)
            case .silence(let samples): silence(samples)
            case .resync, .append: break
            }
        }
    }

    private func conceal(_ samples: Int, redundancyIn data: [UInt8]?) {
        let packet = data.flatMap { OpusDecoder.sampleCount(of: $0) } ?? 0
        let redundant = packet <= samples ? packet : 0
        var block: [Float] = []
        if samples > redundant {
            block = concealment.next(samples - redundant, from: decoder)
        }
        if let data, redundant > 0 {
            let tail = concealment.end(from: decoder)
            var recovered = (try? decoder.decodeFEC(data, samples: redundant)) ?? []
            recovered += [Float](repeating: 0, count: max(0, redundant * 2 - recovered.count))
            Concealment.blend(tail, into: &recovered)
            block += recovered
        }
        append(block)
    }

    /// Appends at a ratio of 1: as many samples come out as go in.
    private func append(_ block: [Float]) { enqueue(resampler.process(block, ratio: 1)) }

    /// Appends samples that the timeline counts as queued.
    private func enqueue(_ samples: [Float]) { refused(queue.append(samples)) }

    private func refused(_ samples: Int) { if samples > 0 { timeline?.refused(samples) } }

    private func silence(_ samples: Int) {
        if queue.count == 0 {
            // The resampler's rest is from before a pause that has been played.
            resampler.reset()
            refused(queue.appendSilence(samples))
        } else {
            // The rest comes before the silence and is part of its length.
            let rest = resampler.flush()
            enqueue(Array(rest.prefix(samples * 2)))
            refused(queue.appendSilence(samples - rest.count / 2))
        }
    }

    /// The next samples do not continue the last ones.
    private func breakOff() {
        let rest = resampler.flush()
        timeline?.appended(rest.count / 2)
        enqueue(rest)
        queue.breakOff()
    }

    private func follow(_ instructions: [AudioInstruction], block: [Float]) {
        var block = block
        for instruction in instructions {
            switch instruction {
            case .silence(let samples):
                silence(samples)
            case .conceal(let samples):
                conceal(samples, redundancyIn: nil)
            case .resync(let dropped):
                block.removeFirst(min(block.count, dropped * 2))
                breakOff()
            case .append(let ratio):
                let output = resampler.process(block, ratio: ratio)
                timeline?.appended(output.count / 2)
                enqueue(output)
            }
        }
    }

    /// Ends the sound: the queue ends with a fade.
    func cut() {
        isSpeaking = false
        queue.cut()
        gate.nothingWaits()
    }

    /// The samples for the next stretch of output; nil for silence.
    func pull(_ count: Int, through position: Int64) -> [Float]? {
        let block = next(count, through: position)
        listener?(block, position - Int64(count)..<position)
        return block
    }

    private func next(_ count: Int, through position: Int64) -> [Float]? {
        defer { timeline?.pulled(through: position) }
        let missing = count - queue.count
        if missing > 0, isSpeaking {
            append(concealment.next(missing, from: decoder))
            // From here on the track is silent until a packet comes.
            isSpeaking = concealment.count < Concealment.heardSamples
        }
        guard var block = queue.pull(count) else {
            gate.rest(count)
            return nil
        }
        if gate.isClosed { return nil }
        gate.pass(&block)
        return block
    }
}
