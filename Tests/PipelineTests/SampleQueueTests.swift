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

    /// The largest step between neighbours.
    private func step(_ samples: [Float]) -> Float {
        zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 0
    }

    /// The step size of a fade of a constant one.
    private let fadeStep: Float = 1.01 / 240

    @Test func soundBeginsWithAFadeAndThenPassesUnchanged() throws {
        var queue = SampleQueue()
        queue.append(tone(100))
        queue.append(tone(900))
        #expect(queue.count == 1000)
        let first = try pull(400, from: &queue)
        let samples = left(first)
        #expect(step([0] + samples) <= fadeStep)
        #expect(samples[239] < 1 && samples[240...].allSatisfy { $0 == 1 })
        #expect(first.indices.allSatisfy { first[$0] == first[$0 ^ 1] })
        let second = try pull(400, from: &queue)
        #expect(second == tone(400))
        #expect(queue.count == 200)
    }

    @Test(arguments: [0, 1, 2, 50, 239, 240, 241, 399])
    func soundThatRunsDryEndsWithAFadeWhereverThatIs(rest: Int) throws {
        var queue = SampleQueue()
        queue.append(tone(800 + rest))
        var output = left(try pull(400, from: &queue)) + left(try pull(400, from: &queue))
        output += left(try pull(400, from: &queue))
        let nothing = queue.pull(400)
        #expect(nothing == nil)
        // Returns with a fade again.
        queue.append(tone(500))
        output += left(try pull(400, from: &queue))
        #expect(step(output) <= fadeStep)
        #expect(output[1199] < 0.01 && output[1599] == 1)
    }

    @Test(arguments: [1, 2, 50, 239, 240, 241])
    func aSnippetShorterThanAFadeIsFadedBothWays(count: Int) throws {
        var queue = SampleQueue()
        queue.append(tone(count))
        let block = left(try pull(960, from: &queue))
        #expect(block.count == 960)
        #expect(step([0] + block) <= fadeStep)
        #expect(block[500...].allSatisfy { $0 == 0 })
    }

    @Test(arguments: [1, 100, 240, 600])
    func silenceTakesItsPlaceInTheQueueBetweenFades(length: Int) throws {
        var queue = SampleQueue()
        queue.append(tone(600))
        queue.appendSilence(length)
        queue.appendSilence(-5)
        queue.append(tone(600))
        #expect(queue.count == 1200 + length)
        let block = left(try pull(1200 + length, from: &queue))
        #expect(step(block) <= fadeStep)
        #expect(block[300] == 1 && block[600 + length] < 0.01 && block[900 + length] == 1)
    }

    @Test(arguments: [0, 10, 240, 300])
    func soundThatGoesOnElsewhereIsFadedOver(kept: Int) throws {
        var queue = SampleQueue()
        queue.append(tone(800 + kept))
        var output = left(try pull(800, from: &queue))
        queue.breakOff()
        queue.append(tone(400).map { -$0 })
        output += left(try pull(400 + kept, from: &queue))
        // Both fades at once: twice the step.
        #expect(step(output) <= 2 * fadeStep)
        #expect(output.last == -1)
    }

    /// Cut within the audio, within a following silence, and with little left.
    @Test(arguments: [(2000, 0), (2000, 500), (100, 500), (2000, 100), (100, 0), (0, 0)])
    func whatIsCutEndsWithAFadeAtOnce(sound: Int, silence: Int) throws {
        var queue = SampleQueue()
        queue.append(tone(800 + sound))
        queue.appendSilence(silence)
        var output = left(try pull(400, from: &queue)) + left(try pull(400, from: &queue))
        queue.cut()
        output += left(queue.pull(480) ?? []) + [0]
        #expect(step(output) <= 2 * fadeStep)
        #expect(queue.pull(480) == nil)
        #expect(output.count <= 800 + 480 + 1 && output.last == 0)
    }

    @Test func theQueueHasALimit() {
        var queue = SampleQueue()
        var refused = 0
        for _ in 0..<10 { refused += queue.append(tone(47_900)) }
        #expect(queue.count == SampleQueue.samplesMaximum)
        #expect(refused == 479_000 - SampleQueue.samplesMaximum)
        #expect(queue.appendSilence(1) == 1)
        #expect(queue.count == SampleQueue.samplesMaximum)
        _ = queue.pull(48_000)
        #expect(queue.appendSilence(1 << 40) == 1 << 40 - 48_000)
        #expect(queue.count == SampleQueue.samplesMaximum)
    }

    @Test func whereTheQueueWasFullTheSoundIsFadedOver() throws {
        var queue = SampleQueue()
        #expect(queue.append(tone(SampleQueue.samplesMaximum + 1)) == 1)
        var output = left(try pull(SampleQueue.samplesMaximum - 480, from: &queue))
        #expect(queue.append(tone(960).map { -$0 }) == 0)
        output += left(try pull(1440, from: &queue))
        #expect(step(output) <= 2 * fadeStep)
    }

    @Test func whatWasPulledIsGivenBack() throws {
        var queue = SampleQueue()
        for round in 0..<2000 {
            queue.append([Float(round), Float(round)] + tone(479))
            let block = try pull(480, from: &queue)
            #expect(round == 0 || block[0] == Float(round), "\(round)")
            #expect(queue.count == 0)
        }
    }
}
