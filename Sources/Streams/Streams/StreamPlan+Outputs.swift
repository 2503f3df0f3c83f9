import HLS

extension StreamPlan {
    /// Whether the stream has, or had, a place to be pushed to.
    public var wasPushed: Bool { lastOutput > 0 }

    /// Whether a stream with this plan can be pushed there.
    ///
    /// - Throws: `invalidOutput`.
    public func checkOutput(_ target: PushTarget, layer: Int) throws(LiveStreamError) {
        guard !audio.only else { throw .invalidOutput("a stream without video is not pushed") }
        guard recording?.isTracksAlone != true else {
            throw .invalidOutput("a recording of tracks without the picture is not pushed")
        }
        guard ladder.layers.indices.contains(layer) else {
            throw .invalidOutput("layer is 0 to \(ladder.layers.count - 1)")
        }
        guard pushHosts.admits(target) else {
            throw .invalidOutput(
                "\(target.host) is in a private network and not in stream.pushHosts")
        }
    }
}
