import MediaKernel
import Testing

@testable import Rooms

/// Several devices of one user.
@Suite struct SiblingTests {
    var fixture: RoomFixture

    init() {
        var limits = RoomLimits()
        limits.visiblePeers = 3
        fixture = RoomFixture(limits: limits)
    }

    private func request(_ id: PeerID, kicks: Bool = true, user: String = "ann") -> JoinRequest {
        JoinRequest(
            peer: id, userID: user, role: "guest", name: "Ann", kicksSiblings: kicks)
    }

    private mutating func enter(_ request: JoinRequest) throws -> [RoomEffect] {
        try fixture.room.joinRequested(request, at: fixture.now)
        try fixture.room.joinCompleted(request.peer, request, wall: fixture.wall)
        return fixture.drain()
    }

    private var present: [PeerID] { fixture.room.peers.visible.map(\.id) }

    @Test mutating func devicesOfAUserAreParticipantsOfTheirOwn() throws {
        _ = try enter(request("phone", kicks: false))
        _ = try enter(request("tablet", kicks: false))
        #expect(present == ["phone", "tablet"])
    }

    @Test mutating func oneThatKicksSiblingsIsTheOnlyOne() throws {
        _ = try enter(request("phone", kicks: false))
        _ = try enter(request("tablet", kicks: false))
        try fixture.join("ben")
        let effects = try enter(request("laptop"))
        #expect(present == ["ben", "laptop"])
        for device in ["phone", "tablet"] as [PeerID] {
            let dismissal = try #require(effects.dismissals(of: device).first)
            #expect(dismissal.requester == "laptop" && !dismissal.isRoomEnd)
            #expect(dismissal.reason == "the user joined from another device")
        }
        // Ben never sees more participants than there are places.
        let names = effects.told("ben").map { event -> String in
            switch event {
            case .peerLeft(let peer): "left \(peer.id)"
            case .peerJoined(let peer): "joined \(peer.id)"
            default: "other"
            }
        }
        #expect(names == ["left phone", "left tablet", "joined laptop"])
        #expect(fixture.room.session != nil)
    }

    @Test mutating func aFullRoomHasAPlaceForWhoPutsASiblingOut() throws {
        _ = try enter(request("phone", kicks: false))
        try fixture.join("ben")
        try fixture.join("cem")
        #expect(roomError { try fixture.join("dan") } == .roomFull(maximum: 3))
        #expect(
            roomError { _ = try enter(request("tablet", kicks: false)) } == .roomFull(maximum: 3))
        _ = try enter(request("laptop"))
        #expect(present == ["ben", "cem", "laptop"])
        #expect(roomError { try fixture.join("dan") } == .roomFull(maximum: 3))
    }

    @Test(arguments: [true, false])
    mutating func ofTwoThatComeAtOnceOneStays(secondIsFirst: Bool) throws {
        _ = try enter(request("phone", kicks: false))
        let both = [request("a"), request("b")]
        for request in both { try fixture.room.joinRequested(request, at: fixture.now) }
        let (first, second) = secondIsFirst ? (both[1], both[0]) : (both[0], both[1])
        try fixture.room.joinCompleted(first.peer, first, wall: fixture.wall)
        let error = roomError {
            try fixture.room.joinCompleted(second.peer, second, wall: fixture.wall)
        }
        #expect(error == .unknownPeer(second.peer))
        #expect(present == [first.peer])
    }

    @Test mutating func aLostDeviceLosesItsPlaceToo() throws {
        _ = try enter(request("phone", kicks: false))
        fixture.room.connectionLost("phone", at: fixture.now)
        _ = try enter(request("laptop"))
        #expect(fixture.room.peers["phone"] == nil && present == ["laptop"])
    }

    @Test mutating func nobodyIsASiblingWithoutAUserOrUnseen() throws {
        _ = try enter(request("a", kicks: false, user: ""))
        _ = try enter(request("b", user: ""))
        #expect(present == ["a", "b"])
        var watching = request("w")
        watching.isHidden = true
        _ = try enter(request("phone", kicks: false))
        _ = try enter(watching)
        #expect(present == ["a", "b", "phone"])
        _ = try enter(request("laptop"))
        #expect(fixture.room.peers["w"] != nil && fixture.room.peers["phone"] == nil)
    }
}
