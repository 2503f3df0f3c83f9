/// Makes pictures of pixels that were never encoded. Not thread-safe: one owner at a time.
public final class PixelReader {
    private var pool: FramePool?

    public init() {}

    /// - Parameter pixels: I420 without gaps between rows: luma, then both chroma planes, whose
    ///   sides are half of luma's, rounded up.
    /// - Throws: `.pictureSize`, `.packetSize` if there are not exactly as many bytes,
    ///   `.outOfMemory`.
    public func read(
        _ pixels: [UInt8], width: Int, height: Int
    ) throws(CodecError) -> VideoFrame {
        if pool?.width != width || pool?.height != height {
            pool = try FramePool(width: width, height: height)
        }
        let chroma = ((width + 1) / 2) * ((height + 1) / 2)
        let count = width * height + 2 * chroma
        guard let pool, pixels.count == count else {
            throw .packetSize(count: pixels.count, maximum: count)
        }
        return try pool.makeFrame { planes in
            pixels.withUnsafeBufferPointer { source in
                var next = source.baseAddress
                for plane in [planes.y, planes.u, planes.v] {
                    guard var row = plane.bytes.baseAddress, var from = next else { return }
                    for _ in 0..<plane.height {
                        row.update(from: from, count: plane.width)
                        row += plane.stride
                        from += plane.width
                    }
                    next = from
                }
            }
        }
    }
}
