/// A colour in the pictures' own form: Y'CbCr by ITU-R BT.601, limited range.
///
/// WebRTC's cameras and screen captures arrive in this space, so composing needs no conversion.
public struct Colour: Hashable, Sendable {
    /// 16 (black) to 235 (white).
    public var luma: UInt8
    /// 16 to 240, 128 is neutral.
    public var blueDifference: UInt8
    public var redDifference: UInt8

    public init(luma: UInt8, blueDifference: UInt8, redDifference: UInt8) {
        self.luma = luma
        self.blueDifference = blueDifference
        self.redDifference = redDifference
    }

    /// Converts gamma-coded R'G'B', each 0 to 255. ITU-R BT.601-7 sect. 2.5.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        let (r, g, b) = (Double(red) / 255, Double(green) / 255, Double(blue) / 255)
        let y = 0.299 * r + 0.587 * g + 0.114 * b
        luma = UInt8((16 + 219 * y).rounded())
        blueDifference = UInt8((128 + 224 * (b - y) / 1.772).rounded())
        redDifference = UInt8((128 + 224 * (r - y) / 1.402).rounded())
    }

    public static let black = Colour(luma: 16, blueDifference: 128, redDifference: 128)
    public static let white = Colour(luma: 235, blueDifference: 128, redDifference: 128)
}
