import ChildProcesses
import HLS
import Jibri
import MediaKernel
import Streams
import Synchronization
import Testing
import Workbench

@testable import Service

/// Calls as streams of this server, with simulated bots.
@Suite(.timeLimit(.minutes(5))) struct StreamCallRecorderTests {
    private func run(
        _ change: (inout StreamSettings) -> Void = { _ in },
        _ body: @escaping @Sendable (StreamsWorld) async throws -> Void
    ) async throws {
        try await StreamsWorld {
            CallWorld.admit(&$0)
            change(&$0)
        }.run(body)
    }

    @Test func aFileIsARecordingWhoseBotJoinsTheMeeting() async throws {
        try await run { world in
            var calls = try CallWorld(world)
            let bot = try #require(await calls.running(JibriDoubles.call("s-1")))
            #expect(await calls.next() == .running)
            let stream = try #require(try await world.streams.stream(bot.job.stream))
            #expect(stream.kind == .recording && stream.plan.recording?.singleFilePerLayer == true)
            #expect(stream.plan.variant.conference?.room == "team.call@muc.meet.example")
            #expect(stream.plan.variant.metadata == "s-1")
            #expect(JitsiCredential(bot.job.token)?.account?.password == "b")
            #expect(calls.scratch.names(in: "recordings") == [".roomcast", "s-1"])
        }
    }

    @Test func soundAloneIsRecordedButNotStreamed() async throws {
        try await run { world in
            let calls = try CallWorld(world) { $0.recordsSoundAlone = true }
            let file = try #require(await calls.running(JibriDoubles.call("s-1")))
            let recorded = try #require(try await world.streams.stream(file.job.stream))
            #expect(recorded.plan.audio.only)
            let url = "rtmp://live.example.org/app/secret"
            let call = JibriDoubles.call("s-2", stream: url, room: "other@muc.meet.example")
            #expect(await calls.recorder.admit(call, slot: 1))
            let push = try #require(await world.launcher.next())
            let streamed = try #require(try await world.streams.stream(push.job.stream))
            #expect(!streamed.plan.audio.only)
        }
    }

    @Test func aStreamRunsWhenItsPlaceTakesIt() async throws {
        try await run { world in
            var calls = try CallWorld(world)
            let url = "rtmp://live.example.org/app/secret"
            let bot = try #require(await calls.running(JibriDoubles.call("s-1", stream: url)))
            let file = try BotConfiguration.read(bot.job.configurationFile)
            #expect(file.outputs.map(\.target.text) == [url])
            let stream = try #require(try await world.streams.stream(bot.job.stream))
            #expect(stream.kind == .stream)
            // It is on air here, but nobody has it there yet.
            await bot.say(.push(PushReport(id: "1", state: .connecting)))
            await calls.tick()
            await bot.say(.push(PushReport(id: "1", state: .live)))
            await calls.tick()
            #expect(await calls.next() == .running)
            await bot.say(.push(PushReport(id: "1", state: .failed, reason: "refused")))
            await calls.tick()
            #expect(await calls.next() == .ended(.failed(.targetLost)))
            try await until {
                (try? await world.streams.stream(bot.job.stream))??.status == .stopping
            }
        }
    }

    @Test func picturesAreAsTheOperatorHasThemInJibri() async throws {
        try await run { world in
            let calls = try CallWorld(world) {
                $0.picture.width = 1920
                $0.picture.height = 1080
                $0.picture.frameRate = 25
                $0.picture.streamBitrate = 2_976_000
            }
            let file = try #require(await calls.running(JibriDoubles.call("s-1")))
            let recorded = try #require(try await world.streams.stream(file.job.stream)).plan.ladder
            #expect(recorded.layers.map(\.width) == [1920] && recorded.frameRate == 25)
            #expect(recorded.top.videoBitrate > 3_000_000, "the bitrate is that of streams")
            let url = "rtmp://live.example.org/app/secret"
            let call = JibriDoubles.call("s-2", stream: url, room: "other@muc.meet.example")
            #expect(await calls.recorder.admit(call, slot: 1))
            let push = try #require(await world.launcher.next())
            let shown = try #require(try await world.streams.stream(push.job.stream)).plan.ladder
            #expect(shown.layers.map(\.height) == [1080, 720, 540])
            #expect(shown.top.videoBitrate == 2_976_000 && shown.frameRate == 25)
        }
    }

    @Test(arguments: [
        ("rtmp://elsewhere.example/app/key", ["rtmps?://live\\.example/.*"]),
        ("rtmp://live.example.org/", [".*"]),
    ])
    func whatMayNotBeStreamedToIsRefusedForGood(
        url: String, allowed: [String]
    ) async throws {
        try await run { world in
            var calls = try CallWorld(world) { $0.allowedStreams = allowed }
            #expect(await calls.recorder.admit(JibriDoubles.call("s", stream: url), slot: 0))
            await calls.recorder.begin("s", slot: 0)
            #expect(await calls.next() == .ended(.failed(.targetRefused)))
            #expect(await calls.next() == .closed)
        }
    }

    @Test func aFullMachineHasNoPlace() async throws {
        let change: (inout StreamSettings) -> Void = { $0.limits.streams = 1 }
        try await run(change) { world in
            let calls = try CallWorld(world)
            _ = try #require(await calls.running(JibriDoubles.call("s-1")))
            #expect(await !calls.recorder.hasCapacity())
            #expect(await !calls.recorder.admit(JibriDoubles.call("s-2"), slot: 1))
            #expect(calls.scratch.names(in: "recordings") == [".roomcast", "s-1"])
        }
    }

    @Test func aDirectoryThatCannotBeWrittenIsAFaultOfTheMachine() async throws {
        try await run { world in
            var calls = try CallWorld(world) { $0.recordingsDirectory = "/proc/recordings" }
            #expect(await calls.recorder.admit(JibriDoubles.call("s"), slot: 0))
            await calls.recorder.begin("s", slot: 0)
            #expect(await calls.next() == .ended(.failed(.disk)))
        }
    }

    @Test func itGoesOnForAsLongAsTheOperatorLetsIt() async throws {
        try await run { world in
            var calls = try CallWorld(world)
            var environment = JibriDoubles.environment()
            environment.usageTimeout = .seconds(60)
            let bot = try #require(
                await calls.running(JibriDoubles.call("s", environment: environment)))
            #expect(await calls.next() == .running)
            world.clock.advance(.seconds(25))
            await bot.say(.atWork)
            await calls.tick()
            world.clock.advance(.seconds(25))
            await bot.say(.atWork)
            await calls.tick()
            world.clock.advance(.seconds(10))
            await calls.tick()
            #expect(await calls.next() == .ended(.finished))
            bot.exit(.finished(reason: "stop"))
            try await calls.finish(bot.job.stream)
            await calls.tick()
            #expect(await calls.next() == .closed)
        }
    }

    @Test func anOrderedEndIsNoNewsUntilTheFilesAreThere() async throws {
        try await run { world in
            var calls = try CallWorld(world)
            let bot = try #require(await calls.running(JibriDoubles.call("s")))
            #expect(await calls.next() == .running)
            await calls.recorder.end("s", slot: 0)
            bot.exit(.finished(reason: "stop"))
            try await calls.finish(bot.job.stream)
            await calls.tick()
            #expect(await calls.next() == .closed)
            #expect(
                calls.scratch.names(in: "recordings/s")
                    == ["metadata.json", "team.call_2025-10-09-08-53-20.mp4"])
        }
    }

    @Test func anEndOfTheBotsOwnIsTold() async throws {
        try await run { world in
            var calls = try CallWorld(world)
            let bot = try #require(await calls.running(JibriDoubles.call("s")))
            #expect(await calls.next() == .running)
            bot.exit(.finished(reason: "the conference is over"))
            try await calls.finish(bot.job.stream)
            await calls.tick()
            #expect(await calls.next() == .ended(.finished))
            #expect(await calls.next() == .closed)
        }
    }

    @Test func atTheEndNothingBeginsAndAllIsTold() async throws {
        try await run { world in
            var calls = try CallWorld(world)
            let bot = try #require(await calls.running(JibriDoubles.call("s")))
            #expect(await calls.next() == .running)
            await calls.recorder.endAll()
            #expect(await calls.next() == .ended(.finished))
            #expect(await !calls.recorder.admit(JibriDoubles.call("t"), slot: 1))
            bot.exit(.finished(reason: "stop"))
            try await calls.finish(bot.job.stream)
            await calls.tick()
            #expect(await calls.next() == .closed)
        }
    }

    /// What happens while a start waits for the disk.
    private final class Meanwhile: Sendable {
        private let work = Mutex<(@Sendable () async -> Void)?>(nil)
        private let isDone = Mutex(false)

        var hasHappened: Bool { isDone.withLock { $0 } }

        func set(_ body: @escaping @Sendable () async -> Void) { work.withLock { $0 = body } }

        func begin() {
            guard let body = work.withLock({ $0.take() }) else { return }
            Task {
                await body()
                isDone.withLock { $0 = true }
            }
        }
    }

    @Test func whatIsEndedWhileItStartsIsStoppedAndDelivered() async throws {
        try await run { world in
            let meanwhile = Meanwhile()
            var calls = try CallWorld(world, planned: { meanwhile.begin() })
            let recorder = calls.recorder
            meanwhile.set { await recorder.endAll() }
            #expect(await !recorder.admit(JibriDoubles.call("s"), slot: 0))
            try await until { meanwhile.hasHappened }
            let bot = try #require(await world.launcher.next())
            try await until {
                (try? await world.streams.stream(bot.job.stream))??.status == .stopping
            }
            bot.exit(.finished(reason: "stop"))
            // It never ran, so nothing is to be finished.
            try await until {
                (try? await world.streams.stream(bot.job.stream))??.status.isFinal == true
            }
            await calls.tick()
            #expect(await calls.next() == .closed)
            #expect(calls.scratch.names(in: "recordings") == [".roomcast"])
        }
    }

    @Test func aSessionThatMovesWhileItStartsIsNotInTwoSlots() async throws {
        try await run { world in
            let meanwhile = Meanwhile()
            let calls = try CallWorld(world, planned: { meanwhile.begin() })
            let recorder = calls.recorder
            meanwhile.set {
                #expect(await !recorder.admit(JibriDoubles.call("s"), slot: 1))
            }
            #expect(await !recorder.admit(JibriDoubles.call("s"), slot: 0))
            try await until { meanwhile.hasHappened }
            let bot = try #require(await world.launcher.next())
            try await until {
                (try? await world.streams.stream(bot.job.stream))??.status == .stopping
            }
        }
    }

    @Test func whatHasEndedBeforeItBeganIsClosed() async throws {
        try await run { world in
            var calls = try CallWorld(world)
            await calls.recorder.begin("s", slot: 0)
            #expect(await calls.next() == .closed)
        }
    }

    @Test(arguments: [
        (StreamEnd.stopped, RecordingEnd.finished),
        (.botLeft("the conference is over"), .finished),
        (.failed(StreamFailure(.diskFull, "")), .failed(.disk)),
        (.failed(StreamFailure(.directoryLost, "")), .failed(.disk)),
        (.failed(StreamFailure(.botLeftEarly, "")), .failed(.notJoined)),
        (.failed(StreamFailure(.botDied, "")), .failed(.internal)),
        (.failed(StreamFailure(.pageNotShown, "")), .failed(.notJoined)),
        (.failed(StreamFailure(.sourceEncrypted, "")), .failed(.encrypted)),
        (.failed(StreamFailure(.sourceSilent, "")), .failed(.noMedia)),
        (.failed(StreamFailure(.sourceLost, "")), .failed(.connectionFailed)),
        (.failed(StreamFailure(.sourceClosed, "")), .failed(.notJoined)),
        (.failed(StreamFailure(.assetsNotMade, "")), .finished),
    ])
    func jicofoIsToldWhyAStreamEnded(end: StreamEnd, told: RecordingEnd) {
        #expect(end.recordingEnd == told)
    }
}
