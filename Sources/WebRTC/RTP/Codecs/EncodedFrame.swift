public import MediaKernel

/// One whole frame to be decoded: a picture, or one Opus packet.
public struct EncodedFrame: Hashable, Sendable {
    public var codec: MediaCodec
    /// RTP ticks at the codec's clock rate, unwrapped.
    public var timestamp: Int64
    public var isKeyframe: Bool
    /// VP8, VP9: the frame (VP9 with several spatial layers: a superframe with its index).
    /// H.264: Annex B. AV1: a temporal unit in the low-overhead format. Opus: the packet.
    public var data: [UInt8]
    /// Picture size in pixels before rotation, if the bitstream states it: on key frames.
    public var width: Int?
    public var height: Int?
    public var rotation: VideoRotation
    /// When the last of its packets arrived.
    public var lastArrival: Instant
    /// Whether frames before this one are missing, or the stream restarted.
    public var followsLoss: Bool
    /// Loudness of an audio packet, if its sender states it.
    public var audioLevel: AudioLevel?

    public init(
        codec: MediaCodec, timestamp: Int64, isKeyframe: Bool, data: [UInt8], width: Int? = nil,
        height: Int? = nil, rotation: VideoRotation = .none, lastArrival: Instant,
        followsLoss: Bool = false, audioLevel: AudioLevel? = nil
    ) {
        self.codec = codec
        self.timestamp = timestamp
        self.isKeyframe = isKeyframe
        self.data = data
        self.width = width
        self.height = height
        self.rotation = rotation
        self.lastArrival = lastArrival
        self.followsLoss = followsLoss
        self.audioLevel = audioLevel
    }
}
