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

    /// The background of a person without video, on which white text is easy to read.
    ///
    /// The same person has the same colour on the pages (`assets/common/person-colour.js` and
    /// `.person-colour` in `base.css`), and again on coming back: the hue is chosen by the name, or
    /// by the id of somebody without one.
    init(of peer: PeerID, named name: String) {
        self.init(hue: Self.hue(of: peer, named: name), saturation: 0.22, lightness: 0.22)
    }

    /// A disc on that background.
    static func disc(of peer: PeerID, named name: String) -> DrawingColour {
        DrawingColour(hue: hue(of: peer, named: name), saturation: 0.34, lightness: 0.34)
    }

    private static let degrees = [12, 38, 92, 158, 190, 214, 262, 322]

    private static func hue(of peer: PeerID, named name: String) -> Double {
        let words = name.split(whereSeparator: \.isWhitespace)
        let text =
            words.first.map { name[$0.startIndex..<words[words.count - 1].endIndex].lowercased() }
            ?? peer.rawValue
        var sum: UInt32 = 0
        for scalar in text.unicodeScalars { sum = sum &* 31 &+ scalar.value }
        return Double(degrees[Int(sum) % degrees.count]) / 360
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
