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

@Suite struct AssetRetentionTests {
    private static let now = UnixTime(seconds: 1_760_000_000)

    private final class Place {
        let scratch: Scratch
        let catalogue: Catalogue

        init() throws {
            scratch = try Scratch()
            catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
        }

        var root: String { scratch.path }

        var retention: AssetRetention {
            AssetRetention(
                catalogue: catalogue, root: root, notes: ManifestUpdates(root: root),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                clock: { AssetRetentionTests.now })
        }

        func isThere(_ path: String) -> Bool { scratch.isThere(path) }

        /// An asset with its file; seconds from now until it expires, nil for never.
        func add(
            _ id: String, _ kind: CatalogueAsset.Kind = .roomComposite, path: String,
            in seconds: Int64?, status: CatalogueAsset.Status = .completed
        ) async throws {
            try scratch.write("x".utf8, to: path)
            try await catalogue.save([
                CatalogueAsset(
                    id: id, stream: "s", room: "r", kind: kind, status: status, path: path,
                    byteCount: 1, createdAt: AssetRetentionTests.now,
                    expiresAt: seconds.map { AssetRetentionTests.now + .seconds($0) })
            ])
        }
    }

    @Test func thePicturesOfARecordingGoWithItsAssets() async throws {
        let place = try Place()
        try await place.add("over", path: "hls/r/d/1/file-recording/a.mp4", in: 0)
        try await place.add("later", path: "hls/r/d/2/file-recording/b.mp4", in: 1)
        for (id, number) in [("over", 1), ("later", 2)] {
            let path = "hls/r/d/\(number)/thumbnails/x.jpg"
            let url = URL(filePath: "\(place.root)/\(path)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("x".utf8).write(to: url)
            var asset = try #require(try await place.catalogue.asset(id))
            asset.thumbnails = RecordingThumbnails(
                thumbnails: [.init(path: path, width: 2, height: 2, offset: 0)])
            try await place.catalogue.save([asset])
        }
        await place.retention.expire()
        #expect(!place.isThere("hls/r/d/1/thumbnails"))
        #expect(place.isThere("hls/r/d/1/file-recording"))
        #expect(place.isThere("hls/r/d/2/thumbnails/x.jpg"))
    }

    @Test func whatIsOverGoesAndNothingElse() async throws {
        let place = try Place()
        try await place.add("over", path: "hls/r/d/1/file-recording/a.mp4", in: 0)
        try await place.add("later", path: "hls/r/d/1/file-recording/b.mp4", in: 1)
        try await place.add("never", path: "hls/r/d/1/file-recording/c.mp4", in: nil)
        try await place.add("failed", path: "hls/r/d/1/d.mp4", in: -5, status: .failed)
        await place.retention.expire()
        #expect(try await place.catalogue.asset("over")?.status == .expired)
        #expect(!place.isThere("hls/r/d/1/file-recording/a.mp4"))
        for (id, path) in [
            ("later", "file-recording/b.mp4"), ("never", "file-recording/c.mp4"),
        ] {
            #expect(try await place.catalogue.asset(id)?.status == .completed)
            #expect(place.isThere("hls/r/d/1/\(path)"))
        }
        #expect(place.isThere("hls/r/d/1/d.mp4"))
    }

    @Test func whatSomebodyNeedsHereStaysUntilItIsReleased() async throws {
        let place = try Place()
        let path = "hls/r/d/1/file-recording/a.mp4"
        try await place.add("over", path: path, in: -5)
        var retention = place.retention
        let holds = AssetHolds()
        retention.holds = holds
        holds.open()
        await retention.expire()
        #expect(place.isThere(path), "an earlier program may need it")
        holds.hold("s")
        holds.settle()
        await retention.expire()
        #expect(place.isThere(path))
        #expect(try await place.catalogue.asset("over")?.status == .completed)
        holds.release("s")
        await retention.expire()
        #expect(!place.isThere(path))
    }

    @Test func aVODGoesWithItsPlaylistsAndSegments() async throws {
        let place = try Place()
        try await place.add("m", path: "hls/r/d/1/file-recording/a.mp4", in: 60)
        try await place.add("s", path: "hls/r/d/1/vod/stream_0/segment_000000.ts", in: nil)
        try await place.add("vod", .roomVOD, path: "hls/r/d/1/vod/Rec.zip", in: -1)
        await place.retention.expire()
        #expect(!place.isThere("hls/r/d/1/vod") && place.isThere("hls/r/d/1/file-recording/a.mp4"))
    }

    @Test func tracksGoWithAllThatIsMadeOfThem() async throws {
        let place = try Place()
        let files: [(CatalogueAsset.Kind, String)] = [
            (.track, "Rec-track-1.webm"), (.track, "Rec-track-2.ogg"), (.stream, "Rec-peer-1.mp4"),
            (.audioMix, "Rec-mix.flac"), (.trackIndex, "Rec-tracks.json"),
            (.individual, "Rec-tracks.zip"),
        ]
        for (kind, name) in files {
            try await place.add(name, kind, path: "beam/r/d/1/tracks/\(name)", in: 0)
            try await place.add("next-\(name)", kind, path: "beam/r/d/2/tracks/\(name)", in: 1)
        }
        await place.retention.expire()
        for (_, name) in files {
            #expect(try await place.catalogue.asset(name)?.status == .expired)
            #expect(!place.isThere("beam/r/d/1/tracks/\(name)"))
            #expect(place.isThere("beam/r/d/2/tracks/\(name)"))
        }
    }

    @Test func moreThanAPageGoesAtOnce() async throws {
        let place = try Place()
        for index in 0..<205 {
            try await place.add("a\(index)", path: "hls/r/d/1/x\(index).mp4", in: -Int64(index))
        }
        await place.retention.expire()
        for index in 0..<205 { #expect(!place.isThere("hls/r/d/1/x\(index).mp4")) }
    }

    @Test func whatAServerThatWasKilledLeftIsRemovedByTheNext() async throws {
        let place = try Place()
        for index in 0..<105 {
            try await place.add(
                "a\(index)", path: "hls/r/d/1/x\(index).mp4", in: -1, status: .expired)
        }
        try await place.add("b", path: "hls/r/d/1/b.mp4", in: 5)
        await place.retention.removeLeftOver()
        for index in 0..<105 { #expect(!place.isThere("hls/r/d/1/x\(index).mp4")) }
        #expect(place.isThere("hls/r/d/1/b.mp4"))
    }

    @Test func noPathLeadsOutOfTheRoot() async throws {
        let place = try Place()
        try await place.add("a", path: "hls/keep.mp4", in: nil)
        let paths = ["hls/../hls/keep.mp4", "hls//keep.mp4", "catalogue.sqlite"]
        for (index, path) in paths.enumerated() {
            try await place.catalogue.save([
                CatalogueAsset(
                    id: "x\(index)", stream: "s", room: "r", kind: .roomComposite, path: path,
                    byteCount: 1, createdAt: Self.now, expiresAt: Self.now)
            ])
        }
        await place.retention.expire()
        #expect(place.isThere("hls/keep.mp4") && place.isThere("catalogue.sqlite"))
    }

    @Test func whatIsOverGoesFromTheStoreTooOnceItAnswers() async throws {
        let place = try Place()
        let directory = "hls/r/d/1"
        let stream = CatalogueStream(
            id: "s", room: "r", status: .completed, createdAt: Self.now, directory: "r/s",
            assetDirectory: directory)
        let location = ObjectLocation(bucket: "b", key: "p/\(directory)/over.mp4")
        var assets = ["over", "kept"].map { id in
            CatalogueAsset(
                id: id, stream: "s", room: "r", kind: .roomComposite,
                path: "\(directory)/\(id).mp4", byteCount: 1, createdAt: Self.now)
        }
        assets[0].expiresAt = Self.now
        assets[0].location = "s3://b/p/\(assets[0].path)"
        let picture = "\(directory)/thumbnails/x.jpg"
        assets[0].thumbnails = RecordingThumbnails(
            thumbnails: [.init(path: picture, width: 2, height: 2, offset: 0)])
        assets[1].location = "s3://b/kept"
        try place.scratch.write(
            RecordingManifest(stream: stream, assets: assets).encoded,
            to: "\(directory)/\(RecordingManifest.fileName)")
        try await place.catalogue.save(stream, assets: assets)
        let store = StoreDouble()
        store.state.withLock {
            $0.objects = [
                location: [1], ObjectLocation(bucket: "b", key: "kept"): [2],
                ObjectLocation(bucket: "b", key: "p/\(picture)"): [3],
            ]
        }
        var retention = place.retention
        retention.store = store
        store.fail { _ in (true, false) }
        await retention.expire()
        await retention.removeStored()
        #expect(store.objects.count == 3)
        #expect(try await place.catalogue.asset("over")?.location != nil)
        store.fail { _ in (false, false) }
        await retention.removeStored()
        #expect(store.objects.count == 1 && store.objects[location] == nil)
        let over = try await place.catalogue.asset("over")
        #expect(over?.status == .expired && over?.location == nil)
        let noted = RecordingManifest.read("\(place.root)/\(directory)")?.assets
        #expect(noted?.map(\.status) == [.expired, .completed])
        await retention.removeStored()
        #expect(store.log == ["delete", "delete", "delete"])
    }

    /// The bucket was replaced by another one, and access to the old one withdrawn.
    @Test func whatAStoreRefusesToDeleteHoldsUpNothingElse() async throws {
        let place = try Place()
        func asset(_ id: String, at location: String, _ time: UnixTime) -> CatalogueAsset {
            var asset = CatalogueAsset(
                id: id, stream: "s", room: "r", kind: .roomComposite, status: .expired,
                path: "hls/\(id).mp4", byteCount: 1, createdAt: time)
            asset.location = location
            return asset
        }
        let old = (0..<100).map { asset("a\($0)", at: "s3://old/a\($0)", Self.now) }
        let new = asset("b", at: "s3://b/new", Self.now + .seconds(1))
        try await place.catalogue.save(old + [new])
        let store = StoreDouble()
        let location = ObjectLocation(bucket: "b", key: "new")
        store.state.withLock { $0.objects = [location: [1]] }
        store.keep { $0.bucket == "old" }
        var retention = place.retention
        retention.store = store
        await retention.removeStored()
        #expect(store.objects.isEmpty)
        #expect(try await place.catalogue.asset("b")?.location == nil)
        #expect(store.log == Array(repeating: "delete", count: 101))
    }
}
