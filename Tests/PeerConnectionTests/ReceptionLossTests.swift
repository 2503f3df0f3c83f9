import MediaKernel
import RTP
import Testing

@testable import PeerConnection

@Suite struct ReceptionLossTests {
    private var loss = ReceptionLoss()

    private mutating func report(_ ssrc: UInt32, highest: UInt32, lost: Int32, second: Int) {
        loss.received(
            ReceptionReport(
                ssrc: SSRC(ssrc), cumulativeLost: lost, extendedHighestSequence: highest),
            at: .zero + .seconds(second))
    }

    private func share(second: Int) -> Double? { loss.share(at: .zero + .seconds(second)) }

    @Test mutating func theShareIsOfWhatWasSentSinceTheLastReport() {
        report(1, highest: 1000, lost: 900, second: 0)
        #expect(share(second: 0) == nil)
        report(1, highest: 1100, lost: 910, second: 1)
        #expect(share(second: 1) == 0.1)
        report(1, highest: 1200, lost: 910, second: 2)
        #expect(share(second: 2) == 0)
    }

    @Test mutating func fewPacketsAreAddedUpOverStreams() {
        for ssrc in 1...4 as ClosedRange<UInt32> {
            report(ssrc, highest: 0, lost: 0, second: 0)
            report(ssrc, highest: 5, lost: ssrc == 1 ? 5 : 0, second: 1)
        }
        #expect(share(second: 1) == 0.25)
    }

    @Test mutating func countsWrapAndLateReportsAreNothing() {
        report(1, highest: .max - 9, lost: 5, second: 0)
        report(1, highest: 40, lost: 5, second: 1)
        #expect(share(second: 1) == 0)
        report(1, highest: 20, lost: 500, second: 2)
        report(1, highest: 90, lost: 5, second: 3)
        #expect(share(second: 3) == 0)
        // Duplicates reduce the lost ones; no more packets can be lost than were sent.
        report(1, highest: 140, lost: -20, second: 4)
        #expect(share(second: 4) == 0)
        report(1, highest: 190, lost: 8_000_000, second: 5)
        #expect(share(second: 5) == 1)
    }

    @Test mutating func whatIsOldSaysNothing() {
        report(1, highest: 0, lost: 0, second: 0)
        report(1, highest: 100, lost: 50, second: 1)
        #expect(share(second: 8) == 0.5 && share(second: 9) == nil)
        loss.forget(SSRC(1))
        report(1, highest: 200, lost: 50, second: 10)
        #expect(share(second: 10) == nil)
    }
}
