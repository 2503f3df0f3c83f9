import MediaKernel
import Rooms
import Testing

@Suite struct ErrorNumberTests {
    @Test(arguments: [
        ("os:android,os_version:14,sdk:android,sdk_version:2.9.5", ClientKind.native),
        ("os:iOS,sdk:iOS", .native), ("sdk:android,framework:flutter", .native),
        ("sdk:android,sdk_version:2.9.5,framework:react-native", .reactNative),
        ("os:iOS,framework:React-Native,sdk:iOS", .reactNative),
        ("sdk:web,framework:react-web", .web), ("framework:react-native", .web),
        ("os:web_Linux,sdk:web,sdk_version:0.12.39", .web), ("", .web), ("sdk", .web),
        ("sdk:test", .web), ("x-sdk:ios", .web),
    ])
    func theClientsLibrarySaysWhatItUnderstands(userAgent: String, kind: ClientKind) {
        #expect(ClientKind(userAgent: userAgent) == kind)
    }

    @Test func reactNativeGetsTheNumberAndEverybodyElseThreeDigits() {
        for number in ErrorNumber.allCases {
            for client in [ClientKind.web, .native] {
                #expect(client.code(number.status, number) == number.rawValue / 100)
            }
            #expect(ClientKind.reactNative.code(number.status, number) == number.rawValue)
            #expect([400, 401, 410].contains(number.status))
        }
        #expect(ClientKind.reactNative.code(403, nil) == 403)
    }

    @Test(arguments: [RoomError.alreadyJoined("a"), .peerGone("a"), .otherRoom])
    func aNumberAndItsThreeDigitsAgree(error: RoomError) {
        #expect(error.number?.status == error.code)
    }

    @Test func whoHasLeftIsGoneUntilItJoinsAgainOrTheSessionEnds() throws {
        var fixture = RoomFixture()
        try fixture.join("a")
        try fixture.join("b")
        try fixture.join("bot", role: Policy.recorderRole)
        fixture.room.left("b")
        fixture.room.left("bot")
        #expect(roomError { _ = try fixture.room.visiblePeer("b") } == .peerGone("b"))
        #expect(roomError { _ = try fixture.room.visiblePeer("x") } == .unknownPeer("x"))
        // The existence of a hidden peer is not revealed.
        #expect(roomError { _ = try fixture.room.visiblePeer("bot") } == .unknownPeer("bot"))
        try fixture.join("b")
        #expect(try fixture.room.visiblePeer("b").id == "b")
        for index in 0...RoomLimits.departedPeers {
            let peer = PeerID("p\(index)")
            try fixture.join(peer)
            fixture.room.left(peer)
        }
        #expect(!fixture.room.hasLeft("p0") && fixture.room.hasLeft("p1"))
        fixture.room.left("a")
        fixture.room.left("b")
        #expect(fixture.room.isEmpty && !fixture.room.hasLeft("b"))
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
        #expect(fixture.room.hasLeft("b") && fixture.room.hasLeft("c"))
    }
}
