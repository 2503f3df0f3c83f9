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
        let picture = try StillPicture.decode(Self.png, maximumSide: 2)
        #expect(picture.width == 2 && picture.height == 1)
        #expect(picture.number != (try StillPicture.decode(Self.png)).number)
    }

    @Test func whatIsNoPictureIsRefused() {
        let files: [[UInt8]] = [
            [], [0], Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8),
            Array("RIFF____WEBP".utf8), Array("GIF89a".utf8), [0xFF, 0xD8, 0xFF, 0xE0],
            [UInt8](repeating: 0, count: StillPicture.maximumBytes + 1),
            Self.png + [UInt8](repeating: 0, count: StillPicture.maximumBytes),
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
