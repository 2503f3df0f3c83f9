internal import CLibAV

/// Makes pictures of one size and reuses their memory after the last reference is gone.
public final class FramePool: Sendable {
    /// libyuv's and x264's widest loads are 64 bytes; rows that begin on that boundary are
    /// read without splitting cache lines.
    private static let rowAlignment = 64

    public let width: Int
    public let height: Int
    private let lumaStride: Int
    private let chromaStride: Int
    private let memory: PictureMemory

    /// - Throws: `.pictureSize` unless both sides are 1 to `VideoFrame.sideMaximum`.
    public init(width: Int, height: Int) throws(CodecError) {
        let sides = 1...VideoFrame.sideMaximum
        guard sides.contains(width), sides.contains(height) else {
            throw .pictureSize(width: width, height: height)
        }
        self.width = width
        self.height = height
        lumaStride = Self.aligned(width)
        chromaStride = Self.aligned((width + 1) / 2)
        // Extra bytes after the last row, since loads are wide.
        memory = PictureMemory(
            byteCount: lumaStride * height + 2 * chromaStride * ((height + 1) / 2)
                + Self.rowAlignment)
    }

    /// Makes a picture; `fill` must write all pixels, because the memory still holds an earlier
    /// picture's.
    public func makeFrame(fill: (MutablePlanes) -> Void) throws(CodecError) -> VideoFrame {
        let handle = try FrameHandle()
        try attachBuffer(to: handle.pointer)
        fill(MutablePlanes(handle.pointer))
        return VideoFrame(adopting: handle)
    }

    /// Gives an empty frame the planes of a picture of this pool's size.
    func attachBuffer(to frame: UnsafeMutablePointer<AVFrame>) throws(CodecError) {
        let buffer = try memory.makeBuffer()
        guard let base = buffer.pointee.data else { throw .outOfMemory }
        let chromaBytes = chromaStride * ((height + 1) / 2)
        frame.pointee.buf.0 = buffer
        frame.pointee.data.0 = base
        frame.pointee.data.1 = base + lumaStride * height
        frame.pointee.data.2 = base + lumaStride * height + chromaBytes
        frame.pointee.linesize.0 = Int32(lumaStride)
        frame.pointee.linesize.1 = Int32(chromaStride)
        frame.pointee.linesize.2 = Int32(chromaStride)
        frame.pointee.width = Int32(width)
        frame.pointee.height = Int32(height)
        frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        frame.pointee.color_range = AVCOL_RANGE_MPEG
        frame.pointee.colorspace = AVCOL_SPC_SMPTE170M
    }

    private static func aligned(_ count: Int) -> Int {
        (count + rowAlignment - 1) & ~(rowAlignment - 1)
    }
}
