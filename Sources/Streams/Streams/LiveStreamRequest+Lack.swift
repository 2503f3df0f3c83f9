import HLS
import Rooms

extension LiveStreamRequest {
    /// What the request asks for and the stream on air lacks: without this check, a caller who gets
    /// that stream in response would expect it. Fields that the request leaves out may have any
    /// value, and so may fields that can change on air, such as the layout.
    ///
    /// - Returns: nil if nothing is lacking. Of a recording only outputs and the file count, since a
    ///   room has only one at a time.
    public func lack(of stream: LiveStream) -> String? {
        let plan = stream.plan
        let kept = plan.recording
        let targets = plan.outputs.map(\.target)
        if let target = outputs.first(where: { !targets.contains($0) }) {
            return "and is not pushed to \(target)"
        }
        guard kind == .stream else {
            let isWanted = recording.map(LiveStreamRecording.init)?.isWanted ?? false
            return isWanted && kept?.isWanted != true ? "and is not recorded" : nil
        }
        if recording?.hlsVOD == true, kept?.hlsVOD != true {
            return "and hls_vod is not recorded"
        }
        if recording?.singleFilePerLayer == true, kept?.singleFilePerLayer != true {
            return "and single_file_per_layer is not recorded"
        }
        if let tracks = recording?.tracks, tracks.enabled, kept?.tracks != tracks {
            return "and these tracks are not recorded"
        }
        if audio.only, !plan.audio.only { return "with video" }
        if let segmentDuration, segmentDuration != plan.segmentDuration {
            return "with segments of another length"
        }
        if let container, !plan.container.has(container) {
            return "without segments in \(container.rawValue)"
        }
        if let missing = captions?.languages.first(where: {
            plan.captions.language($0.code) == nil
        }) {
            return "without captions in \(missing.code)"
        }
        if isLowLatency == true, plan.partFrames == nil { return "without low latency" }
        if let ladder, ladder != plan.ladder { return "with another ladder" }
        let variant = variants.first { $0.metadata == plan.variant.metadata }
        if let variant, variant.source != plan.variant.source { return "of another source" }
        return nil
    }
}
