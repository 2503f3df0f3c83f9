import MediaKernel
import Rooms
import Testing

@Suite struct DepartedPeersTests {
    @Test func whoHasLeftIsGoneUntilItJoinsAgainOrTheSessionEnds() throws {
        var fixture = RoomFixture()
        try fixture.join("a")
        try fixture.join("b")
        try fixture.join("bot", role: Policy.recorderRole)
        fixture.room.left("b")
        fixture.room.left("bot")
        #expect(roomError { _ = try fixture.room.peers.visiblePeer("b") } == .peerGone("b"))
        #expect(roomError { _ = try fixture.room.peers.visiblePeer("x") } == .unknownPeer("x"))
        // The existence of a hidden peer is not revealed.
        #expect(roomError { _ = try fixture.room.peers.visiblePeer("bot") } == .unknownPeer("bot"))
        try fixture.join("b")
        #expect(try fixture.room.peers.visiblePeer("b").id == "b")
        for index in 0...RoomLimits.departedPeers {
            let peer = PeerID("p\(index)")
            try fixture.join(peer)
            fixture.room.left(peer)
        }
        #expect(!fixture.room.peers.hasLeft("p0") && fixture.room.peers.hasLeft("p1"))
        fixture.room.left("a")
        fixture.room.left("b")
        #expect(fixture.room.isEmpty && !fixture.room.peers.hasLeft("b"))
    }

    @Test func whoComesAndGoesPutsNobodyElseOutOfMind() throws {
        var fixture = RoomFixture()
        for peer: PeerID in ["a", "b"] { try fixture.join(peer) }
        fixture.room.left("b")
        for _ in 0...RoomLimits.departedPeers {
            fixture.now += .seconds(1)
            try fixture.join("c")
            fixture.room.left("c")
        }
        #expect(fixture.room.peers.hasLeft("b") && fixture.room.peers.hasLeft("c"))
    }
}
