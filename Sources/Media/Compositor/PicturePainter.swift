internal import CYUV
internal import Codec
internal import Stage

/// Scales, turns and fills parts of I420 pictures with libyuv.
struct PicturePainter {
    /// The intermediate picture of a turned tile. Grows to the largest one.
    private var scratch: [UInt8] = []

    /// The box filter is always right: libyuv itself uses the bilinear one unless both sides shrink
    /// below half, where only the box filter reads every source pixel.
    private static let filter = kFilterBox

    /// Paints an area of `source` (in its stored orientation) into `destination`, upright.
    mutating func draw(
        _ source: Planes, _ area: Rectangle, rotation: FrameRotation,
        into target: MutablePlanes, _ destination: Rectangle
    ) {
        let from = I420Area(source, area)
        let to = MutableI420Area(target, destination)
        if rotation == .none { return Self.scale(from, to) }
        // Scaled first, so that the expensive half of the work is done at the tile's size.
        let width = rotation.isSideways ? destination.height : destination.width
        let height = rotation.isSideways ? destination.width : destination.height
        let count = width * height * 3 / 2
        if scratch.count < count { scratch = [UInt8](repeating: 0, count: count) }
        scratch.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let between = MutableI420Area(packedAt: base, width: width, height: height)
            Self.scale(from, between)
            Self.rotate(between, to, rotation)
        }
    }

    static func fill(_ area: Rectangle, of target: MutablePlanes, with colour: Colour) {
        guard area.width > 0, area.height > 0 else { return }
        let to = MutableI420Area(target, Rectangle(x: 0, y: 0, width: 2, height: 2))
        I420Rect(
            to.y, to.yStride, to.u, to.uStride, to.v, to.vStride, Int32(area.x), Int32(area.y),
            Int32(area.width), Int32(area.height), Int32(colour.luma),
            Int32(colour.blueDifference), Int32(colour.redDifference))
    }

    static func scale(_ from: I420Area, _ to: MutableI420Area) {
        I420Scale(
            from.y, from.yStride, from.u, from.uStride, from.v, from.vStride, from.width,
            from.height, to.y, to.yStride, to.u, to.uStride, to.v, to.vStride, to.width,
            to.height, filter)
    }

    /// Copies an area of a picture to the same place of another.
    static func copy(_ source: Planes, _ area: Rectangle, into target: MutablePlanes) {
        let from = I420Area(source, area)
        let to = MutableI420Area(target, area)
        I420Copy(
            from.y, from.yStride, from.u, from.uStride, from.v, from.vStride, to.y, to.yStride,
            to.u, to.uStride, to.v, to.vStride, to.width, to.height)
    }

    /// Lays a part of an overlay over a picture, with its upper left corner at a point. All
    /// numbers are even.
    static func blend(
        _ overlay: Overlay, _ part: Rectangle, onto target: MutablePlanes, x: Int, y: Int
    ) {
        let to = MutableI420Area(
            target, Rectangle(x: x, y: y, width: part.width, height: part.height))
        overlay.planes.withUnsafeBufferPointer { planes in
            overlay.alpha.withUnsafeBufferPointer { alpha in
                guard let base = planes.baseAddress, let alpha = alpha.baseAddress else { return }
                let from = I420Area(
                    packedAt: base, width: overlay.width, height: overlay.height, area: part)
                blend(
                    from, alpha: alpha + part.y * overlay.width + part.x,
                    alphaStride: overlay.width, onto: to)
            }
        }
    }

    /// Lays an area of a picture over the same place of another with one opacity.
    ///
    /// - Parameter opacity: of the upper picture, 0 (unseen) to 255.
    static func blend(
        _ source: Planes, _ area: Rectangle, opacity: UInt8, onto target: MutablePlanes
    ) {
        let alpha = [UInt8](repeating: opacity, count: area.width)
        alpha.withUnsafeBufferPointer { alpha in
            blend(
                I420Area(source, area), alpha: alpha.baseAddress, alphaStride: 0,
                onto: MutableI420Area(target, area))
        }
    }

    static func blend(
        _ from: MutableI420Area, alpha: UnsafePointer<UInt8>?, alphaStride: Int,
        onto to: MutableI420Area
    ) {
        blend(I420Area(from), alpha: alpha, alphaStride: alphaStride, onto: to)
    }

    /// Lays a picture over another of its size. Alpha has a value for each luma sample, 255 where
    /// only the upper picture is visible; with a stride of 0 all rows share one.
    private static func blend(
        _ from: I420Area, alpha: UnsafePointer<UInt8>?, alphaStride: Int,
        onto to: MutableI420Area
    ) {
        I420Blend(
            from.y, from.yStride, from.u, from.uStride, from.v, from.vStride, to.y, to.yStride,
            to.u, to.uStride, to.v, to.vStride, alpha, Int32(alphaStride), to.y, to.yStride, to.u,
            to.uStride, to.v, to.vStride, to.width, to.height)
    }

    private static func rotate(
        _ from: MutableI420Area, _ to: MutableI420Area, _ rotation: FrameRotation
    ) {
        I420Rotate(
            from.y, from.yStride, from.u, from.uStride, from.v, from.vStride, to.y, to.yStride,
            to.u, to.uStride, to.v, to.vStride, from.width, from.height,
            RotationMode(UInt32(rotation.rawValue)))
    }
}

