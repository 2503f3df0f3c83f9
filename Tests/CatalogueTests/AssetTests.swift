import Foundation
import GRDB
import MediaKernel
import Testing

@testable import Catalogue

@Suite struct AssetTests {
    private func asset(_ index: Int, expires: Int64? = nil) -> CatalogueAsset {
        CatalogueAsset(
            id: "asset\(index)", stream: StreamID("stream\(index / 3)"),
            room: RoomID("room\(index % 7)"), session: SessionID("session\(index / 30)"),
            kind: index % 3 == 2 ? .roomVOD : .roomComposite,
            status: index % 100 == 99 ? .failed : .completed, path: "hls/\(index).mp4",
            byteCount: 5 << 30, duration: .milliseconds(1500),
            createdAt: UnixTime(seconds: 1_770_000_000 + Int64(index)),
            expiresAt: expires.map { UnixTime(seconds: $0) },
            size: CatalogueAsset.Size(width: 1280, height: 720), layer: index % 3,
            layerCount: nil)
    }

    @Test func anAssetComesBackAsItWasAndIsReplacedByItsID() async throws {
        let place = try Place()
        let catalogue = try place.open()
        try await catalogue.save([asset(0), asset(1, expires: 5)])
        #expect(try await catalogue.asset("asset0") == asset(0))
        #expect(try await catalogue.asset("asset1") == asset(1, expires: 5))
        var changed = asset(0)
        changed.duration = nil
        try await catalogue.save([changed])
        #expect(try await catalogue.asset("asset0") == changed)
        #expect(try await catalogue.asset("none") == nil)
    }

    @Test func theManifestHasTheSameRecords() throws {
        let stream = CatalogueStream(
            id: "stream0", room: "room0", createdAt: UnixTime(seconds: 5),
            directory: "room0/stream0")
        let manifest = RecordingManifest(
            stream: stream, assets: [asset(0), asset(1, expires: 100)])
        let data = try JSONEncoder().encode(manifest)
        #expect(try JSONDocument.decode(RecordingManifest.self, from: data) == manifest)
        let text = String(decoding: data, as: UTF8.self)
        for name in ["room_id", "created_ns", "resolution", "room-composite"] {
            #expect(text.contains("\"\(name)\""))
        }
    }

    @Test func onlyWhatHasExpiredIsMarkedAndOnce() async throws {
        let place = try Place()
        let catalogue = try place.open()
        try await catalogue.save(
            [asset(0), asset(1, expires: 100), asset(2, expires: 101), asset(99, expires: 50)])
        let now = UnixTime(seconds: 100)
        let held = Set(["another", asset(1).stream])
        #expect(try await catalogue.expireAssets(at: now, except: held) == [])
        let expired = try await catalogue.expireAssets(at: now, except: ["another"])
        #expect(expired.map(\.id) == ["asset1"])
        #expect(try await catalogue.expireAssets(at: now) == [])
        #expect(try await catalogue.asset("asset1")?.status == .expired)
        #expect(try await catalogue.asset("asset0")?.status == .completed)
        #expect(try await catalogue.asset("asset2")?.status == .completed)
    }

    /// The cost of a page does not depend on the number of rows.
    @Test func aPageIsReadAlongOneIndexWithoutSorting() async throws {
        let place = try Place()
        let catalogue = try place.open()
        try await catalogue.save((0..<1000).map { asset($0) })
        typealias Query = CatalogueQuery<CatalogueAsset.Status>
        let queries: [(query: Query, count: Int, index: String)] = [
            (Query(limit: 100), 100, "assetByTime"),
            (Query(start: "asset500", limit: 100), 100, "assetByTime"),
            (Query(room: "room3", limit: 100), 100, "assetByRoom"),
            (Query(status: .failed), 10, "assetByStatus"),
            (Query(session: "session10", limit: 100), 30, "assetBySession"),
            (Query(stream: "stream100"), 3, "assetByStream"),
            (Query(room: "none"), 0, "assetByRoom"),
        ]
        for (query, count, index) in queries {
            #expect(try await catalogue.assets(query).records.count == count)
            let statement = PageStatement(query)
            let plan = try await catalogue.read { database in
                try Row.fetchAll(
                    database, sql: "EXPLAIN QUERY PLAN \(statement.sql)",
                    arguments: statement.arguments
                ).map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.contains("USING INDEX \(index)") }, "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }
}
