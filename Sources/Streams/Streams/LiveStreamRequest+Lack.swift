import HLS
import Rooms

extension LiveStreamRequest {
    /// What the request asks for and the stream on air lacks: without this check, a caller who gets
    /// that stream in response would expect it. Fields that the request leaves out may have any
    /// value, and so may fields that can change on air, such as the layout.
    ///
    /// - Returns: nil if nothing is lacking; always nil for a recording, since a room has only one
    ///   at a time.
    public func lack(of stream: LiveStream) -> String? {
        guard kind == .stream else { return nil }
        let plan = stream.plan
        let kept = plan.recording
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
        if let ladder, ladder != plan.ladder { return "with another ladder" }
        let variant = variants.first { $0.metadata == plan.variant.metadata }
        if let variant, variant.source != plan.variant.source { return "of another source" }
        return nil
    }
}
