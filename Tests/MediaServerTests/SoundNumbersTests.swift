import MediaKernel
import RTP
import Testing

@testable import MediaServer

/// The sequence numbers with which one audio source is forwarded.
@Suite struct SoundNumbersTests {
    private let encoding = SourceEncoding(rid: nil, isVideo: false)

    private func number(_ number: UInt16, isLeftOut: Bool = false) -> UInt16? {
        encoding.number(of: SequenceNumber(number), isLeftOut: isLeftOut)?.rawValue
    }

    @Test func whatIsLeftOutLeavesNoHoleAndWhatIsMissingDoes() {
        let numbers = ([100, 101, 102, 103, 105, 104, 106] as [UInt16]).map {
            number($0, isLeftOut: [101, 102, 104].contains($0))
        }
        // The place of 104 was kept, since it came late.
        #expect(numbers == [100, nil, nil, 101, 103, 102, 104])
    }

    @Test func whatWasSentBeforeTheFirstHasItsPlace() {
        #expect(([2, 65_535, 1, 3] as [UInt16]).map { number($0) } == [2, 65_535, 1, 3])
    }

    /// It would go unnoticed if it began with silence that is left out.
    @Test func anotherSourceBeginsAnewAndWithWhatGoesOn() {
        func arrive(_ number: Int, ssrc: UInt32) -> UInt16? {
            var packet = LayerPacket.sound(number, ssrc: ssrc).packet
            packet.payload = [0xF8, 0]
            guard encoding.isNew(packet) else { return nil }
            let level = AudioLevel(voice: false, level: AudioLevel.silence)
            let passes = encoding.passes(packet, level: level, at: .zero)
            return self.number(packet.sequenceNumber.rawValue, isLeftOut: !passes)
        }
        #expect([1, 2, 3].map { arrive($0, ssrc: 1) } == [1, nil, nil])
        #expect(encoding.isQuiet)
        #expect([7000, 7001].map { arrive($0, ssrc: 2) } == [7000, nil])
    }
}
