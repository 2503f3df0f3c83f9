import Catalogue
import ChildProcesses
import Foundation
import MediaKernel
import Rooms
import Streams
import Testing

@testable import Service

/// The places that streams are pushed to, with simulated bots.
@Suite(.timeLimit(.minutes(5))) struct OutputTests {
    private func request(_ urls: [String]) throws -> LiveStreamRequest {
        var request = LiveStreamRequest()
        request.outputs = try urls.map { try PushTarget($0) }
        return request
    }

    @Test func aBotIsToldOfOutputsAndTellsTheirStates() async throws {
        try await StreamsWorld().run { world in
            let url = "rtmp://live.example.org/app/secret"
            let stream = try #require(
                try await world.streams.start(room: "demo", try request([url]), startedBy: nil)
                    .first)
            #expect(stream.plan.outputs.map(\.id) == ["1"])
            let bot = try #require(await world.launcher.next())
            let file = try BotConfiguration.read(bot.job.configurationFile)
            #expect(file.outputs.map(\.target.text) == [url])

            await bot.say(.push(PushReport(id: "1", state: .live, bytes: 7)))
            world.clock.advance(.seconds(5))
            await bot.say(.push(PushReport(id: "1", state: .live, bytes: 9)))
            let status = try #require(await world.streams.book[stream.id]?.health.outputs["1"])
            #expect(status.report.bytes == 9)
            #expect(status.since == world.clock.time + .seconds(-5))
            // One that is not there is of no interest.
            await bot.say(.push(PushReport(id: "9", state: .live)))
            #expect(await world.streams.book[stream.id]?.health.outputs.count == 1)

            let (changed, added) = try await world.streams.addOutput(
                try PushTarget("srt://live.example.org:9000"), layer: 1, to: stream.id)
            #expect(added.id == "2" && changed.plan.outputs.count == 2)
            let again = try await world.streams.addOutput(
                try PushTarget("srt://live.example.org:9000"), layer: 1, to: stream.id)
            #expect(again.1 == added)
            _ = try await world.streams.removeOutput("2", of: stream.id)
            let third = try await world.streams.addOutput(
                try PushTarget("srt://live.example.org:9000"), layer: 0, to: stream.id)
            #expect(third.1.id == "3", "a number is not used again")
            let secret = try #require(SecretOutput(added))
            #expect(await bot.nextSignal() == .order(.addOutput(secret)))
            #expect(await bot.nextSignal() == .order(.removeOutput("2")))

            // A replacement begins with the present outputs.
            let next = try #require(
                try await world.replace(bot, .failed(reason: "killed", failure: nil, .signal(9))))
            let second = try BotConfiguration.read(next.job.configurationFile)
            #expect(second.outputs.map(\.id) == ["1", "3"])
        }
    }

    @Test func receiversAreToldOfOutputs() async throws {
        try await StreamsWorld().run { world in
            let (id, bot) = try await world.running(
                try request(["rtmp://live.example.org/app/hunter2"]))
            func told() async throws -> [CatalogueDelivery] {
                try await world.catalogue.deliveries(DeliveryQuery(line: id.rawValue)).records
                    .reversed()
            }
            func data(_ delivery: CatalogueDelivery) throws -> [String: Any] {
                let json = try JSONSerialization.jsonObject(with: Data(delivery.body))
                return try #require((json as? [String: Any])?["data"] as? [String: Any])
            }
            func say(_ state: PushReport.State, _ reason: String? = nil, bytes: Int64) async {
                world.clock.advance(.seconds(5))
                await bot.say(
                    .push(
                        PushReport(
                            id: "1", state: state, reason: reason, bytes: bytes, framesDropped: 3)))
            }
            await say(.connecting, bytes: 0)
            await say(.live, bytes: 7)
            // More bytes, or another reason, are no event.
            await say(.live, bytes: 9)
            await say(.retrying, "refused", bytes: 9)
            await say(.retrying, "timed out", bytes: 9)
            await say(.live, bytes: 11)
            await say(.failed, "no such stream", bytes: 11)
            try await until { try await told().count == 5 }
            let events = try await told()
            #expect(
                events.map(\.kind) == [
                    "hls.started.success", "output.live", "output.retrying", "output.live",
                    "output.failed",
                ])
            #expect(events.allSatisfy { !$0.isTerminal && $0.line == id.rawValue })
            let first = try #require(try data(events[0])["outputs"] as? [[String: Any]])
            #expect(first.map { $0["state"] as? String } == ["connecting"])
            let retrying = try data(events[2])
            #expect(retrying["beam_id"] as? String == id.rawValue)
            let output = try #require(retrying["output"] as? [String: Any])
            #expect(output["id"] as? String == "1" && output["state"] as? String == "retrying")
            #expect(output["url"] as? String == "rtmp://live.example.org/app")
            #expect(output["reason"] as? String == "refused" && output["bytes"] as? Int == 9)
            #expect(output["frames_dropped"] as? Int == 3)
            #expect(output["since"] as? String == (UnixTime(seconds: 1_760_000_020)).description)

            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            bot.exit(.finished(reason: "stop"))
            _ = await world.observer.ending()
            let end = try #require(try await told().last)
            #expect(end.kind == "hls.stopped.success")
            let last = try #require(try data(end)["outputs"] as? [[String: Any]])
            #expect(last.map { $0["state"] as? String } == ["failed"])
            #expect(last.first?["reason"] as? String == "no such stream")
            for event in try await told() {
                #expect(!String(decoding: event.body, as: UTF8.self).contains("hunter2"))
            }
        }
    }

    @Test func whatCannotBePushedIsRefused() async throws {
        try await StreamsWorld().run { world in
            await #expect(throws: LiveStreamError.self) {
                _ = try await world.streams.start(
                    room: "demo", try request(["rtmp://127.0.0.1/app/key"]), startedBy: nil)
            }
            let stream = try #require(
                try await world.streams.start(room: "demo", LiveStreamRequest(), startedBy: nil)
                    .first)
            for number in 1...5 {
                _ = try await world.streams.addOutput(
                    try PushTarget("rtmp://h/app/\(number)"), layer: 0, to: stream.id)
            }
            await #expect(throws: LiveStreamError.tooManyOutputs(stream.id, maximum: 5)) {
                _ = try await world.streams.addOutput(
                    try PushTarget("rtmp://h/app/6"), layer: 0, to: stream.id)
            }
            // A stream on air does not get outputs by being started again.
            await #expect(throws: LiveStreamError.self) {
                _ = try await world.streams.start(
                    room: "demo", try request(["rtmp://h/app/7"]), startedBy: nil)
            }
            _ = try await world.streams.start(
                room: "demo", try request(["rtmp://h/app/5"]), startedBy: nil)
        }
    }

    @Test func theRoomsStateIsThatOfItsBestOutput() throws {
        var stream = LiveStream(
            id: "s", room: "demo", session: nil, createdAt: UnixTime(seconds: 1), startedBy: "ann")
        #expect(RTMPState([stream]) == .none)
        stream.plan.outputs = try ["rtmp://h/app/1", "rtmp://h/app/2"].enumerated().map {
            StreamOutput(id: "\($0.offset)", target: try PushTarget($0.element))
        }
        func state(_ states: [PushReport.State]) -> HLSVariant.State? {
            for (index, state) in states.enumerated() {
                stream.health.outputs["\(index)"] = PushStatus(
                    report: PushReport(id: "\(index)", state: state), since: UnixTime(seconds: 2))
            }
            guard case .pushed(let pushes) = RTMPState([stream]) else { return nil }
            #expect(
                pushes.startedBy == "ann"
                    && pushes.pushes.map(\.url) == ["rtmp://h/app", "rtmp://h/app"])
            return pushes.state
        }
        #expect(state([]) == .initialised)
        #expect(state([.connecting, .retrying]) == .initialised)
        #expect(state([.retrying, .live]) == .started)
        #expect(state([.failed, .retrying]) == .initialised)
        #expect(state([.failed, .failed]) == .failed)
        stream.status = .completed
        #expect(state([.stopped, .stopped]) == .stopped)
        // A bot that died could not say that it had ended.
        #expect(state([.live, .failed]) == .stopped)
        guard case .pushed(let pushes) = RTMPState([stream]) else {
            Issue.record("no pushes")
            return
        }
        #expect(pushes.pushes.map(\.state) == ["stopped", "failed"])
    }
}
