import Testing

@testable import Codec

@Suite struct PictureGridTests {
    private static let colours = [
        Colour(red: 200, green: 30, blue: 30), Colour(red: 30, green: 200, blue: 30),
        Colour(red: 30, green: 30, blue: 200), Colour.white,
    ]

    /// Blue, green and red of a pixel.
    private func pixel(_ picture: StillPicture, _ x: Int, _ y: Int) -> [Int] {
        let start = (y * picture.width + x) * 4
        return picture.pixels[start..<start + 3].map { Int($0) }
    }

    private func isNear(_ found: [Int], _ expected: [Int]) -> Bool {
        zip(found, expected).allSatisfy { abs($0 - $1) <= 12 }
    }

    @Test func eachPictureIsInItsPlaceInItsOwnColours() throws {
        let sheet = try PictureGrid(columns: 2, rows: 3, width: 160, height: 90)
        for (place, colour) in Self.colours.enumerated() {
            // Larger, smaller and of another shape: each fills its place.
            let frame = try VideoFrame.solid(
                width: 64 + 200 * place, height: 480 - 100 * place, colour: colour)
            try sheet.put(frame, at: place)
        }
        let picture = try StillPicture.decode(sheet.jpeg())
        #expect(picture.width == 320 && picture.height == 270)
        let expected = [[30, 30, 200], [30, 200, 30], [200, 30, 30], [255, 255, 255]]
        for (place, colour) in expected.enumerated() {
            let (x, y) = (place % 2 * 160, place / 2 * 90)
            for (dx, dy) in [(4, 4), (155, 85), (80, 45)] {
                #expect(isNear(pixel(picture, x + dx, y + dy), colour), "\(place) \(dx),\(dy)")
            }
        }
        // This place is empty.
        #expect(isNear(pixel(picture, 240, 230), [0, 0, 0]))
    }

    @Test func aSheetThatCannotBeIsRefused() {
        for (columns, width, height) in [
            (1, 161, 90), (1, 160, 91), (0, 160, 90), (52, 160, 90), (1, 0, 90), (1, 8194, 90),
        ] {
            #expect(throws: CodecError.pictureSize(width: width, height: height)) {
                try PictureGrid(columns: columns, width: width, height: height)
            }
        }
    }

    @Test func aBetterQualityIsALargerFile() throws {
        let frame = try VideoFrame.make(width: 320, height: 180) { planes in
            for y in 0..<180 { for x in 0..<320 { planes.y[x, y] = UInt8((x * y) % 220 + 16) } }
            planes.u.bytes.update(repeating: 128)
            planes.v.bytes.update(repeating: 128)
        }
        let sheet = try PictureGrid(width: 320, height: 180)
        try sheet.put(frame, at: 0)
        let (fine, coarse) = (try sheet.jpeg(quality: 2), try sheet.jpeg(quality: 20))
        #expect(fine.starts(with: [0xFF, 0xD8, 0xFF]) && fine.count > 2 * coarse.count)
    }
}
