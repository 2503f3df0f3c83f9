import GRDB
import MediaKernel
import Testing

@testable import Catalogue

/// What waits for a receiver that has a name of its own, and what is left of it.
@Suite struct BacklogTests {
    private let place: Place
    private let catalogue: Catalogue

    init() throws {
        place = try Place()
        catalogue = try place.open()
    }

    private static let time = UnixTime(seconds: 1_770_000_000)
    /// Of eight rows in a full backlog.
    private static let eighth = CatalogueDelivery.backlogMaximum / 8 - CatalogueDelivery.rowBytes

    private func delivery(
        _ id: String, _ keeping: CatalogueDelivery.Keeping, room: RoomID = "r",
        receiver: String? = "other", bytes: Int = eighth
    ) -> CatalogueDelivery {
        CatalogueDelivery(
            id: id, line: "\(receiver ?? "")-\(room)", room: room, kind: "k", receiver: receiver,
            keeping: keeping, body: [UInt8](repeating: 32, count: bytes), createdAt: Self.time)
    }

    private func ids() async throws -> Set<String> {
        Set(try await catalogue.deliveries(DeliveryQuery(limit: 100)).records.map(\.id))
    }

    private func backlog() async throws -> [String: Int] {
        let database = try DatabaseQueue(path: place.database)
        return try await database.read { database in
            Dictionary(
                try Row.fetchAll(database, sql: "SELECT room, bytes FROM backlog")
                    .map { ($0[0] as String, $0[1] as Int) }, uniquingKeysWith: +)
        }
    }

    @Test(arguments: [CatalogueDelivery.Status.delivered, .failed])
    func whatHasEndedIsKeptOnlyWhereItIsNeeded(status: CatalogueDelivery.Status) async throws {
        for (id, keeping) in [
            ("minor", CatalogueDelivery.Keeping.minor), ("major", .major), ("known", .identity),
        ] {
            try await catalogue.save(delivery(id, keeping, bytes: 100))
        }
        try await catalogue.save(delivery("told", .history, receiver: nil, bytes: 100))
        let all = try await ids()
        for id in all {
            try await catalogue.update(
                delivery: id, status: .pending, attempts: 1, dueAt: Self.time)
        }
        #expect(try await ids() == all)
        for id in all { try await catalogue.update(delivery: id, status: status, dueAt: Self.time) }
        #expect(try await ids() == ["known", "told"])
        #expect(try await catalogue.delivery("known")?.body == [])
        #expect(try await catalogue.delivery("told")?.body.count == 100)
        // It is told once, and only what has a body can be told again.
        try await catalogue.save(delivery("known", .identity, bytes: 100))
        #expect(try await catalogue.pendingDeliveries(limit: 10).isEmpty)
        #expect(try await !catalogue.replay(delivery: "known", at: Self.time))
        #expect(try await catalogue.replay(delivery: "told", at: Self.time))
        #expect(try await backlog().isEmpty)
    }

    @Test func aFullBacklogTakesNoMore() async throws {
        for number in 0..<8 {
            #expect(try await catalogue.save(delivery("e\(number)", .minor)))
        }
        #expect(try await backlog() == ["r": CatalogueDelivery.backlogMaximum])
        #expect(try await !catalogue.save(delivery("late", .minor, bytes: 1)))
        // Neither another room's, nor another receiver's, nor what is kept for the history waits
        // for it.
        #expect(try await catalogue.save(delivery("a", .minor, room: "s")))
        #expect(try await catalogue.save(delivery("b", .minor, receiver: "third")))
        #expect(try await catalogue.save(delivery("c", .history, receiver: nil)))
        try await catalogue.update(delivery: "e0", status: .delivered, dueAt: Self.time)
        #expect(try await catalogue.save(delivery("later", .minor)))
        #expect(try await ids() == Set((1..<8).map { "e\($0)" } + ["a", "b", "c", "later"]))
    }

    @Test func theNewestOfTheLeastEventsGiveWayToOthers() async throws {
        for number in 0..<4 { try await catalogue.save(delivery("minor\(number)", .minor)) }
        for number in 0..<4 { try await catalogue.save(delivery("major\(number)", .major)) }
        #expect(try await catalogue.save(delivery("major4", .major, bytes: 2 * Self.eighth)))
        #expect(try await catalogue.save(delivery("known0", .identity)))
        #expect(
            try await ids() == Set(["minor0", "known0"] + (0..<5).map { "major\($0)" }))
        #expect(try await catalogue.save(delivery("known1", .identity, bytes: 2 * Self.eighth)))
        #expect(
            try await ids() == Set(["known0", "known1"] + (0..<4).map { "major\($0)" }))
        // What does not find enough takes nothing away.
        #expect(try await !catalogue.save(delivery("vast", .identity, bytes: 9 * Self.eighth)))
        #expect(try await !catalogue.save(delivery("major5", .major, bytes: 9 * Self.eighth)))
        #expect(try await ids().count == 6)
        // What is known already needs no space.
        #expect(try await catalogue.save(delivery("known1", .identity, bytes: 9 * Self.eighth)))
        #expect(try await ids().count == 6)
    }

    /// A catalogue in which everything was kept for a month.
    @Test func whatWasKeptBeforeIsSortedOut() async throws {
        let place = try Place()
        do {
            let database = try DatabaseQueue(path: place.database)
            try Schema.migrator.migrate(database, upTo: "20 receivers of deliveries")
            try await database.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO delivery (id, line, room, kind, terminal, body, created,
                            status, attempts, due, receiver)
                        VALUES ('a', 'l', 'r', 'signalSent', 0, x'00', 1, 'delivered', 0, 1, 'o'),
                            ('b', 'l', 'r', 'signalSent', 0, x'0000', 1, 'pending', 0, 1, 'o'),
                            ('c', 'l', 'r', 'recordingStatusChanged', 0, x'00', 1, 'failed', 0, 1,
                                'o'),
                            ('d', 'l', 'r', 'sessionCreated', 0, x'00', 1, 'pending', 0, 1, 'o'),
                            ('e', 'l', 'r', 'peer.join.success', 0, x'00', 1, 'delivered', 0, 1,
                                NULL)
                        """)
            }
        }
        let catalogue = try place.open()
        let found = try await catalogue.deliveries(DeliveryQuery()).records
        #expect(found.map(\.id) == ["e", "d", "c", "b"])
        #expect(found.map(\.keeping) == [.history, .major, .identity, .minor])
        #expect(found.map(\.body.count) == [1, 1, 0, 2])
        let database = try DatabaseQueue(path: place.database)
        let bytes = try await database.read {
            try Int.fetchOne($0, sql: "SELECT bytes FROM backlog WHERE room = 'r'")
        }
        #expect(bytes == 3 + 2 * CatalogueDelivery.rowBytes)
    }
}
