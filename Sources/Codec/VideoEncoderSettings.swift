/// How a picture stream is encoded.
public struct VideoEncoderSettings: Hashable, Sendable {
    /// Pixels; even.
    public var width: Int
    public var height: Int
    /// Frames per second, constant, 1 to 120.
    public var frameRate: Int
    /// The mean to aim for, in bits per second.
    public var bitrate: Int
    /// Frames from one IDR to the next; a segment's length.
    public var keyframeInterval: Int
    /// x264's name for the trade of quality for speed.
    public var preset = "veryfast"
    /// Threads inside the encoder; 1 costs the least CPU in total, 0 lets x264 choose.
    public var threads = 1
    /// Frames that the rate control looks ahead (x264 `rc-lookahead`): better distribution
    /// of bits for as many frames of delay. nil is the preset's own.
    public var lookahead: Int?
    /// The most B-frames in a row. nil is the preset's own (3 from superfast to medium).
    public var maximumBFrames: Int?

    public init(
        width: Int, height: Int, frameRate: Int, bitrate: Int, keyframeInterval: Int
    ) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.bitrate = bitrate
        self.keyframeInterval = keyframeInterval
    }

    func validate() throws(CodecError) {
        let sides = 16...4096
        guard sides.contains(width), sides.contains(height), width % 2 == 0, height % 2 == 0
        else { throw .pictureSize(width: width, height: height) }
        try Self.require(1...120 ~= frameRate, "frameRate", frameRate)
        try Self.require(10_000...100_000_000 ~= bitrate, "bitrate", bitrate)
        try Self.require(1...3600 ~= keyframeInterval, "keyframeInterval", keyframeInterval)
        try Self.require(0...16 ~= threads, "threads", threads)
        if let lookahead { try Self.require(0...250 ~= lookahead, "lookahead", lookahead) }
        if let maximumBFrames {
            try Self.require(0...16 ~= maximumBFrames, "maximumBFrames", maximumBFrames)
        }
    }

    private static func require(
        _ isRight: Bool, _ name: String, _ value: Int
    ) throws(CodecError) {
        if !isRight { throw .setting(name: name, value: "\(value)") }
    }
}
