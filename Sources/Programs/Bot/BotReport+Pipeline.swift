import ChildProcesses
import MediaKernel
import Pipeline
import Stage

extension BotReport.Tile {
    init(_ tile: PlacedTile) {
        self.init(
            peer: tile.name, peerID: tile.peer.rawValue, x: tile.rectangle.x,
            y: tile.rectangle.y, width: tile.rectangle.width, height: tile.rectangle.height)
    }
}

extension BotReport.LeftOutTrack {
    init(_ track: LeftOutTrack) {
        self.init(
            track: track.track.rawValue, peer: track.name, peerID: track.peer.rawValue,
            reason: track.reason)
    }
}

extension BotReport.Part {
    init(_ part: SegmentPart) {
        self.init(
            layer: part.layer, segment: part.segment, part: part.part, uri: part.name,
            frames: part.frames, frameRate: part.frameRate, isIndependent: part.isIndependent,
            start: part.start.map {
                BotReport.SegmentStart(
                    programDateTime: $0.programDateTime, header: $0.header,
                    isDiscontinuity: $0.isDiscontinuity)
            })
    }
}

extension BotReport.Totals {
    /// Includes this process' resource usage so far.
    init(_ summary: PipelineSummary, frameRate: Int) {
        let usage = ProcessUsage.current
        self.init(
            segments: summary.segments, duration: Double(summary.frames) / Double(frameRate),
            frames: summary.frames, framesDropped: summary.framesDropped,
            cpuSeconds: usage.cpuSeconds, residentMegabytes: usage.peakMegabytes)
    }
}

extension BotReport {
    /// This process' resource usage so far.
    static var usageNow: BotReport {
        let usage = ProcessUsage.current
        return .usage(cpuSeconds: usage.cpuSeconds, residentMegabytes: usage.peakMegabytes)
    }
}
