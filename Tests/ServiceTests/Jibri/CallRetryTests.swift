import MediaKernel
import Testing

@testable import Service

@Suite struct CallRetryTests {
    /// The times of all attempts after the first one, if nothing helps.
    private func times(_ retry: CallRetry) -> [Int] {
        var retry = retry
        var times: [Int] = []
        retry.failed("no")
        for second in 0..<100_000 where retry.isWaiting && retry.isDue(at: .zero + .seconds(second))
        {
            times.append(second)
            retry.failed("no")
        }
        let isDue = retry.isDue(at: .zero + .seconds(1_000_000))
        #expect(!isDue && !retry.isWaiting)
        return times
    }

    @Test func pausesGrowAndComeToAnEnd() {
        let file = times(.file)
        #expect(file.prefix(4) == [10, 31, 72, 153] && file.count == 59)
        #expect(zip(file, file.dropFirst()).allSatisfy { $1 - $0 <= 601 })
        #expect(times(.script) == [60, 181, 422, 903])
    }

    @Test func whatHasNotFailedIsDueAtOnce() {
        var retry = CallRetry.file
        let isDue = retry.isDue(at: .zero)
        #expect(isDue && !retry.isWaiting)
    }
}
