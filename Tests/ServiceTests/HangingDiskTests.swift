import Catalogue
import ChildProcesses
import ControlAPI
import Foundation
import Glibc
import MediaKernel
import Recording
import Streams
import Synchronization
import Testing

@testable import Service

/// A disk that hangs holds up the streams that lie on it, and no other.
@Suite(.timeLimit(.minutes(5))) struct HangingDiskTests {
    private func start(
        _ world: StreamsWorld, _ room: RoomID
    ) async throws -> (id: StreamID, bot: BotDouble) {
        let id = try await world.streams.start(room: room, LiveStreamRequest(), startedBy: nil)[0]
            .id
        let bot = try #require(await world.launcher.next())
        await bot.say(.running(firstSegmentMilliseconds: 1))
        return (id, bot)
    }

    /// A whole life of a stream beside those that hang.
    private func expectLife(_ world: StreamsWorld, _ room: RoomID) async throws {
        let (id, bot) = try await start(world, room)
        #expect(try await world.streams.stream(id)?.status == .running)
        await bot.say(.reduction(frameRate: 10, layersThinned: 0, videosLeftOut: 0))
        #expect(try await world.streams.stream(id)?.health.degradation?.frameRate == 10)
        let stopped = try await world.streams.stop(stream: id, stoppedBy: nil)
        #expect(stopped.status == .stopping)
        bot.exit(.finished(reason: "stop"))
        try await until { try await world.streams.stream(id)?.status == .completed }
    }

    /// The kernel's own hang: a pipe that nobody reads in the place of a file.
    @Test func aPipeThatIsFullHoldsUpItsStreamAlone() async throws {
        try await StreamsWorld().run { world in
            let (hung, bot) = try await start(world, "hung")
            let pipe = try FullPipe("\(bot.job.outputDirectory)/\(TimedMetadataLog.fileName)")
            let one = try TimedMetadataRequest(checking: "p", seconds: 5)
            async let metadata = world.streams.addTimedMetadata([one], to: hung, addedBy: nil)
            try await until { await world.streams.book[life: hung]?.metadataCount == 1 }
            async let stopped = world.streams.stop(stream: hung, stoppedBy: "ann")
            // What its bot is told and says needs no disk.
            #expect(await bot.nextSignal() == .stop)
            await bot.report(.tiles([]))
            await bot.report(.frameRate(29))
            #expect(try await world.streams.stream(hung)?.health.frameRate == 29)
            try await expectLife(world, "well")
            // What is told of it waits.
            #expect(try await world.streams.stream(hung)?.status == .running)
            let isAnswered = Mutex(false)
            async let drained: Void = {
                while !isAnswered.withLock({ $0 }) {
                    _ = pipe.read()
                    try await Task.sleep(for: .milliseconds(1))
                }
            }()
            let answer = try await stopped
            #expect(answer.status == .stopping)
            isAnswered.withLock { $0 = true }
            try await drained
            let noted = try await metadata
            #expect(noted.id == hung)
            bot.exit(.finished(reason: "stop"))
            try await until { try await world.streams.stream(hung)?.status == .completed }
        }
    }

    @Test func aStateThatWaitsForTheDiskHoldsUpItsStreamAlone() async throws {
        try await StreamsWorld().run { world in
            let (hung, bot) = try await start(world, "hung")
            world.disk.hang("\(world.directory)/hung")
            async let stopped = world.streams.stop(stream: hung, stoppedBy: "ann")
            try await until { world.disk.hanging.count == 1 }
            bot.exit(.finished(reason: "stop"))
            try await until { await !world.streams.hasBot(hung) }
            try await expectLife(world, "well")
            await world.streams.tick()
            #expect(try await world.streams.stream(hung)?.status == .running)
            world.disk.recover()
            let answer = try await stopped
            #expect(answer.stoppedBy == "ann")
            try await until { try await world.streams.stream(hung)?.status == .completed }
            let told = try #require(try await world.catalogue.stream(hung))
            #expect(told.end == .stopped)
        }
    }

    @Test func aBotOfWhichTheSettingsWaitIsNotStartedOnceItsStreamIsStopped() async throws {
        try await StreamsWorld().run { world in
            let (hung, first) = try await start(world, "hung")
            try await world.end(first, .failed(reason: "x"))
            world.disk.hang("\(world.directory)/hung")
            world.clock.advance(.seconds(1))
            await world.streams.tick()
            try await until { world.disk.hanging.count == 1 }
            async let stopped = world.streams.stop(stream: hung, stoppedBy: nil)
            try await expectLife(world, "well")
            world.disk.recover()
            // It is told to stop as the first thing.
            let second = try #require(await world.launcher.next())
            #expect(await second.nextSignal() == .stop)
            let answer = try await stopped
            #expect(answer.status == .stopping)
        }
    }

    @Test func aStartThatHangsCountsAndIsWaitedForInItsRoomAlone() async throws {
        try await StreamsWorld { $0.limits.streams = 2 }.run { world in
            world.disk.hang("\(world.directory)/hung")
            async let started = world.streams.start(
                room: "hung", LiveStreamRequest(), startedBy: "ann")
            try await until { world.disk.hanging.count == 1 }
            #expect(try await world.streams.streams(LiveStreamQuery()).streams == [])
            let (_, bot) = try await start(world, "well")
            await #expect(throws: LiveStreamError.tooManyStreams(running: 2, maximum: 2)) {
                try await world.streams.start(room: "more", LiveStreamRequest(), startedBy: nil)
            }
            #expect(await !world.streams.canAccept)
            async let stopped = world.streams.stop(
                room: "hung", kind: .stream, stoppedBy: "ben")
            await bot.say(.segment(layer: 0, index: 0, bytes: 1))
            world.disk.recover()
            let id = try await started[0].id
            let answer = try await stopped
            #expect(answer.map(\.id) == [id])
            #expect(try await world.streams.stream(id)?.status == .stopping)
        }
    }

    @Test func whatIsStartedTwiceWhileTheDiskHangsIsOneStream() async throws {
        try await StreamsWorld().run { world in
            world.disk.hang("\(world.directory)/hung")
            async let first = world.streams.start(
                room: "hung", LiveStreamRequest(), startedBy: "ann")
            async let second = world.streams.start(
                room: "hung", LiveStreamRequest(), startedBy: "ben")
            try await until { world.disk.hanging.count == 1 }
            try await expectLife(world, "well")
            world.disk.recover()
            let ids = try await (first.map(\.id), second.map(\.id))
            #expect(ids.0 == ids.1 && ids.0.count == 1)
        }
    }

    @Test func aPlaceThatAStartWaitedForIsGivenBackWhenItFails() async throws {
        try await StreamsWorld { $0.limits.streams = 1 }.run { world in
            try Data().write(to: URL(filePath: "\(world.directory)/hung"))
            world.disk.hang("\(world.directory)/hung")
            async let failing = world.streams.start(
                room: "hung", LiveStreamRequest(), startedBy: nil)
            try await until { world.disk.hanging.count == 1 }
            await #expect(throws: LiveStreamError.tooManyStreams(running: 1, maximum: 1)) {
                try await world.streams.start(room: "well", LiveStreamRequest(), startedBy: nil)
            }
            world.disk.recover()
            do {
                _ = try await failing
                Issue.record("a file is where the directory belongs")
            } catch {
                #expect(error is LiveStreamError)
            }
            try await expectLife(world, "well")
        }
    }

    /// How many streams are begun by starts at once.
    private static func started(in rooms: [RoomID], _ world: StreamsWorld) async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for room in rooms {
                group.addTask {
                    let streams = try? await world.streams.start(
                        room: room, LiveStreamRequest(), startedBy: nil)
                    return streams?.count ?? 0
                }
            }
            return await group.reduce(0, +)
        }
    }

    /// Each in a room of its own, so that none waits for another.
    @Test func ofManyStartsAtOnceAsManyAreTakenAsThereMayBe() async throws {
        try await StreamsWorld { $0.limits.streams = 3 }.run { world in
            let taken = await Self.started(in: (0..<20).map { RoomID("room-\($0)") }, world)
            #expect(taken == 3)
            #expect(await world.streams.book.counts.refused == 17)
            let begun = try await world.streams.streams(LiveStreamQuery()).streams
            #expect(begun.count == 3)
        }
    }

    /// Neither a stop nor the end of the room waits for a start to reach a bot.
    @Test(arguments: [false, true])
    func aStopReachesTheStreamOnAirWhileAnotherStartHangs(endsRoom: Bool) async throws {
        try await StreamsWorld().run { world in
            let (id, bot) = try await start(world, "room")
            world.disk.hang("\(world.directory)/room")
            async let started = world.streams.start(
                room: "room", LiveStreamRequest(kind: .recording), startedBy: nil)
            try await until { world.disk.hanging.count == 1 }
            async let stopped: Void = {
                if endsRoom {
                    await world.streams.roomEnded("room", at: world.clock.instant)
                } else {
                    _ = try await world.streams.stop(room: "room", kind: .stream, stoppedBy: "ben")
                }
            }()
            #expect(await bot.nextSignal() == .stop)
            world.disk.recover()
            let recording = try await started[0].id
            try await stopped
            #expect(try await world.streams.stream(id)?.status == .stopping)
            let other = try await world.streams.stream(recording)?.status
            #expect(other == (endsRoom ? .completed : .starting) || other == .stopping)
        }
    }

    /// All of them lie behind one another where the directories themselves hang.
    @Test func whatIsOnAirGoesOnWhereTheRootHangs() async throws {
        try await StreamsWorld().run { world in
            let (id, bot) = try await start(world, "well")
            world.disk.hang(world.directory)
            async let started = world.streams.start(
                room: "other", LiveStreamRequest(), startedBy: nil)
            try await until { world.disk.hanging.count == 1 }
            #expect(await world.streams.book.starts.isBusy("other"), "a stop would wait for it")
            await bot.report(.frameRate(29))
            #expect(try await world.streams.stream(id)?.health.frameRate == 29)
            async let stopped = world.streams.stop(stream: id, stoppedBy: nil)
            #expect(await bot.nextSignal() == .stop)
            world.disk.recover()
            let answer = try await stopped
            #expect(answer.status == .stopping)
            let begun = try await started
            #expect(begun.map(\.status) == [.starting])
        }
    }

    /// The rooms' time passes, and what they tell meanwhile counts when the disk goes on.
    @Test func aStartByItselfHoldsUpNoRoom() async throws {
        try await StreamsWorld { $0.automatic.streams = .roomOpens }.run { world in
            let (somebody, nobody) = (
                RoomOccupancy(peers: 1, publishers: 0), RoomOccupancy(peers: 0, publishers: 0)
            )
            world.disk.hang("\(world.directory)/hung")
            let starts = await world.streams.seen("hung", somebody)
            try await until { world.disk.hanging.count == 1 }
            #expect(await world.streams.seen("hung", nobody) == nil)
            await world.seen("well", somebody)
            let bot = try #require(await world.launcher.next())
            #expect(bot.job.room == "well")
            world.disk.recover()
            await starts?.value
            let first = try #require(
                try await world.streams.current(room: "hung", kind: .stream))
            _ = try await world.streams.stop(room: "hung", kind: .stream, stoppedBy: nil)
            // It was empty meanwhile, so it may go on air once more.
            await world.seen("hung", somebody)
            let second = try await world.streams.current(room: "hung", kind: .stream)
            #expect(second?.status == .starting && second?.id != first.id)
        }
    }

    /// The configuration of a bot, or the end of its stream, is being written.
    @Test(arguments: [false, true]) func aServerThatStopsDoesNotWaitForADiskThatHangs(
        launches: Bool
    ) async throws {
        try await StreamsWorld().run { world in
            let (hung, bot) = try await start(world, "hung")
            let (_, other) = try await start(world, "well")
            if launches { try await world.end(bot, .failed(reason: "x")) }
            world.disk.hang("\(world.directory)/hung")
            if launches {
                world.clock.advance(.seconds(1))
                await world.streams.tick()
            } else {
                bot.exit(.finished(reason: "stop"))
            }
            try await until { world.disk.hanging.count == 1 }
            await world.streams.shutDown(at: world.clock.instant)
            other.exit(.finished(reason: "stop"))
            try await until {
                try await world.streams.current(room: "well", kind: .stream)?.status == .completed
            }
            await world.streams.tick()
            #expect(!world.hasEnded.withLock { $0 }, "the disk has its time")
            world.clock.advance(.seconds(60))
            try await until { world.hasEnded.withLock { $0 } }
            #expect(await !world.streams.book.unfinished.contains(hung))
        }
    }
}
