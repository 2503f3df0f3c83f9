import MediaKernel
import Streams
import Testing

@testable import Pipeline

@Suite("The machine of one output")
struct PushMachineTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test("It connects, and is live with the first picture")
    func connects() {
        var machine = PushMachine(id: "1")
        #expect(machine.report.state == .connecting)
        #expect(machine.next(at: at(0)) == .connect)
        machine.connected()
        #expect(machine.next(at: at(1)) == .send)
        #expect(machine.report.state == .connecting)
        machine.sent(at: at(2))
        #expect(machine.report.state == .live)
        #expect(machine.report.reconnects == 0)
    }

    @Test("It waits longer from attempt to attempt, and never gives up by itself")
    func backsOff() {
        var machine = PushMachine(id: "1")
        var now = 0.0
        var waits: [Double] = []
        for _ in 0..<100 {
            #expect(machine.next(at: at(now)) == .connect)
            #expect(machine.report.state == (now == 0 ? .connecting : .retrying))
            machine.lost("refused", at: at(now))
            #expect(machine.report.state == .retrying)
            #expect(machine.report.reason == "refused")
            guard case .wait(let end) = machine.next(at: at(now)) else {
                Issue.record("does not wait")
                return
            }
            waits.append((end - at(now)).inSeconds)
            #expect(machine.next(at: end - .milliseconds(1)) == .wait(until: end))
            now = (end - .zero).inSeconds
        }
        #expect(waits.prefix(6) == [1, 2, 4, 8, 10, 10])
        #expect(waits.last == 10)
    }

    @Test("A connection that lasted begins the waits anew, one that broke at once does not")
    func goodConnectionResets() {
        var machine = PushMachine(id: "1")
        func lose(connectedAt start: Double, after seconds: Double) -> Double {
            #expect(machine.next(at: at(start)) == .connect)
            machine.connected()
            machine.sent(at: at(start))
            let end = start + seconds
            machine.lost("broken", at: at(end))
            guard case .wait(let until) = machine.next(at: at(end)) else { return 0 }
            return (until - at(end)).inSeconds
        }
        #expect(lose(connectedAt: 0, after: 1) == 1)
        #expect(lose(connectedAt: 10, after: 1) == 2)
        #expect(lose(connectedAt: 20, after: 9.9) == 4)
        #expect(lose(connectedAt: 40, after: 10) == 1)
        #expect(machine.report.reconnects == 3)
    }

    @Test("A failed output and an ended one stay so")
    func endsForGood() {
        var failed = PushMachine(id: "1")
        failed.giveUp("not allowed")
        failed.lost("late", at: at(1))
        failed.ended()
        #expect(failed.report.state == .failed && failed.report.reason == "not allowed")
        #expect(failed.next(at: at(100)) == .end)
        var ended = PushMachine(id: "2")
        ended.ended()
        ended.lost("late", at: at(1))
        #expect(ended.report.state == .stopped && ended.report.reason == nil)
        #expect(ended.next(at: at(100)) == .end)
    }
}
