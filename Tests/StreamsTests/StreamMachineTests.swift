import MediaKernel
import Testing

@testable import Streams

@Suite struct StreamMachineTests {
    let rules: StreamRules = {
        var rules = StreamRules(emptyTimeout: .seconds(60))
        rules.restartsMaximum = 2
        return rules
    }()

    private func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64(seconds * 1e9))
    }

    private func started(isEmpty: Bool = false) -> StreamMachine {
        var machine = StreamMachine(rules: rules, isEmpty: isEmpty, at: .zero)
        #expect(machine.timePassed(at: .zero) == .launch(resumes: false))
        return machine
    }

    private func running() -> StreamMachine {
        var machine = started()
        #expect(machine.botRunning(at: at(2)) == true)
        return machine
    }

    @Test func aNewStreamLaunchesItsBotAtOnce() {
        var machine = StreamMachine(rules: rules, isEmpty: false, at: .zero)
        #expect(machine.status == .starting)
        #expect(machine.nextDeadline == .zero)
        #expect(machine.timePassed(at: .zero) == .launch(resumes: false))
        #expect(machine.timePassed(at: .zero) == nil)
        #expect(machine.nextDeadline == at(30))
    }

    @Test func aStreamRunsOnceItsFirstSegmentsAreThere() {
        var machine = running()
        #expect(machine.status == .running)
        #expect(machine.botRunning(at: at(3)) == false)
        #expect(machine.nextDeadline == at(33))
    }

    @Test func aStoppedStreamIsCompletedWhenItsBotHasFinished() {
        var machine = running()
        #expect(
            machine.stopRequested(.stopped, at: at(10))
                == .stopping(.stopped, asksBot: true))
        #expect(machine.stopRequested(.roomEnded, at: at(11)) == nil)
        #expect(
            machine.botExited(.finished(reason: "stop"), at: at(12))
                == .ended(.stopped))
        #expect(machine.status == .completed)
    }

    @Test func aStreamCanBeStoppedBeforeItRuns() {
        var machine = started()
        #expect(
            machine.stopRequested(.stopped, at: at(1)) == .stopping(.stopped, asksBot: true))
        #expect(machine.botRunning(at: at(1.5)) == false)
        #expect(machine.status == .stopping)
        _ = machine.botExited(.finished(reason: ""), at: at(2))
        #expect(machine.status == .completed)
    }

    /// Whether it was slow or hung: its published segments count.
    @Test func aBotThatDoesNotFinishIsTerminatedThenKilled() {
        var machine = running()
        _ = machine.stopRequested(.stopped, at: at(10))
        #expect(machine.nextDeadline == at(25))
        #expect(machine.timePassed(at: at(24.9)) == nil)
        #expect(machine.timePassed(at: at(25)) == .terminate)
        #expect(machine.timePassed(at: at(25)) == nil)
        #expect(machine.timePassed(at: at(30)) == .kill(for: .notFinished))
        #expect(machine.nextDeadline == nil)
        #expect(
            machine.botExited(.failed(reason: "signal 9"), at: at(30.1))
                == .ended(.stopped))
    }

    @Test func aTerminatedBotThatFinishesInOrderCompletesTheStream() {
        var machine = running()
        _ = machine.stopRequested(.stopped, at: at(10))
        _ = machine.timePassed(at: at(25))
        #expect(
            machine.botExited(.finished(reason: "SIGTERM"), at: at(26))
                == .ended(.stopped))
    }

    @Test func aDeadBotIsReplacedWithinASecond() {
        var machine = running()
        #expect(machine.botExited(.failed(reason: "signal 11"), at: at(10)) == nil)
        #expect(machine.status == .running)
        let next = machine.nextDeadline ?? .distantFuture
        #expect(next - at(10) < .seconds(1))
        #expect(machine.timePassed(at: next) == .launch(resumes: true))
        #expect(machine.botRunning(at: at(12)) == false)
        #expect(machine.nextDeadline == at(42))
    }

    @Test func aStreamFailsWhenItsBotsDieTooOften() {
        var machine = running()
        for time in [10.0, 20] {
            #expect(machine.botExited(.failed(reason: "x"), at: at(time)) == nil)
            #expect(machine.timePassed(at: at(time + 1)) == .launch(resumes: true))
        }
        #expect(
            machine.botExited(.failed(reason: "x"), at: at(30))
                == .ended(
                    .failed(
                        StreamFailure(.botDied, "the bot died 3 times, at last: failed: x"))))
        #expect(machine.status == .failed)
    }

    @Test func aStreamThatRanForItsLongestStops() {
        var rules = rules
        rules.durationMaximum = .seconds(20)
        var machine = StreamMachine(rules: rules, isEmpty: false, at: .zero)
        _ = machine.timePassed(at: .zero)
        // It counts from the first segment, and a bot's death does not restart it.
        _ = machine.botRunning(at: at(2))
        #expect(machine.nextDeadline == at(22))
        _ = machine.botExited(.failed(reason: "x"), at: at(10))
        _ = machine.timePassed(at: at(11))
        _ = machine.botRunning(at: at(12))
        #expect(machine.timePassed(at: at(21.9)) == nil)
        #expect(
            machine.timePassed(at: at(22))
                == .stop(.stopping(.durationReached, asksBot: true)))
    }

    @Test func deathsLongAgoAreForgiven() {
        var machine = running()
        for time in stride(from: 10.0, to: 2000, by: 40) {
            #expect(machine.botExited(.failed(reason: "x"), at: at(time)) == nil)
            #expect(machine.timePassed(at: at(time + 1)) == .launch(resumes: true))
        }
    }

    @Test func aBotThatDoesNotGetReadyIsKilledAndReplaced() {
        var machine = started()
        #expect(machine.timePassed(at: at(30)) == .kill(for: .notReady))
        #expect(machine.timePassed(at: at(31)) == nil)
        #expect(machine.botExited(.failed(reason: "signal 9"), at: at(31)) == nil)
        #expect(machine.status == .starting)
        #expect(machine.timePassed(at: at(32)) == .launch(resumes: true))
    }

    @Test func aReplacementThatHangsIsReplacedToo() {
        var machine = running()
        _ = machine.botExited(.failed(reason: "x"), at: at(10))
        _ = machine.timePassed(at: at(11))
        #expect(machine.timePassed(at: at(41)) == .kill(for: .notReady))
        #expect(machine.status == .running)
    }

    @Test func aStreamFailsWhenThreeBotsInARowDoNotGetReady() {
        var machine = started()
        var ending: StreamMachine.Ending?
        var kills = 0
        while kills < 10, !machine.status.isFinal, let next = machine.nextDeadline {
            guard machine.timePassed(at: next) == .kill(for: .notReady) else { continue }
            kills += 1
            ending = machine.botExited(.failed(reason: "signal 9"), at: next)
        }
        #expect(kills == 3)
        let failure = StreamFailure(
            .botStoodStill, "the bot did not get ready, or stood still, 3 times")
        #expect(ending == .ended(.failed(failure)))
    }

    @Test func aBotThatPublishesNothingMoreIsReplaced() {
        var machine = running()
        for second in [4.0, 6, 8] { machine.botPublished(at: at(second)) }
        #expect(machine.nextDeadline == at(38))
        #expect(machine.timePassed(at: at(37.9)) == nil)
        #expect(machine.timePassed(at: at(38)) == .kill(for: .stoodStill))
        machine.botPublished(at: at(38))
        #expect(machine.botExited(.failed(reason: "signal 9"), at: at(38)) == nil)
        #expect(machine.status == .running)
        #expect(machine.timePassed(at: at(39)) == .launch(resumes: true))
        // Some layers' segments do not make it ready.
        machine.botPublished(at: at(60))
        #expect(machine.nextDeadline == at(69))
    }

    /// Its successor would have no more CPU either.
    @Test func aBotThatIsSlowIsLeftAlone() {
        var machine = started()
        for second in stride(from: 5.0, through: 300, by: 5) {
            #expect(machine.timePassed(at: at(second)) == nil)
            machine.botWorked(at: at(second))
        }
        #expect(machine.nextDeadline == at(330))
        _ = machine.botRunning(at: at(310))
        for second in stride(from: 315.0, through: 600, by: 5) {
            #expect(machine.timePassed(at: at(second)) == nil)
            machine.botWorked(at: at(second))
        }
        #expect(machine.status == .running)
        #expect(machine.timePassed(at: at(630)) == .kill(for: .stoodStill))
        // What it said before it was killed changes nothing.
        machine.botWorked(at: at(630))
        #expect(machine.nextDeadline == nil)
    }

    @Test func hangsAreForgivenByABotThatRunsForAMinute() {
        var machine = running()
        var now = 2.0
        /// Lets the bot publish for this long, then hang, and the next one become ready.
        func hang(after seconds: Double) {
            for _ in stride(from: 2, through: seconds, by: 2) {
                now += 2
                machine.botPublished(at: at(now))
            }
            now += 30
            #expect(machine.timePassed(at: at(now)) == .kill(for: .stoodStill))
            _ = machine.botExited(.failed(reason: "signal 9"), at: at(now))
            _ = machine.timePassed(at: at(now + 1))
            now += 3
            _ = machine.botRunning(at: at(now))
        }
        for _ in 0..<5 { hang(after: 60) }
        hang(after: 58)
        #expect(machine.status == .running)
        hang(after: 58)
        #expect(machine.status == .failed)
    }

    @Test func aStopWhileNoBotIsAliveTakesEffectAtOnce() {
        var machine = running()
        _ = machine.botExited(.failed(reason: "x"), at: at(10))
        #expect(
            machine.stopRequested(.stopped, at: at(10.1))
                == .ended(.ended(.stopped)))
        #expect(machine.timePassed(at: at(11)) == nil)
    }

    @Test func aStopWhileTheBotIsBeingKilledWaitsForItsEnd() {
        var machine = started()
        _ = machine.timePassed(at: at(30))
        #expect(
            machine.stopRequested(.stopped, at: at(30.1))
                == .stopping(.stopped, asksBot: false))
        // It never ran, so there is nothing to keep.
        #expect(machine.botExited(.failed(reason: "9"), at: at(31)) == .discarded(.stopped))
        #expect(machine.status == .completed)
    }

    @Test func aBotThatLeavesInGoodOrderEndsTheStream() {
        var machine = running()
        #expect(
            machine.botExited(.finished(reason: "room ended"), at: at(10))
                == .ended(.botLeft("room ended")))
        var early = started()
        #expect(
            early.botExited(.finished(reason: "room ended"), at: at(1))
                == .ended(
                    .failed(
                        StreamFailure(
                            .botLeftEarly, "the bot left before the stream ran: room ended"))))
    }

    @Test(arguments: [
        (BotFailure.pageNotShown, StreamFailure.Cause.pageNotShown),
        (.sourceEncrypted, .sourceEncrypted), (.sourceSilent, .sourceSilent),
        (.sourceLost, .sourceLost),
        (.sourceClosed, .sourceClosed),
    ])
    func whatCannotBeShownFailsTheStreamAtOnce(failure: BotFailure, cause: StreamFailure.Cause) {
        var machine = started()
        #expect(
            machine.botExited(.failed(reason: "HTTP 404", failure: failure), at: at(1))
                == .ended(.failed(StreamFailure(cause, "HTTP 404"))))
    }

    @Test func aBotThatCannotBeStartedFailsTheStreamAtOnce() {
        var machine = started()
        #expect(
            machine.botExited(.notStarted(reason: "no such file"), at: at(0))
                == .ended(.failed(StreamFailure(.botNotStarted, "no such file"))))
    }

    @Test func anEmptyRoomStopsItsStreamAfterTheTimeout() {
        var machine = running()
        machine.roomEmptied(at: at(100))
        machine.roomEmptied(at: at(150))
        machine.botPublished(at: at(150))
        #expect(machine.nextDeadline == at(160))
        #expect(machine.timePassed(at: at(159)) == nil)
        #expect(
            machine.timePassed(at: at(160))
                == .stop(.stopping(.lastPeerLeft, asksBot: true)))
    }

    @Test func aPeerWhoComesBackKeepsTheStreamAlive() {
        var machine = running()
        machine.roomEmptied(at: at(100))
        machine.roomOccupied()
        machine.botPublished(at: at(999))
        #expect(machine.timePassed(at: at(1000)) == nil)
        machine.roomEmptied(at: at(1000))
        machine.botPublished(at: at(1040))
        #expect(machine.nextDeadline == at(1060))
    }

    @Test func aStreamOfARoomThatNobodyEntersStopsToo() {
        var machine = started(isEmpty: true)
        _ = machine.botRunning(at: at(2))
        machine.botPublished(at: at(40))
        #expect(machine.nextDeadline == at(60))
    }

    @Test func withoutATimeoutAnEmptyRoomIsStreamedForEver() {
        var machine = StreamMachine(rules: StreamRules(), isEmpty: true, at: .zero)
        _ = machine.timePassed(at: .zero)
        _ = machine.botRunning(at: at(2))
        machine.botPublished(at: at(1e6))
        #expect(machine.timePassed(at: at(1e6)) == nil)
        #expect(machine.nextDeadline == at(1e6 + 30))
    }

    /// Whatever happens in whatever order, the status never goes back, and nothing comes of a fact
    /// after the end.
    @Test func noSequenceOfFactsBreaksTheInvariants() {
        let order: [LiveStream.Status] = [.starting, .running, .stopping, .completed, .failed]
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var machine = StreamMachine(rules: rules, isEmpty: true, at: .zero)
            var now = Instant.zero
            var alive = 0
            for _ in 0..<100 {
                let before = machine.status
                now += .milliseconds(Int(random.next() % 8000))
                var isNews = false
                switch random.next() % 7 {
                case 0: isNews = alive > 0 && machine.botRunning(at: now)
                case 1 where alive > 0:
                    alive -= 1
                    let exit: BotExit =
                        random.next() % 3 == 0 ? .finished(reason: "") : .failed(reason: "")
                    isNews = machine.botExited(exit, at: now) != nil
                case 2 where random.next() % 8 == 0:
                    isNews = machine.stopRequested(.roomEnded, at: now) != nil
                case 3: machine.roomEmptied(at: now)
                case 4: machine.roomOccupied()
                case 5: machine.botPublished(at: now)
                default:
                    let due = machine.timePassed(at: now)
                    if case .launch = due { alive += 1 }
                    isNews = due != nil
                }
                #expect(alive <= 1)
                if before.isFinal { #expect(!isNews) }
                let (from, to) = (
                    order.firstIndex(of: before), order.firstIndex(of: machine.status)
                )
                #expect((from ?? 0) <= (to ?? 0))
            }
        }
    }
}
