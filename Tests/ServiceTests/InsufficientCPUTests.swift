import MediaKernel
import Streams
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct InsufficientCPUTests {
    /// Lets the averaging period pass.
    private func pass(_ seconds: Int, in world: StreamsWorld) async {
        for _ in 0..<seconds {
            world.clock.advance(.seconds(1))
            await world.tick()
        }
    }

    private func start(_ room: RoomID, in world: StreamsWorld, variants: Int = 1) async throws {
        let variants = (0..<variants).map { LiveStreamVariant(metadata: "\($0)") }
        _ = try await world.streams.start(
            room: room, LiveStreamRequest(variants: variants), startedBy: nil)
    }

    @Test func aStartIsRefusedWhileTooFewCoresAreIdle() async throws {
        try await StreamsWorld { $0.limits.idleCoresMinimum = 0.6 }.run { world in
            world.processors.setIdle(0.5, at: world.clock.instant)
            await pass(6, in: world)
            #expect(await !world.streams.canAccept)
            await #expect(throws: LiveStreamError.insufficientCPU(idle: 0.5, needed: 0.6)) {
                try await start("demo", in: world)
            }
            #expect(await world.streams.book.counts.refused == 1)
            world.processors.setIdle(0.75, at: world.clock.instant)
            await pass(6, in: world)
            #expect(await world.streams.canAccept)
            try await start("demo", in: world)
            // Idempotent, no matter how busy the machine is.
            world.processors.setIdle(0, at: world.clock.instant)
            await pass(6, in: world)
            try await start("demo", in: world)
        }
    }

    @Test func streamsThatWereJustStartedCountThoughTheyDoNotShowYet() async throws {
        try await StreamsWorld { $0.limits.idleCoresMinimum = 0.6 }.run { world in
            world.processors.setIdle(1.5, at: world.clock.instant)
            await pass(6, in: world)
            try await start("one", in: world, variants: 2)
            await #expect(throws: LiveStreamError.self) { try await start("two", in: world) }
            await pass(8, in: world)
            try await start("two", in: world)
        }
    }

    @Test func oneThatIsOverTakesNoneAnyMore() async throws {
        try await StreamsWorld { $0.limits.idleCoresMinimum = 0.6 }.run { world in
            world.processors.setIdle(0.75, at: world.clock.instant)
            await pass(6, in: world)
            try await start("one", in: world)
            let bot = try #require(await world.launcher.next())
            await #expect(throws: LiveStreamError.self) { try await start("two", in: world) }
            _ = try await world.streams.stop(room: "one", kind: .stream, stoppedBy: nil)
            try await world.end(bot, .finished(reason: "stop"))
            try await start("two", in: world)
        }
    }

    @Test func nothingIsRefusedUnlessItIsWished() async throws {
        try await StreamsWorld().run { world in
            world.processors.setIdle(0, at: world.clock.instant)
            await pass(6, in: world)
            try await start("demo", in: world)
        }
    }
}
