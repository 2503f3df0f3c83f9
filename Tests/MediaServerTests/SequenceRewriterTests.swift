import RTP
import Testing

@testable import MediaServer

@Suite struct SequenceRewriterTests {
    private func packet(_ number: Int, _ timestamp: UInt32, ssrc: UInt32 = 1) -> RTPPacket {
        RTPPacket(
            payloadType: PayloadType(96), sequenceNumber: SequenceNumber(extended: Int64(number)),
            timestamp: timestamp, ssrc: SSRC(ssrc), payload: [1, 2, 3])
    }

    /// Numbers and timestamps after rewriting.
    private func rewrite(_ packets: [RTPPacket], clockRate: Int = 90_000) -> [[UInt32]] {
        var rewriter = SequenceRewriter(clockRate: clockRate)
        return packets.map {
            let packet = rewriter.rewrite($0)
            return [UInt32(packet.sequenceNumber.rawValue), packet.timestamp]
        }
    }

    @Test func theFirstSourcePassesUnchanged() {
        let packets = [packet(65_534, 10), packet(65_535, 3010), packet(65_536, 6010)]
        #expect(rewrite(packets) == [[65_534, 10], [65_535, 3010], [0, 6010]])
    }

    @Test func reorderedAndRepeatedPacketsKeepTheirPlaces() {
        let packets = [packet(5, 50), packet(8, 80), packet(6, 60), packet(8, 80), packet(9, 90)]
        #expect(rewrite(packets) == [[5, 50], [8, 80], [6, 60], [8, 80], [9, 90]])
    }

    @Test func anotherSourceContinuesBehindTheNewestPacket() {
        let packets = [
            packet(100, 1000), packet(103, 4000), packet(101, 2000),
            packet(7000, 555, ssrc: 2), packet(7001, 3555, ssrc: 2),
        ]
        let expected: [[UInt32]] = [[104, 7000], [105, 10_000]]
        #expect(Array(rewrite(packets).suffix(2)) == expected)
    }

    @Test func theMomentBetweenSourcesFollowsTheClockRate() {
        let packets = [packet(1, 0), packet(9, 77, ssrc: 2)]
        #expect(rewrite(packets, clockRate: 48_000).last == [2, 1600])
    }

    @Test func aSwitchHoldsOverTheWrapOfBothNumbers() {
        let packets = [
            packet(65_535, .max - 1000), packet(30_000, .max - 100, ssrc: 2),
            packet(30_001, 2899, ssrc: 2), packet(29_999, .max - 3100, ssrc: 2),
        ]
        // The gap of 3000 ticks crosses the wrap, 1001 ticks after the newest.
        let old = UInt32.max - 1000
        let expected: [[UInt32]] = [[65_535, old], [0, 1999], [1, 4999], [65_535, old]]
        #expect(rewrite(packets) == expected)
    }

    @Test func everySwitchIsContinuous() {
        var packets: [RTPPacket] = []
        for source in 0..<50 {
            for number in 0..<3 {
                packets.append(
                    packet(
                        source * 9173 + number, UInt32(source * 77_777 + number * 3000),
                        ssrc: UInt32(source)))
            }
        }
        let numbers = rewrite(packets)
        for (a, b) in zip(numbers, numbers.dropFirst()) {
            #expect(b[0] == (a[0] + 1) & 0xFFFF)
            #expect(b[1] == a[1] &+ 3000)
        }
    }

    @Test func senderReportsFollowTheSource() {
        var rewriter = SequenceRewriter(clockRate: 90_000)
        _ = rewriter.rewrite(packet(1, 1000))
        #expect(rewriter.rewrite(timestamp: 500) == 500)
        let first = rewriter.rewrite(packet(1, 900_000, ssrc: 2)).timestamp
        #expect(rewriter.rewrite(timestamp: 900_000 + 45_000) == first + 45_000)
    }
}
