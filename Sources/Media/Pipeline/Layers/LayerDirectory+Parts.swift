import Codec
import HLS
import MediaKernel
import Recording

/// Parts of segments, for low-latency HLS.
extension LayerDirectory {
    /// Writes the next part of the segment that is published next.
    ///
    /// - Parameters:
    ///   - part: not empty.
    ///   - place: its frames.
    mutating func publish(
        part: MultiplexedSegment, place: Place, layer: Int
    ) throws(PipelineError) -> SegmentPart {
        guard var files = parts else { throw .settings("segments without parts") }
        let (segment, number) = (nextIndex, files.next)
        var start: SegmentPart.Start?
        if number == 0 {
            // The initialization section goes ahead of the part, as ahead of a segment.
            let opening = SegmentPart.Start(
                programDateTime: place.programDateTime,
                header: try publishHeader(part.header)?.fileName ?? "",
                isDiscontinuity: builder.isNextDiscontinuity)
            try UnfinishedSegment(number: segment, start: opening).write(in: path)
            start = opening
        }
        let name = try files.write(part.bytes, segment: segment, frames: place.frameCount)
        parts = files
        return SegmentPart(
            layer: layer, segment: segment, part: number, name: name, frames: place.frameCount,
            frameRate: place.frameRate, isIndependent: part.video.first?.isKeyframe ?? true,
            start: start)
    }

    /// Makes a segment of the parts that a dead bot has left of its last one: players have them
    /// already, and what follows has other content and so needs another number. The segment is
    /// not recorded, since recording may have been paused in it.
    ///
    /// If a layer has no such part, none gets such a segment: their numbers would differ.
    static func takeOverParts(
        in layers: inout [LayerDirectory], _ planner: SegmentPlanner
    ) throws(PipelineError) {
        guard let partFrames = planner.partFrames else { return }
        let left = layers.compactMap { layer -> (segment: UnfinishedSegment, parts: Int)? in
            guard let segment = UnfinishedSegment(in: layer.path),
                segment.number == layer.nextIndex
            else { return nil }
            let count = PartFiles.count(ofSegment: segment.number, in: layer.path)
            return count > 0 ? (segment, count) : nil
        }
        if left.count == layers.count, Set(left.map(\.segment.number)).count == 1 {
            for (index, (segment, count)) in left.enumerated() {
                // Only the last one can be shorter.
                let frames = min(count * partFrames, planner.framesPerSegment)
                try layers[index].finish(
                    segment, parts: count, duration: planner.duration(ofFrames: frames))
            }
        }
        for index in layers.indices {
            let next = layers[index].nextIndex
            layers[index].parts?.takeOver(before: next)
        }
    }

    private mutating func finish(
        _ segment: UnfinishedSegment, parts count: Int, duration: MediaTime
    ) throws(PipelineError) {
        let bytes = try PartFiles.bytes(ofParts: count, ofSegment: segment.number, in: path)
        let name = SegmentRecord.fileName(number: segment.number, format)
        try AtomicFile.write(bytes, to: name, in: path)
        if !segment.start.isDiscontinuity { builder.markContinuous() }
        try list(
            Segment(
                uri: name, duration: duration, programDateTime: segment.start.programDateTime,
                initialization: InitializationSection(uri: segment.start.header)))
        builder.markDiscontinuity()
        try writePlaylist()
        finished = segment.number
    }
}
