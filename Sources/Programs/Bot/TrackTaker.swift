import MediaKernel
import Pipeline

/// Consumes the encoded media of incoming tracks: the picture and the sound, or a file of one
/// track.
///
/// Every call comes on the media loop, so a taker must not block: it has its own queue and drops
/// frames that do not fit.
protocol TrackTaker: Sendable {
    func mediaBegan(_ track: TrackID, codec: SourceCodec)
    func mediaEnded(_ track: TrackID)
    func receive(_ frame: IncomingFrame, of track: TrackID, isVideo: Bool)
    func audioLost(_ track: TrackID, from timestamp: Int64)
    func senderReport(_ track: TrackID, rtpTimestamp: Int64, ntp: NTPTime, at now: Instant)
}

extension StreamPipeline: TrackTaker {}
