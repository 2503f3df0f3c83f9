import Catalogue
import ChildProcesses
import Foundation
import Glibc
import HLS
import Logging
import MediaKernel
import Rooms
import Stage
import Streams
import Testing
import Tokens

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct StreamsTests {
    @Test func whatTheCatalogueCannotTellIsNotTakenForNothing() async throws {
        let world = try await StreamsWorld()
        try Data().write(to: URL(filePath: "\(world.directory)/catalogue.sqlite-wal"))
        await #expect(throws: LiveStreamError.self) { try await world.streams.stream("a") }
        await #expect(throws: LiveStreamError.self) {
            try await world.streams.current(room: "demo", kind: .stream)
        }
        await #expect(throws: LiveStreamError.self) {
            try await world.streams.streams(LiveStreamQuery())
        }
    }

    @Test func nothingIsBegunWhereTheDirectoryIsNotWhatItWas() async throws {
        try await StreamsWorld().run { world in
            rename(world.directory, "\(world.directory).away")
            await #expect(throws: LiveStreamError.storage("\(world.directory): deleted")) {
                try await world.streams.start(
                    room: "demo", LiveStreamRequest(), startedBy: nil)
            }
            #expect(!FileManager.default.fileExists(atPath: world.directory))
            mkdir(world.directory, 0o755)
            await #expect(
                throws: LiveStreamError.storage("\(world.directory): replaced by another")
            ) { try await world.streams.checkStorage() }
            rmdir(world.directory)
            rename("\(world.directory).away", world.directory)
            let catalogue = "\(world.directory)/catalogue.sqlite"
            rename(catalogue, "\(catalogue).away")
            await #expect(throws: LiveStreamError(CatalogueError.lost(.deleted))) {
                try await world.streams.start(room: "demo", LiveStreamRequest(), startedBy: nil)
            }
            rename("\(catalogue).away", catalogue)
            _ = try await world.streams.start(room: "demo", LiveStreamRequest(), startedBy: nil)
        }
    }

    @Test func aStartIsAnsweredAtOnceAndRunsWhenTheBotSaysSo() async throws {
        try await StreamsWorld().run { world in
            let streams = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: "ann")
            let stream = try #require(streams.first)
            #expect(stream.status == .starting)
            #expect(stream.startedBy == "ann")
            #expect(stream.session == "session-1")
            #expect(stream.playback.url == "http://h:1/hls/demo/\(stream.id)/master.m3u8")
            #expect(stream.id.rawValue.utf8.count == 24)
            let bot = try #require(await world.launcher.next())
            #expect(bot.job.room == "demo")
            #expect(bot.job.endpoint == "http://127.0.0.1:1")
            #expect(bot.job.outputDirectory == "\(world.directory)/demo/\(stream.id)")
            let claims = try await world.authority.verifyRoomToken(
                bot.job.token, at: world.clock.time)
            #expect(claims.role == "__internal_recorder")
            world.clock.advance(.seconds(3))
            await bot.say(.running(firstSegmentMilliseconds: 2500))
            let running = try await world.streams.stream(stream.id)
            #expect(running?.status == .running)
            #expect(running?.startedAt == world.clock.time)
            #expect(await world.streams.statistics(of: stream.id)?.startedAfter == .seconds(3))
            #expect(await world.observer.next()?.map(\.status) == [.starting])
            #expect(await world.observer.next()?.map(\.status) == [.running])
        }
    }

    @Test func aBotFindsItsSettingsInAFileOfItsOwn() async throws {
        try await StreamsWorld().run { world in
            let ladder = try Ladder(validating: [
                Layer(width: 640, height: 360, videoBitrate: 500_000, audioBitrate: 64_000)
            ])
            _ = try await world.streams.start(
                room: "demo", LiveStreamRequest(ladder: ladder), startedBy: nil)
            let bot = try #require(await world.launcher.next())
            let path = bot.job.configurationFile
            #expect(path.hasSuffix("/.bot.json"))
            var plan = StreamPlan(ladder: ladder)
            plan.container = .both
            var expected = BotConfiguration(room: "demo", stream: bot.job.stream, plan: plan)
            // The directory of uploads is absolute, and the same for all streams.
            let root = path.components(separatedBy: "/demo/")[0]
            expected.picturesDirectory = "\(root)/.pictures"
            #expect(try BotConfiguration.read(path) == expected)
        }
    }

    /// The encoder of the bot's pictures.
    private func encoder(of bot: BotDouble) throws -> String {
        try BotConfiguration.read(bot.job.configurationFile).plan.encoder
    }

    /// Whether it reported its failure, or crashed without a report.
    @Test(arguments: [nil, BotReport.failed(reason: "layer 0: the encoder is gone")])
    func aBotThatFailedIsReplacedByOneThatLeavesTheHardwareAlone(
        lastWord: BotReport?
    ) async throws {
        try await StreamsWorld { $0.encoder = .nvenc }.run { world in
            _ = try await world.streams.start(room: "demo", LiveStreamRequest(), startedBy: nil)
            let first = try #require(await world.launcher.next())
            #expect(try encoder(of: first) == "nvenc")
            await first.say(.running(firstSegmentMilliseconds: 1))
            // It was killed, which proves nothing about the hardware.
            let second = try #require(
                try await world.replace(first, .failed(reason: "", .signal(9))))
            #expect(try encoder(of: second) == "nvenc")
            if let lastWord { await second.say(lastWord) }
            let third = try #require(try await world.replace(second, .failed(reason: "signal 11")))
            #expect(try encoder(of: third) == "x264")
        }
    }

    @Test func aBotThatHangsIsReplacedByOneThatLeavesTheHardwareAlone() async throws {
        try await StreamsWorld { $0.encoder = .nvenc }.run { world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let first = try #require(await world.launcher.next())
            await first.say(.running(firstSegmentMilliseconds: 1))
            world.clock.advance(.seconds(20))
            await first.say(.segment(layer: 0, index: 0, bytes: 1))
            world.clock.advance(.seconds(29))
            await world.tick()
            _ = try await world.streams.update(
                stream: id, LiveStreamChange(roles: .only(["host"])))
            #expect(await first.nextSignal() == .order(.roles(["host"])), "it is not killed")
            world.clock.advance(.seconds(1))
            await world.tick()
            #expect(await first.nextSignal() == .kill)
            let second = try #require(
                try await world.replace(first, .failed(reason: "", .signal(9))))
            #expect(try encoder(of: second) == "x264")
        }
    }

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func theBotRecordsWhenAnythingIsToBeKept(vod: Bool, files: Bool) async throws {
        try await StreamsWorld().run { world in
            let recording = RecordingOptions(hlsVOD: vod, singleFilePerLayer: files)
            _ = try await world.streams.start(
                room: "demo", LiveStreamRequest(recording: recording), startedBy: nil)
            let bot = try #require(await world.launcher.next())
            let file = try String(contentsOfFile: bot.job.configurationFile, encoding: .utf8)
            #expect(file.contains(#""recorded":\#(vod || files),"#))
        }
    }

    @Test func aChangedLayoutReachesTheBotAndTheOneThatReplacesIt() async throws {
        try await StreamsWorld({ $0.layout = Layout(gap: 2) }).run { world in
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(layout: .object(["name": .string("speaker")])),
                startedBy: nil)[0]
            #expect(stream.plan.layout == Layout(name: .speaker, gap: 2))
            let bot = try #require(await world.launcher.next())
            let changed = try await world.streams.update(
                stream: stream.id,
                LiveStreamChange(layout: .object(["corner_radius": .integer(8)])))
            let expected = Layout(name: .speaker, gap: 2, cornerRadius: 8)
            #expect(changed.plan.layout == expected)
            #expect(try await world.streams.stream(stream.id)?.plan.layout == expected)
            #expect(await bot.nextSignal() == .order(.layout(expected)))
            let next = try #require(try await world.replace(bot, .failed(reason: "crashed")))
            let file = try String(contentsOfFile: next.job.configurationFile, encoding: .utf8)
            #expect(file.contains(#""corner_radius":8"#))
        }
    }

    @Test func changedRolesReachTheBotAndTheOneThatReplacesIt() async throws {
        try await StreamsWorld().run { world in
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(audio: LiveStreamAudio(only: true)),
                startedBy: nil)[0]
            let bot = try #require(await world.launcher.next())
            let changed = try await world.streams.update(
                stream: stream.id, LiveStreamChange(roles: .only(["host", "guest"])))
            #expect(changed.plan.audio == LiveStreamAudio(roles: ["host", "guest"], only: true))
            #expect(changed.plan.layout == stream.plan.layout)
            #expect(await bot.nextSignal() == .order(.roles(["host", "guest"])))
            let next = try #require(try await world.replace(bot, .failed(reason: "crashed")))
            let file = try String(contentsOfFile: next.job.configurationFile, encoding: .utf8)
            #expect(file.contains(#""audio":{"only":true,"roles":["host","guest"]}"#))
            _ = try await world.streams.update(
                stream: stream.id, LiveStreamChange(roles: .everybody))
            #expect(await next.nextSignal() == .order(.roles(nil)))
            #expect(try await world.streams.stream(stream.id)?.plan.audio.roles == nil)
        }
    }

    @Test func aRefusedLayoutLeavesTheRolesAlone() async throws {
        try await StreamsWorld().run { world in
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            await #expect(throws: LiveStreamError.self) {
                try await world.streams.update(
                    stream: stream.id,
                    LiveStreamChange(
                        layout: .object(["gap": .string("wide")]), roles: .only(["host"])))
            }
            #expect(try await world.streams.stream(stream.id)?.plan.audio.roles == nil)
        }
    }

    @Test func aLayoutThatIsWrongChangesNothingAndStartsNothing() async throws {
        try await StreamsWorld().run { world in
            let wrong = JSONValue.object(["gap": .string("wide")])
            let refusal = LiveStreamError.invalidLayout(
                "layout.gap must be a whole number from 0 to 400")
            await #expect(throws: refusal) {
                try await world.streams.start(
                    room: "demo", LiveStreamRequest(layout: wrong), startedBy: nil)
            }
            let known = try await world.streams.streams(LiveStreamQuery()).streams
            #expect(known.isEmpty)
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            await #expect(throws: refusal) {
                try await world.streams.update(stream: stream.id, LiveStreamChange(layout: wrong))
            }
            await #expect(throws: LiveStreamError.notFound("stream s")) {
                try await world.streams.update(stream: "s", LiveStreamChange(layout: .object([:])))
            }
            _ = try await world.streams.stop(stream: stream.id, stoppedBy: nil)
            await #expect(throws: LiveStreamError.notOnAir(stream.id)) {
                try await world.streams.update(
                    stream: stream.id, LiveStreamChange(layout: .object([:])))
            }
        }
    }

    @Test func startingWhatRunsChangesNothing() async throws {
        try await StreamsWorld().run { world in
            let first = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let again = try await world.streams.start(
                room: "demo",
                LiveStreamRequest(variants: [.init(meetingURL: "http://h:1/rooms/demo")]),
                startedBy: "ben")
            #expect(again == first)
            #expect(try await world.streams.streams(LiveStreamQuery()).streams.count == 1)
        }
    }

    @Test func whatIsAskedForAndCannotBeHadOfWhatRunsIsRefused() async throws {
        try await StreamsWorld().run { world in
            let streams = world.streams
            let id = try await streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let vod = LiveStreamRequest(recording: RecordingOptions(hlsVOD: true))
            let ladder = try Ladder(validating: [
                Layer(width: 640, height: 360, videoBitrate: 500_000, audioBitrate: 64_000)
            ])
            var shorter = LiveStreamRequest()
            shorter.segmentDuration = .seconds(1)
            for (request, lack) in [
                (vod, "and hls_vod is not recorded"),
                (
                    LiveStreamRequest(recording: .init(singleFilePerLayer: true)),
                    "and single_file_per_layer is not recorded"
                ),
                (LiveStreamRequest(audio: .init(only: true)), "with video"),
                (LiveStreamRequest(ladder: ladder), "with another ladder"),
                (shorter, "with segments of another length"),
                // All or none: none of its variants is started.
                (
                    LiveStreamRequest(
                        variants: [.init(metadata: "b"), .init()], recording: vod.recording),
                    "and hls_vod is not recorded"
                ),
            ] {
                await #expect(throws: LiveStreamError.runsOtherwise(id, lack)) {
                    try await streams.start(room: "demo", request, startedBy: nil)
                }
            }
            #expect(try await streams.streams(LiveStreamQuery()).streams.count == 1)
            // A subset, or a repetition, is not another stream.
            let whole = LiveStreamRequest(
                recording: .init(hlsVOD: true, singleFilePerLayer: true), ladder: ladder)
            let first = try await streams.start(room: "other", whole, startedBy: nil)
            for request in [whole, vod, LiveStreamRequest()] {
                let again = try await streams.start(room: "other", request, startedBy: nil)
                #expect(again.map(\.id) == first.map(\.id))
            }
        }
    }

    @Test func variantsOfARoomRunSideBySide() async throws {
        try await StreamsWorld().run { world in
            let first = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let both = try await world.streams.start(
                room: "demo",
                LiveStreamRequest(variants: [.init(metadata: "b"), .init()]), startedBy: nil)
            #expect(both.map(\.plan.variant.metadata) == ["b", ""])
            #expect(both[1] == first[0])
            let stopped = try await world.streams.stop(
                room: "demo", kind: .stream, stoppedBy: "ann")
            #expect(stopped.map(\.status) == [.stopping, .stopping])
            #expect(stopped.map(\.stoppedBy) == ["ann", "ann"])
        }
    }

    @Test func aStopIsFinishedByTheBot() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            #expect(
                try await world.streams.stop(stream: id, stoppedBy: nil).status == .stopping)
            #expect(await bot.nextSignal() == .stop)
            let totals = BotReport.Totals(
                segments: 3, duration: 6, cpuSeconds: 1, residentMegabytes: 99)
            await bot.say(.stopped(reason: "stop", totals))
            bot.exit(.finished(reason: "stop"))
            #expect(await world.observer.ending()?.status == .completed)
            let record = try await world.streams.stream(id)
            #expect(record?.stoppedAt != nil)
            #expect(record?.end == .stopped)
            #expect(await world.streams.statistics(of: id)?.totals == totals)
            #expect(!FileManager.default.fileExists(atPath: bot.job.configurationFile))
            // Stopping a stopped stream returns its record.
            #expect(try await world.streams.stop(stream: id, stoppedBy: "ben") == record)
            #expect(
                try await world.streams.stop(room: "demo", kind: .stream, stoppedBy: "ben") == [
                    record
                ])
            // A new start gives a new stream.
            let next = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            #expect(next[0].id > id)
        }
    }

    @Test func whatIsOverIsStillSaidToHaveBeenStoppedByWhoDidIt() async throws {
        try await StreamsWorld().run { world in
            let recording = RecordingOptions(hlsVOD: true)
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(recording: recording), startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            _ = try await world.streams.stop(stream: id, stoppedBy: "ann")
            try await world.end(bot, .finished(reason: "stop"))
            let ended = try #require(try await world.streams.stream(id)?.stoppedAt)
            world.clock.advance(.seconds(5))
            let record = try await world.streams.stop(stream: id, stoppedBy: "ben")
            #expect(record.status == .postProcessing && record.stoppedBy == "ann")
            #expect(record.stoppedAt == ended)
        }
    }

    @Test func aRoomThatIsEndedTakesItsStreamsOffTheAir() async throws {
        try await StreamsWorld().run { world in
            let recording = LiveStreamRequest(
                kind: .recording, recording: RecordingOptions(singleFilePerLayer: true))
            for request in [LiveStreamRequest(), recording] {
                let stream = try await world.streams.start(
                    room: "demo", request, startedBy: nil)[0]
                let bot = try #require(await world.launcher.next())
                // The bot is not in the room, or it would learn of the end and finish on its own.
                await world.streams.roomEnded("other", at: world.clock.instant)
                #expect(try await world.streams.stream(stream.id)?.status == .starting)
                await world.streams.roomEnded("demo", at: world.clock.instant)
                #expect(await bot.nextSignal() == .stop)
                let record = try await world.streams.stream(stream.id)
                #expect(record?.status == .stopping && record?.end == .roomEnded)
            }
            let end = world.clock.instant
            world.clock.advance(.milliseconds(1))
            let next = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            await world.streams.roomEnded("demo", at: end)
            #expect(try await world.streams.stream(next.id)?.status == .starting)
        }
    }

    @Test func whatNeverRanCannotBeStopped() async throws {
        try await StreamsWorld().run { world in
            await #expect(throws: LiveStreamError.notFound("room demo never had a live stream")) {
                try await world.streams.stop(room: "demo", kind: .stream, stoppedBy: nil)
            }
            await #expect(throws: LiveStreamError.notFound("stream x")) {
                try await world.streams.stop(stream: "x", stoppedBy: nil)
            }
        }
    }

    @Test func stepsForWantOfCPUAreInTheStreamsState() async throws {
        try await StreamsWorld().run { world in
            _ = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let bot = try #require(await world.launcher.next())
            let id = bot.job.stream
            await bot.say(.running(firstSegmentMilliseconds: 1))
            #expect(try await world.streams.stream(id)?.health.degradation == nil)
            await bot.say(.reduction(frameRate: 10, layersThinned: 1, videosLeftOut: 0))
            await bot.say(.reduction(frameRate: 30, layersThinned: 0, videosLeftOut: 0))
            await bot.say(.reduction(frameRate: 30, layersThinned: 0, videosLeftOut: 2))
            let degradation = try await world.streams.stream(id)?.health.degradation
            #expect(
                degradation
                    == LiveStream.Degradation(
                        frameRate: 30, layersThinned: 0, videosLeftOut: 2, changes: 3,
                        changedAt: world.clock.time))
        }
    }

    @Test func whatCannotBeDecodedIsInTheStreamsStateAndToldToTheRoom() async throws {
        try await StreamsWorld().run { world in
            _ = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let bot = try #require(await world.launcher.next())
            let id = bot.job.stream
            await bot.say(.running(firstSegmentMilliseconds: 1))
            await bot.say(
                .leftOut([.init(track: "t", peer: "Ann", peerID: "a", reason: "too large")]))
            let stream = try #require(try await world.streams.stream(id))
            let expected = HLSVariant.LeftOutTrack(
                track: "t", peer: "a", name: "Ann", reason: "too large")
            #expect(stream.health.tracksLeftOut == [expected])
            #expect(HLSState([stream]).variants.map(\.tracksLeftOut) == [[expected]])
            await bot.say(.leftOut([]))
            #expect(try await world.streams.stream(id)?.health.tracksLeftOut == [])
        }
    }

    /// The plan has 30 pictures per second, but the segments fewer: the actual rate is reported.
    @Test func whatTheSegmentsHoldIsWhatIsTold() async throws {
        try await StreamsWorld().run { world in
            _ = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let bot = try #require(await world.launcher.next())
            let id = bot.job.stream
            await bot.say(.running(firstSegmentMilliseconds: 1))
            #expect(try await world.streams.stream(id)?.isReduced == false)
            await bot.say(.frameRate(29.5))
            #expect(try await world.streams.stream(id)?.health.degradation == nil)
            await bot.say(.frameRate(0.5))
            let starved = try #require(try await world.streams.stream(id))
            #expect(starved.isReduced && starved.frameRateNow == 0.5)
            #expect(starved.health.degradation?.frameRate == 30)
            await bot.say(.reduction(frameRate: 10, layersThinned: 0, videosLeftOut: 0))
            #expect(try await world.streams.stream(id)?.frameRateNow == 0.5)
            await bot.say(.frameRate(30))
            #expect(try await world.streams.stream(id)?.frameRateNow == 10)
            await bot.say(.reduction(frameRate: 30, layersThinned: 0, videosLeftOut: 0))
            let whole = try #require(try await world.streams.stream(id))
            #expect(!whole.isReduced && whole.health.restarts == 0)
            _ = try #require(try await world.replace(bot, .failed(reason: "signal 11")))
            #expect(try await world.streams.stream(id)?.health.restarts == 1)
        }
    }

    @Test func aBotThatReplacesOneThatWasShortOfCPUMakesTheWholePicture() async throws {
        try await StreamsWorld().run { world in
            _ = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let first = try #require(await world.launcher.next())
            let id = first.job.stream
            await first.say(.running(firstSegmentMilliseconds: 1))
            await first.say(.reduction(frameRate: 10, layersThinned: 1, videosLeftOut: 0))
            let second = try #require(try await world.replace(first, .failed(reason: "signal 11")))
            let whole = LiveStream.Degradation(
                frameRate: 30, layersThinned: 0, videosLeftOut: 0, changes: 2,
                changedAt: world.clock.time)
            #expect(try await world.streams.stream(id)?.health.degradation == whole)
            // Now no track is left out that could return.
            _ = try #require(try await world.replace(second, .failed(reason: "signal 11")))
            #expect(try await world.streams.stream(id)?.health.degradation == whole)
        }
    }

    @Test func aDeadBotIsReplacedInTheSameDirectory() async throws {
        try await StreamsWorld().run { world in
            _ = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let first = try #require(await world.launcher.next())
            await first.say(.running(firstSegmentMilliseconds: 1))
            let second = try #require(
                try await world.replace(first, .failed(reason: "signal 11")))
            #expect(second.job.outputDirectory == first.job.outputDirectory)
            // A late report of the dead bot is ignored.
            await first.say(.tiles([]))
            #expect(try await world.streams.stream(second.job.stream)?.status == .running)
            #expect(await world.streams.statistics(of: second.job.stream)?.launches == 2)
        }
    }

    @Test func aStreamWhoseBotsKeepDyingFailsWithItsPlaylistsEnded() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let directory = "\(world.directory)/demo/\(id)/stream_0"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            try Data("#EXTM3U\n#EXTINF:2,\na.ts\n".utf8)
                .write(to: URL(fileURLWithPath: "\(directory)/stream.m3u8"))
            var bot = try #require(await world.launcher.next())
            for _ in 0..<StreamRules().restartsMaximum {
                bot = try #require(try await world.replace(bot, .failed(reason: "x")))
            }
            bot.exit(.failed(reason: "x"))
            let ended = await world.observer.ending()
            #expect(ended?.status == .failed)
            #expect(ended?.end?.code == "bot_died")
            let text = try String(
                contentsOfFile: "\(directory)/stream.m3u8", encoding: .utf8)
            #expect(text.hasSuffix("a.ts\n#EXT-X-ENDLIST\n"))
        }
    }

    @Test func thereIsAMaximumOfStreamsAndOfVariants() async throws {
        try await StreamsWorld { settings in
            settings.limits.streams = 3
            settings.limits.variantsPerRoom = 2
        }.run { world in
            for room in ["a", "b"] as [RoomID] {
                _ = try await world.streams.start(
                    room: room, LiveStreamRequest(), startedBy: nil)
            }
            let two = LiveStreamRequest(variants: [.init(metadata: "x"), .init(metadata: "y")])
            await #expect(throws: LiveStreamError.tooManyStreams(running: 2, maximum: 3)) {
                try await world.streams.start(room: "c", two, startedBy: nil)
            }
            await #expect(throws: LiveStreamError.tooManyVariants(room: "a", maximum: 2)) {
                try await world.streams.start(room: "a", two, startedBy: nil)
            }
            #expect(await world.streams.book.counts.refused == 2)
            // All or none: nothing of a refused request was started.
            #expect(try await world.streams.streams(LiveStreamQuery()).streams.count == 2)
            #expect(
                try await world.streams.start(room: "a", LiveStreamRequest(), startedBy: nil)
                    .count == 1)
        }
    }

    @Test func aDirectoryThatCannotBeMadeRefusesTheStart() async throws {
        try await StreamsWorld { $0.outputDirectory = "/proc/nothing" }.run { world in
            await #expect(throws: LiveStreamError.self) {
                try await world.streams.start(room: "a", LiveStreamRequest(), startedBy: nil)
            }
            let known = try await world.streams.streams(LiveStreamQuery()).streams
            #expect(known.isEmpty)
        }
    }

    @Test func aVariantThatCannotBeStartedTakesTheOthersWithIt() async throws {
        try await StreamsWorld().run { world in
            _ = try await world.streams.start(
                room: "demo",
                LiveStreamRequest(
                    variants: [.init(metadata: "before")],
                    recording: RecordingOptions(hlsVOD: true)),
                startedBy: nil)
            // One place for recordings is left.
            let day = "\(world.directory)/recordings/hls/demo/2025-10-09"
            for number in 1..<StreamDisk.placesMaximum - 1 {
                try FileManager.default.createDirectory(
                    atPath: "\(day)/\(world.clock.time.seconds + number)",
                    withIntermediateDirectories: true)
            }
            let request = LiveStreamRequest(
                variants: ["before", "a", "b"].map { .init(metadata: $0) },
                recording: RecordingOptions(hlsVOD: true))
            await #expect(throws: LiveStreamError.self) {
                try await world.streams.start(room: "demo", request, startedBy: "ann")
            }
            let streams = try await world.streams.streams(LiveStreamQuery(room: "demo")).streams
            #expect(streams.map(\.plan.variant.metadata) == ["a", "before"])
            #expect(streams.map(\.status) == [.stopping, .starting])
            #expect(streams[0].end == .variantRefused)
        }
    }

    @Test func aDestinationThatThePolicyDoesNotHaveIsRefused() async throws {
        let main = HLSDestination()
        let destinations = try StreamDestinations(
            ["main": main], standard: .standard, playlist: .event, layout: Layout(),
            pictures: WebHosts())
        try await StreamsWorld { $0.destinations = destinations }.run { world in
            await #expect(throws: LiveStreamError.unknownDestination("typo")) {
                try await world.streams.start(
                    room: "demo", LiveStreamRequest(destination: "typo"), startedBy: nil)
            }
        }
    }

    @Test func aRequestChoosesItsContainer() async throws {
        var main = HLSDestination()
        main.container = "mkv"
        #expect(
            refusedSetting {
                try StreamDestinations(
                    ["main": main], standard: .standard, playlist: .event, layout: Layout(),
                    pictures: WebHosts())
            } == "policy.file")
        try await StreamsWorld().run { world in
            var request = LiveStreamRequest()
            request.container = .fragments
            let stream = try await world.streams.start(
                room: "demo", request, startedBy: "ann")[0]
            #expect(stream.plan.container == .fragments && stream.fragmentsURL == nil)
            request.container = .transportStream
            await #expect(
                throws: LiveStreamError.runsOtherwise(stream.id, "without segments in ts")
            ) {
                try await world.streams.start(room: "demo", request, startedBy: nil)
            }
            request = LiveStreamRequest(kind: .recording)
            request.container = .both
            let recording = try await world.streams.start(
                room: "other", request, startedBy: nil)[0]
            #expect(recording.plan.container == .transportStream)
        }
    }

    /// Low latency brings the fragments that it needs, beside transport streams if nothing else is
    /// said.
    @Test(
        arguments: [
            (nil, nil, .both, nil), (true, nil, .both, 10), (true, .both, .both, 10),
            (true, .fragments, .fragments, 10), (false, .both, .both, nil),
        ] as [(Bool?, StreamContainer?, StreamContainer, Int?)])
    func aRequestChoosesLowLatency(
        isLow: Bool?, asked: StreamContainer?, container: StreamContainer, frames: Int?
    ) async throws {
        try await StreamsWorld().run { world in
            var request = LiveStreamRequest()
            (request.isLowLatency, request.container) = (isLow, asked)
            let plan = try await world.streams.start(
                room: "demo", request, startedBy: nil)[0].plan
            #expect(plan.container == container && plan.partFrames == frames)
        }
    }

    @Test func aRunningStreamMayLackLowLatency() async throws {
        try await StreamsWorld().run { world in
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            var request = LiveStreamRequest()
            request.isLowLatency = true
            await #expect(
                throws: LiveStreamError.runsOtherwise(stream.id, "without low latency")
            ) {
                try await world.streams.start(room: "demo", request, startedBy: nil)
            }
            request.container = .transportStream
            await #expect(
                throws: LiveStreamError.invalidContainer(
                    "low_latency: it needs the container cmaf or both")
            ) {
                try await world.streams.start(room: "other", request, startedBy: nil)
            }
        }
    }

    /// The settings, the destinations and requests that differ from them.
    @Test func lowLatencyIsADefaultToo() async throws {
        var low = HLSDestination()
        low.lowLatency = true
        var plain = HLSDestination()
        plain.container = "ts"
        let written = ["low": low, "plain": plain, "default": HLSDestination()]
        let destinations = try StreamDestinations(
            written, standard: .standard, playlist: .event, layout: Layout(), pictures: WebHosts())
        low.container = "ts"
        #expect(
            refusedSetting {
                try StreamDestinations(
                    ["low": low], standard: .standard, playlist: .event, layout: Layout(),
                    pictures: WebHosts())
            } == "policy.file")
        var settings = StreamSettings()
        settings.destinations = destinations
        func frames(
            _ destination: String, _ container: StreamContainer? = nil, _ isLow: Bool? = nil,
            kind: LiveStream.Kind = .stream
        ) throws -> Int? {
            var request = LiveStreamRequest(kind: kind, destination: destination)
            (request.container, request.isLowLatency) = (container, isLow)
            return try settings.plan(
                of: LiveStreamVariant(), for: request, layout: Layout()
            ).partFrames
        }
        #expect(try frames("default") == nil && frames("low") == 10)
        #expect(try frames("low", .transportStream) == nil && frames("low", nil, false) == nil)
        settings.playback.isLowLatency = true
        #expect(try frames("default") == 10 && frames("plain") == nil)
        #expect(try frames("plain", .fragments) == 10 && frames("plain", nil, true) == 10)
        #expect(try frames("default", .transportStream) == nil)
        #expect(try frames("default", kind: .recording) == nil)
        settings.playback.copyURL = "https://cdn.example"
        #expect {
            try frames("default", .both)
        } throws: { error in
            if case LiveStreamError.invalidContainer = error { true } else { false }
        }
    }

    /// Copies of live streams have transport streams only.
    @Test func aCopiedStreamHasTransportStreams() async throws {
        try await StreamsWorld { settings in
            settings.playback.isCopied = true
            settings.playback.copyURL = "https://cdn.example"
            settings.container = .both
        }.run { world in
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            #expect(stream.plan.container == .transportStream)
            var request = LiveStreamRequest()
            request.container = .fragments
            await #expect(throws: LiveStreamError.self) {
                try await world.streams.start(room: "other", request, startedBy: nil)
            }
            // The same request again is answered with the running stream.
            request.container = .both
            let asked = try await world.streams.start(room: "third", request, startedBy: nil)
            let again = try await world.streams.start(room: "third", request, startedBy: nil)
            #expect(again.map(\.id) == asked.map(\.id))
        }
    }

    @Test func aStartThatSaysNothingOfItHasItsDestinationsRecordingAndPlaylists() async throws {
        var main = HLSDestination()
        main.recording = HLSDestination.Recording(hlsVod: true)
        main.playlistType = "live"
        main.numPlaylistSegments = 5
        main.container = "both"
        let destinations = try StreamDestinations(
            ["main": main], standard: .standard, playlist: .event, layout: Layout(),
            pictures: WebHosts())
        try await StreamsWorld { $0.destinations = destinations }.run { world in
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: "ann")[0]
            #expect(stream.plan.recording == LiveStreamRecording(hlsVOD: true))
            #expect(stream.plan.playlist == .live(window: 5))
            #expect(stream.plan.container == .both)
            #expect(stream.fragmentsURL?.hasSuffix("/\(stream.id)/cmaf.m3u8") == true)
            let bot = try #require(await world.launcher.next())
            let file = try BotConfiguration.read(bot.job.configurationFile)
            #expect(file.plan.playlist == .live(window: 5) && file.isRecorded)
            // A stream can opt out, and then has none.
            let other = try await world.streams.start(
                room: "other", LiveStreamRequest(recording: RecordingOptions(hlsVOD: false)),
                startedBy: nil)[0]
            #expect(other.plan.recording == LiveStreamRecording())
            await #expect(
                throws: LiveStreamError.runsOtherwise(other.id, "and hls_vod is not recorded")
            ) {
                try await world.streams.start(
                    room: "other", LiveStreamRequest(), startedBy: nil)
            }
        }
    }

    @Test func anEmptyRoomIsLeftAfterTheTimeout() async throws {
        try await StreamsWorld { $0.rules.emptyTimeout = .seconds(10) }.run { world in
            await world.seen("demo", RoomOccupancy(peers: 1, publishers: 0))
            _ = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            // In steps: a bot that is silent for long is killed, since the streams tick on their
            // own.
            for index in 0..<4 {
                world.clock.advance(.seconds(25))
                await bot.say(.segment(layer: 0, index: index, bytes: 1))
            }
            await world.tick()
            #expect(
                try await world.streams.current(room: "demo", kind: .stream)?.status == .running)
            await world.seen("demo", RoomOccupancy(peers: 0, publishers: 0))
            world.clock.advance(.seconds(10))
            await world.tick()
            #expect(await bot.nextSignal() == .stop)
            #expect(
                try await world.streams.current(room: "demo", kind: .stream)?.end?.description
                    == "last peer left")
        }
    }
}
