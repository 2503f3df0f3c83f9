import MediaKernel
import Testing

@testable import RTP

@Suite struct NACKGeneratorTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func generator(roundTrip: Duration) -> NACKGenerator {
        var configuration = NACKGenerator.Configuration()
        configuration.assumedRoundTrip = roundTrip
        return NACKGenerator(configuration)
    }

    private func numbers(_ values: [UInt16]) -> [SequenceNumber] { values.map { .init($0) } }

    @Test func aGapIsAskedForAfterTheReorderDelayThenOncePerRoundTrip() {
        var generator = generator(roundTrip: .milliseconds(40))
        generator.received(SequenceNumber(65_534), at: at(0))
        #expect(generator.nextDeadline == nil)
        generator.received(SequenceNumber(1), at: at(0))
        #expect(generator.nextDeadline == at(10))
        #expect(generator.poll(at: at(9)).isEmpty)
        #expect(generator.poll(at: at(10)) == numbers([65_535, 0]))
        #expect(generator.poll(at: at(59)).isEmpty)
        generator.received(SequenceNumber(65_535), at: at(59))
        #expect(generator.poll(at: at(60)) == numbers([0]))
        generator.received(SequenceNumber(0), at: at(61))
        #expect(generator.nextDeadline == nil)
        #expect(generator.takeAbandonedNumbers().isEmpty)
    }

    @Test func mereReorderingIsNotAskedFor() {
        var generator = NACKGenerator()
        for number: UInt16 in [1, 3, 2, 5, 4] {
            generator.received(SequenceNumber(number), at: at(0))
        }
        #expect(generator.nextDeadline == nil)
        #expect(generator.poll(at: at(1000)).isEmpty)
    }

    @Test func aNumberIsAbandonedAfterItsTime() {
        var generator = generator(roundTrip: .milliseconds(90))
        generator.received(SequenceNumber(1), at: at(0))
        generator.received(SequenceNumber(3), at: at(0))
        var asked = 0
        var now = 0
        while let deadline = generator.nextDeadline {
            now = Int((deadline - .zero).milliseconds)
            asked += generator.poll(at: deadline).count
        }
        #expect(now == 400)
        #expect(asked == 4)
        #expect(generator.takeAbandonedNumbers() == numbers([2]))
        #expect(generator.takeAbandonedNumbers().isEmpty)
    }

    @Test func aNumberIsAskedForSoOftenAtMostAndThenOnlyWaitedFor() {
        var configuration = NACKGenerator.Configuration()
        configuration.abandonAfter = .seconds(6)
        configuration.assumedRoundTrip = .milliseconds(10)
        var generator = NACKGenerator(configuration)
        generator.received(SequenceNumber(1), at: at(0))
        generator.received(SequenceNumber(3), at: at(0))
        var asked = 0
        var last = Instant.zero
        while let deadline = generator.nextDeadline {
            asked += generator.poll(at: deadline).count
            last = deadline
        }
        #expect(asked == configuration.triesMaximum)
        #expect(last == at(6000))
        #expect(generator.takeAbandonedNumbers() == numbers([2]))
    }

    @Test func aLongRoundTripIsGivenTimeForThreeTries() {
        var generator = generator(roundTrip: .milliseconds(300))
        generator.received(SequenceNumber(1), at: at(0))
        generator.received(SequenceNumber(3), at: at(0))
        #expect(generator.poll(at: at(10)).count == 1)
        #expect(generator.poll(at: at(800)).count == 1)
        #expect(generator.outstandingCount == 1)
        _ = generator.poll(at: at(900))
        #expect(generator.outstandingCount == 0)
    }

    @Test func beyondTheMaximumTheOldestAreAbandoned() {
        var configuration = NACKGenerator.Configuration()
        configuration.outstandingMaximum = 10
        var generator = NACKGenerator(configuration)
        generator.received(SequenceNumber(0), at: at(0))
        generator.received(SequenceNumber(9), at: at(0))
        generator.received(SequenceNumber(15), at: at(0))
        #expect(generator.outstandingCount == 10)
        #expect(generator.takeAbandonedNumbers() == numbers([1, 2, 3]))
        #expect(generator.poll(at: at(20)) == numbers([4, 5, 6, 7, 8, 10, 11, 12, 13, 14]))
        generator.received(SequenceNumber(100), at: at(20))
        #expect(generator.outstandingCount == 10)
        #expect(generator.takeAbandonedNumbers().last == SequenceNumber(14))
        #expect(generator.poll(at: at(40)) == numbers(Array(90..<100)))
    }

    /// Loses every second packet; requested ones come after `roundTrip`.
    ///
    /// - Returns: how often each lost number was requested.
    private func requests(
        _ generator: inout NACKGenerator, roundTrip: Int, packets: UInt16 = 400
    ) -> [Int] {
        var answers: [(at: Int, number: SequenceNumber)] = []
        var requests: [SequenceNumber: Int] = [:]
        for millisecond in 0..<Int(packets) * 10 {
            if millisecond % 20 == 0 {
                generator.received(
                    SequenceNumber(UInt16(millisecond / 10)), at: at(millisecond))
            }
            for answer in answers where answer.at == millisecond {
                generator.received(answer.number, at: at(millisecond))
            }
            for number in generator.poll(at: at(millisecond)) {
                requests[number, default: 0] += 1
                answers.append((millisecond + roundTrip, number))
            }
        }
        return requests.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }

    @Test(arguments: [1, 15, 60, 150, 350])
    func eachPacketIsAskedForOnceOnceTheRoundTripIsKnown(roundTrip: Int) {
        var generator = NACKGenerator()
        let requests = requests(&generator, roundTrip: roundTrip)
        #expect(requests.count > 150)
        #expect(requests.suffix(100).allSatisfy { $0 == 1 })
    }

    @Test func whatIsLostAgainIsAskedForAgainAfterTheMeasuredRoundTrip() {
        var generator = NACKGenerator()
        _ = requests(&generator, roundTrip: 5)
        generator.received(SequenceNumber(402), at: at(5000))
        var asked: [Int] = []
        for millisecond in 5000..<5100 where !generator.poll(at: at(millisecond)).isEmpty {
            asked.append(millisecond)
        }
        #expect(asked == [5010, 5030, 5050, 5070, 5090])
    }

    /// After it the stream has to recover in another way, which would not be started otherwise.
    @Test func ofMoreThanMayBeAskedForOneIsAbandonedAtOnce() {
        var generator = NACKGenerator()
        generator.received(SequenceNumber(0), at: at(0))
        generator.received(SequenceNumber(1001), at: at(0))
        #expect(generator.outstandingCount == 1000 && generator.takeAbandonedNumbers().isEmpty)
        generator = NACKGenerator()
        generator.received(SequenceNumber(0), at: at(0))
        generator.received(SequenceNumber(2000), at: at(0))
        #expect(generator.outstandingCount == 1000)
        #expect(generator.takeAbandonedNumbers() == numbers([999]))
    }
}

extension NACKGenerator {
    fileprivate mutating func takeAbandonedNumbers() -> [SequenceNumber] {
        takeAbandoned().map(SequenceNumber.init(extended:))
    }
}
