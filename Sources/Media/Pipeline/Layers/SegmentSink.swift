import Codec
import HLS
import MediaKernel

/// Cuts one layer into segments and writes them and their playlist into its directory.
///
/// With parts, it cuts the layer into these, and a segment is its parts, one after the other. A
/// part is cut as soon as its last picture and its sound are there, without waiting for the next
/// picture: sound comes about a frame later than pictures.
final class SegmentSink: PacketSink {
    /// Nanoseconds since 1970 of frame 0. Set before the first packet comes.
    var epoch: Int64 = 0
    private let layer: Int
    private let files: ContainerFiles
    private let planner: SegmentPlanner
    private let container: any SegmentContainer
    private let pauses: RecordingPauses
    private let ledger: MasterPlaylistWriter
    private var directory: LayerDirectory
    /// First frame of the segment being collected.
    private var segmentStart: Int64 = 0
    /// First frame of the part being collected; that of the segment without parts.
    private var partStart: Int64 = 0
    /// The parts of the segment being collected that are written.
    private var written = MultiplexedSegment()
    /// Pictures of the next segment, held until the sound of this one is complete.
    private var held: [EncodedPacket] = []
    private var framesWritten: Int64 = 0
    /// Of the segment being collected.
    private var picturesInSegment = 0
    /// Gaps whose next picture has not come out of the encoder yet.
    private var gaps: [(end: Int64, next: Int64)] = []

    init(
        layer: Int, files: ContainerFiles, directory: LayerDirectory, planner: SegmentPlanner,
        container: any SegmentContainer, pauses: RecordingPauses, ledger: MasterPlaylistWriter
    ) {
        self.layer = layer
        self.files = files
        self.directory = directory
        self.planner = planner
        self.container = container
        self.pauses = pauses
        self.ledger = ledger
    }

    private var hasParts: Bool { planner.partFrames != nil }

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
        let isCut = frame > partStart && planner.isPartStart(frame: frame)
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
        // Of a segment without parts, the container knows.
        guard packet.isKeyframe || framesWritten > segmentStart || !hasParts else {
            throw CodecError.segmentWithoutKeyframe
        }
        try container.write(video: packet)
        picturesInSegment += 1
        framesWritten = max(framesWritten, frame + 1)
        try endPartIfComplete()
    }

    private func endPartIfComplete() throws {
        guard hasParts, framesWritten > partStart,
            framesWritten == planner.partEnd(ofFrame: partStart)
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
        directory.markDiscontinuity()
        segmentStart = frame
        partStart = frame
    }

    private func cut(before time: MediaTime, _ end: Int64, endsSegment: Bool = false) throws {
        let isLast = endsSegment || planner.isSegmentStart(frame: end)
        guard hasParts else { return try publish(try container.cut(before: time), endingAt: end) }
        // After a whole part nothing may be left to cut.
        if framesWritten > partStart { try write(try container.cut(before: time), endingAt: end) }
        if isLast, partStart > segmentStart { try publish(written, endingAt: end) }
    }

    private func write(_ part: MultiplexedSegment, endingAt end: Int64) throws {
        let place = place(from: partStart, to: end)
        ledger.published(try directory.publish(part: part, place: place, layer: layer))
        written.append(part)
        partStart = end
    }

    private func place(from start: Int64, to end: Int64) -> LayerDirectory.Place {
        LayerDirectory.Place(
            epoch: epoch, frameRate: planner.frameRate, firstFrame: start,
            frameCount: Int(end - start))
    }

    private func releaseHeld() throws {
        guard let first = held.first,
            !place(of: first).beginsPart || container.isAudioComplete(until: first.pts)
        else { return }
        let packets = held
        held = []
        for packet in packets { try take(picture: packet) }
    }

    private func publish(_ segment: MultiplexedSegment, endingAt end: Int64) throws {
        let place = place(from: segmentStart, to: end)
        let number = try directory.publish(
            segment, place: place, duration: place.duration,
            isLeftOut: pauses.touch(segmentStart..<end))
        let rate = Double(picturesInSegment * planner.frameRate) / Double(end - segmentStart)
        picturesInSegment = 0
        segmentStart = end
        partStart = end
        written = MultiplexedSegment()
        if hasParts { ledger.listed(layer: layer, segment: number) }
        ledger.published(
            layer: layer, segment: number, bytes: segment.bytes.count, in: files)
        if layer == 0, !files.isBeside { ledger.measured(frameRate: rate) }
    }

    func finish(end: Int64) throws {
        // No more sound will come: the held pictures begin the last segment.
        for packet in held { try multiplex(packet) }
        held = []
        let end = max(framesWritten, end)
        if framesWritten > partStart {
            let rest = try container.finish()
            if hasParts { try write(rest, endingAt: end) }
            try publish(hasParts ? written : rest, endingAt: end)
        } else if partStart > segmentStart {
            // The end of the last block of sound, which reaches beyond the last picture, is left.
            try publish(written, endingAt: partStart)
        }
        if ledger.failure == nil { try directory.end() }
        if !files.isBeside { ledger.ended(layer: layer, segments: directory.nextIndex) }
    }
}
