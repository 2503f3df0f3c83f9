import MediaKernel
import Testing

@testable import Streams

@Suite struct FinisherQueueTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    private func queue(_ ids: StreamID...) -> FinisherQueue {
        var queue = FinisherQueue()
        for id in ids { queue.add(id) }
        return queue
    }

    @Test func theOldestStreamGoesFirst() {
        var queue = queue("c", "a", "b", "a")
        #expect(queue.waiting == ["a", "b", "c"])
        #expect(queue.take(idle: 0, maximum: 8, at: at(0)) == ["a"])
        #expect(queue.waiting == ["b", "c"] && queue.atWork == 1)
    }

    @Test func oneIsAtWorkHoweverBusyTheMachineIs() {
        var queue = queue("a", "b")
        #expect(queue.take(idle: nil, maximum: 8, at: at(0)) == ["a"])
        #expect(queue.take(idle: 0, maximum: 8, at: at(100)) == [])
        queue.remove("a")
        #expect(queue.take(idle: 0, maximum: 8, at: at(100)) == ["b"])
    }

    @Test func asManyAreAtWorkAsCoresAreIdle() {
        var queue = queue("a", "b", "c", "d", "e", "f", "g")
        #expect(queue.take(idle: 2.9, maximum: 8, at: at(0)) == ["a", "b", "c"])
        // The load of these does not show yet.
        #expect(queue.take(idle: 2.9, maximum: 8, at: at(1)) == [])
        #expect(queue.take(idle: 1.8, maximum: 8, at: at(9)) == ["d", "e"])
        // Nor do more work than there are processors, even if they only wait for a disk.
        #expect(queue.take(idle: 4, maximum: 6, at: at(30)) == ["f"])
        #expect(queue.atWork == 6 && queue.waiting == ["g"])
    }

    @Test func whatIsNotWantedAnyMoreIsTakenOut() {
        var queue = queue("a", "b")
        queue.remove("a")
        #expect(queue.take(idle: 0, maximum: 8, at: at(0)) == ["b"])
        // One that is working is not queued again.
        queue.add("b")
        #expect(queue.waiting == [])
    }
}
