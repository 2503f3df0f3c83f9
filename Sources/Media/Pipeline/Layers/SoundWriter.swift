import Codec
import HLS
import MediaKernel
import Recording
import Stage
import Streams

/// One audio-only variant on a thread of its own: multiplexes, cuts, writes.
///
/// Segments are as long as those with video: they are cut at frame times, to within one block.
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
        let container: any SegmentContainer
        var directory: LayerDirectory
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
                Output(
                    files: files, container: try files.container(video: nil, audio: audio),
                    directory: directory)
            }
        }
    }

    func variant(_ files: ContainerFiles) -> MasterPlaylist.Variant {
        let rate = files.bitrate(ofSound: bitrate, segmentDuration: planner.segmentDuration)
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

    /// - Parameter frameCount: the segment's frames; the last one may be filled in part.
    private func publish(
        _ segment: MultiplexedSegment, to output: Int, frameCount: Int64, duration: MediaTime
    ) throws {
        let place = LayerDirectory.Place(
            epoch: epoch, frameRate: planner.frameRate, firstFrame: segmentStart,
            frameCount: Int(frameCount))
        let number = try outputs[output].directory.publish(
            segment, place: place, duration: duration,
            isLeftOut: pauses.touch(segmentStart..<segmentStart + frameCount))
        ledger.published(
            layer: index, segment: number, bytes: segment.bytes.count, in: outputs[output].files)
    }

    /// The sound before the gap becomes a segment, even if a short one.
    private func leaveOut(from end: Int64, to next: Int64) throws {
        let count = end - segmentStart
        for index in outputs.indices {
            let segment = try outputs[index].container.cut(at: time(ofFrame: end))
            if !segment.isEmpty, count > 0 {
                try publish(
                    segment, to: index, frameCount: count,
                    duration: planner.duration(ofFrames: Int(count)))
            }
            outputs[index].directory.markDiscontinuity()
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
            let segment = try outputs[index].container.finish()
            if !segment.isEmpty, length > 0 {
                try publish(
                    segment, to: index,
                    frameCount: (duration.ticks * rate + samples - 1) / samples,
                    duration: duration)
            }
            if ledger.failure == nil { try outputs[index].directory.end() }
            guard !outputs[index].files.isBeside else { continue }
            ledger.ended(layer: self.index, segments: outputs[index].directory.nextIndex)
        }
    }
}
