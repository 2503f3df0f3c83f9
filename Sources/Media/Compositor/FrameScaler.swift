public import Codec
internal import Stage

/// Scales a canvas to the size of one layer. The picture fills that size whatever its shape.
///
/// A repeated picture is not scaled again; a picture of the right size is passed on unchanged. Not
/// thread-safe: one owner at a time.
public final class FrameScaler {
    public let width: Int
    public let height: Int
    private let pool: FramePool
    private var latest: (contentNumber: UInt64, frame: VideoFrame)?

    /// - Throws: `.pictureSize`, `.outOfMemory`.
    public init(width: Int, height: Int) throws(CodecError) {
        self.width = width
        self.height = height
        pool = try FramePool(width: width, height: height)
    }

    /// - Throws: `.outOfMemory`.
    public func scale(_ frame: VideoFrame) throws(CodecError) -> VideoFrame {
        if frame.width == width, frame.height == height { return frame }
        if let latest, latest.contentNumber == frame.contentNumber { return latest.frame }
        let scaled = try pool.makeFrame { target in
            frame.withPlanes { source in
                PicturePainter.scale(
                    I420Area(
                        source, Rectangle(x: 0, y: 0, width: frame.width, height: frame.height)),
                    MutableI420Area(
                        target, Rectangle(x: 0, y: 0, width: width, height: height)))
            }
        }
        latest = (frame.contentNumber, scaled)
        return scaled
    }
}
