internal import Codec

/// The fonts of this machine. Without any the picture has no letters.
public enum InstalledFonts {
    /// Whether a letter can be drawn.
    public static var areThere: Bool {
        do throws(CodecError) {
            let surface = try DrawingSurface(width: 64, height: 64)
            guard let line = surface.line("a", size: 20, isBold: false, widthMaximum: 64) else {
                return false
            }
            return line.width > 0
        } catch {
            return false
        }
    }
}
