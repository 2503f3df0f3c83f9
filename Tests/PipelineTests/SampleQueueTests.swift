import Testing

@testable import Pipeline

@Suite struct SampleQueueTests {
    private func tone(_ count: Int) -> [Float] { Array(repeating: 1, count: count * 2) }
    private func left(_ block: [Float]) -> [Float] {
        stride(from: 0, to: block.count, by: 2).map { block[$0] }
    }

    private func pull(_ count: Int, from queue: inout SampleQueue) throws -> [Float] {
        let block = queue.pull(count)
        return try #require(block)
    }

    @Test func soundBeginsWithARampAndThenPassesUnchanged() throws {
        var queue = SampleQueue()
        queue.append(tone(1000))
        #expect(queue.count == 1000)
        let first = try pull(400, from: &queue)
        let samples = left(first)
        let ramp = samples.prefix(SampleQueue.rampSamples)
        #expect(zip(ramp, ramp.dropFirst()).allSatisfy { $0 < $1 })
        #expect(samples[0] < 0.02 && samples[95] > 0.98)
        #expect(samples[96...].allSatisfy { $0 == 1 })
        #expect(first.indices.allSatisfy { first[$0] == first[$0 ^ 1] })
        let second = try pull(400, from: &queue)
        #expect(second == tone(400))
        #expect(queue.count == 200)
    }

    @Test func soundThatRunsDryEndsWithARampAndSilence() throws {
        var queue = SampleQueue()
        queue.append(tone(600))
        _ = queue.pull(400)
        let last = left(try pull(400, from: &queue))
        #expect(last.count == 400)
        #expect(last[..<104].allSatisfy { $0 == 1 })
        #expect(zip(last[104..<200], last[105..<200]).allSatisfy { $0 > $1 })
        #expect(last[199] < 0.02 && last[200...].allSatisfy { $0 == 0 })
        let nothing = queue.pull(400)
        #expect(nothing == nil)

        // Comes back with a ramp again.
        queue.append(tone(500))
        let again = left(try pull(400, from: &queue))
        #expect(again[0] < 0.02 && again[96] == 1)
    }

    @Test(arguments: [1, 2, 50, 95, 96, 97])
    func aSnippetShorterThanARampIsRampedBothWays(count: Int) throws {
        var queue = SampleQueue()
        queue.append(tone(count))
        let block = left(try pull(480, from: &queue))
        #expect(block.count == 480)
        #expect(block[..<count].allSatisfy { $0 > 0 && $0 < 1 })
        #expect(block[count...].allSatisfy { $0 == 0 })
    }

    @Test func silenceTakesItsPlaceInTheQueue() throws {
        var queue = SampleQueue()
        queue.append(tone(200))
        queue.appendSilence(100)
        queue.appendSilence(-5)
        queue.append(tone(200))
        let block = left(try pull(500, from: &queue))
        #expect(block[150] == 1 && block[200..<300].allSatisfy { $0 == 0 } && block[300] == 1)
    }

    @Test func theQueueHasALimit() {
        var queue = SampleQueue()
        for _ in 0..<10 { queue.append(tone(48_000)) }
        #expect(queue.count == SampleQueue.samplesMaximum)
        queue.appendSilence(1)
        #expect(queue.count == SampleQueue.samplesMaximum)
        _ = queue.pull(48_000)
        queue.appendSilence(1 << 40)
        #expect(queue.count == SampleQueue.samplesMaximum)
    }

    @Test func whatWasPulledIsGivenBack() throws {
        var queue = SampleQueue()
        for round in 0..<2000 {
            queue.append([Float(round), Float(round)] + tone(479))
            let block = try pull(480, from: &queue)
            #expect(round == 0 || block[0] == Float(round))
            #expect(queue.count == 0)
        }
    }
}
