import Catalogue
import Foundation
import Logging
import MediaKernel
import ObjectStorage
import Streams
import Synchronization
import Testing
import Workbench

@testable import Service

@Suite struct AssetUploadsTests {
    private static let start = UnixTime(seconds: 1_760_000_000)
    private static let part = Int(MultipartUpload.partSizes.lowerBound)

    /// A recording on the disk and a clock that the test moves.
    private final class World: Sendable {
        private let scratch: Scratch
        let catalogue: Catalogue
        let store = StoreDouble()
        let time = Mutex(AssetUploadsTests.start)
        let holds = AssetHolds()
        let keepsLocal: Bool

        init(keepsLocal: Bool = false) throws {
            self.keepsLocal = keepsLocal
            scratch = try Scratch()
            catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
        }

        var root: String { scratch.path }

        func uploads(seed: UInt64 = 1) -> AssetUploads {
            var settings = StoreSettings(
                store: ObjectStore(
                    isTLS: true, authority: "store", region: "r", addressing: .path, bucket: "b",
                    prefix: "p"),
                credentials: .fixed(AWSCredentials(accessKeyID: "a", secretAccessKey: "s")))
            settings.partBytes = Int64(AssetUploadsTests.part)
            settings.keepsLocal = keepsLocal
            return AssetUploads(
                settings: settings, catalogue: catalogue, root: root,
                notes: ManifestUpdates(root: root),
                events: StreamEvents(accountID: "x", waitsForStore: true) { asset, _ in
                    .init(file: asset.location ?? "here")
                }, client: store, holds: holds,
                logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() },
                seed: seed, clock: { self.time.withLock { $0 } })
        }

        /// Adds files of these sizes to the manifest and the catalogue.
        func record(_ sizes: [Int], vod: Bool = false) async throws -> [CatalogueAsset] {
            let directory = "hls/room/2026-01-01/1"
            let stream = CatalogueStream(
                id: "s", room: "room", status: .completed, createdAt: AssetUploadsTests.start,
                directory: "room/s", assetDirectory: directory)
            var made: [CatalogueAsset] = []
            for (index, size) in sizes.enumerated() {
                let path =
                    vod
                    ? "\(directory)/vod/\(index).zip" : "\(directory)/file-recording/\(index).mp4"
                try write(bytes(size), to: path)
                made.append(
                    CatalogueAsset(
                        id: "s-\(index)", stream: "s", room: "room",
                        kind: vod ? .roomVOD : .roomComposite, path: path, byteCount: Int64(size),
                        createdAt: AssetUploadsTests.start))
            }
            try write(
                Data(RecordingManifest(stream: stream, assets: made).encoded),
                to: "\(directory)/manifest.json")
            try await catalogue.save(stream, assets: made)
            return made
        }

        func bytes(_ count: Int) -> Data {
            var data = Data(repeating: UInt8(truncatingIfNeeded: count), count: count)
            for (index, mark) in stride(from: 0, to: count, by: 1 << 16).enumerated() {
                data[mark] = UInt8(truncatingIfNeeded: index)
            }
            return data
        }

        func write(_ data: Data, to path: String) throws { try scratch.write(data, to: path) }

        func isThere(_ path: String) -> Bool { scratch.isThere(path) }

        /// Gives turns until no work is left, or for this many rounds.
        func work(_ uploads: AssetUploads, rounds: Int = 2000) async throws {
            for _ in 0..<rounds {
                for asset in await uploads.next() { await uploads.turn(asset) }
                await uploads.tell()
                guard try await !catalogue.assetsToUpload(limit: 1).isEmpty else { return }
                time.withLock { $0 = $0 + .seconds(1) }
            }
        }

