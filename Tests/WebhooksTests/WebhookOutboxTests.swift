import MediaKernel
import Testing
import Webhooks

@Suite struct WebhookOutboxTests {
    typealias Delivery = WebhookOutbox.Delivery

    private let start = UnixTime(seconds: 1_770_000_000)

    private func delivery(_ id: String, line: String = "s", after seconds: Int64 = 0) -> Delivery {
        Delivery(id: id, line: line, createdAt: start + .seconds(seconds))
    }

    @Test func aLineIsInOrderAndLinesDoNotWaitForEachOther() {
        var outbox = WebhookOutbox(seed: 1)
        outbox.add(delivery("a1", line: "a"))
        outbox.add(delivery("a2", line: "a"))
        outbox.add(delivery("b1", line: "b"))
        #expect(outbox.next(at: start) == [.send(id: "a1"), .send(id: "b1")])
        #expect(outbox.next(at: start) == [])
        #expect(outbox.answered("b1", isAccepted: true, at: start) == [.delivered(id: "b1")])
        #expect(outbox.next(at: start) == [])
        #expect(outbox.answered("a1", isAccepted: true, at: start) == [.delivered(id: "a1")])
        #expect(outbox.next(at: start) == [.send(id: "a2")])
        _ = outbox.answered("a2", isAccepted: true, at: start)
        #expect(outbox.count == 0 && outbox.nextDueAt == nil)
    }

    @Test func aReceiverThatDoesNotAnswerDelaysNoOther() {
        var outbox = WebhookOutbox(seed: 1)
        let maximum = WebhookOutbox.inFlightMaximum
        for number in 0...maximum {
            var slow = delivery("slow\(number)", line: "slow\(number)")
            slow.receiver = "slow"
            outbox.add(slow)
        }
        #expect(outbox.next(at: start).count == maximum)
        #expect(outbox.nextDueAt == nil && outbox.isBusy(at: start))
        outbox.add(delivery("a"))
        #expect(outbox.nextDueAt == start)
        #expect(outbox.next(at: start) == [.send(id: "a")])
        _ = outbox.answered("a", isAccepted: true, at: start)
        #expect(outbox.next(at: start) == [])
        _ = outbox.answered("slow0", isAccepted: true, at: start)
        #expect(outbox.next(at: start).count == 1)
    }

    @Test func whatFailsHoldsUpItsLineUntilItIsAnswered() {
        var outbox = WebhookOutbox(seed: 1)
        outbox.add(delivery("a1"))
        outbox.add(delivery("a2"))
        var now = start
        for attempt in 1...5 {
            #expect(outbox.next(at: now) == [.send(id: "a1")])
            let orders = outbox.answered("a1", isAccepted: false, at: now)
            guard case .postpone("a1", attempt, let due) = orders.first else {
                Issue.record("\(orders)")
                return
            }
            #expect(outbox.nextDueAt == due)
            #expect(outbox.next(at: due + .nanoseconds(-1)) == [])
            now = due
        }
        #expect(outbox.next(at: now) == [.send(id: "a1")])
        _ = outbox.answered("a1", isAccepted: true, at: now)
        #expect(outbox.next(at: now) == [.send(id: "a2")])
    }

    @Test func theDelayDoublesUpToItsMaximumWithUpToAQuarterByChance() {
        var outbox = WebhookOutbox(seed: 3)
        outbox.add(delivery("a"))
        var now = start
        var delays: [Double] = []
        while delays.count < 14, outbox.next(at: now) == [.send(id: "a")] {
            guard
                case .postpone(_, _, let due) =
                    outbox.answered("a", isAccepted: false, at: now).first
            else { break }
            delays.append((due - now).inSeconds)
            now = due
        }
        #expect(delays.count == 14)
        for (index, delay) in delays.enumerated() {
            let base = min(Double(1 << index), 600)
            #expect(delay >= base && delay <= base * 1.25)
        }
        #expect(delays.contains { $0 != $0.rounded() })
    }

    @Test func afterADayItIsGivenUpAndTheNextOneComes() {
        var outbox = WebhookOutbox(seed: 4)
        outbox.add(delivery("a1"))
        outbox.add(delivery("a2", after: 3600))
        var now = start
        var attempts = 0
        loop: while true {
            for order in outbox.next(at: now) {
                guard case .send("a1") = order else {
                    Issue.record("\(order)")
                    break loop
                }
                attempts += 1
                if outbox.answered("a1", isAccepted: false, at: now) == [.giveUp(id: "a1")] {
                    break loop
                }
            }
            guard let due = outbox.nextDueAt else { break }
            now = due
        }
        #expect((now - start).inSeconds > 23 * 3600)
        #expect(attempts > 100 && attempts < 200)
        #expect(outbox.next(at: now) == [.send(id: "a2")])
    }

