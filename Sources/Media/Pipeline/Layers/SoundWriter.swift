import Codec
import HLS
import MediaKernel
import Recording
import Stage
import Streams

/// One audio-only variant on a thread of its own: multiplexes, cuts, writes.
///
/// Segments and parts are as long as those with video: they are cut at frame times, to within one
/// block.
final class SoundWriter: VariantWriter {
    /// Blocks beyond a segment's end that must have come before it is cut, so that the encoder's
    /// last blocks do not become a segment of their own.
    static let blocksBeyond: Int64 = 6

    let inbox = Mailbox<LayerItem>(maximum: LayerEncoder.inboxMaximum)
    var epoch: Int64 = 0
    var clock: SampleClock?
    /// There are no pictures to be behind with.
    let newestTaken = Int64.max
    let picturesLeftOut = 0
    private let index: Int
    private let bitrate: Int
    private let planner: SegmentPlanner
    private let pauses: RecordingPauses
    private let ledger: MasterPlaylistWriter
    private var outputs: [Output]
    /// First frame of the segment being collected.
    private var segmentStart: Int64 = 0
    private var end = MediaTime(ticks: 0, timescale: Int32(AACEncoder.sampleRate))

    /// One container and its files.
    private struct Output {
        let files: ContainerFiles
        let planner: SegmentPlanner
        let container: any SegmentContainer
        var directory: LayerDirectory
        /// First frame of the part being collected.
        var partStart: Int64 = 0
        /// The parts of the segment being collected that are written.
        var written = MultiplexedSegment()

        var hasParts: Bool { planner.partFrames != nil }
    }

    /// - Parameters:
    ///   - directory: of the main files.
    ///   - beside: of the fragments beside them.
    init(
        index: Int, directory: LayerDirectory, beside: LayerDirectory? = nil,
        container: StreamContainer = .transportStream, planner: SegmentPlanner,
        audio: AudioStreamParameters, pauses: RecordingPauses,
        ledger: MasterPlaylistWriter
    ) throws {
        self.index = index
        self.planner = planner
        self.pauses = pauses
        self.ledger = ledger
        bitrate = audio.bitrate
        outputs = try ContainerFiles.all(of: container).compactMap { files in
            try (files.isBeside ? beside : directory).map { directory in
                let planner = files.planner(planner)
                return Output(
                    files: files, planner: planner,
                    container: try files.container(
                        video: nil, audio: audio, inParts: planner.partFrames != nil),
                    directory: directory)
            }
        }
    }

    func variant(_ files: ContainerFiles) -> MasterPlaylist.Variant {
        let rate = files.bitrate(ofSound: bitrate, planner)
        return MasterPlaylist.Variant(
            uri: files.playlistPath(index), bandwidth: rate.bandwidth,
            averageBandwidth: rate.averageBandwidth,
            codecs: CodecString.aacLowComplexity.description)
    }

    func run() {
        var batch: [LayerItem] = []
        do {
            while inbox.takeAll(into: &batch, until: nil) {
                for item in batch {
                    switch item {
                    case .sound(let packets):
                        for packet in packets { try write(packet) }
                    case .gap(let end, let next):
                        try leaveOut(from: end, to: next)
                    case .picture:
                        break
                    case .finish:
                        try finish()
                        return
                    }
                    ledger.worked(layer: index)
                }
                batch.removeAll(keepingCapacity: true)
            }
        } catch {
            inbox.close()
            ledger.failed(PipelineFailure(error, in: "variant \(index)"))
        }
    }

    private func time(ofFrame frame: Int64) -> MediaTime {
        MediaTime(ticks: frame, timescale: Int32(planner.frameRate))
            .rescaled(to: Int32(AACEncoder.sampleRate))
    }

