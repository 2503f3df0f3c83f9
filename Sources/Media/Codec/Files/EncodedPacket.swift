public import MediaKernel

/// One encoded frame of video or block of audio.
public struct EncodedPacket: Hashable, Sendable {
    /// H.264: an access unit in Annex B form; AAC: a raw frame without ADTS header; VP8 and
    /// VP9: a frame.
    public var data: [UInt8]
    /// The presentation time, on the clock of the encoder's `index` arguments.
    public var pts: MediaTime
    /// The decoding time; before `pts` where frames are reordered, and so possibly below 0.
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
