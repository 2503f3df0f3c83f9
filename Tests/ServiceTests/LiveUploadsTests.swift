import Foundation
import HLS
import MediaKernel
import ObjectStorage
import Recording
import Streams
import Testing

@testable import Service

@Suite struct LiveUploadsTests {
    private typealias World = LiveUploadsWorld

    @Test func segmentsGoBeforeTheirPlaylistAndTheMasterLast() async throws {
        let world = try World()
        let uploads = world.uploads()
        try world.cut(2)
        await world.work(uploads)
        #expect(world.source.told(World.stream)?.isPlayable == false)
        try world.writeMaster()
        await world.work(uploads)
        #expect(world.store.errors == [])
        #expect(world.store.log.last == "put \(World.prefix)/master.m3u8")
        #expect(
            world.names == [
                "master.m3u8", "stream_0/stream.m3u8", "stream_0/segment_000000.ts",
                "stream_0/segment_000001.ts", "stream_1/stream.m3u8",
                "stream_1/segment_000000.ts", "stream_1/segment_000001.ts",
            ])
        let objects = world.store.objects
        #expect(
            objects["\(World.prefix)/stream_1/segment_000001.ts"]
                == .init(
                    bytes: Array("1 segment_000001.ts".utf8),
                    cacheControl: "public, max-age=31536000, immutable"))
        #expect(
            objects["\(World.prefix)/stream_0/stream.m3u8"]?.cacheControl == "public, max-age=1")
        let told = try #require(world.source.told(World.stream))
        #expect(told.location == "s3://b/\(World.prefix)")
        #expect(told.isPlayable && !told.isComplete)
        #expect(told.segmentsStored == 2 && told.segmentsWaiting == 0 && told.failures == 0)
        // No object is sent twice.
        world.store.forget()
        try world.cut()
        await world.work(uploads)
        #expect(
            world.store.log.filter { $0.contains("stream_0") } == [
                "put \(World.prefix)/stream_0/segment_000002.ts",
                "put \(World.prefix)/stream_0/stream.m3u8",
            ])
        #expect(!world.store.log.contains { $0.contains("master") })
    }

    @Test func nothingIsCopiedUnlessItIsWanted() async throws {
        let world = try World()
        try world.cut()
        await world.work(world.uploads(copiesLive: false))
        #expect(world.store.log == [] && !world.hasRecord)
    }

    @Test func aStoreThatWasAwayHasEverythingWhenItIsBack() async throws {
        let world = try World()
        let uploads = world.uploads()
        try world.writeMaster()
        try world.cut()
        await world.work(uploads)
        world.store.fail { _ in true }
        for _ in 0..<300 {
            try world.cut()
            await world.work(uploads)
            world.advance(.seconds(2))
        }
        let told = try #require(world.source.told(World.stream))
        #expect(told.segmentsWaiting > 290 && told.failures > 50)
        #expect(told.reason == "503 SlowDown")
        world.store.fail { _ in false }
        world.advance(.seconds(7))
        await world.work(uploads)
        #expect(world.store.errors == [])
        for index in 0..<2 {
            #expect(
                try world.text("stream_\(index)/stream.m3u8")
                    == world.read("\(world.layer(index))/stream.m3u8"))
        }
        #expect(world.source.told(World.stream)?.failures == 0)
    }

    @Test func aSegmentThatFailsHoldsUpItsOwnLayerOnly() async throws {
        let world = try World()
        let uploads = world.uploads()
        world.store.fail { $0.hasSuffix("stream_0/segment_000001.ts") }
        try world.cut(3)
        try world.writeMaster()
        await world.work(uploads)
        #expect(world.text("stream_0/stream.m3u8") == "")
        #expect(world.text("stream_1/stream.m3u8").contains("segment_000002.ts"))
        #expect(!world.names.contains("master.m3u8"))
        world.store.fail { _ in false }
        world.advance(.seconds(7))
        await world.work(uploads)
        #expect(world.names.contains("master.m3u8"))
    }

    @Test func theEndIsToldAndTheRecordClosed() async throws {
        let world = try World()
        let uploads = world.uploads()
        try world.cut(3)
        try world.writeMaster()
        await world.work(uploads)
        try world.end()
        await world.work(uploads)
        // Its assets are still made.
        #expect(world.text("stream_0/stream.m3u8").hasSuffix("#EXT-X-ENDLIST\n"))
        #expect(world.source.told(World.stream)?.isComplete == false)
        world.source.set([])
        await world.work(uploads)
        #expect(world.source.told(World.stream)?.isComplete == true)
        #expect(world.hasRecord)
    }

    @Test func aStreamWhosePlaylistsNobodyCouldEndIsEndedInTheStore() async throws {
        let world = try World()
        let uploads = world.uploads()
        try world.cut(3)
        try world.writeMaster()
        await world.work(uploads)
        world.source.set([])
        await world.work(uploads)
        #expect(world.text("stream_1/stream.m3u8").hasSuffix("#EXT-X-ENDLIST\n"))
        #expect(world.store.errors == [])
    }

    @Test func aSegmentThatIsGoneForGoodEndsTheCopyBeforeIt() async throws {
        let world = try World(layers: 1)
        let uploads = world.uploads()
        try world.writeMaster()
        try world.cut(3)
        unlink("\(world.layer(0))/segment_000002.ts")
        try world.end()
        world.source.set([])
        let late = LiveCopyRecord(
            stream: World.stream, room: "room", directory: "room/\(World.stream)",
            location: "s3://b/\(World.prefix)")
        try late.write(in: "\(world.root)/recordings")
        await uploads.load()
        for _ in 0..<3 {
            await world.work(uploads)
            world.advance(.seconds(7))
        }
        let text = world.text("stream_0/stream.m3u8")
        #expect(text.contains("segment_000001.ts") && !text.contains("segment_000002.ts"))
        #expect(text.hasSuffix("#EXT-X-ENDLIST\n"))
        #expect(world.source.told(World.stream)?.isComplete == true)
    }

    /// The store has five segments and the playlists to play them.
    private func worldWithCopy() async throws -> World {
        let world = try World()
        try world.cut(5)
        try world.writeMaster()
        await world.work(world.uploads())
        return world
    }

    @Test func aServerThatWasKilledGoesOnWhereItWas() async throws {
        let world = try await worldWithCopy()
        world.store.forget()
        try world.cut()
        try world.end()
        world.source.set([])
        // No longer wanted, but completed all the same.
        let next = world.uploads(copiesLive: false)
        await next.load()
        await world.work(next)
        #expect(world.store.errors == [])
        #expect(
            world.store.log.filter { $0.hasSuffix(".ts") }.sorted() == [
                "put \(World.prefix)/stream_0/segment_000005.ts",
                "put \(World.prefix)/stream_1/segment_000005.ts",
            ])
        #expect(world.text("stream_0/stream.m3u8").hasSuffix("#EXT-X-ENDLIST\n"))
        #expect(world.source.told(World.stream)?.isComplete == true)
    }

    /// The operator moved it away while the server was down.
    @Test func aCopyWhoseStreamIsGoneIsKeptIfItCanBePlayed() async throws {
        let world = try await worldWithCopy()
        let objects = world.store.objects
        try FileManager.default.removeItem(atPath: world.directory)
        world.source.set([])
        let next = world.uploads()
        await next.load()
        await world.work(next)
        await world.work(next)
        #expect(world.store.objects == objects && world.hasRecord)
        let told = try #require(world.source.told(World.stream))
        #expect(told.isPlayable && told.isComplete)
    }

    @Test func aCopyWhoseStreamIsOnAVolumeThatIsNotMountedIsLeftToALaterStart() async throws {
        let world = try await worldWithCopy()
        let objects = world.store.objects
        let (room, away) = ("\(world.root)/streams/room", "\(world.root)/away")
        try FileManager.default.moveItem(atPath: room, toPath: away)
        world.source.set([])
        let early = world.uploads()
        await early.load()
        await world.work(early)
        await world.work(early)
        #expect(world.store.objects == objects && world.hasRecord)
        #expect(world.source.told(World.stream)?.isComplete == false)
        try FileManager.default.moveItem(atPath: away, toPath: room)
        try world.end()
        let late = world.uploads()
        await late.load()
        await world.work(late)
        #expect(world.text("stream_0/stream.m3u8").hasSuffix("#EXT-X-ENDLIST\n"))
        #expect(world.source.told(World.stream)?.isComplete == true)
    }

    /// An older version did not record its master playlist.
    @Test func whetherACopyCanBePlayedIsNotGuessed() async throws {
        let world = try World()
        try world.cut()
        try world.writeMaster()
        await world.work(world.uploads())
        let path = "\(world.root)/recordings/live/room/\(World.stream).json"
        let text = try world.read(path)
        #expect(text.contains("\"playable\":true,"))
        try world.write(text.replacing("\"playable\":true,", with: ""), to: path)
        let objects = world.store.objects
        try FileManager.default.removeItem(atPath: world.directory)
        world.source.set([])
        let next = world.uploads()
        await next.load()
        await world.work(next)
        #expect(world.store.objects == objects && world.hasRecord)
    }

    @Test func whatLeftTheWindowGoesFromTheStore() async throws {
        let world = try World(layers: 1, mode: .live(window: 4))
        let uploads = world.uploads()
        try world.writeMaster()
        for _ in 0..<40 {
            try world.cut()
            await world.work(uploads)
        }
        #expect(world.store.errors == [])
        let segments = world.names.filter { $0.hasSuffix(".ts") }.sorted()
        #expect(segments.last == "stream_0/segment_000039.ts")
        #expect(segments.first == "stream_0/segment_000030.ts")
    }

    @Test func aStreamThatNeverRanLeavesNothing() async throws {
        let world = try World()
        let uploads = world.uploads()
        await world.work(uploads)
        #expect(world.hasRecord)
        // One layer had begun when it was stopped, and the bots' files are removed.
        try world.cut()
        await world.work(uploads)
        #expect(!world.names.isEmpty)
        try FileManager.default.removeItem(atPath: world.layer(0))
        try FileManager.default.removeItem(atPath: world.layer(1))
        world.source.set([])
        await world.work(uploads)
        #expect(world.names.isEmpty)
        #expect(!world.hasRecord)
    }

    @Test(arguments: [false, true])
    func whatIsOverGoesWhenItsTimeIsOver(afterRestart: Bool) async throws {
        let world = try World()
        var uploads = world.uploads()
        try world.cut(LiveUploads.removalsMaximum + 3)
        try world.writeMaster()
        try world.end()
        await world.work(uploads)
        world.source.set([])
        await world.work(uploads)
        #expect(world.names.count > 200)
        let told = try #require(world.source.told(World.stream))
        #expect(told.isPlayable && told.isComplete)
        if afterRestart {
            world.source.copied(World.stream, nil)
            uploads = world.uploads()
            await uploads.load()
            #expect(world.source.told(World.stream) == told)
        }
        world.advance(.seconds(86_399))
        await world.work(uploads)
        #expect(world.names.count > 200)
        world.advance(.seconds(2))
        world.store.forget()
        world.store.fail { $0.hasSuffix("segment_000007.ts") }
        await world.work(uploads)
        #expect(world.store.log.first == "delete \(World.prefix)/master.m3u8")
        #expect(world.hasRecord)
        world.store.fail { _ in false }
        world.advance(.seconds(60))
        await world.work(uploads)
        #expect(world.names.isEmpty)
        #expect(!world.hasRecord)
        #expect(world.source.told(World.stream) == nil)
    }

    @Test func aRecordThatIsNotUsableStopsNothing() async throws {
        let world = try World()
        try FileManager.default.createDirectory(
            atPath: "\(world.root)/recordings/live/room", withIntermediateDirectories: true)
        try world.write("{", to: "\(world.root)/recordings/live/room/x.json")
        let uploads = world.uploads()
        await uploads.load()
        try world.cut()
        await world.work(uploads)
        #expect(world.names.count == 4)
    }
}
