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
    var epoch: Int64 {
        get { outputs[0].writer.epoch }
        set { for index in outputs.indices { outputs[index].writer.epoch = newValue } }
    }
    var clock: SampleClock?
    /// There are no pictures to be behind with.
    let newestTaken = Int64.max
    let picturesLeftOut = 0
    private let index: Int
    private let bitrate: Int
    private let planner: SegmentPlanner
    private let ledger: MasterPlaylistWriter
    /// One for each container.
    private var outputs: [Output]
    private var end = MediaTime(ticks: 0, timescale: Int32(AACEncoder.sampleRate))

    private struct Output {
        let container: any SegmentContainer
        var writer: SegmentWriter

        /// Ends the segment, or what has been collected of it.
        ///
        /// - Parameter end: the first frame after it, at this time.
        mutating func cut(at time: MediaTime, _ end: Int64) throws {
            try writer.add(try container.cut(at: time), endingAt: end)
            try writer.endSegment(at: end)
        }
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
        self.ledger = ledger
        bitrate = audio.bitrate
        outputs = try ContainerFiles.all(of: container).compactMap { files in
            try (files.isBeside ? beside : directory).map { directory in
                Output(
                    container: try files.container(video: nil, audio: audio),
                    writer: SegmentWriter(
                        layer: index, files: files, directory: directory, planner: planner,
                        pauses: pauses, ledger: ledger))
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

    /// First frame of the segment being collected.
    private var segmentStart: Int64 { outputs[0].writer.segmentStart }

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
        let isEnded = start >= boundary.ticks + Self.blocksBeyond * Int64(AACEncoder.frameSize)
        for index in outputs.indices {
            try endParts(of: &outputs[index], before: next)
            if isEnded { try outputs[index].cut(at: boundary, next) }
        }
    }

    /// Writes the parts that are complete, but for the segment's last one.
    ///
    /// - Parameter next: the first frame of the next segment.
    private func endParts(of output: inout Output, before next: Int64) throws {
        while true {
            let partEnd = output.writer.planner.partEnd(ofFrame: output.writer.partStart)
            let time = time(ofFrame: partEnd)
            guard partEnd < next, end.ticks >= time.ticks else { return }
            try output.writer.add(try output.container.cut(at: time), endingAt: partEnd)
        }
    }

    /// The sound before the gap becomes a segment, even if a short one.
    private func leaveOut(from end: Int64, to next: Int64) throws {
        for index in outputs.indices {
            try outputs[index].cut(at: time(ofFrame: end), end)
            outputs[index].writer.skip(to: next)
        }
    }

    private func finish() throws {
        let start = segmentStart
        let length = end.ticks - time(ofFrame: start).ticks
        let whole = time(ofFrame: Int64(planner.framesPerSegment)).ticks
        let duration = MediaTime(ticks: min(length, whole), timescale: end.timescale)
        let samples = Int64(end.timescale)
        // The last one may be filled in part.
        let frames = (duration.ticks * Int64(planner.frameRate) + samples - 1) / samples
        for index in outputs.indices {
            let rest = try outputs[index].container.finish()
            try outputs[index].writer.add(rest, endingAt: start + frames)
            try outputs[index].writer.endSegment(at: start + frames, duration: duration)
            try outputs[index].writer.finish()
        }
    }
}
