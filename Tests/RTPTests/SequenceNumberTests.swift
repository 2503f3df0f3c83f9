import RTP
import Testing

@Suite struct SequenceNumberTests {
    @Test func distanceTakesTheShorterWayRound() {
        #expect(SequenceNumber(65_535).distance(to: SequenceNumber(2)) == 3)
        #expect(SequenceNumber(2).distance(to: SequenceNumber(65_535)) == -3)
        #expect(SequenceNumber(0).isNewer(than: SequenceNumber(65_535)))
        #expect(!SequenceNumber(5).isNewer(than: SequenceNumber(5)))
        #expect(SequenceNumber(65_535).advanced(by: 2) == SequenceNumber(1))
        #expect(SequenceNumber(1).advanced(by: -2) == SequenceNumber(65_535))
    }

    @Test func unwrappingGoesOnOverTheWrapAndTakesLatePackets() {
        var unwrapper = SequenceUnwrapper()
        #expect(unwrapper.unwrap(SequenceNumber(65_534)) == 65_534)
        #expect(unwrapper.unwrap(SequenceNumber(1)) == 65_537)
        #expect(unwrapper.unwrap(SequenceNumber(65_535)) == 65_535)
        #expect(unwrapper.peek(SequenceNumber(3)) == 65_539)
        #expect(unwrapper.unwrap(SequenceNumber(2)) == 65_538)
    }

    @Test func whatIsLateForTheVeryFirstPacketIsNegative() {
        var unwrapper = SequenceUnwrapper()
        #expect(unwrapper.unwrap(SequenceNumber(0)) == 0)
        #expect(unwrapper.unwrap(SequenceNumber(65_535)) == -1)
    }

    @Test func timestampsUnwrapOverSeveralWraps() {
        var unwrapper = TimestampUnwrapper()
        var expected: Int64 = 0xFFFF_0000
        for _ in 0..<10 {
            #expect(unwrapper.unwrap(UInt32(truncatingIfNeeded: expected)) == expected)
            expected += 0x4000_0000
        }
        #expect(unwrapper.peek(UInt32(truncatingIfNeeded: expected)) == expected)
    }

    @Test func codecsAreFoundByTheirNameInSDP() {
        #expect(MediaCodec(rtpName: "vp8") == .vp8)
        #expect(MediaCodec(rtpName: "OPUS") == .opus)
        #expect(MediaCodec(rtpName: "rtx") == nil)
        #expect(MediaCodec.opus.clockRate == 48_000)
        #expect(MediaCodec.allCases.filter(\.isVideo).count == 4)
    }
}
