import Catalogue
import ChildProcesses
import Foundation
import MediaKernel
import Streams
import Testing

@testable import Service

/// Starts and stops that coincide, and ends on a disk that accepts no writes.
@Suite(.timeLimit(.minutes(5))) struct StreamRacesTests {
    private let recorded = LiveStreamRequest(
        recording: RecordingOptions(hlsVOD: true, singleFilePerLayer: true))

    @Test func tenStartsAtOnceAreOneStreamAndOneBot() async throws {
        try await StreamsWorld().run { world in
            let answers = try await withThrowingTaskGroup(of: [LiveStream].self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try await world.streams.start(room: "demo", recorded, startedBy: nil)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 10 && Set(answers).count == 1)
            let bot = try #require(await world.launcher.next())
            #expect(bot.job.stream == answers[0][0].id)
            #expect(try await world.streams.streams(LiveStreamQuery()).streams.count == 1)
            #expect(await world.streams.statistics(of: bot.job.stream)?.launches == 1)
        }
    }

    @Test func whatIsStoppedBeforeItRanLeavesItsRecordAndNothingElse() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(room: "demo", recorded, startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            let layer = "\(bot.job.outputDirectory)/stream_0"
            try FileManager.default.createDirectory(
                atPath: layer, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(filePath: "\(layer)/segment_000000.ts"))
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            #expect(await bot.nextSignal() == .stop)
            bot.exit(.finished(reason: "stop"))
            #expect(await world.observer.ending()?.status == .completed)
            let left = try FileManager.default.contentsOfDirectory(
                atPath: bot.job.outputDirectory)
            #expect(left == [StreamFile.name])
            let day = "\(world.directory)/recordings/hls/demo/2025-10-09"
            #expect(try FileManager.default.contentsOfDirectory(atPath: day) == [])
            let told = try await world.catalogue.pendingDeliveries(limit: 10)
            try #require(told.map(\.kind) == ["hls.failure"])
            #expect(String(decoding: told[0].body, as: UTF8.self).contains("BEAM_STOPPED"))
        }
    }

    @Test func aStartWhileTheLastStreamStopsIsAStreamOfItsOwn() async throws {
        try await StreamsWorld().run { world in
            let first = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            _ = try await world.streams.stop(stream: first, stoppedBy: nil)
            let second = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            #expect(second.id != first && second.status == .starting)
            let next = try #require(await world.launcher.next())
            #expect(next.job.outputDirectory != bot.job.outputDirectory)
            await next.say(.running(firstSegmentMilliseconds: 1))
            bot.exit(.finished(reason: "stop"))
            let ended = await world.observer.ending()
            #expect(ended?.id == first && ended?.status == .completed)
            #expect(try await world.streams.stream(second.id)?.status == .running)
        }
    }

    @Test func anEndThatCannotBeWrittenIsToldWhenItCan() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            // A file in place of the directory accepts no writes, not even from root.
            let directory = bot.job.outputDirectory
            try FileManager.default.moveItem(atPath: directory, toPath: "\(directory).away")
            try Data().write(to: URL(filePath: directory))
            bot.exit(.finished(reason: "stop"))
            try await until { await world.streams.persister.hasUnsaved(id) }
            // Others go on meanwhile.
            let other = try await world.streams.start(
                room: "other", LiveStreamRequest(), startedBy: nil)[0].id
            let otherBot = try #require(await world.launcher.next())
            await otherBot.say(.running(firstSegmentMilliseconds: 1))
            _ = try await world.streams.stop(stream: other, stoppedBy: nil)
            otherBot.exit(.finished(reason: "stop"))
            #expect(await world.observer.ending()?.id == other)
            #expect(try await world.streams.stream(id)?.status == .stopping)
            try FileManager.default.removeItem(atPath: directory)
            try FileManager.default.moveItem(atPath: "\(directory).away", toPath: directory)
            world.clock.advance(StreamPersister.retryDelay)
            await world.tick()
            let ended = await world.observer.ending()
            #expect(ended?.id == id && ended?.status == .completed)
            #expect(try await world.catalogue.stream(id)?.status == .completed)
        }
    }
}
