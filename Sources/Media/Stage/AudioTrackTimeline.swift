public import MediaKernel

/// Instructions for a track's sound, in this order. Returned by `AudioTrackTimeline`.
public enum AudioInstruction: Hashable, Sendable {
    /// Append exactly this many samples of silence.
    case silence(samples: Int)
    /// Append exactly this many samples made by forward error correction or loss concealment.
    case conceal(samples: Int)
    /// Skip this many samples at the start of the decoded block.
    case resync(dropping: Int)
    /// Resample the rest of the block by this ratio of output to input samples, append it, and
    /// report the number of resulting samples with `appended(_:)`.
    case append(ratio: Double)
}

/// Decides where one audio track's decoded samples go on the output's sample clock.
///
/// The track has a queue of output samples between two positions: the mixer has taken all samples
/// before `pulledPosition`, and the next sample goes to `writePosition`. Samples are counted per
/// channel, from the clock's origin.
///
/// ```
///   mixed already │◄──── queue ────►│ next sample
/// ────────────────┴─────────────────┴──────────────► output samples
///         pulledPosition      writePosition
/// ```
///
/// - Blocks that follow each other are never separated or cut for drift: the ratio absorbs it.
/// - A hole in the sender's timestamps (DTX, pause) becomes silence of the length that puts the
///   next block at its own position.
/// - A loss is concealed up to a limit; beyond it, silence follows.
/// - Late sound is played when it arrives, not thrown away. The ratio then shortens the queue, in
///   quiet moments at once; samples are dropped only while the error stays above a limit.
public struct AudioTrackTimeline: Sendable {
    public let clock: SampleClock
    public private(set) var writePosition: Int64
    public private(set) var pulledPosition: Int64

    /// The timestamp that the next block has if nothing is missing.
    private var expectedTimestamp: Int64?
    private var controller = DriftController()
    /// How far the peer's presentations had slid at the last block.
    private var slideMark: (slid: Duration, timestamp: Int64)?
    /// Samples over which the error has been above the limit.
    private var persistence: Int64 = 0
    private var isResyncing = false
    /// Input samples that were skipped, for the record.
    public private(set) var droppedSamples: Int64 = 0

    /// A hole within this distance of its loss's length is filled with exactly that length, as the
    /// packet would have filled it: the ratio corrects the difference, which comes from the clocks,
    /// and redundancy comes in whole packets. 5 ms.
    private static let lossTolerance: Int64 = 240
    /// Loss concealment fades to noise; longer losses become silence. 120 ms.
    public static let concealedSamplesMaximum: Int64 = 5_760
    /// The most silence that is inserted at once, and so the most that the queue holds. 2 s.
    public static let fillSamplesMaximum: Int64 = 96_000
    /// An error above this is not left to resampling alone. 150 ms.
    public static let resyncSamples: Int64 = 7_200
    /// How long the error must persist before samples are dropped or inserted. 1 s.
    private static let resyncPatience: Int64 = 48_000
    /// In a quiet block, errors above this are corrected at once. 20 ms.
    private static let quietCorrection: Int64 = 960
    /// The rest of the queue that late sound leaves as protection against jitter. 40 ms.
    private static let cushion: Int64 = 1_920
    /// A timestamp this far from the expected one begins a new count. 5 s.
    private static let restartSamples: Int64 = 240_000

    /// - Parameters:
    ///   - clock: timestamps count at its sample rate; Opus always has 48 kHz (RFC 7587).
    ///   - position: the first output sample that the mixer has not taken yet.
    public init(clock: SampleClock, position: Int64 = 0) {
        self.clock = clock
        writePosition = position
        pulledPosition = position
    }

    /// Samples in the queue.
    public var queuedSamples: Int { Int(writePosition - pulledPosition) }

    /// The ratio of the last block.
    public var ratio: Double { controller.ratio }

    /// The mixer has taken the samples before the position. If fewer were queued, it mixed silence
    /// for the rest.
    public mutating func pulled(through position: Int64) {
        pulledPosition = max(pulledPosition, position)
        writePosition = max(writePosition, pulledPosition)
    }

    /// Resampling gave this many samples for the last `append`.
    public mutating func appended(_ samples: Int) { writePosition += Int64(max(0, samples)) }

    /// The queue was full and has refused this many samples of the last instructions. If they
    /// counted as queued, all later samples would be too early; so the next block goes to its own
    /// position.
    public mutating func refused(_ samples: Int) {
        writePosition = max(pulledPosition, writePosition - Int64(max(0, samples)))
        expectedTimestamp = nil
    }

