import GRDB
import MediaKernel
import Streams
import Testing

@testable import Catalogue

/// Rows that no version of Roomcast writes.
@Suite struct UnknownValueTests {
    /// Changes the database without the catalogue's knowledge.
    private func catalogue(_ sql: String) async throws -> (Catalogue, Place) {
        let place = try Place()
        let catalogue = try place.open()
        var stream = CatalogueStream(
            id: "s1", room: "r", status: .completed, createdAt: UnixTime(seconds: 1),
            directory: "r/s1")
        stream.end = .stopped
        try await catalogue.save(
            stream,
            assets: [
                CatalogueAsset(
                    id: "a1", stream: "s1", room: "r", kind: .chat, path: "p", byteCount: 1,
                    createdAt: UnixTime(seconds: 1))
            ],
            telling: [
                CatalogueDelivery(
                    id: "d1", line: "s1", room: "r", kind: "k", body: [1],
                    createdAt: UnixTime(seconds: 1))
            ])
        try await DatabaseQueue(path: place.database).write { try $0.execute(sql: sql) }
        return (catalogue, place)
    }

    @Test(arguments: ["status", "kind", "endCode"])
    func aStreamIsNotTakenForAnother(column: String) async throws {
        let (catalogue, _) = try await catalogue("UPDATE stream SET \(column) = 'x'")
        let error = CatalogueError.unknownValue(row: "s1", column: column, value: "x")
        await #expect(throws: error) { try await catalogue.stream("s1") }
        await #expect(throws: error) { try await catalogue.streams(CatalogueQuery()) }
        #expect(error.description == "the catalogue's row s1 has an unknown \(column): x")
    }

    @Test(arguments: ["status", "kind", "thumbnails"])
    func anAssetIsNotTakenForAnother(column: String) async throws {
        let (catalogue, _) = try await catalogue("UPDATE asset SET \(column) = 'x'")
        await #expect(
            throws: CatalogueError.unknownValue(row: "a1", column: column, value: "x")
        ) { try await catalogue.asset("a1") }
    }

    @Test func anEventIsNotTakenForAnother() async throws {
        let (catalogue, _) = try await catalogue("UPDATE delivery SET status = 'x'")
        await #expect(
            throws: CatalogueError.unknownValue(row: "d1", column: "status", value: "x")
        ) { try await catalogue.delivery("d1") }
    }

    /// As they stand in records; what the API says today has no say in it.
    @Test(
        arguments: [
            ("client request", .stopped), ("last peer left", .lastPeerLeft),
            ("nothing published", .nothingPublished), ("max duration reached", .durationReached),
            ("room ended", .roomEnded), ("server shutdown", .serverStopped),
            ("another variant cannot be started", .variantRefused),
            ("failure: the server was restarted", .failed(.serverRestarted)),
            ("failure: words", .failed(StreamFailure(.unknown, "words"))),
            ("parent gone", .botLeft("parent gone")),
        ] as [(String, StreamEnd)])
    func theWordsOfRecordsWithoutCodesKeepTheirMeaning(words: String, end: StreamEnd) {
        #expect(StreamEnd(legacyReason: words) == end)
    }
}
