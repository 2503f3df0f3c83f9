import Catalogue
import ChildProcesses
import Foundation
import MediaKernel
import Streams
import Synchronization
import Testing
import Workbench

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct RecordedStreamsTests {
    private let all = LiveStreamRequest(
        recording: RecordingOptions(hlsVOD: true, singleFilePerLayer: true))

    /// A stream that was stopped normally, and its finisher.
    private func stopped(
        _ world: StreamsWorld
    ) async throws -> (id: StreamID, finisher: FinisherDouble.Run) {
        let id = try await world.streams.start(room: "demo", all, startedBy: "ann")[0].id
        let bot = try #require(await world.launcher.next())
        await bot.say(.running(firstSegmentMilliseconds: 1))
        // A bot that is silent for longer is killed, since the streams tick on their own.
        world.clock.advance(.seconds(29))
        _ = try await world.streams.stop(stream: id, stoppedBy: "ben")
        bot.exit(.finished(reason: "stop"))
        return (id, try #require(await world.finishers.next()))
    }

    private func file(_ world: StreamsWorld, _ id: StreamID) throws -> StreamFile {
        try JSONDocument.decode(
            StreamFile.self,
            from: Data(
                contentsOf: URL(filePath: "\(world.directory)/demo/\(id)/\(StreamFile.name)")))
    }

    @Test func assetsAreMadeBeforeTheStreamIsCompleted() async throws {
        try await StreamsWorld().run { world in
            let (id, finisher) = try await stopped(world)
            #expect(
                finisher.job
                    == FinisherJob(
                        stream: id, directory: "\(world.directory)/demo/\(id)",
                        recordings: "\(world.directory)/recordings"))
            var stream = try await world.streams.stream(id)
            #expect(stream?.status == .postProcessing && stream?.end == .stopped)
            #expect(stream?.stoppedAt == world.clock.time)
            await finisher.report(.progress(420))
            #expect(try await world.streams.stream(id)?.finishing.permille == 420)
            let ended = world.clock.time
            world.clock.advance(.seconds(5))
            finisher.exit(.finished)
            #expect(await world.observer.ending()?.status == .completed)
            stream = try await world.streams.stream(id)
            #expect(stream?.status == .completed && stream?.end == .stopped)
            #expect(stream?.finishing.permille == nil)
            #expect(stream?.stoppedAt == ended, "the time of the last segment, not of the assets")
        }
    }

    @Test func whatWasAskedForLiesBesideTheMediaBeforeABotIsStarted() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(room: "demo", all, startedBy: "ann")[0].id
            let file = try file(world, id)
            #expect(file.stream.status == .starting && file.stream.directory == "demo/\(id)")
            #expect(file.stream.assetDirectory == "hls/demo/2025-10-09/1760000000")
            #expect(file.order?.hlsVOD == true && file.order?.singleFilePerLayer == true)
            #expect(file.order?.layers.map(\.width) == [1280, 854, 640])
            // It holds all that is known of a stream once the server is gone, except the state of
            // its picture.
            #expect(try await world.streams.stream(id) == LiveStream(file.stream))
        }
    }

    @Test func aStartThatFindsNoRoomOnTheDiskLeavesNothingThere() async throws {
        try await StreamsWorld().run { world in
            // A file in place of the room's directory: the stream's cannot be made either.
            try Data().write(to: URL(filePath: "\(world.directory)/full"))
            await #expect(throws: LiveStreamError.self) {
                try await world.streams.start(room: "full", all, startedBy: nil)
            }
            // A file in place of the day's recordings.
            let day = "\(world.directory)/recordings/hls/demo/2025-10-09"
            try FileManager.default.createDirectory(
                atPath: "\(world.directory)/recordings/hls/demo", withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: day))
            await #expect(throws: LiveStreamError.self) {
                try await world.streams.start(room: "demo", all, startedBy: nil)
            }
            let left = FileManager.default.enumerator(atPath: world.directory)?.allObjects
            let streams = (left as? [String] ?? []).filter {
                $0.contains("176000") || $0.hasPrefix("demo/") || $0.hasPrefix("full/")
            }
            #expect(streams.isEmpty, "\(streams)")
            #expect(try await world.streams.current(room: "demo", kind: .stream) == nil)
        }
    }

    @Test func aStopIsInTheFileBeforeItIsAnswered() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(room: "demo", all, startedBy: nil)[0].id
            _ = try #require(await world.launcher.next())
            _ = try await world.streams.stop(stream: id, stoppedBy: "ben")
            let record = try file(world, id).stream
            #expect(record.status == .stopping && record.end == .stopped)
            #expect(LiveStream(record)?.stoppedBy == "ben")
        }
    }

    @Test func aFinalStateIsOnTheDiskBeforeItIsTold() async throws {
        try await StreamsWorld().run { world in
            let (id, finisher) = try await stopped(world)
            finisher.exit(.finished)
            let ended = try #require(await world.observer.ending())
            let file = try file(world, id)
            #expect(file.stream.status == .completed && file.stream.end == .stopped)
            #expect(LiveStream(file.stream)?.stoppedBy == ended.stoppedBy)
            // A restart shows the same as before, except the state of the picture.
            var known = ended
            known.health.degradation = LiveStream.Degradation(
                frameRate: 10, layersThinned: 1, videosLeftOut: 0, changes: 3,
                changedAt: world.clock.time)
            #expect(LiveStream(CatalogueStream(known, assetDirectory: nil)) == known)
        }
    }

    @Test func streamsOfOneSecondHaveDirectoriesOfTheirOwn() async throws {
        try await StreamsWorld().run { world in
            let request = LiveStreamRequest(
                variants: [.init(metadata: "a"), .init(metadata: "b")], recording: all.recording)
            let streams = try await world.streams.start(room: "demo", request, startedBy: nil)
            let places = try streams.map { try file(world, $0.id).stream.assetDirectory }
            #expect(
                places == ["hls/demo/2025-10-09/1760000000", "hls/demo/2025-10-09/1760000001"])
        }
    }

    @Test func soundAloneHasALayerForEachBitrate() async throws {
        try await StreamsWorld().run { world in
            var request = all
            request.audio.only = true
            let id = try await world.streams.start(room: "demo", request, startedBy: nil)[0].id
            #expect(try file(world, id).order?.layers.map(\.width) == [0, 0])
        }
    }

    @Test func aStreamIsStartedWhileAnotherOneIsFinished() async throws {
        try await StreamsWorld {
            $0.limits.variantsPerRoom = 1
            $0.limits.streams = 1
        }.run { world in
            let (id, finisher) = try await stopped(world)
            // A stop finds no stream on air, and has no effect.
            #expect(
                try await world.streams.stop(room: "demo", kind: .stream, stoppedBy: nil).map(
                    \.status)
                    == [.postProcessing])
            let next = try await world.streams.start(room: "demo", all, startedBy: nil)
            #expect(next[0].id != id && next[0].status == .starting)
            await #expect(throws: LiveStreamError.notOnAir(id)) {
                try await world.streams.update(
                    stream: id, LiveStreamChange(layout: .object([:])))
            }
            finisher.exit(.finished)
            #expect(await world.observer.ending()?.id == id)
        }
    }

    @Test func aPauseReachesTheBotAndTheOneThatReplacesIt() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(room: "demo", all, startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            #expect(
                try await world.streams.setRecording(stream: id, isPaused: true)
                    .recordingPause == .paused)
            // Once is enough.
            _ = try await world.streams.setRecording(stream: id, isPaused: true)
            #expect(await bot.nextSignal() == .order(.recordingPaused(true)))
            let next = try #require(try await world.replace(bot, .failed(reason: "crashed")))
            let file = try String(contentsOfFile: next.job.configurationFile, encoding: .utf8)
            #expect(file.contains(#""recording_paused":true"#))
            _ = try await world.streams.setRecording(stream: id, isPaused: false)
            #expect(await next.nextSignal() == .order(.recordingPaused(false)))
        }
    }

    @Test func theRoomHearsOfAPause() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(room: "demo", all, startedBy: nil)[0].id
            for isPaused in [true, true, false] {
                _ = try await world.streams.setRecording(stream: id, isPaused: isPaused)
            }
            #expect(await world.observer.next()?.map(\.recordingPause) == [.none])
            #expect(await world.observer.next()?.map(\.recordingPause) == [.paused])
            #expect(await world.observer.next()?.map(\.recordingPause) == [.resumed])
        }
    }

    @Test func whatIsNotRecordedOrNotOnAirCannotBePaused() async throws {
        try await StreamsWorld().run { world in
            let plain = try await world.streams.start(
                room: "plain", LiveStreamRequest(), startedBy: nil)[0].id
            await #expect(throws: LiveStreamError.notRecorded(plain)) {
                try await world.streams.setRecording(stream: plain, isPaused: true)
            }
            _ = await world.launcher.next()
            let (id, _) = try await stopped(world)
            await #expect(throws: LiveStreamError.notOnAir(id)) {
                try await world.streams.setRecording(stream: id, isPaused: true)
            }
            await #expect(throws: LiveStreamError.notFound("stream x")) {
                try await world.streams.setRecording(stream: "x", isPaused: true)
            }
        }
    }

    @Test func whatAFullDiskKeepsFromBeingMadeIsSaidMeanwhileAndToldAtTheEnd() async throws {
        try await StreamsWorld().run { world in
            let (id, first) = try await stopped(world)
            first.exit(.noRoom(reason: "no room"))
            try await until { await !world.streams.hasFinisher(id) }
            let waiting = try #require(try await world.streams.stream(id))
            #expect(waiting.status == .postProcessing && waiting.finishing.error == "no room")
            world.clock.advance(.seconds(2))
            await world.tick()
            let second = try #require(await world.finishers.next())
            second.exit(.finished)
            #expect(await world.observer.ending()?.status == .completed)
            #expect(try await world.streams.stream(id)?.finishing.error == nil)
        }
    }

    @Test func aFinisherThatFailsIsStartedAgain() async throws {
        try await StreamsWorld().run { world in
            let (id, first) = try await stopped(world)
            first.exit(.failed(reason: "killed"))
            try await until { await !world.streams.hasFinisher(id) }
            world.clock.advance(.seconds(2))
            await world.tick()
            let second = try #require(await world.finishers.next())
            #expect(second.job == first.job)
            second.exit(.finished)
            #expect(await world.observer.ending()?.status == .completed)
        }
    }

    @Test func aSilentFinisherIsKilled() async throws {
        try await StreamsWorld().run { world in
            let (_, finisher) = try await stopped(world)
            world.clock.advance(StreamRules().finishStallTimeout + .seconds(1))
            await world.tick()
            #expect(await finisher.signals.first { $0 == .kill } != nil)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct FinisherProcessTests {
    /// Runs a shell script in place of the program and collects its reports.
    private func run(
        _ script: String, kill: Bool = false
    ) async throws -> (exit: FinisherExit, reports: [FinisherReport]) {
        let scratch = try Scratch()
        let executable = try scratch.program(script)
        let (stream, continuation) = AsyncStream.makeStream(of: FinisherSignal.self)
        let reports = Mutex<[FinisherReport]>([])
        let job = FinisherJob(stream: "s1", directory: "/out/s1", recordings: "/rec")
        let exit = await FinisherProcess(executable: executable, user: nil).run(
            job, signals: stream
        ) {
            report in
            reports.withLock { $0.append(report) }
            if kill { continuation.yield(.kill) }
        }
        return (exit, reports.withLock { $0 })
    }

    @Test func reportsAreReadLineByLine() async throws {
        let result = try await run(
            #"""
            echo '{"event":"progress","permille":20}'
            echo 'not a report'
            echo '{"event":"left_out","layer":1,"segment":7}'
            echo '{"event":"from the future"}'
            echo '{"event":"finished","assets":3}'
            """#)
        #expect(result.exit == .finished)
        #expect(
            result.reports == [
                .progress(20), .leftOut(layer: 1, segment: 7), .finished(assets: 3),
            ])
    }

    @Test func itIsToldWhereToWork() async throws {
        let result = try await run(#"echo "{\"event\":\"failed\",\"reason\":\"$*\"}""#)
        #expect(result.exit == .failed(reason: "finish --recordings /rec /out/s1", .reported))
    }

    @Test func itCanBeKilled() async throws {
        let result = try await run(
            "trap '' TERM\necho '{\"event\":\"progress\",\"permille\":0}'\nexec sleep 60",
            kill: true)
        #expect(result.exit == .failed(reason: "", .signal(9)))
    }

    @Test func aFailureKeepsItsReason() async throws {
        let reason = try await run(#"echo '{"event":"failed","reason":"disk full"}'; exit 1"#)
        #expect(reason.exit == .failed(reason: "disk full", .reported))
        #expect(try await run("exit 3").exit == .failed(reason: "", .status(3)))
        let full = try await run(
            #"echo '{"event":"failed","reason":"disk full","no_room":true}'; exit 1"#)
        #expect(full.exit == .noRoom(reason: "disk full"))
        #expect(full.reports == [.failed(reason: "disk full", isForWantOfRoom: true)])
    }
}
