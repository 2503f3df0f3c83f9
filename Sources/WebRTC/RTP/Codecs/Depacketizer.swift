/// Joins the payloads of one frame's packets to the frame.
public protocol Depacketizer: Sendable {
    /// - Parameter payloads: the payloads of all packets with the frame's timestamp, in sequence
    ///   order, none of them empty.
    /// - Throws: if they do not form a whole frame. The frame is lost, the stream is not.
    mutating func assemble(
        _ payloads: [ArraySlice<UInt8>]
    ) throws(RTPError) -> DepacketizedFrame

    /// Whether a frame may begin with this payload.
    func beginsFrame(_ payload: ArraySlice<UInt8>) -> Bool
}

/// A frame as its depacketizer outputs it.
public struct DepacketizedFrame: Hashable, Sendable {
    public var data: [UInt8]
    public var isKeyframe: Bool
    /// Pixels; known on key frames.
    public var size: PictureSize?

    public init(data: [UInt8], isKeyframe: Bool, size: PictureSize? = nil) {
        self.data = data
        self.isKeyframe = isKeyframe
        self.size = size
    }
}

/// Width and height in pixels.
public struct PictureSize: Hashable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

extension MediaCodec {
    /// A depacketizer for this codec.
    public func makeDepacketizer() -> any Depacketizer {
        switch self {
        case .vp8: VP8Depacketizer()
        case .vp9: VP9Depacketizer()
        case .h264: H264Depacketizer()
        case .av1: AV1Depacketizer()
        case .opus: OpusDepacketizer()
        }
    }
}
