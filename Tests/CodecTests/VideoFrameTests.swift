import Codec
import Testing

@Suite struct VideoFrameTests {
    @Test(arguments: [(1, 1), (64, 48), (161, 91), (1280, 720)])
    func planesHaveTheSizesOfI420(width: Int, height: Int) throws {
        let frame = try VideoFrame.make(width: width, height: height) { planes in
            for plane in [planes.y, planes.u, planes.v] {
                for y in 0..<plane.height {
                    for x in 0..<plane.width { plane[x, y] = UInt8(truncatingIfNeeded: x ^ y) }
                }
            }
        }
        #expect(frame.width == width && frame.height == height)
        frame.withPlanes { planes in
            #expect(planes.y.width == width && planes.y.height == height)
            for chroma in [planes.u, planes.v] {
                #expect(chroma.width == (width + 1) / 2 && chroma.height == (height + 1) / 2)
                #expect(
                    chroma[chroma.width - 1, chroma.height - 1]
                        == UInt8(truncatingIfNeeded: (chroma.width - 1) ^ (chroma.height - 1)))
            }
            #expect(
                planes.y[width - 1, height - 1]
                    == UInt8(truncatingIfNeeded: (width - 1) ^ (height - 1)))
        }
    }

    @Test func impossibleSizesAreRefused() {
        for (width, height) in [(0, 10), (10, -1), (VideoFrame.sideMaximum + 1, 10)] {
            #expect(throws: CodecError.pictureSize(width: width, height: height)) {
                try VideoFrame.solid(width: width, height: height, colour: .black)
            }
        }
    }

    @Test func coloursFollowBT601() {
        #expect(Colour(red: 0, green: 0, blue: 0) == .black)
        #expect(Colour(red: 255, green: 255, blue: 255) == .white)
        #expect(
            Colour(red: 255, green: 0, blue: 0)
                == Colour(luma: 81, blueDifference: 90, redDifference: 240))
        #expect(
            Colour(red: 32, green: 128, blue: 64)
                == Colour(luma: 95, blueDifference: 114, redDifference: 90))
    }

    @Test func aPictureIsChangedOnlyWhileNobodyElseHoldsIt() throws {
        var frame = try VideoFrame.solid(width: 16, height: 16, colour: .black)
        #expect(VideoFrame.mutateIfUnshared(&frame) { $0.y[0, 0] = 99 })
        let other = frame
        #expect(!VideoFrame.mutateIfUnshared(&frame) { $0.y[0, 0] = 100 })
        #expect(other.withPlanes { $0.y[0, 0] } == 99)
    }

    @Test func aPoolUsesItsMemoryAgain() throws {
        let pool = try FramePool(width: 64, height: 64)
        var addresses: Set<UInt> = []
        for _ in 0..<10 {
            let frame = try pool.makeFrame { $0.y.bytes.update(repeating: 16) }
            addresses.insert(frame.withPlanes { UInt(bitPattern: $0.y.bytes.baseAddress) })
        }
        #expect(addresses.count == 1)
    }

    @Test(arguments: [
        (VideoCodecKind.av1, GoldenStreams.av1TemporalUnit),
        (.av1, GoldenStreams.av1TenBits),
        (.h264, GoldenStreams.h264FullRange),
    ])
    func everyDepthAndRangeBecomesEightBitsOfLimitedRange(
        codec: VideoCodecKind, data: [UInt8]
    ) throws {
        let decoder = try VideoDecoder(codec: codec)
        let decoded = try decoder.decode(data, timestamp: 5) + decoder.flush()
        let frame = try #require(decoded.first).frame
        frame.withPlanes { planes in
            #expect(abs(Int(planes.y[9, 9]) - 95) <= 1)
            #expect(abs(Int(planes.u[9, 9]) - 114) <= 1)
            #expect(abs(Int(planes.v[9, 9]) - 91) <= 1)
        }
    }

    @Test func fullRangeIsNarrowedAlsoWhereThePixelFormatDoesNotTell() throws {
        let decoder = try VideoDecoder(codec: .av1)
        let decoded = try decoder.decode(GoldenStreams.av1FullRange, timestamp: 5)
        try #require(decoded.first).frame.withPlanes { planes in
            // 95, 114 and 91 of 0 to 255, converted to 16 to 235 and 16 to 240.
            #expect(abs(Int(planes.y[9, 9]) - 98) <= 1)
            #expect(abs(Int(planes.u[9, 9]) - 116) <= 1)
            #expect(abs(Int(planes.v[9, 9]) - 95) <= 1)
        }
    }
}