    /// The server was away for two days.
    @Test func whatIsTooOldWhenItIsPutInIsGivenUpUnsent() {
        var outbox = WebhookOutbox(seed: 4)
        for id in ["a1", "a2"] { outbox.add(delivery(id)) }
        outbox.add(delivery("a3", after: 100_000))
        let now = start + .seconds(2 * 86_400)
        #expect(
            outbox.next(at: now) == [.giveUp(id: "a1"), .giveUp(id: "a2"), .send(id: "a3")])
    }

    @Test func noMoreAreInFlightThanAllowed() {
        var outbox = WebhookOutbox(seed: 5)
        for index in 0..<100 { outbox.add(delivery("\(index)", line: "\(index)")) }
        let orders = outbox.next(at: start)
        #expect(orders.count == WebhookOutbox.inFlightMaximum)
        #expect(outbox.nextDueAt == nil)
        #expect(outbox.next(at: start + .seconds(5)) == [])
        guard case .send(let id) = orders[3] else { return }
        _ = outbox.answered(id, isAccepted: true, at: start)
        #expect(outbox.nextDueAt == start)
        #expect(outbox.next(at: start).count == 1)
    }

    @Test func repeatedFactsChangeNothing() {
        var outbox = WebhookOutbox(seed: 6)
        #expect(outbox.add(delivery("a")) && outbox.add(delivery("a")))
        #expect(outbox.count == 1)
        #expect(outbox.answered("a", isAccepted: true, at: start) == [])
        _ = outbox.next(at: start)
        #expect(outbox.answered("b", isAccepted: true, at: start) == [])
        #expect(outbox.answered("a", isAccepted: true, at: start) == [.delivered(id: "a")])
        #expect(outbox.answered("a", isAccepted: false, at: start) == [])
        #expect(outbox.next(at: start) == [])
    }

    /// In any history, all events are delivered or given up, once, and in order within a queue.
    @Test(arguments: 0..<20) func nothingIsLostNothingTwiceNothingOutOfOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var outbox = WebhookOutbox(seed: seed)
        var now = start
        var made: [String: [String]] = [:]
        var ended: [String: [String]] = [:]
        var flying: [String] = []
        func note(_ orders: [WebhookOutbox.Order]) {
            for order in orders {
                switch order {
                case .send(let id): flying.append(id)
                case .postpone: break
                case .delivered(let id), .giveUp(let id):
                    ended[String(id.prefix(1)), default: []].append(id)
                }
            }
        }
        for step in 0..<600 {
            now = now + .seconds(Int64.random(in: 0...900, using: &random))
            if step < 300 {
                let line = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let id = "\(line)\(step)"
                made[line, default: []].append(id)
                outbox.add(Delivery(id: id, line: line, createdAt: now))
            }
            note(outbox.next(at: now))
            while let id = flying.popLast() {
                let isAccepted = Int.random(in: 0..<3, using: &random) == 0
                note(outbox.answered(id, isAccepted: isAccepted, at: now))
            }
        }
        while let due = outbox.nextDueAt {
            now = max(now, due)
            note(outbox.next(at: now))
            while let id = flying.popLast() {
                note(outbox.answered(id, isAccepted: true, at: now))
            }
        }
        #expect(ended == made)
    }

    @Test func noMoreWaitThanAllowed() {
        var outbox = WebhookOutbox(seed: 7)
        for number in 0..<WebhookOutbox.waitingMaximum { outbox.add(delivery("\(number)")) }
        #expect(outbox.add(delivery("one more")) == false)
        #expect(outbox.add(delivery("0")) == true, "it is there")
        #expect(outbox.count == WebhookOutbox.waitingMaximum)
        _ = outbox.next(at: start)
        _ = outbox.answered("0", isAccepted: true, at: start)
        #expect(outbox.add(delivery("one more")) == true)
    }

    @Test func whatIsDueLongestGoesFirst() {
        var outbox = WebhookOutbox(seed: 8)
        for number in 0..<WebhookOutbox.inFlightMaximum + 4 {
            outbox.add(
                delivery("\(10 + number)", line: "\(number)", after: Int64(100 - number)))
        }
        let sent = outbox.next(at: start + .seconds(200))
        let expected = (4..<WebhookOutbox.inFlightMaximum + 4).reversed().map {
            WebhookOutbox.Order.send(id: "\(10 + $0)")
        }
        #expect(sent == expected)
    }

    /// A server that shuts down waits for pending answers.
    @Test func itIsBusyWhileAnythingIsOnItsWayOrDue() {
        var outbox = WebhookOutbox(seed: 9)
        #expect(!outbox.isBusy(at: start))
        outbox.add(delivery("a", after: 5))
        #expect(!outbox.isBusy(at: start) && outbox.isBusy(at: start + .seconds(5)))
        _ = outbox.next(at: start + .seconds(5))
        #expect(outbox.isBusy(at: start + .seconds(5)))
        _ = outbox.answered("a", isAccepted: true, at: start + .seconds(6))
        #expect(!outbox.isBusy(at: start + .seconds(6)))
    }

    /// After one of these no other event of its stream may come.
    @Test func aStreamEndsOnce() {
        let last = WebhookEvent.Kind.allCases.filter(\.isTerminal)
        #expect(last == [.hlsStopped, .hlsFailed, .beamStopped, .beamFailed])
    }
}
