internal import CPango
internal import CYUV
internal import Codec

/// A picture to draw on with Cairo and Pango, which becomes a `VideoFrame`.
struct InkSurface: ~Copyable {
    private let width: Int
    private let height: Int
    private let surface: OpaquePointer
    private let context: OpaquePointer

    init(width: Int, height: Int) throws(CodecError) {
        guard 1...VideoFrame.maximumSide ~= width, 1...VideoFrame.maximumSide ~= height,
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

    func fill(_ ink: Ink) {
        take(ink)
        cairo_paint(context)
    }

    func fillRectangle(x: Double, y: Double, width: Double, height: Double, _ ink: Ink) {
        take(ink)
        cairo_rectangle(context, x, y, width, height)
        cairo_fill(context)
    }

    func fillCircle(x: Double, y: Double, radius: Double, _ ink: Ink) {
        take(ink)
        cairo_arc(context, x, y, radius, 0, 2 * .pi)
        cairo_fill(context)
    }

    /// Writes one line in the middle of the picture's width, shortened with an ellipsis where
    /// it is too long.
    ///
    /// - Parameters:
    ///   - y: the line's middle, from the top.
    ///   - size: the font's size in pixels.
    func write(_ text: String, centredAt y: Double, size: Double, isBold: Bool, _ ink: Ink) {
        guard !text.isEmpty, let layout = pango_cairo_create_layout(context),
            let font = pango_font_description_new()
        else { return }
        defer {
            pango_font_description_free(font)
            pango_shim_release(UnsafeMutableRawPointer(layout))
        }
        let scale = Double(pango_shim_scale)
        pango_font_description_set_family(font, "sans")
        pango_font_description_set_weight(font, isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        pango_font_description_set_absolute_size(font, size * scale)
        pango_layout_set_font_description(layout, font)
        pango_layout_set_single_paragraph_mode(layout, 1)
        pango_layout_set_width(layout, Int32(Double(width) * 0.9 * scale))
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
        pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER)
        pango_layout_set_text(layout, text, -1)
        // Without a font that knows the script, Pango draws boxes; nothing is better than that.
        guard
            pango_layout_get_unknown_glyphs_count(layout) * 2
                < pango_layout_get_character_count(layout)
        else { return }
        var textWidth: Int32 = 0
        var textHeight: Int32 = 0
        pango_layout_get_pixel_size(layout, &textWidth, &textHeight)
        take(ink)
        cairo_move_to(context, Double(width) * 0.05, y - Double(textHeight) / 2)
        pango_cairo_show_layout(context, layout)
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

    private func take(_ ink: Ink) {
        cairo_set_source_rgb(
            context, Double(ink.red) / 255, Double(ink.green) / 255, Double(ink.blue) / 255)
    }
}
