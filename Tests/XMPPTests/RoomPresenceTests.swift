import Testing
import XML

@testable import XMPP

@Suite struct RoomPresenceTests {
    private func presence(_ type: String?, _ inside: String) throws -> RoomPresence? {
        let type = type.map { " type='\($0)'" } ?? ""
        return RoomPresence(
            try XMLStreamReader.element(
                "<presence xmlns='jabber:client' from='r@muc.example/nick'\(type)>\(inside)</presence>"
            ))
    }

    private func user(_ inside: String) -> String {
        "<x xmlns='http://jabber.org/protocol/muc#user'>\(inside)</x>"
    }

    @Test func anOccupantHasItsPlaces() throws {
        let found = try #require(
            try presence(
                nil,
                user(
                    "<item affiliation='owner' role='moderator' jid='a@b/c'/><status code='110'/>")
            ))
        #expect(found.room == JID("r@muc.example") && found.nick == "nick" && found.isOwn)
        #expect(found.change == .present && found.address == JID("a@b/c"))
        #expect(found.affiliation == "owner" && found.role == "moderator")
        #expect(try presence(nil, "")?.isOwn == false)
    }

    @Test func eachWayOutHasItsCase() throws {
        let cases: [(String, RoomPresence.Change)] = [
            ("<item/>", .left),
            ("<item><reason>loud</reason></item><status code='307'/>", .kicked("loud")),
            ("<item/><status code='307'/><status code='110'/>", .kicked(nil)),
            (
                "<destroy jid='s@muc.example'/><status code='110'/>",
                .destroyed(alternate: JID("s@muc.example"))
            ),
            ("<destroy/>", .destroyed(alternate: nil)),
            ("<item nick='new'/><status code='303'/>", .renamed("new")),
            ("<status code='301'/>", .removed(status: 301)),
            ("<status code='332'/>", .removed(status: 332)), ("<status code='x'/>", .left),
        ]
        for (inside, change) in cases {
            #expect(try presence("unavailable", user(inside))?.change == change, "\(inside)")
        }
        let refused = try presence(
            "error",
            "<error type='auth'><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
        )
        #expect(refused?.change == .refused(StanzaError("not-authorized", .auth)))
        #expect(try presence("subscribe", "") == nil)
    }

    @Test func entryAndLeaveAreWritten() throws {
        let room = try #require(JID("r@muc.example"))
        let entry = try #require(
            RoomPresence.present(in: room, nick: "n", entering: true, password: "p", []))
        #expect(
            entry.xml(in: "jabber:client")
                == "<presence to='r@muc.example/n'><x xmlns='http://jabber.org/protocol/muc'><history maxstanzas='0'/><password>p</password></x></presence>"
        )
        #expect(RoomPresence.present(in: room, nick: "", entering: true, []) == nil)
        #expect(RoomPresence.leaving(room, nick: "n")?["type"] == "unavailable")
    }
}
