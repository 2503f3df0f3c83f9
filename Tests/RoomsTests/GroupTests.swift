import MediaKernel
import Rooms
import Testing

@Suite struct GroupTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("h", role: "host")
        try fixture.join("a")
        try fixture.join("b")
    }

    mutating func join(_ group: String, by peer: PeerID = "a") throws -> [String] {
        try fixture.room.groupChanged(group, of: peer, isIn: true, by: peer, at: fixture.now)
    }

    mutating func leave(_ group: String, by peer: PeerID = "a") throws -> [String] {
        try fixture.room.groupChanged(group, of: peer, isIn: false, by: peer, at: fixture.now)
    }

    mutating func raise(_ isRaised: Bool, of peer: PeerID = "a", by asker: PeerID? = nil) throws {
        try fixture.room.handChanged(
            of: peer, isRaised: isRaised, by: asker ?? peer, at: fixture.now)
    }

    mutating func change(
        _ group: String, of peer: PeerID, isIn: Bool, by asker: PeerID = "h"
    ) throws -> [RoomEffect] {
        try fixture.room.groupChanged(group, of: peer, isIn: isIn, by: asker, at: fixture.now)
        return fixture.drain()
    }

    @Test mutating func aRaisedHandIsToldToEverybodyAndToItsOwner() throws {
        try raise(true)
        let effects = fixture.drain()
        #expect(try fixture.room.peers.visiblePeer("a").isHandRaised)
        for other in ["h", "a", "b"] as [PeerID] {
            guard case .peerUpdated(let told)? = effects.told(other).first else {
                Issue.record("\(other) was not told: \(effects)")
                continue
            }
            #expect(told.id == "a" && told.isHandRaised)
        }
        #expect(effects.count == 2)
        #expect(effects.contains(.refreshPreviews))
        try raise(true)
        #expect(fixture.drain().isEmpty)
        try raise(false)
        #expect(fixture.drain().told("b").count == 1)
        try raise(false)
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func othersHandsAreLoweredByWhoMayChangeRoles() throws {
        try raise(true)
        #expect(
            roomError { try raise(false, of: "a", by: "b") }
                == .missingPermission(.changeRole, role: "guest"))
        #expect(roomError { try raise(true, of: "x", by: "h") } == .unknownPeer("x"))
        #expect(roomError { try raise(true, of: "x", by: "x") } == .notJoined("x"))
        try raise(false, of: "a", by: "h")
        #expect(fixture.room.peers["a"]?.isHandRaised == false)
    }

    @Test mutating func groupsAreSortedAndEachIsOnce() throws {
        for group in ["red", "blue", "red", "green"] { _ = try join(group) }
        #expect(fixture.room.peers["a"]?.groups == ["blue", "green", "red"])
    }

    @Test mutating func othersArePutIntoGroupsByWhoMayChangeRoles() throws {
        #expect(try change("red", of: "a", isIn: true).told("b").count == 1)
        #expect(try change("red", of: "a", isIn: false).told("a").count == 1)
        #expect(fixture.room.peers["a"]?.groups == [])
        let refused = RoomError.missingPermission(.changeRole, role: "guest")
        #expect(roomError { _ = try change("red", of: "a", isIn: true, by: "b") } == refused)
        #expect(try change("red", of: "b", isIn: true, by: "b").count == 2)
        #expect(
            roomError { _ = try change("red", of: "x", isIn: true) } == .unknownPeer("x"))
    }

    @Test mutating func aGroupOutlivesALostConnectionAndNotItsPeer() throws {
        _ = try join("red")
        try raise(true)
        fixture.room.connectionLost("a", at: fixture.now)
        try fixture.room.connectionReturned("a", of: TokenOwner(userID: "user-a"), at: fixture.now)
        #expect(fixture.room.peers["a"]?.groups == ["red"])
        #expect(fixture.room.peers["a"]?.isHandRaised == true)
        fixture.room.left("a")
        try fixture.join("a")
        #expect(fixture.room.peers["a"]?.groups == [])
        #expect(fixture.room.peers["a"]?.isHandRaised == false)
    }

    @Test mutating func aPeerIsInSixteenGroupsAtMost() throws {
        for index in 0..<16 { _ = try join("g\(index)") }
        #expect(roomError { _ = try join("g16") } == .tooManyGroups(maximum: 16))
        #expect(
            roomError { _ = try change("g16", of: "a", isIn: true) }
                == .tooManyGroups(maximum: 16))
        _ = try leave("g0")
        _ = try join("g16")
    }

    @Test mutating func aSessionHasAHundredGroupsAtMost() throws {
        for index in 0..<100 {
            let peer = PeerID("p\(index / 10)")
            if index.isMultiple(of: 10) { try fixture.join(peer) }
            _ = try join("g\(index)", by: peer)
        }
        let error = roomError { _ = try join("new") }
        #expect(error == .sessionGroupsFull(maximum: 100))
        #expect(error?.kind == .invalid)
        try raise(true, of: "b")
        #expect(try join("g7") == ["g7"])
        fixture.room.left("p1")
        #expect(try join("new") == ["g7", "new"])
    }

    @Test mutating func aNameHasItsLimitsAndChangesAreCounted() throws {
        #expect(roomError { _ = try join("") } == .invalidField(field: "name", reason: "is empty"))
        #expect(
            roomError { _ = try join(String(repeating: "x", count: 129)) }
                == .tooLong(field: "name", count: 129, maximum: 128))
        // One was spent on joining the room.
        for _ in 0..<49 {
            _ = try join("red")
            _ = try leave("red")
        }
        _ = try join("red")
        #expect(roomError { _ = try leave("red") } == .tooManyRequests(perSecond: 20))
        #expect(fixture.room.peers["a"]?.groups == ["red"])
    }

    @Test mutating func aHiddenPeerRaisesNoHandThatAnybodySees() throws {
        try fixture.join("bot", role: Policy.recorderRole)
        try raise(true, of: "bot")
        #expect(fixture.drain().isEmpty)
        #expect(roomError { _ = try change("red", of: "bot", isIn: true) } == .unknownPeer("bot"))
    }
}
