import ICE
import MediaKernel
import SDP
import Testing
import XML
import XMPP

@testable import Jitsi

@Suite struct JingleTests {
    @Test func aSessionIsRead() throws {
        let message = try JingleMessage(Offers.initiate())
        #expect(message.action == .sessionInitiate && message.session == "s1")
        #expect(message.initiator == "focus@auth.meet.example/focus")
        #expect(message.bridgeSession == "b1" && message.reason == nil)
        #expect(message.contents.map(\.kind) == [.audio, .video, .application])
        #expect(message.sources.sources.map(\.ssrc) == [11, 13])
        let audio = try #require(message.contents[0].description)
        #expect(
            audio.codecs == [
                CodecDescription(
                    payloadType: 111, name: "opus", clockRate: 48_000, channels: 2,
                    parameters: [
                        FormatParameter("minptime", "10"), FormatParameter("useinbandfec", "1"),
                    ], feedback: ["transport-cc"]),
                CodecDescription(payloadType: 126, name: "telephone-event", clockRate: 8000),
            ])
        #expect(audio.allowsMixedExtensions)
        let video = try #require(message.contents[1].description)
        #expect(video.codecs.map(\.payloadType) == [41, 42, 100, 96])
        #expect(video.codecs[2].feedback == ["ccm fir", "transport-cc"])
        #expect(video.codecs[3].associatedPayloadType == 100)
        #expect(video.headerExtensions.map(\.id) == [5] && !video.allowsMixedExtensions)
    }

    /// As jicofo's CodecUtil.kt does.
    @Test func oneParameterMayHoldAll() throws {
        let message = try JingleMessage(
            Offers.jingle(
                "session-initiate",
                """
                <content name='video'>\
                <description xmlns='urn:xmpp:jingle:apps:rtp:1' media='video'>\
                <payload-type id='107' name='H264' clockrate='90000'>\
                <parameter name='profile-level-id' \
                value='42e01f;level-asymmetry-allowed=1;packetization-mode=1;'/></payload-type>\
                </description></content>
                """))
        let codec = try #require(message.contents[0].description?.codecs.first)
        #expect(
            codec.parameters == [
                FormatParameter("profile-level-id", "42e01f"),
                FormatParameter("level-asymmetry-allowed", "1"),
                FormatParameter("packetization-mode", "1"),
            ])
        #expect(H264ProfileLevel(of: codec)?.levelIDC == 31)
    }

    @Test func aTransportIsRead() throws {
        let transport = try #require(
            try JingleMessage(Offers.initiate()).contents[2].transport)
        #expect(transport.usernameFragment == "bridge")
        #expect(transport.password == "password-of-the-bridge" && transport.isComplete)
        #expect(transport.setup == .actpass && transport.sctpPort == 5000)
        #expect(
            transport.fingerprints == [
                SDP.Fingerprint(algorithm: "sha-256", value: Offers.fingerprint)
            ])
        #expect(transport.sockets == ["wss://meet.example/colibri-ws/jvb/c/1a2b3c4d?pwd=p"])
        // One of a protocol that no agent knows is passed over.
        #expect(
            transport.candidates.map { $0.rendered() } == [
                "candidate:2 1 udp 2130706431 192.0.2.7 10000 typ host",
                "candidate:1 1 udp 1694498815 192.0.2.8 10000 typ srflx "
                    + "raddr 10.0.0.1 rport 10000",
            ])
        // What is written reads as the same.
        var written = transport
        written.sockets = []
        #expect(try JingleTransport(written.element) == written)
    }

    @Test func endsHaveTheirReasons() throws {
        let end = try JingleMessage(
            Offers.jingle(
                "session-terminate", "<reason><success/><text>alone</text></reason>"))
        #expect(end.action == .sessionTerminate)
        #expect(end.reason == JingleReason("success", text: "alone"))
        let restart = try JingleMessage(
            Offers.jingle(
                "transport-info",
                """
                <content name='audio'><transport xmlns='urn:xmpp:jingle:transports:ice-udp:1' \
                ufrag='new' pwd='secret' ice-generation='2'/></content>
                """))
        #expect(restart.contents[0].transport?.usernameFragment == "new")
        #expect(restart.contents[0].transport?.isComplete == false)
        #expect(try JingleMessage(Offers.jingle("content-modify")).action == nil)
    }

    @Test(arguments: [
        "<content/>", "<content name=''/>",
        "<content name='a'><description xmlns='urn:xmpp:jingle:apps:rtp:1'/></content>",
    ])
    func contentsWithoutNamesAreRefused(content: String) {
        #expect(throws: JitsiFault.self) {
            try JingleMessage(Offers.jingle("session-initiate", content))
        }
    }

    /// Each attribute in turn, with values that it must not have.
    @Test func attributesOfWrongTypesAreRefused() throws {
        let changes: [(String, [String])] = [
            ("payload-type id='111'", ["-1", "128", "x", ""]),
            ("clockrate='48000'", ["0", "-1", "x", "99999999999999999999"]),
            ("channels='2'", ["0", "x"]), ("name='opus'", [""]),
            ("rtp-hdrext xmlns='urn:xmpp:jingle:apps:rtp:rtp-hdrext:0' id='1'", ["0", "256", "x"]),
            ("ufrag='bridge'", [String(repeating: "u", count: 300)]),
            ("number='5000'", ["0", "65536", "x"]), ("hash='sha-256'", [""]),
        ]
        for (attribute, values) in changes {
            for value in values {
                let name = attribute.prefix { $0 != "'" }
                let parts = attribute.split(separator: "'", omittingEmptySubsequences: false)
                let kept = parts.dropLast(2).joined(separator: "'")
                let changed = Offers.contents().replacing(attribute, with: "\(kept)'\(value)'")
                #expect(changed != Offers.contents())
                #expect(throws: JitsiFault.self, "\(name) \(value)") {
                    let element = try Offers.jingle("session-initiate", changed)
                    let message = try JingleMessage(element)
                    // An empty hash leaves no usable transport.
                    _ = try SectionPlan(message.contents)
                }
            }
        }
    }

    @Test func descriptionsAreBounded() throws {
        func content(_ inside: String) -> String {
            "<content name='audio'><description xmlns='urn:xmpp:jingle:apps:rtp:1' media='audio'>"
                + inside + "</description></content>"
        }
        func many(_ text: String, _ count: Int) -> String {
            String(repeating: text, count: count + 1)
        }
        let type = "<payload-type id='1' name='x' clockrate='1'>"
        let feedback = "<rtcp-fb xmlns='urn:xmpp:jingle:apps:rtp:rtcp-fb:0' type='x'/>"
        let texts = [
            many("<content name='x'/>", JitsiLimits.contents),
            content(many(type + "</payload-type>", JitsiLimits.payloadTypes)),
            content(type + many("<parameter/>", JitsiLimits.parameters) + "</payload-type>"),
            content(type + many(feedback, JitsiLimits.feedback) + "</payload-type>"),
            content(
                many(
                    "<rtp-hdrext xmlns='urn:xmpp:jingle:apps:rtp:rtp-hdrext:0' id='1' uri='x'/>",
                    JitsiLimits.headerExtensions)),
            "<content name='a'><transport xmlns='urn:xmpp:jingle:transports:ice-udp:1'>"
                + many("<candidate/>", JitsiLimits.candidates) + "</transport></content>",
        ]
        for text in texts {
            let element = try Offers.jingle("session-initiate", text)
            do {
                _ = try JingleMessage(element)
                Issue.record("\(text.prefix(100))")
            } catch {
                guard case .tooMany = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }

    // MARK: What we say

    @Test func endsAreWritten() throws {
        let reply = try reply()
        let end = reply.terminate(
            JingleReason("connectivity-error"), bridgeSession: "b1", restarts: true)
        #expect(
            end.xml() == """
                <jingle xmlns='urn:xmpp:jingle:1' action='session-terminate' sid='s1' \
                initiator='f@x/focus' responder='r@muc.example/1a2b3c4d'>\
                <reason><connectivity-error/></reason>\
                <bridge-session xmlns='http://jitsi.org/protocol/focus' id='b1' restart='true'/>\
                </jingle>
                """)
        let goodbye = reply.terminate(JingleReason("success"), bridgeSession: nil, restarts: false)
        #expect(try JingleMessage(goodbye).reason == JingleReason("success"))
    }

    @Test func refusalsHaveTheirConditions() throws {
        let request = try #require(
            Request(
                XMLElement(
                    "iq", Namespaces.client, ["type": "set", "id": "7", "from": "r@muc.example/x"],
                    [try Offers.jingle("source-add")])))
        let stanza = JingleRefusal.unknownSession.answer(to: request)
        let error = try #require(stanza.child("error", Namespaces.client))
        #expect(error.elements.map(\.name) == ["item-not-found", "unknown-session"])
        #expect(error.elements.last?.namespace == JitsiNamespaces.jingleErrors)
        #expect(stanza["to"] == "r@muc.example/x" && stanza["id"] == "7")
        #expect(
            StanzaError(of: JingleRefusal.notFromFocus.answer(to: request)).condition
                == "service-unavailable")
    }

    private func reply() throws -> JingleReply {
        JingleReply(
            session: "s1", initiator: "f@x/focus",
            responder: try #require(JID("r@muc.example/1a2b3c4d")))
    }
}
