import Clocks
import Foundation
import Glibc
import MediaKernel
import Synchronization
import Testing

@testable import Pipeline

@Suite struct MailboxTests {
    /// The waiting items, or those that arrive before the deadline; nil once it is closed and
    /// empty.
    private func take(from box: Mailbox<Int>, until deadline: Instant? = nil) -> [Int]? {
        var batch: [Int] = []
        return box.takeAll(into: &batch, until: deadline) ? batch : nil
    }

    @Test func whatIsOfferedComesOutInOrder() {
        let box = Mailbox<Int>(maximum: 3)
        #expect([1, 2, 3, 4].map { box.offer($0) } == [true, true, true, false])
        #expect(take(from: box) == [1, 2, 3])
        #expect(box.offer(5))
    }

    @Test func anOfferMayAskForMoreRoomThanThereIs() {
        let box = Mailbox<Int>(maximum: 4)
        #expect([1, 2, 3].map { box.offer($0, below: 2) } == [true, true, false])
        #expect(box.offer(4))
    }

    @Test func aDeadlineThatPassesEndsTheWaitWithNothing() {
        let box = Mailbox<Int>(maximum: 1)
        #expect(take(from: box, until: .zero) == [])
    }

    @Test func whatComesBeforeAnInstantIsTakenThenAndNotBefore() async {
        let box = Mailbox<Int>(maximum: 2)
        #expect(box.offer(1))
        let instant = MonotonicClock.now + .milliseconds(20)
        let sender = MediaThread(name: "sender") { _ = box.offer(2) }
        var batch: [Int] = []
        #expect(box.takeAll(into: &batch, at: instant))
        #expect(MonotonicClock.now >= instant)
        await sender.join()
        if batch.count == 1 { #expect(box.takeAll(into: &batch, at: .zero)) }
        #expect(batch == [1, 2])
        #expect(box.takeAll(into: &batch, at: .zero))
        #expect(batch == [1, 2])
    }

    @Test func aClosedBoxGivesOutWhatItHoldsAndTakesNoMore() {
        let box = Mailbox<Int>(maximum: 4)
        #expect(box.offer(1) && !box.isOver)
        box.close()
        #expect(!box.offer(2) && box.isOver)
        #expect(!box.put(3))
        #expect(take(from: box) == [1])
        #expect(take(from: box) == nil)
    }

    @Test func aSenderWaitsForRoomAndLosesNothing() async {
        let box = Mailbox<Int>(maximum: 4)
        let thread = MediaThread(name: "sender") { for n in 0..<2000 { box.put(n) } }
        var received: [Int] = []
        while received.count < 2000 {
            let batch = take(from: box) ?? []
            #expect((1...4).contains(batch.count))
            received += batch
        }
        await thread.join()
        #expect(received == Array(0..<2000))
    }

    @Test func severalThatFindNoRoomGoInAsThereIsSome() async {
        let box = Mailbox<Int>(maximum: 4)
        let thread = MediaThread(name: "sender") {
            for n in 0..<400 { box.put(Array(n * 5..<n * 5 + 5)) }
        }
        var received: [Int] = []
        while received.count < 2000 {
            let batch = take(from: box) ?? []
            #expect((1...4).contains(batch.count))
            received += batch
        }
        await thread.join()
        #expect(received == Array(0..<2000))
        #expect(box.count == 0)
    }

    /// Senders that wait for space do not wake each other.
    @Test func sendersThatWaitDoNotWakeEachOther() async {
        let box = Mailbox<Int>(maximum: 1)
        #expect(box.offer(0))
        let waits = Mutex<[Int]>([])
        let threads = (1...3).map { number in
            MediaThread(name: "sender") {
                box.put([number, number])
                var usage = rusage()
                // RUSAGE_THREAD, which is not imported: the number of times that this thread went
                // to sleep.
                getrusage(__rusage_who_t(1), &usage)
                let count = usage.ru_nvcsw
                waits.withLock { $0.append(count) }
            }
        }
        var batch: [Int] = []
        _ = Mailbox<Int>(maximum: 1).takeAll(
            into: &batch, until: MonotonicClock.now + .milliseconds(100))
        box.close()
        for thread in threads { await thread.join() }
        let counts = waits.withLock { $0 }
        #expect(counts.count == 3 && counts.allSatisfy { $0 < 20 }, "\(counts)")
    }

    @Test func closingWakesASenderThatWaits() async {
        let box = Mailbox<Int>(maximum: 1)
        let taken = Mutex(0)
        let thread = MediaThread(name: "sender") {
            while box.put(0) { taken.withLock { $0 += 1 } }
        }
        var batch: [Int] = []
        while batch.count < 10 { _ = box.takeAll(into: &batch, until: nil) }
        box.close()
        await thread.join()
        #expect(taken.withLock { $0 } >= 10)
    }

    @Test func closingWakesAReaderThatWaits() async {
        let box = Mailbox<Int>(maximum: 1)
        let thread = MediaThread(name: "reader") {
            var batch: [Int] = []
            while box.takeAll(into: &batch, until: nil) {}
        }
        box.close()
        await thread.join()
    }
}
