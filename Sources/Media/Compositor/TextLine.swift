internal import CPango

/// One line of text in any script, ready to be shown; shortened with an ellipsis if it is too long.
struct TextLine: ~Copyable {
    /// The first available font is used, and others for the characters that it lacks.
    static let fonts = "Noto Sans, DejaVu Sans, sans"

    private let layout: OpaquePointer
    private let context: OpaquePointer
    private let left: Double
    let width: Double
    private let height: Double
    /// The extent of the visible ink, from the line's top.
    private let ink: ClosedRange<Double>
    /// The text as shown: a question mark replaces each character that no font on the machine has.
    /// Pango would draw a box with the character's number.
    let text: String

    /// - Parameter size: the font's size in pixels.
    /// - Returns: nil for an empty text, and on a machine without fonts.
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
        var written = text
        if pango_layout_get_unknown_glyphs_count(layout) > 0 {
            written = Self.questioned(text, on: layout)
            pango_layout_set_text(layout, written, -1)
        }
        guard pango_layout_get_unknown_glyphs_count(layout) == 0 else {
            pango_shim_release(UnsafeMutableRawPointer(layout))
            return nil
        }
        // A right-to-left line is at the right end of the given width.
        var extents = PangoRectangle()
        var inked = PangoRectangle()
        pango_layout_get_pixel_extents(layout, &inked, &extents)
        self.text = written
        self.layout = layout
        self.context = context
        left = Double(extents.x)
        width = Double(extents.width)
        height = Double(extents.height)
        ink = Double(inked.y)...Double(inked.y + max(inked.height, 0))
    }

    /// Character by character, so that the neighbours of a missing character stay.
    private static func questioned(_ text: String, on layout: OpaquePointer) -> String {
        String(
            text.map { character in
                pango_layout_set_text(layout, String(character), -1)
                return pango_layout_get_unknown_glyphs_count(layout) == 0 ? character : "?"
            })
    }

    deinit { pango_shim_release(UnsafeMutableRawPointer(layout)) }

    /// Shows the line with its left end and its middle at a point, in the context's colour. A line
    /// whose letters reach beyond the space moves into it.
    ///
    /// - Parameter space: the height of the surface.
    func show(at x: Double, centredAt y: Double, within space: Double) {
        let top = y - height / 2
        let highest = 1 - ink.lowerBound
        let lowest = space - 1 - ink.upperBound
        let fitted = highest < lowest ? min(max(top, highest), lowest) : (highest + lowest) / 2
        cairo_move_to(context, x - left, fitted)
        pango_cairo_show_layout(context, layout)
    }
}
