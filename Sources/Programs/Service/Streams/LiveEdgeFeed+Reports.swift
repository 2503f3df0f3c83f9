import ChildProcesses
import ControlAPI
import HLS
import MediaKernel
import Recording
import Streams

/// What the origin learns of low-latency streams, ahead of their files.
extension LiveEdgeFeed {
    /// Nothing for a stream without parts.
    func began(_ stream: LiveStream) {
        guard let shape = LiveEdgeShape(of: stream) else { return }
        began(stream.id, shape)
    }

    func published(_ part: BotReport.Part, of id: StreamID) {
        guard let part = LivePart(part) else { return }
        published(part, of: id)
    }
}

extension LiveEdgeShape {
    /// Nil for a stream without parts.
    init?(of stream: LiveStream) {
        let plan = stream.plan
        guard let frames = plan.partFrames, frames > 0,
            let planner = try? SegmentPlanner(
                frameRate: plan.ladder.frameRate, segmentDuration: plan.segmentDuration)
        else { return nil }
        self.init(
            directory: stream.directory,
            layers: plan.ladder.layers.indices.map {
                plan.container == .both
                    ? StreamFolder.besideLayerName($0) : StreamFolder.layerName($0)
            },
            partTarget: planner.duration(ofFrames: frames),
            partsPerSegment: (planner.framesPerSegment + frames - 1) / frames)
    }
}

extension LivePart {
    /// Nil for a part that no bot of this version reports.
    init?(_ report: BotReport.Part) {
        // The playlist refuses parts that are too long; these could not even be computed with.
        guard Ladder.frameRates.contains(report.frameRate),
            (1...60 * report.frameRate).contains(report.frames),
            report.segment >= 0, report.part >= 0
        else { return nil }
        self.init(
            layer: report.layer, segment: report.segment, index: report.part,
            part: PartialSegment(
                uri: report.uri,
                duration: MediaTime(
                    ticks: Int64(report.frames), timescale: Int32(report.frameRate)),
                isIndependent: report.isIndependent),
            head: report.start.map {
                Segment(
                    uri: "", duration: MediaTime(ticks: 0, timescale: 1),
                    programDateTime: $0.programDateTime,
                    discontinuities: $0.isDiscontinuity ? 1 : 0,
                    initialization: InitializationSection(uri: $0.header))
            })
    }
}
