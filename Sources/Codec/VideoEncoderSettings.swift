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
    /// The trade of picture for CPU: one of `H264Encoder.presets`.
    public var preset = "balanced"
    /// Threads inside the encoder; 1 costs the least CPU in total, 0 lets x264 choose.
    public var threads = 1
    /// How far the rate may run ahead of its maximum (1.1 times `bitrate`), in seconds of it. A
    /// segment of `t` seconds has at most `1.1 * bitrate * (t + rateBuffer)` bits.
    ///
    /// Measured where a still slate turns into noise, 500 kbit/s, segments of 2 s: the largest
    /// one has 1.63 times the bitrate with 2 s, 1.36 with 1 s, 1.23 with half a second, which
    /// costs 0.03 dB in ordinary pictures.
    public var rateBuffer = 0.5
    /// The most B-frames in a row; nil is the preset's own (three, but none with `ultrafast`).
    public var bFramesMaximum: Int?

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
        guard 0.1...10 ~= rateBuffer else {
            throw .setting(name: "rateBuffer", value: "\(rateBuffer)")
        }
        if let bFramesMaximum {
            try Self.require(0...16 ~= bFramesMaximum, "bFramesMaximum", bFramesMaximum)
        }
    }

    private static func require(
        _ isRight: Bool, _ name: String, _ value: Int
    ) throws(CodecError) {
        if !isRight { throw .setting(name: name, value: "\(value)") }
    }
}
