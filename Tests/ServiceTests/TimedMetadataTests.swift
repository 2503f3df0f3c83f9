import ChildProcesses
import ControlAPI
import Foundation
import MediaKernel
import Recording
import RoomHost
import Rooms
import Streams
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct TimedMetadataTests {
    private func request(_ payload: String = "p") throws -> TimedMetadataRequest {
        try TimedMetadataRequest(checking: payload, seconds: 5)
    }

    private func running(
        _ world: StreamsWorld, _ metadata: String = ""
    ) async throws -> (StreamID, BotDouble) {
        try await world.running(
            LiveStreamRequest(variants: [LiveStreamVariant(metadata: metadata)]))
    }

    private func log(_ world: StreamsWorld, _ id: StreamID) throws -> [TimedMetadata] {
        try TimedMetadataLog.read(in: "\(world.directory)/demo/\(id)")
    }

    @Test func itIsWrittenDownAndToldToTheBot() async throws {
        try await StreamsWorld().run { world in
            let (id, bot) = try await running(world)
            world.clock.advance(.milliseconds(1234))
            let requests = [try request("a"), try request("b")]
            let stream = try await world.streams.addTimedMetadata(requests, to: id, addedBy: nil)
            #expect(stream.id == id && stream.status == .running)
            let start = world.clock.time.milliseconds
            let expected = [
                TimedMetadata(number: 1, start: start, seconds: 5, payload: "a"),
                TimedMetadata(number: 2, start: start, seconds: 5, payload: "b"),
            ]
            #expect(await bot.nextSignal() == .order(.metadata(expected[0])))
            #expect(await bot.nextSignal() == .order(.metadata(expected[1])))
            #expect(try log(world, id) == expected)
        }
    }

    @Test func whatComesWhileABotIsReplacedIsWrittenDownForTheNextOne() async throws {
        try await StreamsWorld().run { world in
            let (id, bot) = try await running(world)
            _ = try await world.streams.addTimedMetadata([try request("a")], to: id, addedBy: nil)
            try await world.end(bot, .failed(reason: "crashed"))
            _ = try await world.streams.addTimedMetadata([try request("b")], to: id, addedBy: nil)
            #expect(try log(world, id).map(\.payload) == ["a", "b"])
            #expect(try log(world, id).map(\.number) == [1, 2])
        }
    }

    @Test func aStreamThatIsNotRunningTakesNone() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let one = [try request()]
            await #expect(throws: LiveStreamError.notRunning(id)) {
                try await world.streams.addTimedMetadata(one, to: id, addedBy: nil)
            }
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            await #expect(throws: LiveStreamError.notRunning(id)) {
                try await world.streams.addTimedMetadata(one, to: id, addedBy: nil)
            }
            await #expect(throws: LiveStreamError.notFound("stream x")) {
                try await world.streams.addTimedMetadata(one, to: "x", addedBy: nil)
            }
        }
    }

    @Test func itIsBoundedInRateAndInAll() async throws {
        try await StreamsWorld().run { world in
            let (id, _) = try await running(world)
            let burst = try (0..<Limits.timedMetadataBurst).map { try request("\($0)") }
            _ = try await world.streams.addTimedMetadata(burst, to: id, addedBy: nil)
            await #expect(
                throws: LiveStreamError.tooFast(perSecond: Limits.timedMetadataPerSecond)
            ) { try await world.streams.addTimedMetadata([burst[0]], to: id, addedBy: nil) }
            // The first burst has already been accepted.
            for _ in 1..<TimedMetadata.perStreamMaximum / Limits.timedMetadataBurst {
                world.clock.advance(.seconds(10))
                _ = try await world.streams.addTimedMetadata(burst, to: id, addedBy: nil)
            }
            world.clock.advance(.seconds(10))
            await #expect(
                throws: LiveStreamError.tooMuchTimedMetadata(
                    id, maximum: TimedMetadata.perStreamMaximum)
            ) { try await world.streams.addTimedMetadata([burst[0]], to: id, addedBy: nil) }
        }
    }

    @Test func aPeersMetadataGoesToAllStreamsOfItsRoom() async throws {
        try await StreamsWorld().run { world in
            let room = StreamsInRoom(
                control: world.streams, chat: world.chat, authorities: [])
            let one = HLSTimedMetadata(payload: "p", duration: 2)
            await #expect(
                throws: LiveStreamingError(
                    .conflict, message: "room demo has no live stream that is running")
            ) { try await room.addTimedMetadata([one], room: "demo", addedBy: "ann") }
            let ids = [try await running(world, "a").0, try await running(world, "b").0]
            try await room.addTimedMetadata([one, one], room: "demo", addedBy: "ann")
            for id in ids { #expect(try log(world, id).map(\.seconds) == [2, 2]) }
            await #expect(
                throws: LiveStreamingError(
                    .invalid,
                    message: "timed metadata is not valid: "
                        + "metadata_objs.1.duration must be from 1 to 3600 seconds")
            ) {
                try await room.addTimedMetadata(
                    [one, HLSTimedMetadata(payload: "p", duration: 0)], room: "demo", addedBy: "ann"
                )
            }
        }
    }
}
