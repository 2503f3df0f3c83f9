/// One rung of the ladder: the size, the frame rate and the bitrates of one media playlist.
public struct Layer: Hashable, Sendable {
    /// Luma samples, even.
    public var width: Int
    /// Luma samples, even.
    public var height: Int
    /// Frames per second, the same in every layer of a ladder.
    public var frameRate: Int
    /// Average bits per second of the H.264 elementary stream.
    public var videoBitrate: Int
    /// Bits per second of the AAC elementary stream.
    public var audioBitrate: Int

    public init(
        width: Int, height: Int, frameRate: Int = 30, videoBitrate: Int, audioBitrate: Int
    ) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.videoBitrate = videoBitrate
        self.audioBitrate = audioBitrate
    }

    public var shortSide: Int { min(width, height) }
    public var longSide: Int { max(width, height) }
    public var isPortrait: Bool { height > width }
}
