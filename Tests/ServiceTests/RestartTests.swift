import Catalogue
import Foundation
import Glibc
import MediaKernel
import Streams
import Testing

@testable import Service

/// A server's handling of its predecessor's streams.
@Suite(.timeLimit(.minutes(5))) struct RestartTests {
    /// Writes an earlier server's files of a stream.
    private func leave(
        _ world: StreamsWorld, _ id: StreamID, _ status: LiveStream.Status,
        _ end: StreamEnd? = nil, row: LiveStream.Status? = nil, isRecorded: Bool = true,
        kind: LiveStream.Kind = .stream
    ) async throws {
        var stream = LiveStream(
            id: id, room: "demo", kind: kind, session: "s",
            plan: StreamPlan(recording: isRecorded ? LiveStreamRecording(hlsVOD: true) : nil),
            playback: LiveStream.Playback(url: "http://h:1/x"), createdAt: world.clock.time,
            startedBy: "ann")
        stream.end = end
        let place = RecordingPlace(
            kind: kind, room: "demo", date: "2025-10-09", epoch: 1_760_000_000
        )
        var record = CatalogueStream(stream, assetDirectory: isRecorded ? place.directory : nil)
        record.status = status
        let directory = "\(world.directory)/demo/\(kind == .stream ? "" : ".")\(id)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let order = RecordingOrder(
            hlsVOD: true, singleFilePerLayer: false, layers: [.init(width: 640, height: 360)])
        try StreamRecordStore.note(
            .init(
                file: StreamFile(stream: record, order: isRecorded ? order : nil),
                directory: directory))
        if let row {
            var known = record
            known.status = row
            try await world.catalogue.save(known)
        }
    }

    @Test(
        arguments: [
            (LiveStream.Status.starting, nil, LiveStream.Status.failed),
            (.running, nil, .failed), (.stopping, .stopped, .completed),
            (.postProcessing, .lastPeerLeft, .completed),
            (.postProcessing, .failed(StreamFailure(.diskFull, "x")), .failed),
        ] as [(LiveStream.Status, StreamEnd?, LiveStream.Status)])
    func aStreamThatWasLeftBehindIsFinishedAndEnds(
        status: LiveStream.Status, why: StreamEnd?, end: LiveStream.Status
    ) async throws {
        let world = try await StreamsWorld()
        try await leave(world, "000000000001000000000000", status, why, row: .starting)
        try await world.streams.recover()
        try await world.run { world in
            let found = try await world.streams.stream("000000000001000000000000")
            #expect(found?.status == .postProcessing)
            let finisher = try #require(await world.finishers.next())
            #expect(finisher.job.directory == "\(world.directory)/demo/\(finisher.job.stream)")
            finisher.exit(.finished)
            let ended = try #require(await world.observer.ending())
            #expect(ended.status == end)
            #expect(ended.end == why ?? .failed(.serverRestarted))
            #expect(
                try await world.catalogue.stream(ended.id)?.status == end)
        }
    }

    /// One after another if no core is idle, the oldest first, no matter how long that takes.
    @Test func manyStreamsAreFinishedInTheirTurn() async throws {
        let world = try await StreamsWorld { $0.limits.finishers = 2 }
        world.processors.setIdle(0, at: world.clock.instant)
        let ids = (0..<60).map { StreamID("0000000000\(10 + $0)000000000000") }
        for id in ids.shuffled() {
            try await leave(
                world, id, .postProcessing, .stopped, row: .postProcessing)
        }
        try await world.streams.recover()
        try await world.run { world in
            for (index, id) in ids.enumerated() {
                await world.tick()
                let finisher = try #require(await world.finishers.next())
                #expect(finisher.job.stream == id)
                // Longer than a finisher may be silent: the others do not work yet.
                world.clock.advance(.seconds(100))
                await world.tick()
                let last = try #require(ids.last)
                let found = try await world.streams.stream(last)
                #expect(found?.finishing.position == (id == last ? nil : 59 - index))
                finisher.exit(.finished)
                try await until { await !world.streams.hasFinisher(id) }
            }
            try await until { try await world.catalogue.unfinishedStreams().isEmpty }
            #expect(try await world.streams.stream(ids[0])?.status == .completed)
        }
    }

    @Test func idleCoresFinishMoreAtATime() async throws {
        let world = try await StreamsWorld { $0.limits.finishers = 2 }
        let ids: [StreamID] = [
            "000000000001000000000000", "000000000002000000000000", "000000000003000000000000",
        ]
        for id in ids {
            try await leave(
                world, id, .postProcessing, .stopped, row: .postProcessing)
        }
        await world.tick()
        world.clock.advance(.seconds(2))
        await world.tick()
        try await world.streams.recover()
        try await world.run { world in
            await world.tick()
            let first = try #require(await world.finishers.next())
            let second = try #require(await world.finishers.next())
            // The order in which the two start is not defined.
            #expect(Set([first, second].map(\.job.stream)) == Set(ids.prefix(2)))
            #expect(try await world.streams.stream(ids[2])?.finishing.position == 1)
            // No stream is on air.
            first.exit(.finished)
            let third = try #require(await world.finishers.next())
            #expect(third.job.stream == ids[2])
            _ = try await world.streams.start(room: "on-air", LiveStreamRequest(), startedBy: nil)
            #expect(await second.signals.first { _ in true } == .giveWay)
            #expect(await third.signals.first { _ in true } == .giveWay)
        }
    }

    @Test func aRecordingWithoutAStreamIsFinishedTooAndStaysOne() async throws {
        let world = try await StreamsWorld()
        try await leave(
            world, "000000000001000000000000", .running, row: .running, kind: .recording)
        try await world.streams.recover()
        try await world.run { world in
            let finisher = try #require(await world.finishers.next())
            #expect(finisher.job.directory == "\(world.directory)/demo/.\(finisher.job.stream)")
            finisher.exit(.finished)
            let ended = try #require(await world.observer.ending())
            #expect(ended.kind == .recording && ended.status == .failed)
            let told = try await world.catalogue.deliveries(DeliveryQuery(line: ended.id.rawValue))
            #expect(told.records.map(\.kind) == ["beam.failure", "beam.started.success"])
        }
    }

    @Test func theLatestStreamOfARoomMayHaveEndedBeforeTheRestart() async throws {
        let world = try await StreamsWorld()
        try await leave(
            world, "000000000001000000000000", .postProcessing, row: .postProcessing)
        try await leave(world, "000000000002000000000000", .completed, row: .completed)
        try await world.streams.recover()
        let current = try await world.streams.current(room: "demo", kind: .stream)
        #expect(current?.id == "000000000002000000000000" && current?.status == .completed)
    }

    /// Writes a manifest with one asset, which is in a store.
    private func leaveManifest(
        _ world: StreamsWorld, of stream: CatalogueStream
    ) throws -> CatalogueAsset {
        let place = RecordingPlace(room: "demo", date: "2025-10-09", epoch: 1_760_000_000)
        var asset = CatalogueAsset(
            id: "\(stream.id)-vod", stream: stream.id, room: "demo", kind: .roomVOD,
            path: "x.zip", byteCount: 1, createdAt: UnixTime(seconds: 1))
        asset.location = "s3://b/x.zip"
        let directory = "\(world.directory)/recordings/\(place.directory)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        try JSONEncoder().encode(RecordingManifest(stream: stream, assets: [asset]))
            .write(to: URL(filePath: "\(directory)/\(RecordingManifest.fileName)"))
        return asset
    }

    @Test func anEndThatIsOnTheDiskOnlyIsTakenOverWithItsAssets() async throws {
        let world = try await StreamsWorld()
        try await leave(world, "a", .completed, .stopped, row: .postProcessing)
        let asset = try leaveManifest(
            world, of: try #require(try await world.catalogue.stream("a")))
        try await world.streams.recover()
        #expect(try await world.catalogue.stream("a")?.status == .completed)
        #expect(try await world.catalogue.asset("a-vod") == asset)
        #expect(try await world.streams.stream("a")?.status == .completed)
        #expect(try await world.streams.streams(LiveStreamQuery(room: "demo")).streams.count == 1)
    }

    @Test func aCatalogueThatWasLostLearnsOfAllStreams() async throws {
        let world = try await StreamsWorld()
        try await leave(world, "a", .completed, .stopped)
        try await leave(
            world, "b", .failed, .failed(StreamFailure(.botDied, "x")), isRecorded: false)
        try await world.streams.recover()
        #expect(
            try await world.streams.streams(LiveStreamQuery()).streams.map(\.id) == ["b", "a"])
        #expect(try await world.streams.current(room: "demo", kind: .stream)?.id == "b")
        #expect(try await world.streams.stop(stream: "a", stoppedBy: nil).status == .completed)
    }

    @Test func aCatalogueThatWasLostLearnsOfRecordingsWhoseStreamIsGone() async throws {
        let world = try await StreamsWorld()
        var stream = CatalogueStream(
            id: "a", room: "demo", status: .postProcessing, createdAt: UnixTime(seconds: 1),
            directory: "demo/a")
        stream.end = .stopped
        let asset = try leaveManifest(world, of: stream)
        // One that ran, and whose start may or may not have been reported.
        try await leave(world, "b", .running, isRecorded: false)
        try await world.streams.recover()
        #expect(try await world.catalogue.stream("a")?.status == .completed)
        #expect(try await world.catalogue.asset("a-vod") == asset)
        #expect(try await world.streams.stream("b")?.status == .postProcessing)
        #expect(try await world.catalogue.deliveries(DeliveryQuery()).records == [])
    }

    @Test func anEndThatIsKnownIsNotTakenBack() async throws {
        let world = try await StreamsWorld()
        try await leave(world, "a", .running, row: .completed)
        try await world.streams.recover()
        #expect(try await world.streams.stream("a")?.status == .completed)
        #expect(!(await world.streams.hasFinisher("a")))
    }

    @Test func whatHasEndedIsNotReadAgain() async throws {
        let world = try await StreamsWorld()
        try await leave(world, "a", .completed, .stopped, row: .completed)
        try await leave(world, "b", .running, row: .running)
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        let file = "\(world.directory)/demo/a/stream.json"
        #expect(inotify_add_watch(watch, file, UInt32(IN_OPEN)) >= 0)
        try await world.streams.recover()
        #expect(try await world.streams.stream("b")?.status == .postProcessing)
        var events = [UInt8](repeating: 0, count: 4096)
        let count = read(watch, &events, events.count)
        #expect(count == -1, "it was opened")
    }

    @Test func aStreamWhoseDirectoryIsGoneFails() async throws {
        let world = try await StreamsWorld()
        try await leave(world, "a", .running, row: .running)
        try FileManager.default.removeItem(atPath: "\(world.directory)/demo/a")
        try await world.streams.recover()
        let found = try await world.streams.stream("a")
        #expect(found?.status == .failed)
        #expect(found?.end?.code == "directory_lost")
    }

    @Test func aStreamOnAVolumeThatIsNotMountedIsLeftToALaterStart() async throws {
        let world = try await StreamsWorld { $0.outputDirectory += "/mount" }
        let stream = CatalogueStream(
            id: "a", room: "demo", status: .running, createdAt: UnixTime(seconds: 1),
            directory: "demo/a")
        try await world.catalogue.save(stream)
        // As after taking the lock of the directory.
        let root = "\(world.directory)/mount"
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: "\(root)/.lock"))
        try await world.streams.recover()
        #expect(try await world.catalogue.stream("a")?.status == .running)
        // It belongs to another stream: so the volume is mounted, but the directory is not on it.
        try FileManager.default.createDirectory(
            atPath: "\(root)/demo/b", withIntermediateDirectories: true)
        try await world.streams.recover()
        #expect(try await world.catalogue.stream("a")?.status == .failed)
    }

    @Test(arguments: ["", "{\"of\": \"a newer version\"}"])
    func aStreamWhoseRecordCannotBeReadIsLeftToALaterStart(record: String) async throws {
        let world = try await StreamsWorld()
        try await leave(world, "a", .running, row: .running)
        try Data(record.utf8).write(to: URL(filePath: "\(world.directory)/demo/a/stream.json"))
        try await world.streams.recover()
        #expect(try await world.catalogue.stream("a")?.status == .running)
        #expect(!(await world.streams.hasFinisher("a")))
    }

    @Test func aCopiedDirectoryIsNoStream() async throws {
        let world = try await StreamsWorld()
        try await leave(world, "a", .completed)
        try FileManager.default.copyItem(
            atPath: "\(world.directory)/demo/a", toPath: "\(world.directory)/demo/copy")
        try Data("{".utf8).write(to: URL(filePath: "\(world.directory)/demo/a/stream.json"))
        try await world.streams.recover()
        #expect(try await world.streams.streams(LiveStreamQuery()).streams == [])
    }

    @Test func newStreamsComeBehindThoseThatWereLeft() async throws {
        let world = try await StreamsWorld()
        // Made by a server whose clock was an hour ahead.
        var ids = StreamIDs()
        let taken = ids.next(at: world.clock.time + .seconds(3600), random: 0)
        try await leave(world, taken, .running, row: .running)
        try await world.streams.recover()
        try await world.run { world in
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            #expect(stream.id > taken && stream.status == .starting)
            let page = try await world.streams.streams(LiveStreamQuery())
            #expect(page.streams.map(\.status) == [.starting, .postProcessing])
        }
    }
}
