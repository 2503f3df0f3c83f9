import CLibAV
import Testing

@testable import Codec

/// Colours stay the same from a sender's picture to the encoded stream.
@Suite struct ColourTests {
    private static let colours: [(red: UInt8, green: UInt8, blue: UInt8)] = [
        (255, 0, 0), (0, 255, 0), (0, 0, 255), (200, 120, 40), (128, 128, 128), (255, 255, 255),
    ]

    /// A picture of one colour, as a sender of high definition encodes it: ITU-R BT.709-6 sect. 3.
    private func highDefinition(
        _ colour: (red: UInt8, green: UInt8, blue: UInt8), isFullRange: Bool
    ) throws -> VideoFrame {
        let (r, g, b) = (
            Double(colour.red) / 255, Double(colour.green) / 255, Double(colour.blue) / 255
        )
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b
        let (base, luma, chroma) = isFullRange ? (0.0, 255.0, 255.0) : (16.0, 219.0, 224.0)
        func code(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
        let frame = try VideoFrame.solid(
            width: 64, height: 36,
            colour: Colour(
                luma: code(base + luma * y),
                blueDifference: code(128 + chroma * (b - y) / 1.8556),
                redDifference: code(128 + chroma * (r - y) / 1.5748)))
        frame.handle.pointer.pointee.colorspace = AVCOL_SPC_BT709
        if isFullRange { frame.handle.pointer.pointee.color_range = AVCOL_RANGE_JPEG }
        return frame
    }

    /// The frame as the decoders deliver it.
    private func shown(_ frame: VideoFrame) throws -> VideoFrame {
        var converter = PixelConverter()
        let pointer = frame.handle.pointer
        return PixelConverter.isConverted(pointer) ? frame : try converter.convert(pointer)
    }

    @Test(arguments: [false, true])
    func aPictureOfAnotherMatrixKeepsItsColours(isFullRange: Bool) throws {
        for colour in Self.colours {
            let picture = try shown(highDefinition(colour, isFullRange: isFullRange))
            let wanted = Colour(red: colour.red, green: colour.green, blue: colour.blue)
            picture.withPlanes { planes in
                let pairs = [
                    (planes.y[30, 20], wanted.luma), (planes.u[15, 10], wanted.blueDifference),
                    (planes.v[15, 10], wanted.redDifference),
                ]
                for (found, ought) in pairs {
                    #expect(abs(Int(found) - Int(ought)) <= 3, "\(colour): \(found), \(ought)")
                }
            }
        }
    }

    /// Cameras specify no colour space, or a name for the same numbers.
    @Test func aPictureThatIsAsOursAreIsNotTouched() throws {
        let frame = try VideoFrame.solid(width: 64, height: 36, colour: .white)
        for matrix in [
            AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_SMPTE170M, AVCOL_SPC_BT470BG, AVCOL_SPC_FCC,
        ] {
            frame.handle.pointer.pointee.colorspace = matrix
            #expect(PixelConverter.isConverted(frame.handle.pointer), "\(matrix.rawValue)")
        }
    }

    @Test func theStreamSaysWhichColoursItHas() throws {
        let encoder = try H264Encoder(
            VideoEncoderSettings(
                width: 320, height: 180, frameRate: 30, bitrate: 400_000, keyframeInterval: 60))
        let picture = try VideoFrame.solid(width: 320, height: 180, colour: .white)
        var packets = try encoder.encode(picture, index: 0, forceKeyframe: true)
        packets += try encoder.flush()
        let decoder = try VideoDecoder(codec: .h264)
        var decoded = try packets.flatMap { try decoder.decode($0.data, timestamp: 0) }
        decoded += try decoder.flush()
        let frame = try #require(decoded.first).frame.handle.pointer.pointee
        #expect(frame.colorspace == AVCOL_SPC_SMPTE170M)
        #expect(frame.color_primaries == AVCOL_PRI_SMPTE170M)
        #expect(frame.color_trc == AVCOL_TRC_SMPTE170M)
        #expect(frame.color_range == AVCOL_RANGE_MPEG)
    }
}
