internal import CPango

/// One line of text in any script, ready to be shown; shortened with an ellipsis where it is too
/// long.
struct TextLine: ~Copyable {
    /// The first that is there is taken, and others for the characters that it lacks.
    static let fonts = "Noto Sans, DejaVu Sans, sans"

    private let layout: OpaquePointer
    private let context: OpaquePointer
    private let left: Double
    let width: Double
    let height: Double

    /// - Parameter size: the font's size in pixels.
    /// - Returns: nil for no text, and for one that no font on the machine can write: Pango would
    ///   draw boxes, and nothing is better than that.
    init?(
        _ text: String, size: Double, isBold: Bool, widthMaximum: Double,
        on context: OpaquePointer
    ) {
        guard !text.isEmpty, widthMaximum >= 1, let layout = pango_cairo_create_layout(context)
        else { return nil }
        guard let font = pango_font_description_new() else {
            pango_shim_release(UnsafeMutableRawPointer(layout))
            return nil
        }
        defer { pango_font_description_free(font) }
        let scale = Double(pango_shim_scale)
        pango_font_description_set_family(font, Self.fonts)
        pango_font_description_set_weight(font, isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        pango_font_description_set_absolute_size(font, size * scale)
        pango_layout_set_font_description(layout, font)
        pango_layout_set_single_paragraph_mode(layout, 1)
        pango_layout_set_width(layout, Int32(widthMaximum * scale))
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
        pango_layout_set_text(layout, text, -1)
        guard
            pango_layout_get_unknown_glyphs_count(layout) * 2
                < pango_layout_get_character_count(layout)
        else {
            pango_shim_release(UnsafeMutableRawPointer(layout))
            return nil
        }
        // A right-to-left line stands at the right end of the width that it was given.
        var extents = PangoRectangle()
        pango_layout_get_pixel_extents(layout, nil, &extents)
        self.layout = layout
        self.context = context
        left = Double(extents.x)
        width = Double(extents.width)
        height = Double(extents.height)
    }

    deinit { pango_shim_release(UnsafeMutableRawPointer(layout)) }

    /// Shows the line with its upper left corner at a point, in the context's colour.
    func show(at x: Double, _ y: Double) {
        cairo_move_to(context, x - left, y)
        pango_cairo_show_layout(context, layout)
    }
}
