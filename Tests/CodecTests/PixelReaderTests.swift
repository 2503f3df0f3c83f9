import Testing

@testable import Codec

@Suite struct PixelReaderTests {
    @Test(arguments: [(4, 2), (5, 3), (130, 70), (1, 1)])
    func everyPixelComesToItsPlace(width: Int, height: Int) throws {
        let chroma = ((width + 1) / 2, (height + 1) / 2)
        let count = width * height + 2 * chroma.0 * chroma.1
        let pixels = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let reader = PixelReader()
        for _ in 0..<2 {
            let picture = try reader.read(pixels, width: width, height: height)
            picture.withPlanes { planes in
                var next = 0
                for plane in [planes.y, planes.u, planes.v] {
                    for y in 0..<plane.height {
                        for x in 0..<plane.width {
                            #expect(plane[x, y] == pixels[next])
                            next += 1
                        }
                    }
                }
                #expect(next == count)
            }
        }
    }

    @Test(arguments: [0, 11, 13])
    func tooFewOrTooManyPixelsAreRefused(count: Int) {
        #expect(throws: CodecError.packetSize(count: count, maximum: 12)) {
            try PixelReader().read(Array(repeating: 0, count: count), width: 4, height: 2)
        }
    }

    @Test(arguments: [(0, 2), (2, 0), (-1, 2), (8193, 2)])
    func absurdSizesAreRefused(width: Int, height: Int) {
        #expect(throws: CodecError.pictureSize(width: width, height: height)) {
            try PixelReader().read([], width: width, height: height)
        }
    }
}
