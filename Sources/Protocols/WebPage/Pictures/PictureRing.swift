/// The file through which the browser hands its pictures to the bot, as they are: the last few of
/// them, each in a slot of its own.
///
/// Nothing is encoded for the way: at 1280x720 and 30 pictures/s an encoder and a decoder take half
/// a core, and writing the pixels takes a thirtieth of one (docs/CUSTOM-VIEW.md).
///
/// ```
/// page 0:  magic, key, NUL …  128: number of the newest picture
/// slot:    0: number  8: µs of the monotonic clock  16: width  20: height  24: kind  64: pixels
///          …  the last 8 bytes: number
/// ```
/// Numbers begin at 1 and are unsigned and little-endian; picture `n` is in slot `n % slots`. The
/// writer writes a slot from its first byte to its last: while both numbers are the same, so is
/// what lies between them.
struct PictureRing: Hashable, Sendable {
    static let magic = "roomcast pictures "
    static let pageBytes = 4096
    static let newestOffset = 128
    static let pixelsOffset = 64
    static let tailBytes = 8
    /// One is written, one is read, and two wait for a reader that is late by two pictures.
    static let slots = 4
    /// Luma, then both chroma planes, without gaps between rows: I420.
    static let kindI420 = 1

    /// The most that a picture of the stream may have.
    let width: Int
    let height: Int

    var slotBytes: Int {
        let bytes = Self.pixelsOffset + Self.pixelBytes(width, height) + Self.tailBytes
        return (bytes + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes
    }

    var fileBytes: Int { Self.pageBytes + Self.slots * slotBytes }

    func offset(ofPicture number: UInt64) -> Int {
        Self.pageBytes + Int(number % UInt64(Self.slots)) * slotBytes
    }

    /// Of a picture in I420: chroma sides are half of luma's, rounded up.
    static func pixelBytes(_ width: Int, _ height: Int) -> Int {
        width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2)
    }

    /// What the file of this browser begins with.
    static func title(key: String) -> String { "\(magic)\(key)\0" }
}
