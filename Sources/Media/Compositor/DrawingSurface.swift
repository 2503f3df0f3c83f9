internal import CPango
internal import CYUV
internal import Codec

/// A picture to draw on with Cairo and Pango, which becomes a `VideoFrame`.
struct DrawingSurface: ~Copyable {
    private let width: Int
    private let height: Int
    private let surface: OpaquePointer
    private let context: OpaquePointer

    init(width: Int, height: Int) throws(CodecError) {
        guard 1...VideoFrame.sideMaximum ~= width, 1...VideoFrame.sideMaximum ~= height,
            let surface = cairo_image_surface_create(
                CAIRO_FORMAT_ARGB32, Int32(width), Int32(height))
        else { throw .pictureSize(width: width, height: height) }
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS,
            let context = cairo_create(surface)
        else {
            cairo_surface_destroy(surface)
            throw .outOfMemory
        }
        self.width = width
        self.height = height
        self.surface = surface
        self.context = context
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    func fill(_ ink: DrawingColour) {
        take(ink)
        cairo_paint(context)
    }

    func fillRectangle(x: Double, y: Double, width: Double, height: Double, _ ink: DrawingColour) {
        take(ink)
        cairo_rectangle(context, x, y, width, height)
        cairo_fill(context)
    }

    func fillRoundedRectangle(
        x: Double, y: Double, width: Double, height: Double, radius: Double, _ ink: DrawingColour,
        opacity: Double = 1
    ) {
        take(ink, opacity: opacity)
        let radius = min(radius, width / 2, height / 2)
        cairo_new_sub_path(context)
        cairo_arc(context, x + width - radius, y + radius, radius, -.pi / 2, 0)
        cairo_arc(context, x + width - radius, y + height - radius, radius, 0, .pi / 2)
        cairo_arc(context, x + radius, y + height - radius, radius, .pi / 2, .pi)
        cairo_arc(context, x + radius, y + radius, radius, .pi, .pi * 1.5)
        cairo_close_path(context)
        cairo_fill(context)
    }

    /// Draws lines through points, with round ends.
    func stroke(_ points: [(x: Double, y: Double)], width: Double, _ ink: DrawingColour) {
        guard let first = points.first else { return }
        take(ink)
        cairo_set_line_width(context, width)
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        cairo_move_to(context, first.x, first.y)
        for point in points.dropFirst() { cairo_line_to(context, point.x, point.y) }
        cairo_stroke(context)
    }

    /// Draws an arc, angles in radians, clockwise from the right.
    func strokeArc(
        x: Double, y: Double, radius: Double, from start: Double, to end: Double, width: Double,
        _ ink: DrawingColour
    ) {
        take(ink)
        cairo_set_line_width(context, width)
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        cairo_new_sub_path(context)
        cairo_arc(context, x, y, radius, start, end)
        cairo_stroke(context)
    }

    /// Draws a picture so that it covers a rectangle, or the ellipse within it; the excess is cut
    /// off equally at both sides.
    func draw(
        _ picture: StillPicture, x: Double, y: Double, width: Double, height: Double,
        isRound: Bool = false, opacity: Double = 1
    ) {
        // Cairo needs colours multiplied by alpha.
        var pixels = picture.pixels
        let stride = Int32(picture.width * 4)
        pixels.withUnsafeMutableBufferPointer { buffer in
            _ = ARGBAttenuate(
                buffer.baseAddress, stride, buffer.baseAddress, stride, Int32(picture.width),
                Int32(picture.height))
            guard
                let image = cairo_image_surface_create_for_data(
                    buffer.baseAddress, CAIRO_FORMAT_ARGB32, Int32(picture.width),
                    Int32(picture.height), stride)
            else { return }
            cairo_save(context)
            if isRound {
                cairo_arc(
                    context, x + width / 2, y + height / 2, min(width, height) / 2, 0, 2 * .pi)
            } else {
                cairo_rectangle(context, x, y, width, height)
            }
            cairo_clip(context)
            let scale = max(width / Double(picture.width), height / Double(picture.height))
            cairo_translate(
                context, x + (width - Double(picture.width) * scale) / 2,
                y + (height - Double(picture.height) * scale) / 2)
            cairo_scale(context, scale, scale)
            cairo_set_source_surface(context, image, 0, 0)
            cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD)
            cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
            cairo_paint_with_alpha(context, opacity)
            cairo_restore(context)
            // The pixels are not needed after drawing.
            cairo_surface_flush(surface)
            cairo_surface_destroy(image)
        }
    }

