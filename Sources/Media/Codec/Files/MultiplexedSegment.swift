/// A finished segment and its packets.
public struct MultiplexedSegment: Hashable, Sendable {
    public var bytes: [UInt8]
    /// In decoding order.
    public var video: [EncodedPacket]
    public var audio: [EncodedPacket]
    /// Of the video, even if its packets do not contain them; nil for audio alone.
    public var parameterSets: H264ParameterSets?

    /// What players must have before the segment; empty for formats that need nothing.
    public var header: [UInt8] = []

    public var isEmpty: Bool { bytes.isEmpty }

    public init(
        bytes: [UInt8] = [], video: [EncodedPacket] = [], audio: [EncodedPacket] = [],
        parameterSets: H264ParameterSets? = nil
    ) {
        self.bytes = bytes
        self.video = video
        self.audio = audio
        self.parameterSets = parameterSets
    }

    /// Goes on with the next part of the segment.
    public mutating func append(_ part: MultiplexedSegment) {
        guard !isEmpty else {
            self = part
            return
        }
        bytes += part.bytes
        video += part.video
        audio += part.audio
    }
}
