import MediaKernel
import Rooms
import Testing

@Suite struct PeerSearchTests {
    var fixture = RoomFixture()

    init() throws {
        let names = ["Ann", "JOANNA", "Øystein", "Σωκράτης", "Zoë", "Zoe\u{308} B"]
        for (index, name) in names.enumerated() {
            let peer = PeerID("p\(index)")
            try fixture.join(peer)
            try fixture.room.peerUpdated(peer, name: name, metadata: nil, at: fixture.now)
        }
        try fixture.join("bot", role: Policy.recorderRole)
        _ = fixture.drain()
    }

    mutating func search(
        _ query: String, limit: Int? = nil, offset: Int? = nil
    ) throws -> PeerSearch {
        try fixture.room.peersSearched(
            query, limit: limit, offset: offset, by: "p0", at: fixture.now)
    }

    @Test(arguments: [
        ("ann", ["p0", "p1"] as [PeerID]),
        ("ANN", ["p0", "p1"]),
        ("øy", ["p2"]),
        ("ΚΡΆΤΗ", ["p3"]),
        ("zoë", ["p4", "p5"]),
        ("zoe", []),
        ("bot", []),
        ("", ["p0", "p1", "p2", "p3", "p4", "p5"]),
    ])
    mutating func namesAreFoundByAPartInAnyCase(query: String, peers: [PeerID]) throws {
        let found = try search(query)
        #expect(found.peers.map(\.id) == peers)
        #expect(found.isLast)
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func ofSeveralOfOneNameTheFirstIsMeant() throws {
        for id in ["p3", "p0", "p5"] as [PeerID] {
            try fixture.room.peerUpdated(id, name: "Kim", metadata: nil, at: fixture.now)
        }
        let peers = fixture.room.peers
        #expect(peers.visible(named: ["nobody", "Kim"])?.id == "p0")
        #expect(peers.visible(named: ["nobody"]) == nil && peers.hasVisible)
        #expect(peers.visible(named: [peers["bot"]?.name ?? ""]) == nil, "hidden")
    }

    @Test mutating func pagesFollowEachOtherAndEnd() throws {
        let first = try search("", limit: 4)
        #expect(first.peers.map(\.id) == ["p0", "p1", "p2", "p3"])
        #expect(!first.isLast)
        let second = try search("", limit: 4, offset: 4)
        #expect(second.peers.map(\.id) == ["p4", "p5"])
        #expect(second.isLast)
        #expect(try search("", limit: 2, offset: 4).isLast)
        let beyond = try search("", limit: 4, offset: 100)
        #expect(beyond.peers.isEmpty)
        #expect(beyond.isLast)
    }

    @Test mutating func numbersOutOfRangeAreBroughtIntoIt() throws {
        #expect(try search("").limit == PeerSearch.limitDefault)
        #expect(try search("", limit: 0).limit == 1)
        #expect(try search("", limit: .max, offset: .min).limit == RoomLimits.searchPage)
        #expect(try search("", offset: -1).offset == 0)
        #expect(try search("", limit: .max, offset: .max).isLast)
    }

    @Test mutating func aSearchHasItsLimits() throws {
        #expect(
            roomError { _ = try search(String(repeating: "é", count: 257)) }
                == .tooLong(field: "query", count: 257, maximum: 256))
        #expect(
            roomError {
                _ = try fixture.room.peersSearched(
                    "a", limit: nil, offset: nil, by: "x", at: fixture.now)
            } == .notJoined("x"))
        // The join and the name took two of the hundred.
        for _ in 0..<98 { _ = try search("ann") }
        #expect(roomError { _ = try search("ann") } == .tooManyRequests(perSecond: 20))
    }
}