    func fillCircle(x: Double, y: Double, radius: Double, _ ink: DrawingColour) {
        take(ink)
        cairo_arc(context, x, y, radius, 0, 2 * .pi)
        cairo_fill(context)
    }

    /// Writes one line in the middle of the picture's width, shortened with an ellipsis if it is
    /// too long.
    ///
    /// - Parameters:
    ///   - y: the line's middle, from the top.
    ///   - size: the font's size in pixels.
    func write(
        _ text: String, centredAt y: Double, size: Double, isBold: Bool, _ ink: DrawingColour
    ) {
        guard
            let line = line(
                text, size: size, isBold: isBold, widthMaximum: Double(width) * 0.9)
        else { return }
        take(ink)
        line.show(
            at: (Double(width) - line.width) / 2, centredAt: y, within: Double(height))
    }

    /// Writes one line with its left end and its middle at a point.
    func write(
        _ text: String, fromX x: Double, centredAt y: Double, size: Double, isBold: Bool,
        widthMaximum: Double, _ ink: DrawingColour
    ) {
        guard
            let line = line(text, size: size, isBold: isBold, widthMaximum: widthMaximum)
        else { return }
        take(ink)
        line.show(at: x, centredAt: y, within: Double(height))
    }

    /// A line to be measured or shown here; nil if it cannot be written.
    func line(
        _ text: String, size: Double, isBold: Bool, widthMaximum: Double
    ) -> TextLine? {
        TextLine(text, size: size, isBold: isBold, widthMaximum: widthMaximum, on: context)
    }

    /// The drawing as I420, BT.601 limited range.
    func makeFrame() throws(CodecError) -> VideoFrame {
        cairo_surface_flush(surface)
        guard let pixels = cairo_image_surface_get_data(surface) else { throw .outOfMemory }
        let stride = cairo_image_surface_get_stride(surface)
        return try VideoFrame.make(width: width, height: height) { planes in
            // Cairo's ARGB32 is a native-endian word, as is libyuv's ARGB.
            ARGBToI420(
                pixels, stride, planes.y.bytes.baseAddress, Int32(planes.y.stride),
                planes.u.bytes.baseAddress, Int32(planes.u.stride), planes.v.bytes.baseAddress,
                Int32(planes.v.stride), Int32(width), Int32(height))
        }
    }

    /// The drawing with its transparency. Its sides must be even.
    func makeOverlay() throws(CodecError) -> Overlay {
        cairo_surface_flush(surface)
        guard let pixels = cairo_image_surface_get_data(surface) else { throw .outOfMemory }
        let stride = cairo_image_surface_get_stride(surface)
        let count = width * height
        var planes = [UInt8](repeating: 0, count: count * 3 / 2)
        var alpha = [UInt8](repeating: 0, count: count)
        ARGBUnattenuate(pixels, stride, pixels, stride, Int32(width), Int32(height))
        alpha.withUnsafeMutableBufferPointer { buffer in
            _ = ARGBExtractAlpha(
                pixels, stride, buffer.baseAddress, Int32(width), Int32(width), Int32(height))
        }
        planes.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let to = MutableI420Area(packedAt: base, width: width, height: height)
            ARGBToI420(
                pixels, stride, to.y, to.yStride, to.u, to.uStride, to.v, to.vStride,
                Int32(width), Int32(height))
        }
        return Overlay(width: width, height: height, planes: planes, alpha: alpha)
    }

    private func take(_ ink: DrawingColour, opacity: Double = 1) {
        cairo_set_source_rgba(
            context, Double(ink.red) / 255, Double(ink.green) / 255, Double(ink.blue) / 255,
            opacity)
    }
}
