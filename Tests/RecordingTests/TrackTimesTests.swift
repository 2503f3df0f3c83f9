import Testing

@testable import Recording

@Suite struct TrackTimesTests {
    private func fit(
        seconds: Int64, every: Int64 = 10, _ offset: (Int64) -> Int64
    ) -> TrackClockFit {
        TrackClockFit(
            stride(from: 0, through: seconds, by: Int(every)).map { second in
                .init(media: second * 10_000, capture: second * 1_000_000_000 + offset(second))
            })
    }

    @Test func earlyNotesAreNotBelieved() {
        let fit = fit(seconds: 8, every: 1) { $0 < 3 ? 900_000_000 : 500_000_000 }
        #expect(fit.start == 500_000_000 && fit.drift == 0)
        #expect(TrackClockFit([.init(media: 0, capture: 7)]).start == 7)
    }

    @Test func aFastMicrophoneIsPutRight() {
        // 100 ppm: each second of media takes 100 µs longer.
        let fit = fit(seconds: 3600) { 500_000_000 + $0 * 100_000 }
        #expect(abs(fit.start - 500_000_000) < 1_000_000, "\(fit.start)")
        #expect(abs(fit.drift - 0.0001) < 0.000_002)
        #expect(abs(fit.scaled(36_000_000, to: 1000) - 3_600_360) <= 10)
    }

    @Test func anAbsurdDriftIsNotBelieved() {
        #expect(fit(seconds: 3600) { $0 * 10_000_000 }.drift == 0.0005)
    }

    @Test func packetsThatFollowEachOtherStayTogether() {
        var placement = OpusPlacement()
        for index: Int64 in 0..<100 {
            // Times are jittery by less than a packet.
            let place = placement.place(
                at: index * 960 + (index % 3) * 300, samples: 960)
            #expect(place == .init(silences: 0, isLeftOut: false))
        }
        #expect(placement.end == 96_000)
    }

    @Test func silenceIsWherePacketsAreMissing() {
        var placement = OpusPlacement()
        _ = placement.place(at: 0, samples: 960)
        #expect(placement.place(at: 4800, samples: 960) == .init(silences: 4, isLeftOut: false))
        #expect(placement.end == 5760)
        // Half a packet more than three: the error is below half a packet.
        #expect(placement.place(at: 9100, samples: 960) == .init(silences: 3, isLeftOut: false))
        #expect(abs(placement.end - 960 - 9100) <= 480)
    }

    @Test(arguments: [-0.0003, 0.0003])
    func clocksThatDriftNeverPart(_ drift: Double) {
        var placement = OpusPlacement()
        var (silences, leftOut) = (0, 0)
        for index in 0..<200_000 {
            let target = Int64(Double(index) * 960 * (1 + drift))
            let place = placement.place(at: target, samples: 960)
            silences += place.silences
            if place.isLeftOut {
                leftOut += 1
            } else {
                #expect(abs(placement.end - 960 - target) <= 960)
            }
        }
        // An hour and six minutes, by 1.2 s.
        let packets = Int(200_000 * drift)
        #expect(abs(silences - leftOut - packets) <= 1 && min(silences, leftOut) == 0)
    }
}
