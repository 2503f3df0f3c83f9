public import MediaKernel

/// A picture that came as it is: its pixels are not encoded, and it crossed no network.
public struct RawPicture: Sendable {
    /// Pixels.
    public var width: Int
    public var height: Int
    /// I420 without gaps between rows: luma, then both chroma planes, whose sides are half of
    /// luma's, rounded up.
    public var pixels: [UInt8]
    /// When it was taken, on both clocks of this machine.
    public var taken: Instant
    public var takenUnix: UnixTime

    public init(
        width: Int, height: Int, pixels: [UInt8], taken: Instant, takenUnix: UnixTime
    ) {
        self.width = width
        self.height = height
        self.pixels = pixels
        self.taken = taken
        self.takenUnix = takenUnix
    }
}
