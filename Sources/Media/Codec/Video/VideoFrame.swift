internal import CLibAV
internal import Synchronization

/// One picture: 8-bit I420 (planar Y'CbCr 4:2:0), limited range, never changed once made.
///
/// The pixels are reference-counted: passing a frame to another thread or to several encoders
/// copies nothing, and the memory returns to its pool with the last reference.
// @unchecked Sendable because the AVFrame is written only before the frame is published (or by
// `mutateIfUnshared`, while it has no other reference), and FFmpeg's reference counts are atomic.
public final class VideoFrame: @unchecked Sendable {
    /// The longest side of a picture, in pixels.
    public static let sideMaximum = 8192

    let handle: FrameHandle
    public let width: Int
    public let height: Int
    /// A number that is unique to this content in this process: equal numbers mean equal pixels.
    /// Unlike the object's address it is never reused.
    public private(set) var contentNumber: UInt64

    private static let lastContentNumber = Atomic<UInt64>(0)

    init(adopting handle: consuming FrameHandle) {
        contentNumber = Self.nextContentNumber()
        width = Int(handle.pointer.pointee.width)
        height = Int(handle.pointer.pointee.height)
        self.handle = handle
    }

    /// Makes a picture whose pixels `fill` writes. It must write all of them: the memory is
    /// not cleared.
    ///
    /// - Throws: `.pictureSize`, `.outOfMemory`.
    public static func make(
        width: Int, height: Int, fill: (MutablePlanes) -> Void
    ) throws(CodecError) -> VideoFrame {
        try FramePool(width: width, height: height).makeFrame(fill: fill)
    }

    /// Makes a picture of one colour.
    public static func solid(
        width: Int, height: Int, colour: Colour
    ) throws(CodecError) -> VideoFrame {
        try make(width: width, height: height) { planes in
            planes.y.bytes.update(repeating: colour.luma)
            planes.u.bytes.update(repeating: colour.blueDifference)
            planes.v.bytes.update(repeating: colour.redDifference)
        }
    }

    /// Lends the pixels for reading. The pointers are invalid once `body` returned.
    public func withPlanes<Result, Failure: Error>(
        _ body: (Planes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = try body(Planes(MutablePlanes(handle.pointer)))
        withExtendedLifetime(self) {}
        return result
    }

    /// Bytes of memory that the pixels take.
    public var byteCount: Int {
        withPlanes { $0.y.bytes.count + $0.u.bytes.count + $0.v.bytes.count }
    }

    /// Lends the pixels of `frame` for writing if the picture has no other reference of any kind.
    ///
    /// - Returns: whether `body` ran. The caller's reference must be the only one.
    public static func mutateIfUnshared(
        _ frame: inout VideoFrame, _ body: (MutablePlanes) -> Void
    ) -> Bool {
        guard isKnownUniquelyReferenced(&frame), av_frame_is_writable(frame.handle.pointer) > 0
        else { return false }
        body(MutablePlanes(frame.handle.pointer))
        frame.contentNumber = nextContentNumber()
        return true
    }

    private static func nextContentNumber() -> UInt64 {
        lastContentNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }
}

/// One plane of a picture. Row `n` begins at `n * stride`; the bytes end with the last row's
/// last pixel.
public struct Plane {
    public let bytes: UnsafeBufferPointer<UInt8>
    /// Bytes from one row to the next, at least `width`.
    public let stride: Int
    public let width: Int
    public let height: Int

    public subscript(x: Int, y: Int) -> UInt8 { bytes[y * stride + x] }
}

/// The planes of a picture, lent for reading. Chroma sides are half of luma's, rounded up.
public struct Planes {
    public let y: Plane
    public let u: Plane
    public let v: Plane

    init(_ planes: MutablePlanes) {
        y = planes.y.readOnly
        u = planes.u.readOnly
        v = planes.v.readOnly
    }
}

/// One plane of a picture under construction.
public struct MutablePlane {
    public let bytes: UnsafeMutableBufferPointer<UInt8>
    public let stride: Int
    public let width: Int
    public let height: Int

    public subscript(x: Int, y: Int) -> UInt8 {
        get { bytes[y * stride + x] }
        nonmutating set { bytes[y * stride + x] = newValue }
    }

    var readOnly: Plane {
        Plane(bytes: UnsafeBufferPointer(bytes), stride: stride, width: width, height: height)
    }
}

/// The planes of a picture under construction.
public struct MutablePlanes {
    public let y: MutablePlane
    public let u: MutablePlane
    public let v: MutablePlane

    init(_ frame: UnsafeMutablePointer<AVFrame>) {
        let picture = frame.pointee
        let width = Int(picture.width)
        let height = Int(picture.height)
        func plane(
            _ data: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ width: Int, _ height: Int
        ) -> MutablePlane {
            let count = Int(stride) * (height - 1) + width
            return MutablePlane(
                bytes: UnsafeMutableBufferPointer(start: data, count: data == nil ? 0 : count),
                stride: Int(stride), width: width, height: height)
        }
        y = plane(picture.data.0, picture.linesize.0, width, height)
        u = plane(picture.data.1, picture.linesize.1, (width + 1) / 2, (height + 1) / 2)
        v = plane(picture.data.2, picture.linesize.2, (width + 1) / 2, (height + 1) / 2)
    }
}
