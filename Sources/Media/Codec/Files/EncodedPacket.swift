public import MediaKernel

/// What an encoder made of one frame of video or one block of audio.
public struct EncodedPacket: Hashable, Sendable {
    /// H.264: an access unit in Annex B form; AAC: a raw frame without ADTS header; VP8 and
    /// VP9: a frame.
    public var data: [UInt8]
    /// When it is shown, on the clock that the encoder's `index` arguments count on.
    public var pts: MediaTime
    /// When it must be decoded; before `pts` where frames are reordered, and so maybe below 0.
    public var dts: MediaTime
    public var duration: MediaTime
    /// H.264: an IDR picture, from which decoding can start. Always true for audio.
    public var isKeyframe: Bool

    public init(
        data: [UInt8], pts: MediaTime, dts: MediaTime, duration: MediaTime, isKeyframe: Bool
    ) {
        self.data = data
        self.pts = pts
        self.dts = dts
        self.duration = duration
        self.isKeyframe = isKeyframe
    }
}