    /// Places a decoded block.
    ///
    /// - Parameters:
    ///   - samples: per channel.
    ///   - rtpTimestamp: of its first sample, unwrapped.
    ///   - presentation: of its first sample, by the peer's `SourceClock`.
    ///   - slid: the clock's `slid`: the part of the presentation's moves that the ratio follows at
    ///     once.
    ///   - isQuiet: whether a correction in the block would be inaudible.
    public mutating func place(
        samples: Int, rtpTimestamp: Int64, presentation: Instant, slid: Duration = .zero,
        isQuiet: Bool = false
    ) -> [AudioInstruction] {
        guard samples > 0 else { return [] }
        let slide = slide(to: slid, at: rtpTimestamp)
        let target = clock.sample(at: presentation)
        let hole = hole(before: rtpTimestamp)
        guard let hole, hole <= 0 else {
            // Samples are missing, or this is the first block: it goes to its own position.
            expectedTimestamp = rtpTimestamp &+ Int64(samples)
            var instructions: [AudioInstruction] = []
            appendSilence(target - writePosition, to: &instructions)
            return instructions + [.append(ratio: controller.ratio)]
        }
        let overlap = min(Int64(samples), -hole)
        guard overlap < samples else {
            droppedSamples += overlap
            return [.resync(dropping: samples)]
        }
        expectedTimestamp = rtpTimestamp &+ Int64(samples)
        return follow(
            error: target + overlap - writePosition, slide: slide, samples: Int64(samples),
            overlap: overlap, isQuiet: isQuiet)
    }

    /// Fills in for samples that will not come.
    ///
    /// - Parameters:
    ///   - samples: per channel.
    ///   - rtpTimestamp: of the first of them, unwrapped.
    ///   - presentation: of the first of them.
    public mutating func lost(
        samples: Int, rtpTimestamp: Int64, presentation: Instant
    ) -> [AudioInstruction] {
        // Before the first block nothing is missing; far off, the next block starts anew anyway.
        guard samples > 0, let hole = hole(before: rtpTimestamp), Int64(samples) + hole > 0 else {
            return []
        }
        expectedTimestamp = rtpTimestamp &+ Int64(samples)
        let end = clock.sample(at: presentation) + Int64(samples)
        var fill = end - writePosition
        if abs(fill - Int64(samples)) < Self.lossTolerance {
            fill = Int64(samples)
        } else {
            controller.positionCorrected()
        }
        fill = min(fill, Self.fillSamplesMaximum)
        guard fill > 0 else { return [] }
        writePosition += fill
        let concealed = min(fill, Self.concealedSamplesMaximum)
        var instructions: [AudioInstruction] = [.conceal(samples: Int(concealed))]
        if fill > concealed { instructions.append(.silence(samples: Int(fill - concealed))) }
        return instructions
    }

    /// Samples missing between the last block and this timestamp, negative when they overlap; nil
    /// without a usable last block.
    private func hole(before timestamp: Int64) -> Int64? {
        guard let expectedTimestamp else { return nil }
        let (hole, overflow) = timestamp.subtractingReportingOverflow(expectedTimestamp)
        return overflow || hole.magnitude > UInt64(Self.restartSamples) ? nil : hole
    }

    /// Seconds per second by which presentations have slid since the last block.
    private mutating func slide(to slid: Duration, at timestamp: Int64) -> Double {
        defer { slideMark = (slid, timestamp) }
        guard let slideMark else { return 0 }
        let (samples, overflow) = timestamp.subtractingReportingOverflow(slideMark.timestamp)
        guard !overflow, samples > 0 else { return 0 }
        return (slid - slideMark.slid).inSeconds * Double(clock.sampleRate) / Double(samples)
    }

    /// Places a block that continues the last one, except for `overlap` samples that came before.
    private mutating func follow(
        error: Int64, slide: Double, samples: Int64, overlap: Int64, isQuiet: Bool
    ) -> [AudioInstruction] {
        let fresh = samples - overlap
        // Late sound can only be shortened by what is queued; the rest arrived late.
        let excess = max(0, writePosition + fresh - pulledPosition - Self.cushion)
        let correctable = max(error, -excess)
        persistence = abs(correctable) > Self.resyncSamples ? persistence + fresh : 0
        if persistence > Self.resyncPatience { isResyncing = true }
        if abs(correctable) <= Self.quietCorrection { isResyncing = false }

        var instructions: [AudioInstruction] = []
        var skipped = overlap
        if isResyncing || (isQuiet && abs(correctable) > Self.quietCorrection) {
            appendSilence(correctable, to: &instructions)
            skipped += min(max(0, -correctable), fresh)
        } else {
            let rate = Double(clock.sampleRate)
            _ = controller.update(
                error: Double(correctable) / rate, slide: slide, seconds: Double(fresh) / rate)
        }
        droppedSamples += skipped
        if skipped > 0 { instructions.append(.resync(dropping: Int(skipped))) }
        return skipped < samples
            ? instructions + [.append(ratio: controller.ratio)] : instructions
    }

    /// Inserts silence where samples are missing; the caller drops samples where there are too
    /// many.
    private mutating func appendSilence(
        _ samples: Int64, to instructions: inout [AudioInstruction]
    ) {
        let fill = min(samples, Self.fillSamplesMaximum)
        controller.positionCorrected()
        guard fill > 0 else { return }
        writePosition += fill
        instructions.append(.silence(samples: Int(fill)))
    }
}
