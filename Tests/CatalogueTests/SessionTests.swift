import Catalogue
import MediaKernel
import Testing

/// Sessions: open ones, which a starting server has to close, and ended ones.
@Suite struct SessionTests {
    private let session = OpenSession(
        id: "s1", room: "r", roomName: "Room", template: "t",
        startedAt: UnixTime(seconds: 1_770_000_000))

    private func attendee(_ number: Int) -> OpenSession.Attendee {
        OpenSession.Attendee(
            number: number, peer: PeerID("p\(number)"), user: "u", name: "Ann", data: "{}",
            role: "host", joinedAt: UnixTime(seconds: 1_770_000_000 + Int64(number)))
    }

    private func delivery(_ id: String) -> CatalogueDelivery {
        CatalogueDelivery(
            id: id, line: "s1", room: "r", kind: "peer.join.success", body: [],
            createdAt: UnixTime(seconds: 1_770_000_000))
    }

    @Test func whatGoesOnIsThereAfterOpeningAnewAndWhatIsOverIsNot() async throws {
        let place = try Place()
        let catalogue = try place.open()
        try await catalogue.save(.opened(session))
        for number in 1...3 { try await catalogue.save(.entered(attendee(number), "s1")) }
        try await catalogue.save(.left(number: 2, "s1", at: UnixTime(seconds: 1_770_000_060)))
        try await catalogue.save(.tookRole("viewer", number: 3, "s1"))
        var expected = session
        expected.attendees = [attendee(1), attendee(3)]
        expected.attendees[1].role = "viewer"
        let again = try place.open()
        #expect(try await again.openSessions() == [expected])
        try await again.save(.closed("s1", at: UnixTime(seconds: 1_770_000_100)))
        #expect(try await again.openSessions() == [])
    }

    @Test func eachChangeIsToldOnceWhoeverAsksAgain() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let end = UnixTime(seconds: 1_770_000_100)
        let changes: [(SessionChange, String)] = [
            (.opened(session), "open"), (.entered(attendee(1), "s1"), "join"),
            (.tookRole("guest", number: 1, "s1"), "role"),
            (.left(number: 1, "s1", at: end), "leave"), (.closed("s1", at: end), "close"),
        ]
        for (change, id) in changes {
            try await catalogue.save(change, telling: delivery(id))
            try await catalogue.save(change, telling: delivery("\(id) again"))
        }
        let told = try await catalogue.pendingDeliveries(limit: 10).map(\.id)
        #expect(told == ["open", "join", "role", "leave", "close"])
    }

    private func at(_ seconds: Int64) -> UnixTime { UnixTime(seconds: 1_770_000_000 + seconds) }

    @Test func whatIsOverIsKeptWithWhoWasThere() async throws {
        let place = try Place()
        let catalogue = try place.open()
        try await catalogue.save(.opened(session))
        for number in 1...2 { try await catalogue.save(.entered(attendee(number), "s1")) }
        try await catalogue.save(.left(number: 1, "s1", at: at(11)))
        // The same peer again under another name.
        var again = attendee(3)
        (again.peer, again.name) = ("p1", "Anna")
        again.joinedAt = at(30)
        try await catalogue.save(.entered(again, "s1"))
        let open = try #require(try await catalogue.session("s1", attendancesMaximum: 10))
        #expect(open.attendances[0].name == "Anna" && open.attendances[0].leftAt == nil)
        #expect(open.attendances[0].presentSince == at(30))
        try await catalogue.save(.closed("s1", at: at(40)))
        let found = try #require(try await catalogue.session("s1", attendancesMaximum: 10))
        #expect(found.attendances[0].name == "Anna")
        #expect(found.endedAt == at(40) && found.updatedAt == at(40) && !found.isCut)
        #expect(found.attendances.map(\.peer) == ["p1", "p2"])
        #expect(found.attendances.map(\.leftAt) == [at(40), at(40)])
        #expect(found.attendances.map(\.present) == [.seconds(20), .seconds(38)])
        #expect(found.attendances[0].joinedAt == at(1))
        let cut = try #require(try await catalogue.session("s1", attendancesMaximum: 1))
        #expect(cut.isCut && cut.attendances.map(\.peer) == ["p1"])
    }

    @Test func sessionsAreListedByPages() async throws {
        let place = try Place()
        let catalogue = try place.open()
        for number in 0..<12 {
            var session = session
            session.id = SessionID("s\(number)")
            session.room = number.isMultiple(of: 2) ? "even" : "odd"
            session.startedAt = at(Int64(number))
            try await catalogue.save(.opened(session))
            if number < 11 { try await catalogue.save(.closed(session.id, at: at(100))) }
        }
        var query = SessionQuery()
        let first = try await catalogue.sessions(query)
        #expect(first.records.map(\.id.rawValue) == (2...11).reversed().map { "s\($0)" })
        query.start = first.last
        let second = try await catalogue.sessions(query)
        #expect(second.records.map(\.id) == ["s1", "s0"] && second.last == nil)
        func ids(_ query: SessionQuery) async throws -> [SessionID] {
            try await catalogue.sessions(query).records.map(\.id)
        }
        #expect(try await ids(SessionQuery(isActive: true)) == ["s11"])
        #expect(try await ids(SessionQuery(isActive: false)).first == "s10")
        #expect(
            try await ids(SessionQuery(room: "odd", from: at(3), to: at(7))) == ["s7", "s5", "s3"])
        // Open sessions stay, no matter how old they are.
        #expect(try await catalogue.removeSessions(endedUntil: at(99), limit: 100) == 0)
        #expect(try await catalogue.removeSessions(endedUntil: at(100), limit: 5) == 5)
        #expect(try await catalogue.removeSessions(endedUntil: at(100), limit: 100) == 6)
        #expect(try await ids(SessionQuery()) == ["s11"])
    }
}
