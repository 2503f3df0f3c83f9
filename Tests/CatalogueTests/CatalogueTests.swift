import Catalogue
import Foundation
import GRDB
import MediaKernel
import Streams
import Testing
import Workbench

@Suite struct CatalogueTests {
    private func stream(_ id: String, second: Int64 = 0, room: String = "r") -> CatalogueStream {
        CatalogueStream(
            id: StreamID(id), room: RoomID(room), session: "s1",
            createdAt: UnixTime(seconds: 1_770_000_000 + second), directory: "\(room)/\(id)",
            details: #"{"playback":{"url":"http://x/\#(id)"}}"#)
    }

    private func delivery(
        _ id: String, line: String = "a", isTerminal: Bool = false
    ) -> CatalogueDelivery {
        CatalogueDelivery(
            id: id, line: line, room: "room", kind: "hls.stopped.success", isTerminal: isTerminal,
            body: Array(#"{"id":"\#(id)"}"#.utf8), createdAt: UnixTime(seconds: 1_770_000_001))
    }

    @Test func whatWasWrittenIsThereAfterOpeningAnew() async throws {
        let place = try Place()
        var written = stream("a")
        written.end = .stopped
        written.stoppedAt = UnixTime(nanoseconds: 5)
        written.assetDirectory = "hls/r/2026-02-02/1"
        try await place.open().save(written)
        let catalogue = try place.open()
        #expect(try await catalogue.stream("a") == written)
        #expect(try await catalogue.stream("b") == nil)
    }

    @Test func recordingsWithoutAStreamAreNotAmongLiveStreams() async throws {
        let place = try Place()
        let catalogue = try place.open()
        for index in 0..<30 {
            var one = stream("s\(index)", second: Int64(index))
            one.kind = index.isMultiple(of: 3) ? .recording : .stream
            one.assetDirectory = index.isMultiple(of: 3) ? "beam/r/2026-02-02/\(index)" : nil
            try await catalogue.save(one)
            #expect(try await catalogue.stream(one.id) == one)
        }
        var query = CatalogueQuery<LiveStream.Status>(room: "r", limit: 100)
        query.kind = .stream
        #expect(try await catalogue.streams(query).records.count == 20)
        query.kind = nil
        query.isRecorded = true
        let recorded = try await catalogue.streams(query).records
        #expect(recorded.count == 10 && recorded.allSatisfy { $0.kind == .recording })
    }

    @Test func aStreamHasOneEndAndOneTerminalEvent() async throws {
        let place = try Place()
        let catalogue = try place.open()
        var ended = stream("a")
        ended.status = .completed
        #expect(try await catalogue.save(ended, telling: [delivery("e1", isTerminal: true)]))
        // A crash between the end and its announcement leads here again.
        var again = stream("a")
        again.status = .failed
        #expect(try await !catalogue.save(again, telling: [delivery("e2", isTerminal: true)]))
        #expect(try await catalogue.stream("a")?.status == .completed)
        #expect(try await catalogue.pendingDeliveries(limit: 10).map(\.id) == ["e1"])
        // In any order of arrival.
        try await catalogue.save(delivery("e3", isTerminal: true))
        try await catalogue.save(delivery("e1"))
        #expect(try await catalogue.pendingDeliveries(limit: 10).map(\.id) == ["e1"])
    }

    @Test func aRestartFindsWhatIsUnfinished() async throws {
        let place = try Place()
        let catalogue = try place.open()
        for (index, status) in LiveStream.Status.allCases.enumerated() {
            var stream = stream("s\(index)", second: Int64(10 - index))
            stream.status = status
            try await catalogue.save(stream)
        }
        let found = try await catalogue.unfinishedStreams()
        #expect(found.map(\.status) == [.postProcessing, .stopping, .running, .starting])
    }

    @Test func pagesGoThroughEverythingOnceNewestFirst() async throws {
        let place = try Place()
        let catalogue = try place.open()
        for index in 0..<57 {
            // Pairs with the same time, in two rooms.
            try await catalogue.save(
                stream("s\(index)", second: Int64(index / 2), room: "r\(index % 2)"))
        }
        func all(_ query: CatalogueQuery<LiveStream.Status>) async throws -> [StreamID] {
            var query = query
            var ids: [StreamID] = []
            repeat {
                let page = try await catalogue.streams(query)
                ids += page.records.map(\.id)
                query.start = page.last
            } while query.start != nil
            return ids
        }
        let everything = try await all(CatalogueQuery())
        #expect(everything.count == 57 && Set(everything).count == 57)
        let times = try await everything.asyncMap { try await catalogue.stream($0)?.createdAt }
        #expect(times.compactMap { $0 } == times.compactMap { $0 }.sorted(by: >))
        #expect(try await all(CatalogueQuery(room: "r1", limit: 100)).count == 28)
        #expect(try await all(CatalogueQuery(status: .running)) == [])
        #expect(try await all(CatalogueQuery(start: "unknown")) == [])
        let page = try await catalogue.streams(CatalogueQuery(limit: 1000))
        #expect(page.records.count == 57 && page.last == nil)
    }

    @Test func deliveriesKeepTheirOrderAndTheirEnd() async throws {
        let place = try Place()
        let catalogue = try place.open()
        for id in ["c", "a", "b"] { try await catalogue.save(delivery(id, line: id)) }
        let due = UnixTime(seconds: 1_770_000_100)
        try await catalogue.update(delivery: "c", status: .pending, attempts: 2, dueAt: due)
        try await catalogue.update(delivery: "a", status: .delivered, attempts: 0, dueAt: due)
        try await catalogue.update(delivery: "a", status: .failed, attempts: 9, dueAt: due)
        let pending = try await catalogue.pendingDeliveries(limit: 10)
        #expect(pending.map(\.id) == ["b", "c"])
        #expect(pending[1].attempts == 2 && pending[1].dueAt == due)
        #expect(pending[0].body == Array(#"{"id":"b"}"#.utf8))
        #expect(try await catalogue.delivery("a")?.status == .delivered)
        #expect(try await catalogue.replay(delivery: "a", at: due))
        #expect(try await !catalogue.replay(delivery: "a", at: due))
        #expect(try await !catalogue.replay(delivery: "x", at: due))
        #expect(try await catalogue.delivery("a")?.createdAt == due)
    }

    @Test func aLineThatDoesNotMoveLeavesRoomForTheOthers() async throws {
        let place = try Place()
        let catalogue = try place.open()
        for index in 0..<50 { try await catalogue.save(delivery("a\(index)", line: "a")) }
        for id in ["c", "b"] { try await catalogue.save(delivery(id, line: id)) }
        try await catalogue.save(delivery("c1", line: "c"))
        // The receiver refused the very first one.
        let later = UnixTime(seconds: 1_770_000_600)
        try await catalogue.update(delivery: "a0", status: .pending, attempts: 9, dueAt: later)
        let few = try await catalogue.pendingDeliveries(limit: 5)
        #expect(few.map(\.id) == ["c", "b", "c1", "a0", "a1"])
        let all = try await catalogue.pendingDeliveries(limit: 100)
        #expect(all.map(\.id) == ["c", "b", "c1"] + (0..<20).map { "a\($0)" })
        // The same once it has moved.
        try await catalogue.update(delivery: "a0", status: .delivered, dueAt: later)
        #expect(try await catalogue.pendingDeliveries(limit: 100).last?.id == "c1")
        #expect(try await catalogue.pendingDeliveries(limit: 100).contains { $0.id == "a20" })
    }

    @Test func whatWasToldLongAgoIsForgotten() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let ends: [(String, CatalogueDelivery.Status, second: Int64)] = [
            ("a", .delivered, 0), ("b", .failed, 1), ("c", .delivered, 2), ("d", .delivered, 3),
            ("pending", .pending, 0),
        ]
        for (id, status, second) in ends {
            try await catalogue.save(delivery(id, line: id))
            try await catalogue.update(
                delivery: id, status: status, dueAt: UnixTime(seconds: 1_770_000_000 + second))
        }
        var held = delivery("held", line: "held")
        held.status = .held
        held.dueAt = UnixTime(seconds: 1_770_000_000)
        try await catalogue.save(held)
        let time = UnixTime(seconds: 1_770_000_002)
        #expect(try await catalogue.removeDeliveries(endedUntil: time, limit: 2) == 2)
        #expect(try await catalogue.removeDeliveries(endedUntil: time, limit: 2) == 1)
        #expect(try await catalogue.removeDeliveries(endedUntil: time, limit: 2) == 0)
        let left = try await catalogue.deliveries(DeliveryQuery()).records
        #expect(left.map(\.id) == ["held", "pending", "d"])
    }

    @Test func aFileThatIsNoCatalogueIsNamedAsDamaged() throws {
        let place = try Place()
        try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0) })
            .write(to: URL(filePath: place.database))
        let error = #expect(throws: CatalogueError.self) { try Catalogue(path: place.database) }
        guard case .damaged = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// It would not know the meaning of the new columns.
    @Test func aCatalogueOfANewerVersionIsNotOpened() async throws {
        let place = try Place()
        try await place.open().save(stream("a"))
        do {
            let database = try DatabaseQueue(path: place.database)
            var newer = DatabaseMigrator()
            newer.registerMigration("9999 of another version") { database in
                try database.execute(sql: "ALTER TABLE stream ADD COLUMN later TEXT")
            }
            try newer.migrate(database)
        }
        let error = #expect(throws: CatalogueError.self) { try place.open() }
        #expect(error?.description == "the catalogue is of a newer version")
    }
}

/// The directory of one test's catalogue.
struct Place {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    func open() throws -> Catalogue { try Catalogue(path: database) }

    var path: String { scratch.path }
    var database: String { "\(path)/catalogue.sqlite" }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows
        -> [Result]
    {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
