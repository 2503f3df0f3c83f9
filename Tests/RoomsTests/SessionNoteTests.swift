import MediaKernel
import Testing

@testable import Rooms

/// The record of a session: its peers, their times, and the reason for its end.
@Suite struct SessionNoteTests {
    private func notes(_ effects: [RoomEffect]) -> [String] {
        effects.compactMap { effect in
            guard case .noted(let note) = effect else { return nil }
            switch note {
            case .sessionOpened: return "opened"
            case .peerJoined(let peer, _): return "\(peer.id) joined"
            case .peerLeft(let peer, _, let reason, let message):
                return "\(peer.id) left: \(reason.rawValue): \(message)"
            case .roleChanged(let peer, _, let old, let requester):
                return "\(peer.id) is \(peer.role), not \(old): \(requester?.rawValue ?? "nobody")"
            case .sessionClosed: return "closed"
            case .roomLocked: return "locked"
            case .roomEnded(_, let requester, let isLocked, _):
                return "ended\(isLocked ? " locked" : "") by \(requester?.id.rawValue ?? "nobody")"
            }
        }
    }

    @Test func aSessionIsFromTheFirstJoinToTheLastLeave() throws {
        var fixture = RoomFixture()
        #expect(notes(try fixture.join("a")) == ["opened", "a joined"])
        #expect(notes(try fixture.join("b")) == ["b joined"])
        let session = fixture.room.session
        fixture.room.left("a")
        #expect(notes(fixture.drain()) == ["a left: client request: "])
        fixture.room.left("b")
        let effects = fixture.drain()
        #expect(notes(effects) == ["b left: client request: ", "closed"])
        #expect(effects.contains(.noted(.sessionClosed(try #require(session)))))
        // The next session is a new one.
        #expect(notes(try fixture.join("a")) == ["opened", "a joined"])
        #expect(fixture.room.session?.id != session?.id)
    }

    @Test func theRecorderIsInNoAccountAndKeepsItsSessionOpen() throws {
        var fixture = RoomFixture()
        #expect(notes(try fixture.join("bot", role: Policy.recorderRole)) == [])
        #expect(notes(try fixture.join("a")) == ["opened", "a joined"])
        fixture.room.left("a")
        #expect(notes(fixture.drain()) == ["a left: client request: "])
        #expect(notes(try fixture.join("b")) == ["b joined"])
        fixture.room.left("b")
        fixture.room.left("bot")
        #expect(notes(fixture.drain()) == ["b left: client request: ", "closed"])
        // A session with only hidden peers does not count.
        try fixture.join("bot", role: Policy.recorderRole)
        fixture.room.left("bot")
        #expect(notes(fixture.drain()) == [])
    }

    @Test func whoGaveAPeerItsRoleIsKnown() throws {
        var fixture = RoomFixture()
        try fixture.join("host", role: "host")
        try fixture.join("b")
        try fixture.room.roleChangeRequested(
            of: "b", to: "viewer", isForced: true, by: "host", at: fixture.now)
        #expect(notes(fixture.drain()) == ["b is viewer, not guest: host"])
        try fixture.room.roleChangeRequested(
            of: "b", to: "guest", isForced: false, by: "host", at: fixture.now)
        let offers = fixture.drain().told("b").compactMap { event -> RoleOffer? in
            if case .roleOffered(let offer) = event { offer } else { nil }
        }
        let offer = try #require(offers.first)
        try fixture.room.roleOfferAccepted(
            token: offer.token, role: offer.role, by: "b", at: fixture.now)
        #expect(notes(fixture.drain()) == ["b is guest, not viewer: host"])
        _ = try fixture.room.peerChanged("b", name: nil, metadata: nil, role: "viewer")
        #expect(notes(fixture.drain()) == ["b is viewer, not guest: nobody"])
        // An end without any peers is not a session's end.
        fixture.room.ended(lock: false, reason: "")
        let told = notes(fixture.drain())
        #expect(told.first == "ended by nobody")
        try fixture.join("bot", role: Policy.recorderRole)
        fixture.room.ended(lock: false, reason: "")
        let effects = fixture.drain()
        let end = SessionNote.roomEnded(session: nil, by: nil, isLocked: false, reason: "")
        #expect(effects.contains(.noted(end)))
    }

    @Test func whyAPeerLeftIsKnown() throws {
        var fixture = RoomFixture()
        try fixture.join("host", role: "host")
        for id in ["b", "c", "d"] as [PeerID] { try fixture.join(id) }
        try fixture.room.removalRequested(of: "b", by: "host", reason: "noise", at: fixture.now)
        #expect(notes(fixture.drain()) == ["b left: peer kicked: noise"])
        fixture.room.connectionLost("c", at: fixture.now)
        #expect(notes(fixture.drain()) == [], "it may come back")
        fixture.now += RoomLimits().absence
        fixture.room.handleTimeout(at: fixture.now)
        #expect(notes(fixture.drain()) == ["c left: websocket closed: "])
        try fixture.room.endRequested(by: "host", lock: false, reason: "done", at: fixture.now)
        #expect(
            notes(fixture.drain())
                == [
                    "ended by host", "host left: room ended: done", "d left: room ended: done",
                    "closed",
                ])
        try fixture.join("host", role: "host")
        try fixture.room.endRequested(by: "host", lock: true, reason: "done", at: fixture.now)
        #expect(
            notes(fixture.drain()) == [
                "locked", "ended locked by host", "host left: room ended: done", "closed",
            ])
        // The server's own end is not the room's.
        fixture.room.lockChanged(false)
        try fixture.join("host", role: "host")
        fixture.room.ended(lock: false, reason: "bye", because: .serverStopped)
        #expect(notes(fixture.drain()) == ["host left: server removed peer: bye", "closed"])
    }
}
