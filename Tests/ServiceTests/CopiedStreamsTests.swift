import Catalogue
import ChildProcesses
import MediaKernel
import Streams
import Testing

@testable import Service

/// Streams whose viewers are sent to a store.
@Suite(.timeLimit(.minutes(5))) struct CopiedStreamsTests {
    private static func world() async throws -> StreamsWorld {
        try await StreamsWorld { $0.playback.copyURL = "https://cdn/a" }
    }

    @Test func viewersAreSentToTheStoreAndRunningWaitsForIt() async throws {
        try await Self.world().run { world in
            let stream = try await world.streams.start(
                room: "r", LiveStreamRequest(), startedBy: nil)[0]
            #expect(stream.playback.url == "https://cdn/a/live/r/\(stream.id)/master.m3u8")
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            #expect(try await world.streams.stream(stream.id)?.status == .starting)
            var upload = LiveStream.Upload(location: "s3://b/k")
            await world.streams.copied(stream.id, upload)
            #expect(try await world.streams.stream(stream.id)?.status == .starting)
            upload.isPlayable = true
            await world.streams.copied(stream.id, upload)
            await world.settle()
            #expect(try await world.streams.stream(stream.id)?.status == .running)
            #expect(try await world.streams.stream(stream.id)?.upload == upload)
        }
    }

    @Test func aStoreThatIsAwayHoldsAStartUpForAMomentOnly() async throws {
        try await Self.world().run { world in
            let stream = try await world.streams.start(
                room: "r", LiveStreamRequest(), startedBy: nil)[0]
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            world.clock.advance(StreamLife.copyWaitMaximum - .milliseconds(1))
            await world.tick()
            #expect(try await world.streams.stream(stream.id)?.status == .starting)
            world.clock.advance(.milliseconds(1))
            await world.tick()
            #expect(try await world.streams.stream(stream.id)?.status == .running)
        }
    }

    @Test func aBotThatWasSlowIsNotKilledForAStoreThatIsAway() async throws {
        try await Self.world().run { world in
            let stream = try await world.streams.start(
                room: "r", LiveStreamRequest(), startedBy: nil)[0]
            let bot = try #require(await world.launcher.next())
            world.clock.advance(.seconds(28))
            await world.tick()
            await bot.say(.running(firstSegmentMilliseconds: 1))
            world.clock.advance(.seconds(1))
            await world.tick()
            #expect(try await world.streams.stream(stream.id)?.status == .running)
        }
    }

    /// The ways in which a stream may end before it was reported as running.
    enum End: CaseIterable { case stop, departure, deaths }

    @Test(arguments: End.allCases)
    func whatEndsBeforeItsCopyCanBePlayedHasRunAllTheSame(end: End) async throws {
        let world = try await StreamsWorld {
            $0.playback.copyURL = "https://cdn/a"
            $0.rules.restartsMaximum = 0
        }
        try await world.run { world in
            var request = LiveStreamRequest()
            request.recording = RecordingOptions(hlsVOD: true)
            let stream = try await world.streams.start(
                room: "r", request, startedBy: nil)[0]
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            #expect(try await world.streams.stream(stream.id)?.status == .starting)
            if end == .stop {
                _ = try await world.streams.stop(stream: stream.id, stoppedBy: nil)
            }
            bot.exit(end == .deaths ? .failed(reason: "9") : .finished(reason: "room ended"))
            let finisher = try #require(await world.finishers.next())
            finisher.exit(.finished)
            let ended = try #require(await world.observer.ending())
            #expect(ended.status == (end == .deaths ? .failed : .completed))
            #expect(ended.startedAt != nil)
            let told = try await world.catalogue.deliveries(
                DeliveryQuery(line: stream.id.rawValue))
            #expect(
                told.records.map(\.kind) == [
                    end == .deaths ? "hls.failure" : "hls.stopped.success", "hls.started.success",
                ])
        }
    }

    @Test func onlyLiveStreamsOnAirAreToBeCopied() async throws {
        try await Self.world().run { world in
            let stream = try await world.streams.start(
                room: "r", LiveStreamRequest(), startedBy: nil)[0]
            #expect(
                await world.streams.streamsToCopy() == [
                    LiveCopySubject(
                        stream: stream.id, room: "r", directory: "r/\(stream.id)", isOnAir: true)
                ])
            _ = try await world.streams.stop(room: "r", kind: .stream, stoppedBy: nil)
            #expect(await world.streams.streamsToCopy().map(\.isOnAir) == [false])
        }
    }
}