    private func write(_ packet: EncodedPacket) throws {
        for output in outputs { try output.container.write(audio: packet) }
        let start = packet.pts.rescaled(to: end.timescale).ticks
        end.ticks = start + packet.duration.rescaled(to: end.timescale).ticks
        let next = planner.firstFrame(ofSegment: planner.segmentIndex(ofFrame: segmentStart) + 1)
        let boundary = time(ofFrame: next)
        for index in outputs.indices where outputs[index].hasParts {
            try endParts(of: index, before: next)
        }
        guard start >= boundary.ticks + Self.blocksBeyond * Int64(AACEncoder.frameSize) else {
            return
        }
        for index in outputs.indices {
            try publish(
                try outputs[index].container.cut(at: boundary), to: index,
                frameCount: next - segmentStart,
                duration: planner.duration(ofFrames: Int(next - segmentStart)))
        }
        segmentStart = next
    }

    /// Writes the parts that are complete, but for the segment's last one.
    ///
    /// - Parameter next: the first frame of the next segment.
    private func endParts(of output: Int, before next: Int64) throws {
        while true {
            let partEnd = planner.partEnd(ofFrame: outputs[output].partStart)
            let time = time(ofFrame: partEnd)
            guard partEnd < next, end.ticks >= time.ticks else { return }
            try write(
                part: try outputs[output].container.cut(at: time), of: output, endingAt: partEnd)
        }
    }

    private func write(part: MultiplexedSegment, of output: Int, endingAt end: Int64) throws {
        let start = outputs[output].partStart
        outputs[output].partStart = end
        guard !part.isEmpty, end > start else { return }
        // The last part of the stream has the encoder's last blocks, too.
        let frames = min(end - start, Int64(planner.partFrames ?? .max))
        let place = LayerDirectory.Place(
            epoch: epoch, frameRate: planner.frameRate, firstFrame: start,
            frameCount: Int(frames))
        ledger.published(
            try outputs[output].directory.publish(part: part, place: place, layer: index))
        outputs[output].written.append(part)
    }

    /// - Parameters:
    ///   - rest: the segment, or its last part; empty if there is nothing more.
    ///   - frameCount: the segment's frames; the last one may be filled in part.
    private func publish(
        _ rest: MultiplexedSegment, to output: Int, frameCount: Int64, duration: MediaTime
    ) throws {
        var segment = rest
        if outputs[output].hasParts {
            try write(part: rest, of: output, endingAt: segmentStart + frameCount)
            segment = outputs[output].written
            outputs[output].written = MultiplexedSegment()
        }
        guard !segment.isEmpty, frameCount > 0 else { return }
        let place = LayerDirectory.Place(
            epoch: epoch, frameRate: planner.frameRate, firstFrame: segmentStart,
            frameCount: Int(frameCount))
        let number = try outputs[output].directory.publish(
            segment, place: place, duration: duration,
            isLeftOut: pauses.touch(segmentStart..<segmentStart + frameCount))
        if outputs[output].hasParts { ledger.listed(layer: index, segment: number) }
        ledger.published(
            layer: index, segment: number, bytes: segment.bytes.count, in: outputs[output].files)
    }

    /// The sound before the gap becomes a segment, even if a short one.
    private func leaveOut(from end: Int64, to next: Int64) throws {
        let count = end - segmentStart
        for index in outputs.indices {
            try publish(
                try outputs[index].container.cut(at: time(ofFrame: end)), to: index,
                frameCount: count, duration: planner.duration(ofFrames: Int(max(0, count))))
            outputs[index].directory.markDiscontinuity()
            outputs[index].partStart = next
        }
        segmentStart = next
    }

    private func finish() throws {
        let length = end.ticks - time(ofFrame: segmentStart).ticks
        let whole = time(ofFrame: Int64(planner.framesPerSegment)).ticks
        let duration = MediaTime(ticks: min(length, whole), timescale: end.timescale)
        let rate = Int64(planner.frameRate)
        let samples = Int64(end.timescale)
        for index in outputs.indices {
            try publish(
                try outputs[index].container.finish(), to: index,
                frameCount: (duration.ticks * rate + samples - 1) / samples, duration: duration)
            if ledger.failure == nil { try outputs[index].directory.end() }
            guard !outputs[index].files.isBeside else { continue }
            ledger.ended(layer: self.index, segments: outputs[index].directory.nextIndex)
        }
    }
}
