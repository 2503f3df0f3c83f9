import ChildProcesses
import ControlAPI
import MediaKernel
import Streams
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct StreamMetricsTests {
    private func values(_ world: StreamsWorld) async -> [String: Double] {
        var values: [String: Double] = [:]
        for metric in await world.streams.metrics() {
            for sample in metric.samples {
                let labels = sample.labels.map { " \($0.value)" }.joined()
                values[metric.name + labels] = sample.value
            }
        }
        return values
    }

    @Test func aStreamsLifeIsCounted() async throws {
        try await StreamsWorld { $0.limits.streams = 1 }.run { world in
            var seen = await values(world)
            #expect(seen["roomcast_streams_accepting"] == 1)
            #expect(seen["roomcast_streams running"] == 0)
            let stream = try #require(
                try await world.streams.start(
                    room: "demo", LiveStreamRequest(), startedBy: nil
                ).first)
            await #expect(throws: LiveStreamError.self) {
                try await world.streams.start(
                    room: "other", LiveStreamRequest(), startedBy: nil)
            }
            let bot = try #require(await world.launcher.next())
            world.clock.advance(.milliseconds(2500))
            await bot.say(.running(firstSegmentMilliseconds: 2400))
            await bot.say(.warning("a picture was late"))
            await bot.say(.reduction(frameRate: 15, layersThinned: 0, videosLeftOut: 0))
            seen = await values(world)
            #expect(seen["roomcast_streams running"] == 1)
            #expect(seen["roomcast_streams starting"] == 0)
            #expect(seen["roomcast_streams_accepting"] == 0)
            #expect(seen["roomcast_streams_refused_total"] == 1)
            #expect(seen["roomcast_stream_starts_total"] == 1)
            #expect(seen["roomcast_stream_start_seconds_total"] == 2.5)
            #expect(seen["roomcast_bot_warnings_total"] == 1)
            #expect(seen["roomcast_picture_adaptations_total"] == 1)
            #expect(seen["roomcast_streams_adapted"] == 1)
            #expect(seen["roomcast_stream_frame_rate demo \(stream.id)"] == 15)
            #expect(seen["roomcast_stream_bot_restarts_total demo \(stream.id)"] == 0)
            #expect(seen["roomcast_stream_start_time_seconds demo \(stream.id)"] ?? 0 > 1e9)
            await bot.say(.reduction(frameRate: 30, layersThinned: 0, videosLeftOut: 0))
            _ = try #require(try await world.replace(bot, .failed(reason: "killed")))
            seen = await values(world)
            #expect(seen["roomcast_streams_adapted"] == 0)
            #expect(seen["roomcast_picture_adaptations_total"] == 2)
            #expect(seen["roomcast_bot_restarts_total"] == 1)
            #expect(seen["roomcast_stream_bot_restarts_total demo \(stream.id)"] == 1)
        }
    }
}
