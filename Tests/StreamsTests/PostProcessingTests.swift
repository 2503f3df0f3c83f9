import MediaKernel
import Testing

@testable import Streams

@Suite struct PostProcessingTests {
    let rules: StreamRules = {
        var rules = StreamRules()
        rules.finishAttemptsMaximum = 3
        rules.finishStallTimeout = .seconds(100)
        return rules
    }()

    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// A running recorded stream.
    private func running() -> StreamMachine {
        var machine = StreamMachine(rules: rules, isRecorded: true, isEmpty: false, at: .zero)
        _ = machine.timePassed(at: .zero)
        _ = machine.botRunning(at: at(2))
        return machine
    }

    /// A stream whose bot has finished at 12 s, and whose finisher is working.
    private func finishing() -> StreamMachine {
        var machine = running()
        _ = machine.stopRequested(.stopped, at: at(10))
        #expect(
            machine.botExited(.finished(reason: ""), at: at(12)) == .postProcessing(.stopped))
        machine.finisherStarted(at: at(12))
        return machine
    }

    @Test func aRecordedStreamIsCompletedWhenItsAssetsAreThere() {
        var machine = finishing()
        #expect(machine.status == .postProcessing)
        #expect(machine.stopRequested(.roomEnded, at: at(13)) == nil)
        #expect(machine.botExited(.failed(reason: "late"), at: at(13)) == nil)
        #expect(
            machine.finisherExited(.finished, at: at(20))
                == .stopped)
        #expect(machine.status == .completed)
        #expect(machine.finisherExited(.finished, at: at(21)) == nil)
        #expect(machine.nextDeadline == nil)
    }

    @Test func aStreamThatFailedHasItsAssetsAndStaysFailed() {
        var machine = running()
        _ = machine.stopRequested(.stopped, at: at(10))
        let end = StreamEnd.failed(
            StreamFailure(.botDied, "the bot died while it finished: failed: signal 11"))
        #expect(
            machine.botExited(.failed(reason: "signal 11"), at: at(12)) == .postProcessing(end))
        machine.finisherStarted(at: at(12))
        #expect(
            machine.finisherExited(.finished, at: at(20)) == end)
    }

    @Test func aFinisherThatDiesIsStartedAgainLaterEachTime() {
        var machine = finishing()
        #expect(machine.finisherExited(.failed(reason: "killed"), at: at(20)) == nil)
        #expect(machine.nextDeadline == at(21))
        #expect(machine.finisherExited(.failed(reason: "twice told"), at: at(20.5)) == nil)
        #expect(machine.timePassed(at: at(20.9)) == nil)
        #expect(machine.timePassed(at: at(21)) == .finish)
        machine.finisherStarted(at: at(21))
        #expect(machine.finisherExited(.failed(reason: "killed"), at: at(30)) == nil)
        #expect(machine.nextDeadline == at(32))
        #expect(machine.timePassed(at: at(32)) == .finish)
        machine.finisherStarted(at: at(32))
        #expect(
            machine.finisherExited(.finished, at: at(33))
                == .stopped)
    }

    @Test func afterTooManyFinishersTheStreamFails() {
        var machine = finishing()
        for (died, next) in [(20.0, 21.0), (30, 32)] {
            _ = machine.finisherExited(.failed(reason: "disk full"), at: at(died))
            _ = machine.timePassed(at: at(next))
            machine.finisherStarted(at: at(next))
        }
        #expect(
            machine.finisherExited(.failed(reason: "disk full"), at: at(40))
                == .failed(
                    StreamFailure(
                        .assetsNotMade, "the assets cannot be made: disk full")))
        #expect(machine.status == .failed)
    }

    @Test func aFullDiskIsWaitedForLongerEachTimeAndForADay() {
        var machine = finishing()
        var now = 20.0
        for delay in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] {
            #expect(!machine.waitsForRoom)
            #expect(machine.finisherExited(.noRoom(reason: "disk full"), at: at(now)) == nil)
            #expect(machine.waitsForRoom && machine.nextDeadline == at(now + delay))
            #expect(machine.timePassed(at: at(now + delay - 0.1)) == nil)
            now += delay
            #expect(machine.timePassed(at: at(now)) == .finish)
            machine.finisherStarted(at: at(now))
        }
        // What was tried in vain says nothing about what else may go wrong.
        #expect(machine.finisherExited(.failed(reason: "killed"), at: at(now)) == nil)
        #expect(!machine.waitsForRoom && machine.nextDeadline == at(now + 1))
        _ = machine.timePassed(at: at(now + 1))
        machine.finisherStarted(at: at(now + 1))
        #expect(machine.finisherExited(.noRoom(reason: "disk full"), at: at(now + 1)) == nil)
        now += 1
        _ = machine.timePassed(at: at(now + 1))
        machine.finisherStarted(at: at(now + 1))
        #expect(machine.finisherExited(.noRoom(reason: "full"), at: at(now + 86_399)) == nil)
        _ = machine.timePassed(at: at(now + 86_500))
        machine.finisherStarted(at: at(now + 86_500))
        #expect(
            machine.finisherExited(.noRoom(reason: "disk full"), at: at(now + 86_500))
                == .failed(
                    StreamFailure(
                        .noRoomForAssets, "the assets cannot be made: disk full")))
    }

    @Test func roomThatIsMadeCompletesTheStream() {
        var machine = finishing()
        _ = machine.finisherExited(.noRoom(reason: "disk full"), at: at(20))
        _ = machine.timePassed(at: at(21))
        machine.finisherStarted(at: at(21))
        #expect(
            machine.finisherExited(.finished, at: at(25))
                == .stopped)
    }

    @Test func aFinisherThatSaysNothingIsKilled() {
        var machine = finishing()
        machine.finisherProgressed(at: at(60))
        #expect(machine.timePassed(at: at(159)) == nil)
        #expect(machine.timePassed(at: at(160)) == .killFinisher)
        #expect(machine.timePassed(at: at(161)) == nil)
        #expect(machine.nextDeadline == nil)
        #expect(machine.finisherExited(.failed(reason: "signal 9"), at: at(161)) == nil)
        #expect(machine.timePassed(at: at(162)) == .finish)
        machine.finisherStarted(at: at(162))
    }

    @Test func aFinisherMayWaitForItsTurnForEver() {
        var machine = running()
        _ = machine.stopRequested(.stopped, at: at(10))
        _ = machine.botExited(.finished(reason: ""), at: at(12))
        #expect(machine.nextDeadline == nil)
        #expect(machine.timePassed(at: at(100_000)) == nil)
        // None is at work that could end or be late.
        #expect(machine.finisherExited(.failed(reason: "x"), at: at(100_000)) == nil)
        machine.finisherStarted(at: at(100_000))
        #expect(machine.nextDeadline == at(100_100))
        machine.finisherStarted(at: at(100_050))
        #expect(machine.nextDeadline == at(100_100))
        #expect(
            machine.finisherExited(.finished, at: at(100_060))
                == .stopped)
    }

    @Test func aStreamThatNeverHadABotHasNothingToFinish() {
        var machine = StreamMachine(rules: rules, isRecorded: true, isEmpty: false, at: .zero)
        #expect(
            machine.stopRequested(.stopped, at: .zero)
                == .ended(.discarded(.stopped)))
    }

    @Test func whatAnEarlierServerLeftBehindIsFinished() {
        var machine = StreamMachine(
            rules: rules,
            leftBehind: .failed(.serverRestarted),
            at: at(5))
        #expect(machine.status == .postProcessing)
        #expect(machine.nextDeadline == at(5))
        #expect(machine.timePassed(at: at(5)) == .finish)
        machine.finisherStarted(at: at(5))
        #expect(
            machine.finisherExited(.finished, at: at(9))
                == .failed(.serverRestarted))
    }
}
