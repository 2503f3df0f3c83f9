internal import MediaKernel

/// A colour to draw with: gamma-coded R'G'B'.
struct DrawingColour: Hashable, Sendable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    static let white = DrawingColour(red: 255, green: 255, blue: 255)

    init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// A peer's colour: its id gives the hue; white text is easy to read on it.
    init(of peer: PeerID) {
        // FNV-1a, because Swift's own hash differs from process to process.
        var hash: UInt32 = 2_166_136_261
        for byte in peer.rawValue.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        // The low bits alone differ little between ids such as "a1" and "a2".
        hash ^= hash >> 15
        hash = hash &* 0x2C1B_3C6D
        hash ^= hash >> 12
        self.init(hue: Double(hash % 360) / 360, saturation: 0.36, lightness: 0.24)
    }

    /// The same hue, a step brighter.
    var lighter: DrawingColour {
        func step(_ value: UInt8) -> UInt8 { value + (255 - value) / 5 }
        return DrawingColour(red: step(red), green: step(green), blue: step(blue))
    }

    /// All three from 0 to 1.
    init(hue: Double, saturation: Double, lightness: Double) {
        let chroma = (1 - abs(2 * lightness - 1)) * saturation
        func channel(_ offset: Double) -> UInt8 {
            let k = (offset + hue * 12).truncatingRemainder(dividingBy: 12)
            let value = lightness - chroma / 2 * max(-1, min(k - 3, 9 - k, 1))
            return UInt8((value * 255).rounded())
        }
        self.init(red: channel(0), green: channel(8), blue: channel(4))
    }
}
