import GRDB
import MediaKernel
import Testing

@testable import Catalogue

/// The rooms, which exist only in the catalogue.
@Suite struct RoomTests {
    private func room(_ index: Int) -> CatalogueRoom {
        CatalogueRoom(
            id: RoomID("id\(index)"), name: "Room.\(index)", description: "of \(index)",
            isEnabled: index % 10 != 9, size: index, isLarge: index == 5,
            durationMaximum: index == 5 ? .seconds(600) : nil,
            template: index % 4 == 0 ? nil : "t\(index % 4)",
            webhook: index == 5 ? RoomWebhook(url: "http://a", headers: ["b": "c"]) : nil,
            createdAt: UnixTime(seconds: 1_770_000_000 + Int64(index)))
    }

    /// A catalogue of the rooms 0 to 999.
    private func catalogue(_ place: Place, count: Int = 1000) async throws -> Catalogue {
        let catalogue = try place.open()
        for index in 0..<count {
            _ = try await catalogue.registerRoom(room(index), otherName: "other")
        }
        return catalogue
    }

    @Test func aRoomIsThereAfterOpeningAnew() async throws {
        let place = try Place()
        _ = try await catalogue(place, count: 6)
        let again = try place.open()
        #expect(try await again.room("id5") == room(5))
        #expect(try await again.room("id6") == nil)
    }

    @Test func whoeverComesFirstMakesTheRoomAndNobodyTakesAnothersName() async throws {
        let place = try Place()
        let catalogue = try await catalogue(place, count: 1)
        var again = room(0)
        again.description = "another one's"
        #expect(try await catalogue.registerRoom(again, otherName: "x") == room(0))
        var namesake = room(1)
        namesake.name = "ROOM.0"
        let made = try await catalogue.registerRoom(namesake, otherName: "id1.7")
        #expect(made.name == "id1.7")
        #expect(try await catalogue.room("id1") == made)
        #expect(try await catalogue.room("id0") == room(0))
    }

    @Test func makingARoomOfAKnownNameChangesThatOne() async throws {
        let place = try Place()
        let catalogue = try await catalogue(place, count: 1)
        let now = UnixTime(seconds: 1_780_000_000)
        let new = CatalogueRoom(id: "new", name: "room.0", createdAt: now)
        var expected = room(0)
        expected.description = "changed"
        expected.updatedAt = now
        let update = try await catalogue.createRoom(new) { room in
            room.description = "changed"
            return true
        }
        #expect(update == .updated(expected))
        #expect(try await catalogue.room("new") == nil)
        let other = CatalogueRoom(id: "new", name: "another", createdAt: now)
        #expect(try await catalogue.createRoom(other) { _ in true } == .updated(other))
        #expect(try await catalogue.createRoom(other) { _ in false } == .refused)
        // A new room never takes the place of another one.
        let renamed = CatalogueRoom(id: "new", name: "yet another", createdAt: now)
        let taken = try await catalogue.createRoom(renamed) { _ in true }
        #expect(taken == .nameTaken(by: "new"))
        #expect(try await catalogue.room("new") == other)
    }

    @Test func aChangeHoldsWholeOrNotAtAll() async throws {
        let place = try Place()
        let catalogue = try await catalogue(place, count: 2)
        let now = UnixTime(seconds: 1_780_000_000)
        #expect(try await catalogue.updateRoom("none", at: now) { _ in true } == .unknown)
        let taken = try await catalogue.updateRoom("id0", at: now) { room in
            room.name = "ROOM.1"
            room.isEnabled = false
            return true
        }
        #expect(taken == .nameTaken(by: "id1"))
        let refused = try await catalogue.updateRoom("id0", at: now) { room in
            room.isEnabled = false
            return false
        }
        #expect(refused == .refused)
        #expect(try await catalogue.room("id0") == room(0))
        // Its own name in another letter case is not a conflict.
        let own = try await catalogue.updateRoom("id0", at: now) { room in
            room.name = "ROOM.0"
            room.durationMaximum = .seconds(120)
            return true
        }
        var expected = room(0)
        expected.name = "ROOM.0"
        expected.durationMaximum = .seconds(120)
        expected.updatedAt = now
        #expect(own == .updated(expected))
        #expect(try await catalogue.room("id0") == expected)
    }

    /// The cost of a page does not depend on the number of rows.
    @Test func aPageIsReadAlongOneIndexWithoutSorting() async throws {
        let place = try Place()
        let catalogue = try await catalogue(place)
        let (from, to) = (room(100).createdAt, room(129).createdAt)
        let queries: [(query: RoomQuery, count: Int, index: String)] = [
            (RoomQuery(limit: 100), 100, "roomByTime"),
            (RoomQuery(start: "id5", limit: 100), 5, "roomByTime"),
            (RoomQuery(createdFrom: from, createdTo: to, limit: 100), 30, "roomByTime"),
            (RoomQuery(createdFrom: from, start: "id110"), 10, "roomByTime"),
            (RoomQuery(isEnabled: false, limit: 100), 100, "roomByState"),
            (
                RoomQuery(isEnabled: true, createdFrom: from, createdTo: to, limit: 100), 27,
                "roomByState"
            ),
            (RoomQuery(name: "ROOM.77"), 1, "sqlite_autoindex_room_2"),
            (RoomQuery(name: "room.9", isEnabled: true), 0, "room"),
            (
                RoomQuery(isEnabled: true, template: .standard, createdFrom: from, limit: 100),
                100, "roomByTemplate"
            ),
            (
                RoomQuery(isEnabled: false, template: .written("t1"), limit: 100), 50,
                "roomByTemplate"
            ),
        ]
        for (query, count, index) in queries {
            #expect(try await catalogue.rooms(query).records.count == count)
            let statement = PageStatement(query)
            let plan = try await catalogue.read { database in
                try Row.fetchAll(
                    database, sql: "EXPLAIN QUERY PLAN \(statement.sql)",
                    arguments: statement.arguments
                ).map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.contains(index) }, "\(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN") && !$0.contains("INDEX") }, "\(plan)")
        }
        let page = try await catalogue.rooms(RoomQuery())
        #expect(page.records.map(\.id) == (990..<1000).reversed().map { RoomID("id\($0)") })
        #expect(page.last == "id990")
    }
}