/// The pointers of a rectangle within a source picture. Its origin is even.
struct I420Area {
    let y, u, v: UnsafePointer<UInt8>?
    let yStride, uStride, vStride, width, height: Int32

    init(_ planes: Planes, _ area: Rectangle) {
        y = Self.at(planes.y, area.x, area.y)
        u = Self.at(planes.u, area.x / 2, area.y / 2)
        v = Self.at(planes.v, area.x / 2, area.y / 2)
        yStride = Int32(planes.y.stride)
        uStride = Int32(planes.u.stride)
        vStride = Int32(planes.v.stride)
        width = Int32(area.width)
        height = Int32(area.height)
    }

    init(_ area: MutableI420Area) {
        (y, u, v) = (
            area.y.map { UnsafePointer($0) }, area.u.map { UnsafePointer($0) },
            area.v.map { UnsafePointer($0) }
        )
        (yStride, uStride, vStride) = (area.yStride, area.uStride, area.vStride)
        (width, height) = (area.width, area.height)
    }

    /// An area of a picture of even size whose planes follow each other without gap.
    init(packedAt base: UnsafePointer<UInt8>, width: Int, height: Int, area: Rectangle) {
        let half = area.y / 2 * (width / 2) + area.x / 2
        y = base + area.y * width + area.x
        u = base + width * height + half
        v = base + width * height * 5 / 4 + half
        yStride = Int32(width)
        uStride = Int32(width / 2)
        vStride = Int32(width / 2)
        self.width = Int32(area.width)
        self.height = Int32(area.height)
    }

    private static func at(_ plane: Plane, _ x: Int, _ y: Int) -> UnsafePointer<UInt8>? {
        plane.bytes.baseAddress.map { $0 + y * plane.stride + x }
    }
}

/// The pointers of a rectangle within a target picture. Its origin is even.
struct MutableI420Area {
    let y, u, v: UnsafeMutablePointer<UInt8>?
    let yStride, uStride, vStride, width, height: Int32

    init(_ planes: MutablePlanes, _ area: Rectangle) {
        y = Self.at(planes.y, area.x, area.y)
        u = Self.at(planes.u, area.x / 2, area.y / 2)
        v = Self.at(planes.v, area.x / 2, area.y / 2)
        yStride = Int32(planes.y.stride)
        uStride = Int32(planes.u.stride)
        vStride = Int32(planes.v.stride)
        width = Int32(area.width)
        height = Int32(area.height)
    }

    /// A picture of even size whose planes follow each other without gap.
    init(packedAt base: UnsafeMutablePointer<UInt8>, width: Int, height: Int) {
        y = base
        u = base + width * height
        v = base + width * height * 5 / 4
        yStride = Int32(width)
        uStride = Int32(width / 2)
        vStride = Int32(width / 2)
        self.width = Int32(width)
        self.height = Int32(height)
    }

    private static func at(
        _ plane: MutablePlane, _ x: Int, _ y: Int
    ) -> UnsafeMutablePointer<UInt8>? {
        plane.bytes.baseAddress.map { $0 + y * plane.stride + x }
    }
}
