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

    /// What Pango has laid out. Only its owner, one line, uses it.
    private struct Written: @unchecked Sendable {
        let layout: OpaquePointer
        let text: String
        let extents: PangoRectangle
        let inked: PangoRectangle
    }

    /// - Parameter size: the font's size in pixels.
    /// - Returns: nil for an empty text, and on a machine without fonts.
    init?(
        _ text: String, size: Double, isBold: Bool, widthMaximum: Double,
        on context: OpaquePointer
    ) {
        guard !text.isEmpty, widthMaximum >= 1,
            let written = SharedFonts.use({ fonts in
                Self.lay(
                    text, size: size, isBold: isBold, widthMaximum: widthMaximum, on: context,
                    with: fonts)
            })
        else { return nil }
        self.text = written.text
        layout = written.layout
        self.context = context
        left = Double(written.extents.x)
        width = Double(written.extents.width)
        height = Double(written.extents.height)
        ink = Double(written.inked.y)...Double(written.inked.y + max(written.inked.height, 0))
    }

    private static func lay(
        _ text: String, size: Double, isBold: Bool, widthMaximum: Double,
        on context: OpaquePointer, with fonts: UnsafeMutablePointer<PangoFontMap>?
    ) -> Written? {
        guard let fonts, let setting = pango_font_map_create_context(fonts) else { return nil }
        defer { pango_shim_release(UnsafeMutableRawPointer(setting)) }
        pango_cairo_update_context(context, setting)
        guard let layout = pango_layout_new(setting) else { return nil }
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
            written = questioned(text, on: layout)
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
        return Written(layout: layout, text: written, extents: extents, inked: inked)
    }

    /// Character by character, so that the neighbours of a missing character stay.
    private static func questioned(_ text: String, on layout: OpaquePointer) -> String {
        String(
            text.map { character in
                pango_layout_set_text(layout, String(character), -1)
                return pango_layout_get_unknown_glyphs_count(layout) == 0 ? character : "?"
            })
    }

    deinit { SharedFonts.use { _ in pango_shim_release(UnsafeMutableRawPointer(layout)) } }

    /// Shows the line with its left end and its middle at a point, in the context's colour. A line
    /// whose letters reach beyond the space moves into it.
    ///
    /// - Parameter space: the height of the surface.
    func show(at x: Double, centredAt y: Double, within space: Double) {
        let top = y - height / 2
        let highest = 1 - ink.lowerBound
        let lowest = space - 1 - ink.upperBound
        let fitted = highest < lowest ? min(max(top, highest), lowest) : (highest + lowest) / 2
        SharedFonts.use { _ in
            // The context lets go of the font here, not when it ends.
            cairo_save(context)
            cairo_move_to(context, x - left, fitted)
            pango_cairo_show_layout(context, layout)
            cairo_restore(context)
        }
    }
}
