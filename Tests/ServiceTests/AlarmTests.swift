import Testing

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct AlarmTests {
    private static let never: Duration = .seconds(3600)

    @Test func aRingEndsTheWait() async {
        let alarm = Alarm()
        async let wait: Void = alarm.wait(atMost: Self.never)
        await Task.yield()
        alarm.ring()
        await wait
    }

    @Test func aRingThatNobodyWaitsForEndsTheNextWait() async {
        let alarm = Alarm()
        alarm.ring()
        alarm.ring()
        await alarm.wait(atMost: Self.never)
        // Once.
        let isOver = Task { await alarm.wait(atMost: Self.never) }
        isOver.cancel()
        await isOver.value
    }

    @Test func theDelayEndsTheWait() async {
        let alarm = Alarm()
        await alarm.wait(atMost: .nanoseconds(1))
        await alarm.wait(atMost: .zero)
        await alarm.wait(atMost: .seconds(-1))
    }

    @Test func aRingDuringACancelledWaitIsForTheNextOne() async {
        let alarm = Alarm()
        let wait = Task { await alarm.wait(atMost: Self.never) }
        wait.cancel()
        await wait.value
        alarm.ring()
        await alarm.wait(atMost: Self.never)
    }

    @Test func noRingIsLostHoweverTheyCome() async {
        let alarm = Alarm()
        let count = 1000
        async let rings: Void = {
            for _ in 0..<count {
                alarm.ring()
                await Task.yield()
            }
        }()
        await rings
        // However many were merged, the last one is heard.
        await alarm.wait(atMost: Self.never)
    }
}
