import Codec
import Foundation
import MediaKernel
import Testing

@Suite struct StillPictureTests {
    /// 4x2 pixels: red and half-seen green above, blue and white below, each two wide.
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

    /// The quarters of the upright picture in reading order, named by where they are in the file
    /// (JEITA CP-3451 sect. 4.6.4, tag Orientation).
    @Test(
        arguments: [
            (1, [0, 1, 2, 3]), (2, [1, 0, 3, 2]), (3, [3, 2, 1, 0]), (4, [2, 3, 0, 1]),
            (5, [0, 2, 1, 3]), (6, [2, 0, 3, 1]), (7, [3, 1, 2, 0]), (8, [1, 3, 0, 2]),
            // What is none stays as it is.
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
        let sheet = try PictureSheet(width: 64, height: 32)
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
            [UInt8](repeating: 0, count: StillPicture.bytesMaximum + 1),
            Self.png + [UInt8](repeating: 0, count: StillPicture.bytesMaximum),
        ]
        for file in files {
            #expect(throws: CodecError.self) { try StillPicture.decode(file) }
        }
    }

    @Test func aPictureThatIsTooLargeIsNotDecoded() {
        var huge = Self.png
        // The header's width: 65,536 pixels; and its height: 65,536.
        huge.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])
        #expect(throws: CodecError.self) { try StillPicture.decode(huge) }
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
