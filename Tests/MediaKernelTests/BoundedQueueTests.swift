import MediaKernel
import Testing

@Suite struct BoundedQueueTests {
    @Test func keepsOrderAndRefusesWhenFull() {
        var queue = BoundedQueue<Int>(maximum: 3)
        let taken = (0..<4).map { queue.append($0) }
        #expect(taken == [true, true, true, false])
        let first = queue.popFirst()
        #expect(first == 0)
        queue.append(4)
        var rest: [Int] = []
        while let value = queue.popFirst() { rest.append(value) }
        #expect(rest == [1, 2, 4])
    }

    @Test func staysInOrderOverManyRounds() {
        var queue = BoundedQueue<Int>(maximum: 100)
        var popped: [Int] = []
        for value in 0..<10_000 {
            queue.append(value)
            if queue.isFull || !value.isMultiple(of: 3) {
                while queue.count > 50, let value = queue.popFirst() { popped.append(value) }
            }
        }
        while let value = queue.popFirst() { popped.append(value) }
        #expect(popped == Array(0..<10_000))
    }
}
