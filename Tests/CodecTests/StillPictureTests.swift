import Codec
import Foundation
import MediaKernel
import Testing

@Suite struct StillPictureTests {
    /// 4x2 pixels: red and half-transparent green above, blue and white below, each two wide.
    private static let png = file(
        """
        iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAYAAAB/qH1jAAAAFklEQVR42mP4z8DwH4SBsAGMoXw4AAAHPRLv\
        HWi57gAAAABJRU5ErkJggg==
        """)

    private static func file(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64) ?? Data())
    }

    @Test func aPictureKeepsItsColoursAndItsTransparency() throws {
        let picture = try StillPicture.decode(Self.png)
        #expect(picture.width == 4 && picture.height == 2)
        func pixel(_ x: Int, _ y: Int) -> [UInt8] {
            Array(picture.pixels[(y * 4 + x) * 4..<(y * 4 + x) * 4 + 4])
        }
        #expect(pixel(0, 0) == [0, 0, 255, 255])
        #expect(pixel(3, 0) == [0, 255, 0, 128])
        #expect(pixel(1, 1) == [255, 0, 0, 255])
        #expect(pixel(2, 1) == [255, 255, 255, 255])
    }

    @Test func aLargePictureIsScaledDownInItsShape() throws {
        let picture = try StillPicture.decode(Self.png, sideMaximum: 2)
        #expect(picture.width == 2 && picture.height == 1)
        #expect(picture.number != (try StillPicture.decode(Self.png)).number)
    }

    /// The quarters of the upright picture in reading order, numbered by their place in the file
    /// (JEITA CP-3451 sect. 4.6.4, tag Orientation).
    @Test(
        arguments: [
            (1, [0, 1, 2, 3]), (2, [1, 0, 3, 2]), (3, [3, 2, 1, 0]), (4, [2, 3, 0, 1]),
            (5, [0, 2, 1, 3]), (6, [2, 0, 3, 1]), (7, [3, 1, 2, 0]), (8, [1, 3, 0, 2]),
            // An invalid value leaves the picture unchanged.
            (0, [0, 1, 2, 3]), (9, [0, 1, 2, 3]),
        ] as [(UInt8, [Int])])
    func aPhotographStandsUprightHoweverTheCameraWasHeld(
        orientation: UInt8, quarters: [Int]
    ) throws {
        let levels: [UInt8] = [40, 100, 160, 220]
        let stored = try VideoFrame.make(width: 64, height: 32) { planes in
            for y in 0..<32 {
                for x in 0..<64 { planes.y[x, y] = levels[y / 16 * 2 + x / 32] }
            }
            planes.u.bytes.update(repeating: 128)
            planes.v.bytes.update(repeating: 128)
        }
        let sheet = try PictureGrid(width: 64, height: 32)
        try sheet.put(stored, at: 0)
        var file = try sheet.jpeg(quality: 2)
        file.insert(contentsOf: Self.exif(orientation: orientation), at: 2)
        let picture = try StillPicture.decode(file)
        let isSideways = (5...8).contains(orientation)
        #expect(picture.width == (isSideways ? 32 : 64))
        #expect(picture.height == (isSideways ? 64 : 32))
        let found = (0..<4).map { quarter in
            let x = picture.width / 4 + quarter % 2 * picture.width / 2
            let y = picture.height / 4 + quarter / 2 * picture.height / 2
            let green = Int(picture.pixels[(y * picture.width + x) * 4 + 1])
            let expected = levels.map { (Int($0) - 16) * 255 / 219 }
            return expected.indices.min { abs(expected[$0] - green) < abs(expected[$1] - green) }
        }
        #expect(found == quarters)
    }

    /// An APP1 segment with one entry.
    private static func exif(orientation: UInt8) -> [UInt8] {
        [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1]
            + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }

    @Test func whatIsNoPictureIsRefused() {
        let files: [[UInt8]] = [
            [], [0], Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8),
            Array("RIFF____WEBP".utf8), Array("GIF89a".utf8), [0xFF, 0xD8, 0xFF, 0xE0],
            [UInt8](repeating: 0, count: PictureFormat.bytesMaximum + 1),
            Self.png + [UInt8](repeating: 0, count: PictureFormat.bytesMaximum),
        ]
        for file in files {
            #expect(throws: CodecError.self) { try StillPicture.decode(file) }
        }
    }

    @Test func aPictureThatIsTooLargeIsNotDecoded() throws {
        var huge = Self.png
        // The header's width: 65,536 pixels; and its height: 65,536.
        huge.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])
        #expect(throws: CodecError.self) { try StillPicture.decode(huge) }
        let larger = try PictureGrid(width: 4160, height: 4096).jpeg()
        #expect(throws: CodecError.self) { try StillPicture.decode(larger) }
    }

    @Test func aPhotographOfATelephoneIsTaken() throws {
        let file = try PictureGrid(width: 4032, height: 3024).jpeg()
        let picture = try StillPicture.decode(file, sideMaximum: 512)
        #expect(picture.width == 512 && picture.height == 384)
    }

    @Test func severalFilesAtATimeAreAllDecoded() async {
        await withTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<8 { group.addTask { try? StillPicture.decode(Self.png).pixels } }
            for await pixels in group { #expect(pixels?.count == 32) }
        }
    }

    // MARK: Animated WebP

    /// Lossless pictures of one pixel: without transforms, and each colour has one value.
    private static let red: [UInt8] = [0x2F, 0, 0, 0, 0, 0x28, 0x40, 0xFF, 0x0B, 0xD0, 0xFF, 0]
    private static let blue: [UInt8] = [0x2F, 0, 0, 0, 0, 0x28, 0x40, 0x01, 0xFA, 0xDF, 0xFF, 0]
    /// A lossy grey picture of 8x16 pixels.
    private static let grey: [UInt8] = [
        0x30, 0x01, 0, 0x9D, 0x01, 0x2A, 0x08, 0, 0x10, 0, 0x02, 0xC0, 0x4C, 0x25, 0xA4, 0, 0x03,
        0x70, 0, 0xFE, 0xEE, 0xA0, 0x40, 0,
    ]

    private static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        let size = (0..<4).map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
        let padding = [UInt8](repeating: 0, count: payload.count % 2)
        return Array(name.utf8) + size + payload + padding
    }

    /// - Parameter frames: the chunks of each frame.
    private static func animation(_ frames: [UInt8]...) -> [UInt8] {
        var body = Array("WEBP".utf8)
        body += chunk("VP8X", [0x12] + [UInt8](repeating: 0, count: 9))
        body += chunk("ICCP", [1, 2, 3])
        body += chunk("ANIM", [UInt8](repeating: 0, count: 6))
        for frame in frames { body += chunk("ANMF", [UInt8](repeating: 0, count: 16) + frame) }
        return chunk("RIFF", body)
    }

    @Test func ofAnAnimationTheFirstPictureIsShown() throws {
        let file = Self.animation(
            Self.chunk("????", [0]) + Self.chunk("VP8L", Self.red), Self.chunk("VP8L", Self.blue))
        let picture = try StillPicture.decode(file)
        #expect(picture.width == 1 && picture.height == 1)
        #expect(picture.pixels == [0, 0, 255, 255])
    }

    @Test func anAnimationMayBeTransparent() throws {
        // Neither compressed nor filtered.
        let alpha = [0] + [UInt8](repeating: 100, count: 8 * 16)
        let file = Self.animation(Self.chunk("ALPH", alpha) + Self.chunk("VP8 ", Self.grey))
        let picture = try StillPicture.decode(file)
        #expect(picture.width == 8 && picture.height == 16)
        #expect(picture.pixels[3] == 100)
        #expect(picture.pixels[0] == picture.pixels[1] && picture.pixels[1] == picture.pixels[2])
    }

    @Test func anAnimationThatIsCutOrLiesAboutItsLengthsNeverTraps() {
        let file = Self.animation(Self.chunk("VP8L", Self.red), Self.chunk("VP8L", Self.blue))
        for count in file.indices {
            guard let picture = try? StillPicture.decode(Array(file[..<count])) else { continue }
            #expect(picture.pixels == [0, 0, 255, 255], "of \(count) bytes")
        }
        for index in file.indices {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var lying = file
                lying[index] = value
                _ = try? StillPicture.decode(lying)
            }
        }
        #expect(throws: CodecError.self) { try StillPicture.decode(Self.animation()) }
        #expect(throws: CodecError.self) {
            try StillPicture.decode(Self.animation(Self.chunk("ALPH", [0, 1])))
        }
    }

    @Test func cutAndDamagedFilesNeverTrap() {
        for count in Self.png.indices { _ = try? StillPicture.decode(Array(Self.png[..<count])) }
        var random = SeededRandom(seed: 7)
        let beginnings: [[UInt8]] = [
            Self.png, [0xFF, 0xD8, 0xFF, 0xDB], Array("GIF89a".utf8) + [4, 0, 2, 0, 0x80],
            Array("RIFF\u{40}\0\0\0WEBPVP8 ".utf8),
        ]
        for _ in 0..<400 {
            var file = beginnings.randomElement(using: &random) ?? []
            file += (0..<Int.random(in: 1...60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let index = Int.random(in: 4..<file.count, using: &random)
                file[index] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? StillPicture.decode(file)
        }
    }
}
