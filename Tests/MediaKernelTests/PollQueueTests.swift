import MediaKernel
import Testing

@Suite struct PollQueueTests {
    @Test func handsOverInOrderWhateverIsAddedMeanwhile() {
        var queue = PollQueue<Int>()
        var polled: [Int] = []
        for round in 0..<3 {
            queue.append(10 * round)
            queue.append(10 * round + 1)
            while let value = queue.poll() {
                polled.append(value)
                if value.isMultiple(of: 10) { queue.append(value + 2) }
            }
            let none = queue.poll()
            #expect(none == nil)
        }
        #expect(polled == [0, 1, 2, 10, 11, 12, 20, 21, 22])
    }
}
