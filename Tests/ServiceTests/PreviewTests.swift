import ChildProcesses
import MediaKernel
import Stage
import Streams
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct PreviewTests {
    @Test func theBotIsToldOfLooksFromTimeToTime() async throws {
        try await StreamsWorld().run { world in
            let (id, bot) = try await world.running(LiveStreamRequest())
            for _ in 0..<10 {
                await world.streams.previewWanted(of: id)
                world.clock.advance(.milliseconds(250))
            }
            let order = BotOrder.preview(seconds: StreamPreview.wishSeconds)
            #expect(await bot.nextSignal() == .order(order))
            #expect(await bot.nextSignal() == .order(order))
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            // Nothing lies between: two wishes, and then the end.
            #expect(await bot.nextSignal() == .stop)
        }
    }

    @Test func aStreamThatDoesNotRunIsNotAskedForPictures() async throws {
        try await StreamsWorld().run { world in
            await world.streams.previewWanted(of: "nothing")
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            await world.streams.previewWanted(of: id)
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            #expect(await bot.nextSignal() == .stop)
        }
    }

    @Test func aPeersStartMayNameALayout() async throws {
        try await StreamsWorld().run { world in
            let streams = StreamsInRoom(
                control: world.streams, chat: world.chat, authorities: [])
            try await streams.start(
                room: "demo", variants: [], recording: nil,
                layout: .object(["name": .string("speaker")]), startedBy: "ann", authority: "h")
            let started = try await world.streams.current(room: "demo", kind: .stream)
            #expect(started?.plan.layout.name == .speaker)
        }
    }
}
