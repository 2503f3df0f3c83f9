/// The settings of a video encoder.
public struct VideoEncoderSettings: Hashable, Sendable {
    /// Pixels; even.
    public var width: Int
    public var height: Int
    /// Frames per second, constant, 1 to 120.
    public var frameRate: Int
    /// The average to aim for, in bits per second.
    public var bitrate: Int
    /// Frames from one IDR to the next; a segment's length.
    public var keyframeInterval: Int
    /// The trade-off between picture quality and CPU: one of `H264Encoder.presets`.
    public var preset = "balanced"
    /// Threads inside the encoder; 1 costs the least CPU in total, 0 lets x264 choose.
    public var threads = 1
    /// The bound of the rate besides its average; nil for none.
    public var bucket: LeakyBucket?
    /// The most B-frames in a row; nil is the preset's own number (three, but none with
    /// `ultrafast`).
    public var bFramesMaximum: Int?

    /// Whether each picture's packet comes out at once: no B-frames and no look-ahead, for
    /// low-latency streams. With one thread only.
    public var isImmediate = false

    /// A leaky bucket (VBV): `t` seconds have at most `bitrateMaximum * t + bufferBits` bits.
    public struct LeakyBucket: Hashable, Sendable {
        /// Bits per second; not below the average.
        public var bitrateMaximum: Int
        /// Bits: from a tenth of a second to ten seconds of the maximum.
        public var bufferBits: Int

        public init(bitrateMaximum: Int, bufferBits: Int) {
            self.bitrateMaximum = bitrateMaximum
            self.bufferBits = bufferBits
        }
    }

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
        if let bucket { try validate(bucket) }
        if let bFramesMaximum {
            try Self.require(0...16 ~= bFramesMaximum, "bFramesMaximum", bFramesMaximum)
        }
    }

    private func validate(_ bucket: LeakyBucket) throws(CodecError) {
        let maximum = bucket.bitrateMaximum
        // Ten seconds of the highest rate fit into libavcodec's 32 bits.
        try Self.require(bitrate...200_000_000 ~= maximum, "bitrateMaximum", maximum)
        try Self.require(
            maximum / 10...maximum * 10 ~= bucket.bufferBits, "bufferBits", bucket.bufferBits)
    }

    private static func require(
        _ isRight: Bool, _ name: String, _ value: Int
    ) throws(CodecError) {
        if !isRight { throw .setting(name: name, value: "\(value)") }
    }
}
