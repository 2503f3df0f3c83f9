import GRDB
import MediaKernel
import Synchronization
import Testing

@testable import Catalogue

@Suite struct RoomCodeTests {
    private let now = UnixTime(seconds: 1_770_000_000)
    private let later = UnixTime(seconds: 1_770_000_100)

    /// Gives these codes, one after the other.
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
        let first = try await catalogue.makeRoomCodes(
            of: ["host", "guest"], areAll: true, room: "r", at: now, newCode: codes("a", "b"))
        #expect(first.map(\.code) == ["a", "b"] && first.map(\.role) == ["host", "guest"])
        // What another room has is not given once more.
        let other = try await catalogue.makeRoomCodes(
            of: ["host"], areAll: false, room: "r2", at: now, newCode: codes("a", "b", "c"))
        #expect(other == [RoomCode(code: "c", room: "r2", role: "host", createdAt: now)])
        let again = try await place.open().makeRoomCodes(
            of: ["guest", "host"], areAll: true, room: "r", at: later, newCode: codes())
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
        let made = try await catalogue.makeRoomCodes(
            of: ["guest", "viewer"], areAll: true, room: "r", at: later, newCode: codes("d"))
        #expect(made.map(\.code) == ["b", "d"])
        let gone = try #require(try await catalogue.roomCode("a"))
        #expect(!gone.isEnabled && gone.updatedAt == later && gone.createdAt == now)
        #expect(try await catalogue.roomCode("c")?.isEnabled == true)
        // Of one role by itself nothing is known of the others.
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
