import MediaKernel
import RemoteRoom
import Testing
import XML
import XMPP

@testable import Jitsi

/// What the room's stanzas say: conference requests, presences and messages.
@Suite struct RoomTests {
    private let room = JID("r@muc.example")!

    // MARK: Conference requests

    @Test func aRequestIsWritten() {
        var request = ConferenceRequest(room: room, machineID: "m")
        #expect(
            request.element.xml() == """
                <conference xmlns='http://jitsi.org/protocol/focus' room='r@muc.example' \
                machine-uid='m'><property name='rtcstatsEnabled' value='false'/></conference>
                """)
        request.sessionID = "s"
        #expect(request.element["session-id"] == "s")
    }

    @Test func anAnswerIsRead() throws {
        let answer = try ConferenceAnswer(
            XMLStreamReader.element(
                """
                <conference xmlns='http://jitsi.org/protocol/focus' ready='true' \
                focusjid='focus@auth.example' session-id='s' vnode='v1'>\
                <property name='authentication' value='true'/></conference>
                """))
        #expect(answer.isReady && answer.isLive)
        #expect(answer.focus == JID("focus@auth.example") && answer.sessionID == "s")
        let early = try ConferenceAnswer(
            XMLStreamReader.element(
                """
                <conference xmlns='http://jitsi.org/protocol/focus'>\
                <property name='live' value='false'/></conference>
                """))
        #expect(!early.isReady && !early.isLive && early.focus == nil)
        #expect(throws: JitsiFault.missing("<conference>")) {
            try ConferenceAnswer(XMLElement("query", JitsiNamespaces.focus))
        }
    }

    /// jicofo's `ConferenceRequest.kt`.
    @Test func aRequestByHTTPIsWrittenAndItsAnswerRead() throws {
        var request = ConferenceRequest(room: room, machineID: "m")
        #expect(
            request.json
                == #"{"machineUid":"m","properties":{"rtcstatsEnabled":false},"#
                + #""room":"r@muc.example"}"#)
        request.sessionID = "s"
        #expect(request.json.hasSuffix(#","sessionId":"s"}"#))
        let answer = try ConferenceAnswer(
            json: #"{"room":"r@muc.example","ready":true,"focusJid":"focus@auth.example","#
                + #""sessionId":"s","vnode":"v1","properties":{"authentication":"false"}}"#)
        #expect(answer.isReady && answer.isLive && answer.sessionID == "s")
        #expect(answer.focus == JID("focus@auth.example"))
        #expect(try !ConferenceAnswer(json: #"{"properties":{"live":"false"}}"#).isLive)
        #expect(try !ConferenceAnswer(json: #"{"ready":"true"}"#).isReady)
    }

    @Test func statusesOfHTTPSayWhetherToAskAgain() {
        let cases: [(Int, String, ConferenceReply)] = [
            (403, "", .refused(.notAuthorized)),
            (400, "400 invalid-session", .refused(.sessionInvalid)),
            (400, "no room", .refused(.final("the focus answers with status 400"))),
            (404, "", .refused(.final("the focus answers with status 404"))),
            (429, "", .refused(.away("the focus answers with status 429"))),
            (503, "", .refused(.away("the focus answers with status 503"))),
            (302, "", .refused(.final("the focus answers with status 302"))),
            (200, "<html>", .malformed(.malformed("the conference's answer"))),
            (
                200, String(repeating: " ", count: JitsiLimits.answerBytes) + "{}",
                .malformed(
                    .tooMany(
                        "bytes of the conference's answer", maximum: JitsiLimits.answerBytes))
            ),
        ]
        for (status, body, reply) in cases {
            #expect(ConferenceReply(status: status, body: body) == reply)
        }
    }

    @Test func refusalsSayWhetherToAskAgain() {
        let cases: [(String, StanzaError.Kind, ConferenceRefusal)] = [
            ("not-authorized", .auth, .notAuthorized), ("not-acceptable", .modify, .sessionInvalid),
            ("service-unavailable", .cancel, .away("service-unavailable")),
            ("policy-violation", .wait, .away("policy-violation")),
            ("bad-request", .modify, .final("bad-request")),
        ]
        for (condition, kind, refusal) in cases {
            #expect(ConferenceRefusal(StanzaError(condition, kind)) == refusal)
        }
    }

    // MARK: Members

    private func member(_ inside: String, nick: String = "0000000a", address: String? = nil) throws
        -> Member
    {
        let stanza = try XMLStreamReader.element(
            """
            <presence xmlns='jabber:client' from='r@muc.example/\(nick)'>\(inside)\
            <x xmlns='http://jabber.org/protocol/muc#user'><item role='moderator'\
            \(address.map { " jid='\($0)'" } ?? "")/></x></presence>
            """)
        return Member(try #require(RoomPresence(stanza)), stanza)
    }

    private func info(_ json: String) -> String {
        "<SourceInfo>\(XMLElement.escaped(json, inAttribute: false))</SourceInfo>"
    }

    private let camera = SourceName(owner: "0000000a", isVideo: true, number: 0)
    private let microphone = SourceName(owner: "0000000a", isVideo: false, number: 0)

    @Test func aMemberIsRead() throws {
        let ann = try member(
            """
            <nick xmlns='http://jabber.org/protocol/nick'>Ann</nick><email>a@example</email>\
            <avatar-url>https://example/a</avatar-url><audiomuted>true</audiomuted>\
            <features><feature var='x'/></features>\
            <jitsi_participant_region>eu</jitsi_participant_region>\
            <jitsi_participant_e2ee.enabled>true</jitsi_participant_e2ee.enabled>
            """ + info(#"{"0000000a-v0":{"muted":false,"videoType":"desktop"}}"#),
            address: "ann@meet.example/x")
        #expect(ann.id == "0000000a" && ann.name == "Ann" && ann.role == "moderator")
        #expect(ann.email == "a@example" && ann.avatar == "https://example/a")
        #expect(ann.isEncrypted && !ann.isJibri && ann.address?.domain == "meet.example")
        #expect(!ann.isMuted(camera) && ann.isScreen(camera) == true)
        // A member that shows its sources shows all of them.
        #expect(ann.isMuted(microphone) && ann.isScreen(microphone) == nil)
    }

    @Test func whatAMemberSaysOfOthersDoesNotCount() throws {
        let ann = try member(
            info(#"{"0000000b-v0":{"muted":false},"0000000a-a0":{},"x":7,"0000000a-v0":7}"#))
        #expect(ann.sourceInfo?.states.count == 2 && ann.fault == nil)
        #expect(!ann.isMuted(microphone) && ann.isScreen(camera) == nil)
        #expect(ann.isMuted(SourceName(owner: "0000000b", isVideo: true, number: 0)))
    }

    /// Telephones, and apps of before sources had names.
    @Test func elementsOfBeforeAreRead() throws {
        let old = try member("<videomuted>true</videomuted><videoType>desktop</videoType>")
        #expect(old.isMuted(camera) && !old.isMuted(microphone) && old.isScreen(camera) == true)
        #expect(try member("").isScreen(camera) == false)
    }

    @Test func sourceInfoThatCannotBeReadIsTold() throws {
        for json in ["", "7", "[]", "{", #"{"a":"#] {
            let ann = try member(info(json) + "<audiomuted>true</audiomuted>")
            #expect(ann.fault == .malformed("SourceInfo") && ann.isMuted(microphone))
        }
        let many = (0...JitsiLimits.memberSources).map { "\"0000000a-v\($0)\":{}" }
        #expect(
            try member(info("{\(many.joined(separator: ","))}")).fault
                == .tooMany("sources in SourceInfo", maximum: JitsiLimits.memberSources))
    }

    @Test func theHiddenHaveADomainOfTheirOwn() throws {
        let feature = "<features><feature var='http://jitsi.org/protocol/jibri'/></features>"
        let recorder = try member(feature, address: "recorder@hidden.example/1")
        #expect(recorder.isHidden(in: "hidden.example") && recorder.isHidden(in: nil))
        // Nobody hides from the recording by saying so.
        let guest = try member(feature, address: "x@meet.example/1")
        #expect(!guest.isHidden(in: "hidden.example"))
        #expect(try !member("").isHidden(in: "hidden.example"))
    }

    @Test func aRecorderShowsWhatItRecords() throws {
        let shown = RecordingPresence(session: "uuid", mode: "file", viewURL: "https://example/w")
        let xml = shown.elements.map { $0.xml(in: "jabber:client") }.joined()
        #expect(
            xml == "<session_id>uuid</session_id><mode>file</mode>"
                + "<live-stream-view-url>https://example/w</live-stream-view-url>")
    }

    @Test func theFocusIsRead() throws {
        let stanza = try XMLStreamReader.element(
            """
            <presence xmlns='jabber:client' from='r@muc.example/focus'>\
            <bridgeNotAvailable/></presence>
            """)
        #expect(FocusPresence(stanza).lacksBridge)
    }

    @Test func nobodyElseIsTheFocus() throws {
        func presence(_ nick: String, _ address: String) throws -> RoomPresence {
            try #require(
                RoomPresence(
                    try XMLStreamReader.element(
                        """
                        <presence xmlns='jabber:client' from='r@muc.example/\(nick)'>\
                        <x xmlns='http://jabber.org/protocol/muc#user'><item jid='\(address)'/></x>\
                        </presence>
                        """)))
        }
        let focus = JID("focus@auth.example")
        #expect(Member.isFocus(try presence("focus", "focus@auth.example/1"), focus))
        #expect(!Member.isFocus(try presence("focus", "eve@meet.example/1"), focus))
        #expect(Member.isFocus(try presence("x", "focus@auth.example/1"), focus))
        #expect(!Member.isFocus(try presence("focus", "focus@auth.example/1"), nil))
    }

    // MARK: Ourselves

    @Test func weSayWhatWeCanDo() throws {
        let capabilities = JitsiFeatures.capabilities(isJibri: true)
        #expect(capabilities.features.contains(JitsiFeatures.jibri))
        #expect(!JitsiFeatures.capabilities(isJibri: false).features.contains(JitsiFeatures.jibri))
        #expect(
            !capabilities.features.contains {
                $0.contains("rewriting") || $0.contains("mid-demux") || $0.contains("visitors")
            })
        let own = OwnPresence(name: "R & D", isJibri: true, recording: nil)
        #expect(
            own.elements.map { $0.xml(in: "jabber:client") }.joined() == """
                <c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='urn:roomcast:jitsi' \
                ver='\(capabilities.version)'/>\
                <nick xmlns='http://jabber.org/protocol/nick'>R &amp; D</nick>\
                <SourceInfo>{}</SourceInfo>\
                <jitsi_participant_codecList>vp8,vp9,h264,av1</jitsi_participant_codecList>\
                <features><feature var='http://jitsi.org/protocol/jibri'/></features>
                """)
    }

    // MARK: Messages

    private func text(_ attributes: String, _ inside: String) throws -> RoomText? {
        RoomText(
            try XMLStreamReader.element(
                "<message xmlns='jabber:client' \(attributes)>\(inside)</message>"), of: room)
    }

    @Test func messagesAreRead() throws {
        let chat = try #require(
            try text("from='r@muc.example/a' type='groupchat'", "<body>hi</body>"))
        #expect(chat.content == .chat("hi") && chat.sender == "a" && !chat.isPrivate && !chat.isOld)
        #expect(chat.message.type == "chat" && chat.message.content.text == "\"hi\"")
        // A visitor is no member: the server says its name.
        let visitor = try text(
            "from='r@muc.example/v' type='groupchat'",
            "<body>hi</body><display-name xmlns='http://jitsi.org/protocol/display-name' "
                + "source='visitor'>Vi</display-name>")
        #expect(visitor?.message.senderName == "Vi" && chat.message.senderName == nil)
        // A single character may be of any length.
        let long = try text(
            "from='r@muc.example/v' type='groupchat'",
            "<body>hi</body><display-name xmlns='http://jitsi.org/protocol/display-name'>"
                + "e" + String(repeating: "\u{301}", count: 5000) + "</display-name>")
        #expect(long?.senderName?.unicodeScalars.count == JitsiLimits.textBytes / 4)
        let whisper = try text("from='r@muc.example/a' type='chat'", "<body>hi</body>")
        #expect(whisper?.isPrivate == true)
        let old = try text(
            "from='r@muc.example/a' type='groupchat'",
            "<body>hi</body><delay xmlns='urn:xmpp:delay'/>")
        #expect(old?.isOld == true)
        let subject = try text("from='r@muc.example/a' type='groupchat'", "<subject>S</subject>")
        #expect(subject?.content == .subject("S") && subject?.message.type == "subject")
        let json = try text(
            "from='r@muc.example'",
            "<json-message xmlns='http://jitsi.org/jitmeet'>{\"a\": 1}</json-message>")
        #expect(json?.content == .application(OpaqueJSON(text: "{\"a\": 1}")))
        #expect(json?.sender == nil && json?.message.type == "json-message")
    }

    @Test func otherMessagesArePassedOver() throws {
        #expect(try text("from='s@muc.example/a' type='groupchat'", "<body>x</body>") == nil)
        #expect(try text("type='groupchat'", "<body>x</body>") == nil)
        #expect(try text("from='r@muc.example/a' type='error'", "<body>x</body>") == nil)
        #expect(try text("from='r@muc.example/a' type='groupchat'", "") == nil)
        #expect(
            try text(
                "from='r@muc.example/a' type='groupchat'",
                "<json-message xmlns='http://jitsi.org/jitmeet'>{</json-message>") == nil)
        let long = String(repeating: "é", count: JitsiLimits.messageBytes)
        let cut = try text("from='r@muc.example/a' type='groupchat'", "<body>\(long)</body>")
        guard case .chat(let words)? = cut?.content else {
            Issue.record("a long message is lost")
            return
        }
        #expect(words.utf8.count <= JitsiLimits.messageBytes && !words.isEmpty)
    }
}
