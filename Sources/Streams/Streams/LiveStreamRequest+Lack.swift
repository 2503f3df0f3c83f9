import HLS

extension LiveStreamRequest {
    /// What the request asks for and a stream on air does not have: a start that was answered with
    /// it would be taken for granted. What a request does not name may be anything, and so may what
    /// can be changed afterwards, as the layout.
    ///
    /// - Returns: nil for nothing, as for a recording, of which a room has one at a time.
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
