import Catalogue
import MediaKernel
import Testing

/// The sessions that go on: what a server that starts has to close.
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
        try await catalogue.save(.left(number: 2, "s1"))
        try await catalogue.save(.tookRole("viewer", number: 3, "s1"))
        var expected = session
        expected.attendees = [attendee(1), attendee(3)]
        expected.attendees[1].role = "viewer"
        let again = try place.open()
        #expect(try await again.openSessions() == [expected])
        try await again.save(.closed("s1"))
        #expect(try await again.openSessions() == [])
    }

    @Test func eachChangeIsToldOnceWhoeverAsksAgain() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let changes: [(SessionChange, String)] = [
            (.opened(session), "open"), (.entered(attendee(1), "s1"), "join"),
            (.tookRole("guest", number: 1, "s1"), "role"),
            (.left(number: 1, "s1"), "leave"), (.closed("s1"), "close"),
        ]
        for (change, id) in changes {
            try await catalogue.save(change, telling: delivery(id))
            try await catalogue.save(change, telling: delivery("\(id) again"))
        }
        let told = try await catalogue.pendingDeliveries(limit: 10).map(\.id)
        #expect(told == ["open", "join", "role", "leave", "close"])
    }
}
