import GRDB
import MediaKernel
import Synchronization
import Testing

@testable import Catalogue

@Suite struct RoomCodeTests {
    private let now = UnixTime(seconds: 1_770_000_000)
    private let later = UnixTime(seconds: 1_770_000_100)

    /// Returns these codes, one after another.
    private func codes(_ codes: String...) -> @Sendable () -> String {
        let waiting = Waiting(codes)
        return { waiting.next() }
    }

    private final class Waiting: Sendable {
        private let codes: Mutex<[String]>
        init(_ codes: [String]) { self.codes = Mutex(codes) }
        func next() -> String { codes.withLock { $0.removeFirst() } }
    }

    @Test func eachRoleHasOneCodeHoweverOftenItIsAskedFor() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let first = try #require(
            try await catalogue.makeRoomCodes(
                of: ["host", "guest"], areAll: true, room: "r", at: now, newCode: codes("a", "b")))
        #expect(first.map(\.code) == ["a", "b"] && first.map(\.role) == ["host", "guest"])
        // A code of another room is not used again.
        let other = try #require(
            try await catalogue.makeRoomCodes(
                of: ["host"], areAll: false, room: "r2", at: now, newCode: codes("a", "b", "c")))
        #expect(other == [RoomCode(code: "c", room: "r2", role: "host", createdAt: now)])
        let again = try #require(
            try await place.open().makeRoomCodes(
                of: ["guest", "host"], areAll: true, room: "r", at: later, newCode: codes()))
        #expect(again == first.reversed())
        #expect(try await catalogue.roomCode("c") == other[0])
        #expect(try await catalogue.roomCode("d") == nil)
    }

    @Test func aRoleThatIsGoneHasItsCodeDisabled() async throws {
        let place = try Place()
        let catalogue = try place.open()
        _ = try await catalogue.makeRoomCodes(
            of: ["host", "guest"], areAll: true, room: "r", at: now, newCode: codes("a", "b"))
        _ = try await catalogue.makeRoomCodes(
            of: ["host"], areAll: true, room: "r2", at: now, newCode: codes("c"))
        let made = try #require(
            try await catalogue.makeRoomCodes(
                of: ["guest", "viewer"], areAll: true, room: "r", at: later, newCode: codes("d")))
        #expect(made.map(\.code) == ["b", "d"])
        let gone = try #require(try await catalogue.roomCode("a"))
        #expect(!gone.isEnabled && gone.updatedAt == later && gone.createdAt == now)
        #expect(try await catalogue.roomCode("c")?.isEnabled == true)
        // A request for one role says nothing about the others.
        _ = try await catalogue.makeRoomCodes(
            of: ["viewer"], areAll: false, room: "r", at: later, newCode: codes())
        #expect(try await catalogue.roomCode("b")?.isEnabled == true)
    }

    @Test func aCodeIsDisabledAndEnabled() async throws {
        let place = try Place()
        let catalogue = try place.open()
        _ = try await catalogue.makeRoomCodes(
            of: ["host"], areAll: true, room: "r", at: now, newCode: codes("a"))
        let off = try #require(
            try await catalogue.setRoomCode("a", isEnabled: false, at: later))
        #expect(!off.isEnabled && off.updatedAt == later)
        #expect(try await catalogue.setRoomCode("a", isEnabled: true, at: now)?.isEnabled == true)
        #expect(try await catalogue.setRoomCode("b", isEnabled: true, at: now) == nil)
    }

    @Test func whoDisablesACodeGetsAnotherAndMayHaveBoth() async throws {
        let place = try Place()
        let catalogue = try place.open()
        func made(_ code: String) async throws -> RoomCode? {
            try await catalogue.makeRoomCodes(
                of: ["host"], areAll: true, room: "r", at: now, newCode: codes(code))?.first
        }
        #expect(try await made("a")?.code == "a")
        _ = try await catalogue.setRoomCode("a", isEnabled: false, at: later)
        let second = RoomCode(code: "b", room: "r", role: "host", createdAt: now)
        #expect(try await made("b") == second)
        #expect(try await made("c") == second)
        #expect(try await catalogue.roomCode("a")?.isEnabled == false)
        // Once enabled again it is one of two, of which the newer is the role's.
        _ = try await catalogue.setRoomCode("a", isEnabled: true, at: later)
        #expect(try await made("c") == second)
        let all = try await catalogue.roomCodes(RoomCodeQuery(room: "r", isEnabled: true))
        #expect(all.records.map(\.code) == ["b", "a"])
    }

    @Test func aRoomHasAHundredCodesAndForgetsThoseThatWereDisabledFirst() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let maximum = RoomCode.perRoomMaximum
        func make(_ number: Int) async throws -> RoomCode? {
            let time = now + .seconds(number)
            let made = try await catalogue.makeRoomCodes(
                of: ["host"], areAll: false, room: "r", at: time, newCode: codes("c\(number)"))
            _ = try await catalogue.setRoomCode("c\(number)", isEnabled: false, at: time)
            return made?.first
        }
        for number in 0..<maximum + 2 { #expect(try await make(number)?.code == "c\(number)") }
        #expect(try await catalogue.roomCode("c1") == nil)
        let page = try await catalogue.roomCodes(RoomCodeQuery(room: "r", limit: maximum))
        #expect(page.records.count == maximum && page.last == nil)
        // Enabled codes are never forgotten.
        for code in page.records {
            _ = try await catalogue.setRoomCode(code.code, isEnabled: true, at: later)
        }
        let known = try await catalogue.makeRoomCodes(
            of: ["host"], areAll: false, room: "r", at: later, newCode: codes())
        #expect(known?.map(\.code) == ["c\(maximum + 1)"])
        let refused = try await catalogue.makeRoomCodes(
            of: ["host", "guest"], areAll: false, room: "r", at: later, newCode: codes())
        #expect(refused == nil)
    }

    /// A catalogue in which each role had one code.
    @Test func codesThatWereMadeBeforeStayAndMayBeReplaced() async throws {
        let place = try Place()
        do {
            let database = try DatabaseQueue(path: place.database)
            try Schema.migrator.migrate(database, upTo: "10 past deliveries")
            try await database.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO roomCode (id, room, role, enabled, created, updated)
                        VALUES ('a', 'r', 'host', 1, 5, 6), ('b', 'r', 'guest', 0, 7, 8)
                        """)
            }
        }
        let catalogue = try place.open()
        var old = RoomCode(
            code: "a", room: "r", role: "host", createdAt: UnixTime(nanoseconds: 5))
        old.updatedAt = UnixTime(nanoseconds: 6)
        #expect(try await catalogue.roomCode("a") == old)
        let made = try await catalogue.makeRoomCodes(
            of: ["host", "guest"], areAll: true, room: "r", at: now, newCode: codes("c"))
        #expect(made?.map(\.code) == ["a", "c"])
        #expect(try await catalogue.roomCode("b")?.isEnabled == false)
    }

    @Test func aPageOfARoomsCodesIsReadAlongAnIndex() async throws {
        let place = try Place()
        let catalogue = try place.open()
        for room in 0..<20 {
            _ = try await catalogue.makeRoomCodes(
                of: (0..<30).map { "role\($0)" }, areAll: true, room: RoomID("r\(room)"), at: now,
                newCode: codesOfRoom(room))
        }
        var query = RoomCodeQuery(room: "r7")
        var found: [String] = []
        repeat {
            let page = try await catalogue.roomCodes(query)
            found += page.records.map(\.code)
            query.start = page.last
        } while query.start != nil
        #expect(found.count == 30 && Set(found).count == 30)
        query = RoomCodeQuery(room: "r7", role: "role3", isEnabled: true)
        #expect(try await catalogue.roomCodes(query).records.map(\.role) == ["role3"])
        query.isEnabled = false
        #expect(try await catalogue.roomCodes(query).records == [])
        let statement = PageStatement(RoomCodeQuery(room: "r7", start: "7-3"))
        let plan = try await catalogue.read { database in
            try Row.fetchAll(
                database, sql: "EXPLAIN QUERY PLAN \(statement.sql)",
                arguments: statement.arguments
            ).map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains("roomCodeByRoom") }, "\(plan)")
    }

    private func codesOfRoom(_ room: Int) -> @Sendable () -> String {
        let waiting = Waiting((0..<30).map { "\(room)-\($0)" })
        return { waiting.next() }
    }
}
