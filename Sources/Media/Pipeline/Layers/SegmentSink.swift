import Codec
import HLS
import MediaKernel

/// Cuts one layer into segments.
///
/// With parts, it cuts the layer into these. A part is cut as soon as its last picture and its sound
/// are there, without waiting for the next picture: sound comes about a frame later than pictures.
final class SegmentSink: PacketSink {
    /// Nanoseconds since 1970 of frame 0. Set before the first packet comes.
    var epoch: Int64 {
        get { writer.epoch }
        set { writer.epoch = newValue }
    }
    private var writer: SegmentWriter
    private let container: any SegmentContainer
    /// Pictures of the next segment, held until the sound of this one is complete.
    private var held: [EncodedPacket] = []
    private var framesWritten: Int64 = 0
    /// Gaps whose next picture has not come out of the encoder yet.
    private var gaps: [(end: Int64, next: Int64)] = []

    init(_ container: any SegmentContainer, to writer: SegmentWriter) {
        self.container = container
        self.writer = writer
    }

    private var planner: SegmentPlanner { writer.planner }

    func take(sound packets: [EncodedPacket]) throws {
        for packet in packets { try container.write(audio: packet) }
        try endPartIfComplete()
        try releaseHeld()
    }

    func leaveOut(from end: Int64, to next: Int64) { gaps.append((end, next)) }

    /// The frame of a packet, and whether a segment or part begins with it whose predecessor is
    /// still open.
    private func place(of packet: EncodedPacket) -> (frame: Int64, beginsPart: Bool) {
        let frame = packet.pts.rescaled(to: Int32(planner.frameRate)).ticks
        let isCut = frame > writer.partStart && planner.isPartStart(frame: frame)
        return (frame, isCut && (packet.isKeyframe || !planner.isSegmentStart(frame: frame)))
    }

    func take(picture packet: EncodedPacket) throws {
        // With the encoder's look-ahead, sound usually comes first; without it, it does not.
        let isPartOpen = !place(of: packet).beginsPart
        guard held.isEmpty, isPartOpen || container.isAudioComplete(until: packet.pts) else {
            return held.append(packet)
        }
        try multiplex(packet)
    }

    private func multiplex(_ packet: EncodedPacket) throws {
        let (frame, beginsPart) = place(of: packet)
        if beginsPart { try endPart(before: packet.pts, frame) }
        guard packet.isKeyframe || framesWritten > writer.segmentStart else {
            throw CodecError.segmentWithoutKeyframe
        }
        try container.write(video: packet)
        framesWritten = max(framesWritten, frame + 1)
        try endPartIfComplete()
    }

    private func endPartIfComplete() throws {
        guard writer.hasParts, framesWritten > writer.partStart,
            framesWritten == planner.partEnd(ofFrame: writer.partStart)
        else { return }
        let time = planner.duration(ofFrames: Int(framesWritten))
        guard container.hasAllAudio(endingBy: time) else { return }
        try cut(before: time, framesWritten)
    }

    private func endPart(before time: MediaTime, _ frame: Int64) throws {
        guard let gap = gaps.first, gap.next <= frame else { return try cut(before: time, frame) }
        gaps.removeFirst()
        try cut(
            before: planner.duration(ofFrames: Int(gap.end)), gap.end, endsSegment: true)
        writer.skip(to: frame)
    }

    private func cut(before time: MediaTime, _ end: Int64, endsSegment: Bool = false) throws {
        // After a whole part nothing may be left to cut.
        if framesWritten > writer.partStart {
            try writer.add(try container.cut(before: time), endingAt: end)
        }
        if endsSegment || planner.isSegmentStart(frame: end) { try writer.endSegment(at: end) }
    }

    private func releaseHeld() throws {
        guard let first = held.first,
            !place(of: first).beginsPart || container.isAudioComplete(until: first.pts)
        else { return }
        let packets = held
        held = []
        for packet in packets { try take(picture: packet) }
    }

    func finish(end: Int64) throws {
        // No more sound will come: the held pictures begin the last segment.
        for packet in held { try multiplex(packet) }
        held = []
        // Else only the end of a block of sound is left, which reaches beyond the last picture.
        if framesWritten > writer.partStart {
            try writer.add(try container.finish(), endingAt: max(framesWritten, end))
        }
        try writer.endSegment(at: writer.partStart)
        try writer.finish()
    }
}
