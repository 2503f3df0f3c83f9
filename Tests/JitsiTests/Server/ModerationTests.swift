import Logging
import MediaKernel
import RoomHost
import Rooms
import Testing
import XML
import XMPP

@testable import Jitsi

/// AV moderation in a conference, and the way of its orders there.
@Suite(.timeLimit(.minutes(2))) struct ModerationTests {
    /// Ann, who came first, and Ben, who sends sound.
    private static func meeting() async throws -> FocusWorld {
        let world = try await FocusWorld.meeting("ann", "ben")
        try await speak("ben", in: world)
        _ = world.server.take()
        return world
    }

    private static func speak(_ nick: String, in world: FocusWorld) async throws {
        let ssrc = nick == "ben" ? 8 : 9
        let sources = #"{"sources":{"\#(nick)":[[],[],[{"s":\#(ssrc),"n":"\#(nick)-a0"}]]}}"#
        await world.ask(
            nick, world.jingle("source-add", of: nick, [FocusWorld.json(sources)]))
        try await show(nick, isMuted: false, in: world)
    }

    private static func show(_ nick: String, isMuted: Bool, in world: FocusWorld) async throws {
        try await world.receive(
            FocusWorld.presence(
                nick, "<SourceInfo>{\"\(nick)-a0\":{\"muted\":\(isMuted)}}</SourceInfo>"))
    }

    private static func order(
        _ nick: String, _ attributes: String, type: String = ""
    ) -> String {
        """
        <message xmlns='jabber:client' id='o1' from='\(nick)@example/app' to='focus.example'\(type)>\
        <av_moderation \(attributes)/></message>
        """
    }

    private static func occupant(_ nick: String) -> String { "\(FocusWorld.room)/\(nick)" }

    /// What a client was told by the component since the last time: JSON, or the condition of an
    /// error.
    private static func told(_ nick: String, _ stanzas: [XMLElement]) -> [String] {
        stanzas.filter {
            $0.name == "message" && $0["from"] == "focus.example"
                && $0["to"] == "\(nick)@example/app"
        }.map { stanza in
            stanza["type"] == "error"
                ? StanzaError(of: stanza).condition
                : stanza.child("json-message", "http://jitsi.org/jitmeet")?.text ?? ""
        }
    }

    private static func isMuted(_ nick: String, in world: FocusWorld) async -> Bool? {
        await world.peer(named: nick)?.tracks.first?.isMuted
    }

    @Test func aModeratorEndsTheConferenceForAll() async throws {
        let world = try await Self.meeting()
        try await world.addGuest("guest")
        func end(_ nick: String) async throws {
            try await world.receive(
                "<message xmlns='jabber:client' from='\(nick)@example/app' to='focus.example'>"
                    + "<end_conference/></message>")
        }
        try await end("ben")
        #expect(Self.told("ben", world.server.take()) == ["not-allowed"])
        try await end("ann")
        let destroyed = world.server.take().filter {
            $0["to"] == FocusWorld.room && $0.elements.first?.elements.first?.name == "destroy"
        }
        #expect(destroyed.count == 1)
        #expect(await !world.entrance.isOpen())
        #expect(await world.host.snapshot().peers.isEmpty)
    }

    @Test func aModeratorStartsAllowsForbidsAndStops() async throws {
        let world = try await Self.meeting()
        #expect(await Self.isMuted("ben", in: world) == false)

        try await world.receive(Self.order("ann", "enable='true' mediaType='audio'"))
        var stanzas = world.server.take()
        let on =
            #"{"actor":"r@muc.example/ann","enabled":true,"mediaType":"audio","#
            + #""room":"r@muc.example","type":"av_moderation"}"#
        let nobody =
            #"{"mediaType":"audio","room":"r@muc.example","type":"av_moderation","#
            + #""whitelists":{"audio":[]}}"#
        #expect(Self.told("ann", stanzas) == [on, nobody])
        #expect(Self.told("ben", stanzas) == [on])
        let mute = stanzas.first { $0["to"] == Self.occupant("ben") }?.elements.first
        #expect(mute?.isNamed("mute", "http://jitsi.org/jitmeet/audio") == true)
        #expect(mute?["actor"] == Self.occupant("ann") && mute?.text == "true")
        #expect(await Self.isMuted("ben", in: world) == true)
        // Once is enough.
        try await world.receive(Self.order("ann", "enable='true' mediaType='audio'"))
        #expect(world.server.take().isEmpty)

        // It does as it is asked, and is refused when it unmutes.
        try await Self.show("ben", isMuted: true, in: world)
        try await Self.show("ben", isMuted: false, in: world)
        stanzas = world.server.take()
        #expect(stanzas.compactMap { $0.elements.first?.name } == ["mute"])
        #expect(await Self.isMuted("ben", in: world) == true)

        try await world.receive(
            Self.order("ann", "jidToWhitelist='\(Self.occupant("ben"))' mediaType='audio'"))
        stanzas = world.server.take()
        #expect(
            Self.told("ann", stanzas) == [
                #"{"mediaType":"audio","room":"r@muc.example","type":"av_moderation","#
                    + #""whitelists":{"audio":["r@muc.example/ben"]}}"#
            ])
        #expect(
            Self.told("ben", stanzas) == [
                #"{"approved":true,"mediaType":"audio","room":"r@muc.example","type":"av_moderation"}"#
            ])
        #expect(await Self.isMuted("ben", in: world) == false)

        try await world.receive(
            Self.order("ann", "jidToBlacklist='\(Self.occupant("ben"))' mediaType='audio'"))
        stanzas = world.server.take()
        #expect(
            Self.told("ann", stanzas) == [
                #"{"mediaType":"audio","removed":true,"room":"r@muc.example","type":"av_moderation","#
                    + #""whitelists":{"audio":[]}}"#
            ])
        #expect(
            Self.told("ben", stanzas) == [
                #"{"mediaType":"audio","removed":true,"room":"r@muc.example","type":"av_moderation"}"#
            ])
        #expect(await Self.isMuted("ben", in: world) == true)

        try await world.receive(Self.order("ann", "enable='false' mediaType='audio'"))
        let off = on.replacing("true", with: "false")
        stanzas = world.server.take()
        #expect(Self.told("ann", stanzas) == [off] && Self.told("ben", stanzas) == [off])
        #expect(await Self.isMuted("ben", in: world) == false)
    }

    @Test func whereNothingIsModeratedOneIsAskedToSpeak() async throws {
        let world = try await Self.meeting()
        try await world.receive(
            Self.order("ann", "jidToWhitelist='\(Self.occupant("ben"))' mediaType='desktop'"))
        let stanzas = world.server.take()
        #expect(Self.told("ann", stanzas).isEmpty)
        #expect(
            Self.told("ben", stanzas) == [
                #"{"approved":true,"mediaType":"desktop","room":"r@muc.example","type":"av_moderation"}"#
            ])
    }

    @Test(arguments: [
        ("ben", "enable='true' mediaType='audio'", "not-allowed"),
        ("ben", "jidToWhitelist='r@muc.example/ben' mediaType='audio'", "not-allowed"),
        ("ann", "enable='true' mediaType='presenter'", "bad-request"),
        ("ann", "enable='true'", "bad-request"),
        ("ann", "enable='yes' mediaType='audio'", "bad-request"),
        ("ann", "mediaType='audio'", "bad-request"),
        ("ann", "jidToWhitelist='' mediaType='audio'", "jid-malformed"),
        ("ann", "jidToWhitelist='r@muc.example' mediaType='audio'", "jid-malformed"),
        (
            "ann",
            "jidToWhitelist='r@muc.example/\(String(repeating: "x", count: 100_000))' mediaType='audio'",
            "jid-malformed"
        ),
        ("ann", "jidToWhitelist='r@muc.example/nobody' mediaType='audio'", "item-not-found"),
        ("ann", "jidToBlacklist='other@muc.example/ben' mediaType='audio'", "item-not-found"),
    ])
    func otherOrdersAreRefused(
        _ nick: String, _ attributes: String, _ condition: String
    ) async throws {
        let world = try await Self.meeting()
        try await world.receive(Self.order(nick, attributes))
        let stanzas = world.server.take()
        #expect(stanzas.count == 1)
        #expect(Self.told(nick, stanzas) == [condition])
        #expect(await Self.isMuted("ben", in: world) == false)
    }

    @Test func whoIsNotThereIsNotHeard() async throws {
        let world = try await Self.meeting()
        for nick in ["eve", "focus"] {
            try await world.receive(Self.order(nick, "enable='true' mediaType='audio'"))
        }
        try await world.receive(
            Self.order("ann", "enable='true' mediaType='audio'", type: " type='error'"))
        #expect(world.server.take().isEmpty)
        // Nor is somebody before it is in the room.
        try await world.come("cat")
        _ = world.server.take()
        try await world.receive(Self.order("cat", "enable='true' mediaType='audio'"))
        #expect(Self.told("cat", world.server.take()) == ["forbidden"])
    }

    @Test func manyOrdersAreNotHeard() async throws {
        let world = try await Self.meeting()
        for _ in 0..<1000 {
            try await world.receive(Self.order("ben", "enable='true' mediaType='audio'"))
        }
        #expect(world.server.take().count <= FocusLimits.stanzasBurst)
    }

    @Test func whoComesLaterLearnsIt() async throws {
        let world = try await Self.meeting()
        try await world.receive(Self.order("ann", "enable='true' mediaType='audio'"))
        _ = world.server.take()
        try await world.come("cat")
        try await world.answerDiscovery(of: "cat")
        #expect(
            Self.told("cat", world.server.take()) == [
                #"{"actor":"r@muc.example/ann","enabled":true,"mediaType":"audio","#
                    + #""room":"r@muc.example","type":"av_moderation"}"#
            ])
        try await world.accept("cat")
        try await Self.speak("cat", in: world)
        #expect(await Self.isMuted("cat", in: world) == true)
        // The next moderator knows who may speak, and is free.
        try await world.receive(
            Self.order("ann", "jidToWhitelist='\(Self.occupant("cat"))' mediaType='audio'"))
        _ = world.server.take()
        try await world.go("ann")
        #expect(
            Self.told("ben", world.server.take()) == [
                #"{"actor":"r@muc.example/focus","enabled":true,"mediaType":"audio","#
                    + #""room":"r@muc.example","type":"av_moderation"}"#,
                #"{"mediaType":"audio","room":"r@muc.example","type":"av_moderation","#
                    + #""whitelists":{"audio":["r@muc.example/cat"]}}"#,
            ])
        #expect(await Self.isMuted("ben", in: world) == false)
    }

    @Test func whoUnmutesItselfIsAnswered() async throws {
        let world = try await Self.meeting()
        func unmute(_ media: String) -> XMLElement {
            XMLElement(
                "mute", "http://jitsi.org/jitmeet/\(media)", ["jid": Self.occupant("ben")],
                text: "false")
        }
        #expect(await world.ask("ben", unmute("audio")) == nil)
        try await world.receive(Self.order("ann", "enable='true' mediaType='audio'"))
        #expect(await world.ask("ben", unmute("audio")) == "not-allowed")
        #expect(await world.ask("ben", unmute("video")) == nil)
        // Only the client itself says so.
        #expect(await world.ask("ann", unmute("audio")) == nil)
        #expect(await Self.isMuted("ben", in: world) == true)
    }

    @Test func peersOfOtherProtocolsAreModeratedToo() async throws {
        let world = try await Self.meeting()
        try await world.addGuest(
            "hms", role: "guest", Track(id: "m", streamID: "s", kind: .audio))
        let address = try #require(
            world.server.take().last { $0.name == "presence" }?["from"])
        let nick = try #require(address.split(separator: "@").first)
        try await world.receive(Self.order("ann", "enable='true' mediaType='audio'"))
        #expect(await Self.isMuted("hms", in: world) == true)
        _ = world.server.take()
        try await world.receive(
            Self.order("ann", "jidToWhitelist='\(Self.occupant("\(nick)"))' mediaType='audio'"))
        #expect(await Self.isMuted("hms", in: world) == false)
        #expect(Self.told("ann", world.server.take()).first?.contains("/\(nick)\"]") == true)
    }

    @Test func theEndOfTheConferenceEndsIt() async throws {
        let world = try await Self.meeting()
        try await world.addGuest(
            "hms", role: "guest", Track(id: "m", streamID: "s", kind: .audio))
        try await world.receive(Self.order("ann", "enable='true' mediaType='audio'"))
        try await world.go("ann")
        try await world.go("ben")
        #expect(await Self.isMuted("hms", in: world) == true)
        await world.pass(.seconds(1))
        await world.pass(.seconds(31))
        #expect(await !world.entrance.isOpen())
        #expect(await Self.isMuted("hms", in: world) == false)
    }

    // MARK: The way to a conference

    private func presence(_ nick: String, of address: String, type: String? = nil) throws
        -> XMLElement
    {
        try XMLStreamReader.element(FocusWorld.presence(nick, type: type, address: address))
    }

    @Test func anAddressIsInOneConferenceOrNamesIt() throws {
        let (r, s) = (try #require(JID("r@muc.example")), try #require(JID("s@muc.example")))
        let ann = try #require(JID("ann@example/app"))
        var whereabouts = Whereabouts()
        #expect(whereabouts.room(of: ann, named: nil) == nil)
        #expect(whereabouts.room(of: ann, named: r) == nil)
        whereabouts.note(try presence("ann", of: "ann@example/app"), in: r)
        whereabouts.note(try XMLStreamReader.element("<presence xmlns='jabber:client'/>"), in: s)
        #expect(whereabouts.room(of: ann, named: nil) == r)
        #expect(whereabouts.room(of: ann, named: s) == nil)
        #expect(whereabouts.room(of: ann.bare, named: nil) == nil)
        whereabouts.note(try presence("ann", of: "ann@example/app"), in: s)
        #expect(whereabouts.room(of: ann, named: nil) == nil)
        #expect(whereabouts.room(of: ann, named: s) == s)
        whereabouts.note(
            try presence("ann", of: "ann@example/app", type: "unavailable"), in: r)
        #expect(whereabouts.room(of: ann, named: nil) == s)
        whereabouts.forget(s)
        #expect(whereabouts.room(of: ann, named: nil) == nil)
    }
}
