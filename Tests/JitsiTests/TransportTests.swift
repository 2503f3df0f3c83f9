import MediaKernel
import PeerConnection
import RemoteRoom
import SDP
import Testing
import XML
import XMPP

@testable import Jitsi

/// What the focus says of the bridge's transport after it has begun a session.
@Suite struct TransportTests {
    private func info(_ attributes: String, _ inside: String = "") throws -> XMLElement {
        try Offers.jingle(
            "transport-info",
            """
            <content creator='initiator' name='audio'>\
            <transport xmlns='urn:xmpp:jingle:transports:ice-udp:1' \(attributes)>\(inside)\
            </transport></content>
            """)
    }

    private static let candidate = """
        <candidate component='1' foundation='9' generation='0' id='n' ip='192.0.2.9' network='0' \
        port='10000' priority='2130706431' protocol='udp' type='host'/>
        """

    /// jicofo's JingleSession.sendTransportInfo, lib-jitsi-meet's onBridgeIceRestartTransport.
    @Test func iceBeginsAnewOnTheSameConnection() throws {
        var world = try CallWorld.connected()
        let before = try #require(world.media.last)
        let restart = try info("ufrag='new' pwd='new-password' ice-generation='1'", Self.candidate)
        #expect(try world.request(restart) == nil)
        #expect(world.media.last != before && !world.media.contains(.close(1)))
        let transport = try #require(world.transport)
        #expect(transport.fragment == "new")
        #expect(transport.candidates == ["candidate:9 1 udp 2130706431 192.0.2.9 10000 typ host"])
        #expect(world.questions.isEmpty)
        // Of a description from before.
        world.answerMedia()
        #expect(world.questions.isEmpty)
        world.answerMedia(fragment: "fresh")
        let told = try #require(world.questions.first)
        #expect(told.payload["action"] == "transport-info" && told.payload["sid"] == "s1")
        let content = try #require(told.payload.child("content", JitsiNamespaces.jingle))
        #expect(content["name"] == "audio")
        let own = try #require(content.child("transport", JitsiNamespaces.ice))
        #expect(own["ufrag"] == "fresh" && own["pwd"] == "secret of fresh")
        #expect(own["ice-generation"] == "1")
        // It is told once, whatever is described later.
        world.answerMedia(fragment: "fresh")
        #expect(world.questions.count == 1 && world.paths == [.connected])
    }

    @Test func lateAndRepeatedRestartsArePassedOver() throws {
        var world = try CallWorld.connected()
        #expect(try world.request(info("ufrag='b' pwd='pass-b' ice-generation='2'")) == nil)
        let count = world.media.count
        for generation in [2, 1] {
            #expect(
                try world.request(info("ufrag='c' pwd='c' ice-generation='\(generation)'")) == nil)
        }
        #expect(world.media.count == count && world.transport?.fragment == "b")
        for wrong in ["0", "-1", "x", "99999999999"] {
            #expect(
                try world.request(info("ufrag='d' pwd='d' ice-generation='\(wrong)'"))
                    == "bad-request")
        }
        #expect(world.transport?.fragment == "b" && world.call.session?.number == 1)
    }

    @Test func moreCandidatesAreAdded() throws {
        var world = try CallWorld.connected()
        let before = try #require(world.transport)
        #expect(try world.request(info("", Self.candidate)) == nil)
        let after = try #require(world.transport)
        #expect(after.fragment == before.fragment)
        #expect(after.candidates.count == before.candidates.count + 1)
        world.answerMedia(fragment: "own")
        #expect(world.questions.isEmpty)
        // Beyond a limit they are left out.
        for number in 0..<2 * JitsiLimits.candidates {
            let more = Self.candidate.replacing("192.0.2.9", with: "192.0.2.\(number)")
            #expect(try world.request(info("", more)) == nil)
        }
        #expect(world.transport?.candidates.count == JitsiLimits.candidates)
    }

    /// jicofo's `reinvite-method` ReplaceTransport: as an offer, with the session's own id.
    @Test func anotherBridgeTakesTheSessionOver() throws {
        var world = try CallWorld.connected()
        let rosters = world.rosters
        let replacement = try Offers.jingle(
            "transport-replace",
            Offers.contents(ufrag: "other") + Offers.json([Offers.bridge, Offers.ann])
                + """
                <bridge-session xmlns='http://jitsi.org/protocol/focus' id='b2' region='r'/>
                """)
        #expect(try world.request(replacement) == nil)
        #expect(world.media.contains(.close(1)) && world.number == 2)
        #expect(world.transport?.fragment == "other")
        world.answerMedia()
        let told = try #require(world.questions.first)
        #expect(told.question == .accept(2))
        #expect(told.payload["action"] == "transport-accept" && told.payload["sid"] == "s1")
        try world.answer(.accept(2), .result(nil))
        world.change(.connected)
        #expect(world.rosters == rosters && world.paths.last == .connected)
        // The focus knows the new bridge by its own name.
        world.change(.failed)
        let end = try #require(world.questions.last?.payload)
        #expect(end.child("bridge-session", JitsiNamespaces.focus)?["id"] == "b2")
    }

    /// Only transports: codecs and sources stay.
    @Test func aTransportAloneIsReplacedToo() throws {
        var world = try CallWorld.connected()
        let contents = ["audio", "video", "data"].map {
            "<content creator='initiator' name='\($0)'>\(Offers.transport(ufrag: "other"))</content>"
        }
        #expect(
            try world.request(Offers.jingle("transport-replace", contents.joined())) == nil)
        #expect(world.transport?.fragment == "other" && world.number == 2)
        #expect(world.described == ["0000000a-v0": [11, 12], "0000000a-a0": [13]])
        world.answerMedia()
        #expect(world.media.last == .openChannel(2, .data))
    }
}
