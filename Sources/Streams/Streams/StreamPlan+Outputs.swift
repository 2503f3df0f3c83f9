import HLS

extension StreamPlan {
    /// Whether the stream has, or had, a place to be pushed to.
    public var wasPushed: Bool { lastOutput > 0 }

    /// Whether a stream with this plan can be pushed there.
    ///
    /// - Throws: `invalidOutput`.
    public func checkOutput(_ target: PushTarget, layer: Int) throws(LiveStreamError) {
        guard !audio.only else { throw .invalidOutput(.withoutVideo) }
        guard recording?.isTracksAlone != true else {
            throw .invalidOutput(.withoutPicture)
        }
        guard ladder.layers.indices.contains(layer) else {
            throw .invalidOutput(.unknownLayer(count: ladder.layers.count))
        }
        guard pushHosts.admits(target) else {
            throw .invalidOutput(.hostNotAllowed(target.host))
        }
    }
}
