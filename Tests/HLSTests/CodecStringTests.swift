import HLS
import Testing

@Suite struct CodecStringTests {
    @Test func levelsFollowAnnexA() {
        // width, height, frame rate, bit/s, buffer bits, level
        let cases: [(Int, Int, Int, Int, Int, UInt8)] = [
            (176, 144, 15, 60_000, 60_000, 10),
            (320, 240, 30, 300_000, 300_000, 13),
            (426, 240, 30, 400_000, 400_000, 21),
            (640, 360, 30, 550_000, 550_000, 30),
            (640, 480, 30, 1_000_000, 1_000_000, 30),
            (854, 480, 30, 935_000, 935_000, 31),
            (1280, 720, 30, 2_200_000, 2_200_000, 31),
            (720, 1280, 30, 2_200_000, 2_200_000, 31),
            (1280, 720, 60, 4_000_000, 4_000_000, 32),
            (1920, 1080, 30, 5_000_000, 5_000_000, 40),
            (1920, 1080, 60, 8_000_000, 8_000_000, 42),
            // The bitrate or the buffer alone raises the level.
            (640, 360, 30, 13_000_000, 10_000_000, 31),
            (640, 360, 30, 1_000_000, 13_000_000, 31),
        ]
        for (width, height, rate, bitrate, buffer, level) in cases {
            let lowest = H264Level.lowest(
                width: width, height: height, frameRate: rate, bitrateMaximum: bitrate,
                bufferBits: buffer)
            #expect(lowest?.levelIDC == level, "\(width)x\(height)@\(rate) \(bitrate)")
        }
    }

    @Test func highProfileCarriesAQuarterMoreThanMain() {
        func level(_ profile: H264Profile) -> UInt8? {
            H264Level.lowest(
                width: 640, height: 360, frameRate: 30, bitrateMaximum: 12_000_000,
                bufferBits: 12_000_000, profile: profile)?.levelIDC
        }
        #expect(level(.high) == 30)
        #expect(level(.main) == 31)
    }

    @Test func aRowThatIsNotFullIsARow() {
        func level(_ width: Int, _ height: Int) -> UInt8? {
            H264Level.lowest(
                width: width, height: height, frameRate: 25, bitrateMaximum: 1_000_000,
                bufferBits: 500_000)?.levelIDC
        }
        #expect(level(1280, 720) == 31 && level(1280, 722) == 32 && level(1282, 720) == 32)
    }

    @Test func aPictureBeyondEveryLevelHasNone() {
        #expect(
            H264Level.lowest(
                width: 16_384, height: 16, frameRate: 30, bitrateMaximum: 1, bufferBits: 1)
                == nil)
    }

    @Test func stringsAreSpelledAsPlayersExpect() throws {
        let level = try #require(Ladder.standard.top.h264Level(profile: .high))
        #expect(CodecString.avc1(profile: .high, level: level).description == "avc1.64001F")
        #expect(CodecString.avc1(profile: .main, level: level).description == "avc1.4D401F")
        #expect(
            CodecString.avc1(profile: .constrainedBaseline, level: level).description
                == "avc1.42C01F")
        #expect(CodecString.aacLowComplexity.description == "mp4a.40.2")
    }
}
