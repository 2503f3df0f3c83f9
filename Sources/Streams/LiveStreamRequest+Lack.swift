public import HLS

extension LiveStreamRequest {
    /// What the request asks for and a stream on air does not have: a start that was answered with
    /// it would be taken for granted. What a request does not name may be anything, and so may what
    /// can be changed afterwards, as the layout.
    ///
    /// - Parameter ladder: of the stream.
    /// - Returns: nil for nothing, as for a recording, of which a room has one at a time.
    public func lack(of stream: LiveStream, ladder: Ladder?) -> String? {
        guard kind == .stream else { return nil }
        let kept = stream.recording
        if recording?.hlsVOD == true, kept?.hlsVOD != true {
            return "and hls_vod is not recorded"
        }
        if recording?.singleFilePerLayer == true, kept?.singleFilePerLayer != true {
            return "and single_file_per_layer is not recorded"
        }
        if audio.only, !stream.audio.only { return "with video" }
        if let wanted = self.ladder, wanted != ladder { return "with another ladder" }
        return nil
    }
}
