import MediaKernel
import Rooms
import Testing

@Suite struct SessionStoreTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("a")
        try fixture.join("b")
    }

    @discardableResult
    mutating func set(
        _ key: String, _ text: String, ifVersion version: Int? = nil, by peer: PeerID = "a"
    ) throws -> SessionStore.Entry {
        try fixture.room.valueSet(
            key, to: OpaqueJSON(text: text), ifVersion: version, by: peer, at: fixture.now,
            wall: fixture.wall)
    }

    @Test mutating func aValueGainsAVersionWithEveryChange() throws {
        #expect(try set("k", "1").version == 1)
        #expect(try set("k", "2", by: "b").version == 2)
        let entry = try #require(fixture.room.store.entry("k"))
        #expect(entry.data == OpaqueJSON(text: "2"))
        #expect(entry.updatedBy == "b")
    }

    @Test mutating func aChangeOfAnOldVersionIsRefused() throws {
        try set("k", "1", ifVersion: 0)
        let error = roomError { try set("k", "2", ifVersion: 0) }
        #expect(error == .versionConflict(key: "k", version: 1))
        #expect(error?.kind == .conflict)
        try set("k", "2", ifVersion: 1)
    }

    @Test mutating func listenersAreToldTheValuesOfTodayAndEveryChange() throws {
        try set("k", "1")
        try fixture.room.valuesListened(["k", "other"], by: "b")
        let first = fixture.drain()
        #expect(first.toldPeers == ["b"])
        guard case .storeChanged(let entries)? = first.told("b").first else {
            Issue.record("b was not told")
            return
        }
        #expect(entries.map(\.key) == ["k"])
        try set("k", "2")
        #expect(fixture.drain().toldPeers == ["b"])
        try fixture.room.valuesListened([], by: "b")
        try set("k", "3")
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func theStoreIsBoundedInKeysAndInBytes() throws {
        for index in 0..<100 {
            fixture.now += .seconds(1)
            try set("k\(index)", "1")
        }
        #expect(roomError { try set("one more", "1") } == .storeFull(maximum: 100))
        // 100ms' clients remove a value by setting it to null.
        fixture.now += .seconds(1)
        try set("k7", "null")
        #expect(fixture.room.store.entry("k7")?.version == 2)
        fixture.now += .seconds(1)
        try set("one more", "1")
        #expect(fixture.room.store.entry("k7") == nil)
        #expect(roomError { try set("two more", "1") } == .storeFull(maximum: 100))
        try set("k0", "2")
        #expect(
            roomError { try set("k0", String(repeating: "1", count: 8193)) }
                == .tooLong(field: "data", count: 8193, maximum: 8192))
        #expect(roomError { try set("", "1") } == .invalidField(field: "key", reason: "is empty"))
    }

    @Test mutating func whatWasRemovedFirstMakesRoomFirst() throws {
        for index in 0..<100 {
            fixture.now += .seconds(1)
            try set("k\(index)", "1")
        }
        for key in ["k9", "k3"] {
            fixture.now += .seconds(1)
            try set(key, "null")
        }
        fixture.now += .seconds(1)
        try set("one more", "1")
        #expect(fixture.room.store.entry("k9") == nil)
        #expect(fixture.room.store.entry("k3")?.version == 2)
    }

    @Test mutating func whoLeftAndComesAgainHasToAskAgain() throws {
        try fixture.room.valuesListened(["k"], by: "b")
        fixture.room.left("b")
        try fixture.join("b")
        try set("k", "1")
        #expect(fixture.drain().told("b").isEmpty)
    }

    @Test mutating func theStoreEndsWithTheSession() throws {
        try set("k", "1")
        fixture.room.left("a")
        #expect(fixture.room.store.entry("k") != nil)
        fixture.room.left("b")
        #expect(fixture.room.store.entry("k") == nil)
    }
}
