import MediaKernel
import Testing

@testable import Rooms

/// News of services beside the room.
@Suite struct NoticeTests {
    var fixture = RoomFixture()
    private let notice = Notice(.groupCall, .object(["event": "custom_items_updated"]))

    @Test mutating func everybodyIsTold() throws {
        try fixture.join("a")
        try fixture.join("b", role: "viewer")
        fixture.room.noticed(notice, at: fixture.now)
        let effects = fixture.drain()
        #expect(effects.told("a") == [.noticed(notice)])
        #expect(effects.told("b") == [.noticed(notice)])
    }

    @Test mutating func whoWasAwayIsToldWhenItIsBack() throws {
        try fixture.join("a", token: "t")
        fixture.room.connectionLost("a", at: fixture.now)
        fixture.room.noticed(notice, at: fixture.now)
        #expect(fixture.drain().told("a").isEmpty)
        try fixture.room.connectionReturned(
            "a", of: TokenOwner(userID: "user-a", tokenID: "t"), at: fixture.now)
        #expect(fixture.drain().told("a").contains(.noticed(notice)))
    }

    /// What is kept for those who are away is bounded in bytes.
    @Test mutating func aLongNoticeCountsByItsLength() throws {
        var limits = RoomLimits()
        limits.recentBytes = 4000
        fixture = RoomFixture(limits: limits)
        try fixture.join("a", token: "t")
        fixture.room.connectionLost("a", at: fixture.now)
        let long = Notice(
            .groupCall, .array([.string(String(repeating: "x", count: 3000)), .bool(true), .null]))
        for _ in 1...2 { fixture.room.noticed(long, at: fixture.now) }
        _ = fixture.drain()
        try fixture.room.connectionReturned(
            "a", of: TokenOwner(userID: "user-a", tokenID: "t"), at: fixture.now)
        #expect(fixture.drain().told("a").filter { $0 == .noticed(long) }.count == 1)
    }
}