        func location(_ asset: CatalogueAsset) -> ObjectLocation {
            ObjectLocation(bucket: "b", key: "p/\(asset.path)")
        }
    }

    @Test func whatSomebodyNeedsHereStaysUntilItIsReleased() async throws {
        let world = try World()
        let assets = try await world.record([5])
        world.holds.hold("s")
        let uploads = world.uploads()
        try await world.work(uploads)
        #expect(try await world.catalogue.asset(assets[0].id)?.location != nil)
        await uploads.removeReleased()
        #expect(world.isThere(assets[0].path))
        world.holds.release("s")
        await uploads.removeReleased()
        #expect(!world.isThere(assets[0].path))
    }

    /// Until the notes of an earlier program are read.
    @Test func whatWasLeftOverStaysWhileNobodyKnowsWhoNeedsIt() async throws {
        let world = try World()
        let assets = try await world.record([5])
        world.holds.open()
        try await world.work(world.uploads())
        let next = world.uploads()
        await next.removeReleased()
        #expect(world.isThere(assets[0].path))
        world.holds.settle()
        await next.removeReleased()
        #expect(!world.isThere(assets[0].path))
    }

    @Test func whatIsInTheStoreIsNotedEverywhereAndGoneHere() async throws {
        let world = try World()
        let assets = try await world.record([Self.part * 2 + 3, 5])
        try await world.work(world.uploads())
        for asset in assets {
            let location = world.location(asset)
            #expect(
                world.store.objects[location] == Array(world.bytes(Int(asset.byteCount))))
            #expect(try await world.catalogue.asset(asset.id)?.location == location.description)
            #expect(!world.isThere(asset.path))
        }
        let manifest = RecordingManifest.read("\(world.root)/hls/room/2026-01-01/1")
        #expect(manifest?.assets.allSatisfy { $0.location != nil } == true)
        #expect(try await world.catalogue.uploads(of: assets.map(\.id)) == [:])
    }

    @Test func aFileStaysUntilTheStoreHasShownIt() async throws {
        let world = try World()
        let asset = try await world.record([10])[0]
        world.store.fail { name in (name == "look", false) }
        let uploads = world.uploads()
        try await world.work(uploads, rounds: 50)
        #expect(world.store.objects.count == 1 && world.isThere(asset.path))
        #expect(try await world.catalogue.asset(asset.id)?.location == nil)
        let upload = try await world.catalogue.uploads(of: [asset.id])[asset.id]
        #expect(upload?.reason == "503 SlowDown" && (upload?.failures ?? 0) > 1)
        world.store.fail { _ in (false, false) }
        try await world.work(uploads)
        #expect(!world.isThere(asset.path))
    }

    @Test func oneThatCannotBeReadDoesNotHoldUpTheOthers() async throws {
        let world = try World()
        let assets = try await world.record([10, 11, 12, 13])
        for asset in assets[...2] {
            try FileManager.default.removeItem(atPath: "\(world.root)/\(asset.path)")
        }
        try await world.work(world.uploads(), rounds: 5)
        #expect(try await world.catalogue.asset(assets[3].id)?.location != nil)
        let reason = try await world.catalogue.uploads(of: [assets[0].id])[assets[0].id]?.reason
        #expect(reason?.hasSuffix("cannot be read: No such file or directory") == true)
    }

    @Test func theNextServerGoesOnWithTheNextPart() async throws {
        let world = try World()
        _ = try await world.record([Self.part * 4])
        world.store.fail { name in (name == "send 3" || name == "send 4", false) }
        try await world.work(world.uploads(), rounds: 3)
        let before = world.store.log.count
        world.store.fail { _ in (false, false) }
        try await world.work(world.uploads(seed: 2))
        #expect(
            Set(world.store.log[before...]) == ["send 3", "send 4", "complete", "look"])
    }

    /// Failures of all kinds and servers that end at any point; in the end all assets are stored.
    @Test(arguments: 0..<6) func whateverHappensAllArrives(seed: UInt64) async throws {
        let world = try World()
        let assets = try await world.record([Self.part + 1, 100])
        let random = Mutex(SeededRandom(seed: seed))
        world.store.fail { _ in
            random.withLock {
                (
                    Int.random(in: 0..<3, using: &$0) == 0,
                    Int.random(in: 0..<2, using: &$0) == 0
                )
            }
        }
        for round in 0..<400 {
            try await world.work(world.uploads(seed: seed &+ UInt64(round)), rounds: 4)
            guard try await !world.catalogue.assetsToUpload(limit: 1).isEmpty else { break }
        }
        for asset in assets {
            #expect(
                world.store.objects[world.location(asset)]
                    == Array(world.bytes(Int(asset.byteCount))))
            #expect(!world.isThere(asset.path))
        }
        #expect(world.store.uploads == 0)
    }

    @Test func aVODLeavesItsPlaylistsHere() async throws {
        let world = try World()
        let asset = try await world.record([10], vod: true)[0]
        let vod = "hls/room/2026-01-01/1/vod"
        for name in ["master.m3u8", "stream_0/archive.m3u8", "stream_0/segment_000000.ts"] {
            try world.write(Data([1]), to: "\(vod)/\(name)")
        }
        try await world.work(world.uploads())
        #expect(
            world.isThere("\(vod)/master.m3u8") && world.isThere("\(vod)/stream_0/archive.m3u8"))
        #expect(!world.isThere("\(vod)/stream_0/segment_000000.ts") && !world.isThere(asset.path))
    }

    @Test func picturesGoWithTheFirstOfTheAssetsThatShareThemAndStayHere() async throws {
        let world = try World()
        var assets = try await world.record([10, 20])
        let directory = "hls/room/2026-01-01/1/thumbnails"
        let paths = ["2s.jpg", "sprite.jpg", "sprite.vtt", "lost.jpg"].map { "\(directory)/\($0)" }
        for (index, path) in paths.dropLast().enumerated() {
            try world.write(Data(repeating: UInt8(index), count: 5 + index), to: path)
        }
        for index in assets.indices {
            assets[index].thumbnails = RecordingThumbnails(
                thumbnails: [paths[0], paths[3]].map {
                    .init(path: $0, width: 2, height: 2, offset: 2)
                },
                sprite: .init(
                    path: paths[1], tracksPath: paths[2], width: 2, height: 2, count: 1))
        }
        try await world.catalogue.save(assets)
        world.store.refuse { $0.key.contains("/thumbnails/") }
        let uploads = world.uploads()
        try await world.work(uploads, rounds: 20)
        #expect(try await world.catalogue.asset("s-0")?.location == nil)
        #expect(try await world.catalogue.asset("s-1")?.location != nil)
        #expect(world.isThere(assets[0].path))
        world.store.refuse { _ in false }
        try await world.work(uploads)
        for (index, path) in paths.dropLast().enumerated() {
            let location = ObjectLocation(bucket: "b", key: "p/\(path)")
            let bytes = Array(repeating: UInt8(index), count: 5 + index)
            #expect(world.store.objects[location] == bytes)
            #expect(world.isThere(path))
            #expect(
                try await world.catalogue.asset("s-0")?.location(of: path)
                    == location.description)
        }
        #expect(world.store.objects.count == 5)
    }

    @Test func whatAServerThatWasKilledLeftHereGoes() async throws {
        let world = try World()
        let asset = try await world.record([10])[0]
        try await world.catalogue.stored(asset: asset.id, at: "s3://b/k")
        await world.uploads().removeLeftOver()
        #expect(!world.isThere(asset.path))
    }

    @Test func whatIsNotStoredYetStaysWhenAServerStarts() async throws {
        let world = try World()
        let asset = try await world.record([10])[0]
        await world.uploads().removeLeftOver()
        #expect(world.isThere(asset.path))
    }

    @Test func aCopyStaysWhenItIsAskedFor() async throws {
        let world = try World(keepsLocal: true)
        let asset = try await world.record([10])[0]
        try await world.work(world.uploads())
        await world.uploads().removeLeftOver()
        #expect(try await world.catalogue.asset(asset.id)?.location != nil)
        #expect(world.isThere(asset.path))
    }

    @Test func anUploadOfWhatExpiresMeanwhileIsGivenUp() async throws {
        let world = try World()
        var asset = try await world.record([10])[0]
        world.store.fail { name in (name == "send 1", false) }
        let uploads = world.uploads()
        try await world.work(uploads, rounds: 3)
        #expect(world.store.uploads == 1)
        asset.status = .expired
        try await world.catalogue.save([asset])
        await uploads.abandon()
        #expect(world.store.uploads == 0)
        #expect(try await world.catalogue.abandonedUploads(limit: 9).isEmpty)
    }

    @Test func whatTheStoreHasNotConfirmedGoesFromThereWhenItExpires() async throws {
        let world = try World()
        var asset = try await world.record([10])[0]
        let directory = "hls/room/2026-01-01/1/thumbnails"
        let paths = ["2s.jpg", "4s.jpg"].map { "\(directory)/\($0)" }
        for path in paths { try world.write(Data([1, 2, 3]), to: path) }
        asset.thumbnails = RecordingThumbnails(
            thumbnails: paths.map { .init(path: $0, width: 2, height: 2, offset: 2) })
        try await world.catalogue.save([asset])
        // The asset and one picture are stored when the server ends.
        world.store.refuse { $0.key.hasSuffix("4s.jpg") }
        try await world.work(world.uploads(), rounds: 3)
        #expect(world.store.objects.count == 2)
        asset.status = .expired
        try await world.catalogue.save([asset])
        await world.uploads(seed: 2).abandon()
        #expect(world.store.objects.isEmpty && world.store.uploads == 0)
        #expect(try await world.catalogue.abandonedUploads(limit: 9).isEmpty)
    }

    @Test func anUploadThatCannotBeGivenUpHoldsUpNoOther() async throws {
        let world = try World()
        for id in (0..<100).map({ "a\($0)" }) + ["b"] {
            try await world.catalogue.save([
                CatalogueAsset(
                    id: id, stream: "s", room: "room", kind: .roomComposite, status: .expired,
                    path: "hls/room/\(id).mp4", byteCount: 1, createdAt: Self.start)
            ])
            try await world.catalogue.save(
                CatalogueUpload(asset: id, bytesSent: 1, failures: 0, reason: nil))
        }
        world.store.keep { !$0.key.hasSuffix("b.mp4") }
        await world.uploads().abandon()
        let left = try await world.catalogue.abandonedUploads(limit: 200)
        #expect(left.count == 100 && !left.contains { $0.upload.asset == "b" })
    }

    /// As the finisher does with a late chat.
    @Test func aFileThatIsMadeAnewWhileItWaitsIsSentWhole() async throws {
        let world = try World()
        var asset = try await world.record([10])[0]
        world.store.fail { name in (name == "complete", false) }
        let uploads = world.uploads()
        try await world.work(uploads, rounds: 3)
        try world.write(world.bytes(20), to: asset.path)
        asset.byteCount = 20
        try await world.catalogue.save([asset])
        world.store.fail { _ in (false, false) }
        try await world.work(uploads)
        #expect(world.store.objects[world.location(asset)] == Array(world.bytes(20)))
        #expect(try await world.catalogue.asset(asset.id)?.location != nil)
    }

    @Test func assetsThatExpiredBeforeTheyWereStoredAreNotToldOf() async throws {
        let world = try World()
        var assets = try await world.record([10, 20])
        var held = CatalogueDelivery(
            id: "e", line: "s", room: "room", kind: "hls.recording.success", body: [1],
            createdAt: Self.start)
        held.status = .held
        try await world.catalogue.save(held)
        for index in assets.indices { assets[index].status = .expired }
        try await world.catalogue.save(assets)
        await world.uploads().tell()
        #expect(try await world.catalogue.delivery("e") == nil)
    }

    @Test func assetsAreToldOfWhenTheLastOfThemIsInTheStore() async throws {
        let world = try World()
        _ = try await world.record([10, 20])
        var held = CatalogueDelivery(
            id: "e", line: "s", room: "room", kind: "hls.recording.success", body: [1],
            createdAt: Self.start)
        held.status = .held
        try await world.catalogue.save(held)
        world.store.fail { name in (name == "look", false) }
        let uploads = world.uploads()
        try await world.work(uploads, rounds: 3)
        #expect(try await world.catalogue.delivery("e")?.status == .held)
        #expect(try await world.catalogue.pendingDeliveries(limit: 9).isEmpty)
        world.store.fail { _ in (false, false) }
        try await world.work(uploads)
        let told = try await world.catalogue.delivery("e")
        #expect(told?.status == .pending && told?.createdAt ?? Self.start > Self.start)
        // Once is enough.
        try await world.catalogue.update(delivery: "e", status: .delivered, dueAt: Self.start)
        await uploads.tell()
        #expect(try await world.catalogue.delivery("e")?.status == .delivered)
    }
}
