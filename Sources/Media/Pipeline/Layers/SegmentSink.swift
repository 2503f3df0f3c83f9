import Codec
import HLS
import MediaKernel

/// Cuts one layer into segments and writes them and their playlist into its directory.
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

    func take(sound packets: [EncodedPacket]) throws {
        for packet in packets { try container.write(audio: packet) }
        try releaseHeld()
    }

    func leaveOut(from end: Int64, to next: Int64) { gaps.append((end, next)) }

    /// The frame of a packet, and whether a segment begins with it.
    private func place(of packet: EncodedPacket) -> (frame: Int64, beginsSegment: Bool) {
        let frame = packet.pts.rescaled(to: Int32(planner.frameRate)).ticks
        let isCut = packet.isKeyframe && frame > segmentStart
        return (frame, isCut && planner.isSegmentStart(frame: frame))
    }

    func take(picture packet: EncodedPacket) throws {
        // With the encoder's look-ahead, sound usually comes first; without it, it does not.
        let isSegmentOpen = !place(of: packet).beginsSegment
        guard held.isEmpty, isSegmentOpen || container.isAudioComplete(until: packet.pts) else {
            return held.append(packet)
        }
        try multiplex(packet)
    }

    private func multiplex(_ packet: EncodedPacket) throws {
        let (frame, beginsSegment) = place(of: packet)
        if beginsSegment { try endSegment(before: packet.pts, frame) }
        try container.write(video: packet)
        picturesInSegment += 1
        framesWritten = max(framesWritten, frame + 1)
    }

    private func endSegment(before time: MediaTime, _ frame: Int64) throws {
        guard let gap = gaps.first, gap.next <= frame else {
            return try publish(try container.cut(before: time), endingAt: frame)
        }
        gaps.removeFirst()
        let end = planner.duration(ofFrames: Int(gap.end))
        try publish(try container.cut(before: end), endingAt: gap.end)
        directory.markDiscontinuity()
        segmentStart = frame
    }

    private func releaseHeld() throws {
        guard let first = held.first, container.isAudioComplete(until: first.pts) else { return }
        let packets = held
        held = []
        for packet in packets { try take(picture: packet) }
    }

    private func publish(_ segment: MultiplexedSegment, endingAt end: Int64) throws {
        let place = LayerDirectory.Place(
            epoch: epoch, frameRate: planner.frameRate, firstFrame: segmentStart,
            frameCount: Int(end - segmentStart))
        let number = try directory.publish(
            segment, place: place, duration: place.duration,
            isLeftOut: pauses.touch(segmentStart..<end))
        let rate = Double(picturesInSegment * planner.frameRate) / Double(end - segmentStart)
        picturesInSegment = 0
        segmentStart = end
        ledger.published(
            layer: layer, segment: number, bytes: segment.bytes.count, in: files)
        if layer == 0, !files.isBeside { ledger.measured(frameRate: rate) }
    }

    func finish(end: Int64) throws {
        // No more sound will come: the held pictures begin the last segment.
        for packet in held { try multiplex(packet) }
        held = []
        if framesWritten > segmentStart {
            try publish(try container.finish(), endingAt: max(framesWritten, end))
        }
        if ledger.failure == nil { try directory.end() }
        if !files.isBeside { ledger.ended(layer: layer, segments: directory.nextIndex) }
    }
}
