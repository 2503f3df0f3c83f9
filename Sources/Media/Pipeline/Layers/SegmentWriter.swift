import Codec
import HLS
import MediaKernel

/// Writes the segments of one layer in one container, and the parts of each, as they are cut.
///
/// A segment is its parts, one after the other; without parts it is written whole.
struct SegmentWriter {
    private let files: ContainerFiles
    /// Of these files: with parts or without.
    let planner: SegmentPlanner
    private let layer: Int
    private let pauses: RecordingPauses
    private let ledger: MasterPlaylistWriter
    private var directory: LayerDirectory
    /// Nanoseconds since 1970 of frame 0.
    var epoch: Int64 = 0
    /// First frame of the segment being collected.
    private(set) var segmentStart: Int64 = 0
    /// First frame of the part being collected; that of the segment without parts.
    private(set) var partStart: Int64 = 0
    /// What was cut of the segment being collected.
    private var collected = MultiplexedSegment()

    /// - Parameter planner: of the stream.
    init(
        layer: Int, files: ContainerFiles, directory: LayerDirectory, planner: SegmentPlanner,
        pauses: RecordingPauses, ledger: MasterPlaylistWriter
    ) {
        self.layer = layer
        self.files = files
        self.directory = directory
        self.planner = files.planner(planner)
        self.pauses = pauses
        self.ledger = ledger
    }

    var hasParts: Bool { planner.partFrames != nil }

    /// Takes what was cut last: a part, or a whole segment without parts.
    ///
    /// - Parameter end: the first frame after it.
    mutating func add(_ part: MultiplexedSegment, endingAt end: Int64) throws(PipelineError) {
        let start = partStart
        partStart = end
        guard !part.isEmpty, end > start else { return }
        if let longest = planner.partFrames {
            // The last part of a stream's sound has the encoder's last blocks, too.
            let place = place(from: start, to: min(end, start + Int64(longest)))
            ledger.published(try directory.publish(part: part, place: place, layer: layer))
        }
        collected.append(part)
    }

    /// Makes a segment of what was taken since the last one.
    ///
    /// - Parameters:
    ///   - end: the first frame after it.
    ///   - duration: where it is not that of its frames.
    mutating func endSegment(
        at end: Int64, duration: MediaTime? = nil
    ) throws(PipelineError) {
        let (segment, start) = (collected, segmentStart)
        collected = MultiplexedSegment()
        begin(at: end)
        guard !segment.isEmpty, end > start else { return }
        let place = place(from: start, to: end)
        let number = try directory.publish(
            segment, place: place, duration: duration ?? place.duration,
            isLeftOut: pauses.touch(start..<end))
        if hasParts { ledger.listed(layer: layer, segment: number) }
        ledger.published(layer: layer, segment: number, bytes: segment.bytes.count, in: files)
        guard !segment.video.isEmpty else { return }
        let rate = Double(segment.video.count * planner.frameRate) / Double(end - start)
        ledger.measured(frameRate: rate, layer: layer, in: files)
    }

    /// The next segment begins with a frame that does not follow the last one.
    mutating func skip(to frame: Int64) {
        directory.markDiscontinuity()
        begin(at: frame)
    }

    /// Ends the playlist.
    mutating func finish() throws(PipelineError) {
        if ledger.failure == nil { try directory.end() }
        ledger.ended(layer: layer, segments: directory.nextIndex, in: files)
    }

    private mutating func begin(at frame: Int64) { (segmentStart, partStart) = (frame, frame) }

    private func place(from start: Int64, to end: Int64) -> LayerDirectory.Place {
        LayerDirectory.Place(
            epoch: epoch, frameRate: planner.frameRate, firstFrame: start,
            frameCount: Int(end - start))
    }
}
