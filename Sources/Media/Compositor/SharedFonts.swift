internal import CPango
internal import Synchronization

/// The fonts of the process, which one thread at a time uses.
///
/// Cairo keeps the glyphs of all threads together, and the 1.16 of Debian 12 ends the process when
/// several of them write: six threads that draw names in fifteen scripts crash within a second.
/// Shapes and pictures need no such care.
enum SharedFonts {
    /// Pango's own default is a map for each thread, which lets go of its fonts when the thread ends.
    private struct Map: @unchecked Sendable { let pointer = pango_cairo_font_map_new() }

    private static let map = Mutex<Map?>(nil)

    static func use<Result: Sendable>(
        _ body: (UnsafeMutablePointer<PangoFontMap>?) -> Result
    ) -> Result {
        map.withLock { held in
            let map = held ?? Map()
            held = map
            return body(map.pointer)
        }
    }
}
