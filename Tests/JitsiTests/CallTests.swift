import MediaKernel
import PeerConnection
import RemoteRoom
import SDP
import Testing
import XML
import XMPP

@testable import Jitsi

@Suite struct CallTests {
    private static let camera = RemoteTrack(id: "0000000a-v0", isVideo: true, isMuted: false)
    private static let microphone = RemoteTrack(id: "0000000a-a0", isVideo: false, isMuted: true)

    // MARK: The way in

    @Test func theFocusIsAskedBeforeTheRoomIsEntered() throws {
        var world = CallWorld()
        world.connect()
        #expect(world.questions.map(\.question) == [.conference] && world.sent.isEmpty)
        #expect(world.questions[0].to == CallWorld.focusComponent)
        try world.ready()
        let entry = try #require(world.entry)
        #expect(entry["to"] == "r@muc.example/\(world.call.nick)")
        #expect(world.call.nick.utf8.count == 8)
        #expect(entry.child("x", "http://jabber.org/protocol/muc") != nil)
        #expect(world.events.isEmpty)
        try world.receive(CallWorld.ann)
        #expect(world.events.isEmpty)
        try world.admit()
        #expect(
            world.events == [
                .joined,
                .roster([RemotePeer(id: "0000000a", name: "Ann", role: "participant")]),
            ])
    }

    @Test func aConferenceThatIsNotReadyIsAskedForAgain() throws {
        var world = CallWorld()
        world.connect()
        for seconds in [1, 2, 4, 8] {
            try world.ready("ready='false'")
            #expect(world.questions.isEmpty)
            world.pass(.seconds(seconds) - .milliseconds(500))
            #expect(world.questions.isEmpty)
            world.pass(.milliseconds(500))
            #expect(world.questions.map(\.question) == [.conference])
        }
        for _ in 0..<20 where world.end == nil {
            try world.answer(.conference, .silence)
            world.pass(CallLimits.longestPause)
        }
        #expect(world.end == .unreachable("the focus does not answer"))
    }

    @Test(arguments: [
        ("not-authorized", "only users who have logged in may create the room", 401),
        ("bad-request", "bad-request", 400),
    ])
    func aFocusThatRefusesEndsTheStay(condition: String, words: String, code: Int) throws {
        var world = CallWorld()
        world.connect()
        try world.answer(.conference, .refused(StanzaError(condition, .cancel)))
        #expect(world.end == .refused(code: code, message: words))
    }

    @Test func aFocusIsAskedByHTTPWhereItIsSetSo() throws {
        var world = CallWorld(asksByHTTP: true)
        world.connect()
        let request = ConferenceRequest(room: CallWorld.room, machineID: "roomcast")
        #expect(world.events == [.post(request)] && world.questions.isEmpty)
        world.reply(.refused(.away("no answer")))
        world.pass(.seconds(1))
        #expect(world.events.count == 2)
        world.reply(
            .answer(try ConferenceAnswer(json: #"{"ready":true,"focusJid":"focus@auth.example"}"#)))
        try world.admit()
        #expect(world.events.contains(.joined))
        // The focus is known by it as by the other way.
        try world.initiate()
        #expect(world.call.session != nil)
    }

    @Test func aSessionThatIsNotKnownIsDropped() throws {
        var world = CallWorld()
        world.connect()
        try world.ready("ready='false' session-id='old'")
        world.pass(.seconds(1))
        #expect(world.questions.last?.payload["session-id"] == "old")
        try world.answer(.conference, .refused(StanzaError("not-acceptable", .modify)))
        world.pass(.seconds(2))
        #expect(world.questions.count == 1 && world.questions[0].payload["session-id"] == nil)
    }

    @Test func aNodeForVisitorsIsNotOurs() throws {
        var world = CallWorld()
        world.connect()
        try world.ready("ready='true' vnode='v1'")
        #expect(world.entry?["to"] == "r@muc.example/\(world.call.nick)" && world.end == nil)
    }

    /// As a jibri, we stay where we were sent to: members are not followed into breakout rooms.
    @Test func nobodyIsFollowedElsewhere() throws {
        var world = try CallWorld.connected()
        let sent = world.sent.count
        try world.receive(
            """
            <message xmlns='jabber:client' from='r@muc.example' to='x@hidden.example/1'>\
            <json-message xmlns='http://jitsi.org/jitmeet'>{\
            "type":"features/breakout-rooms","event":"features/breakout-rooms/move-to-room",\
            "roomJid":"b@breakout.example"}</json-message></message>
            """)
        try world.receive(
            CallWorld.presence("0000000a", type: "unavailable"))
        #expect(world.sent.count == sent && world.end == nil && world.call.phase == .inside)
        #expect(world.messages.map(\.sender) == [nil])
    }

    @Test func aConferenceBeforeItsStartIsNone() throws {
        var world = CallWorld()
        world.connect()
        try world.ready("", "<property name='live' value='false'/>")
        #expect(world.end == .refused(code: 404, message: "the conference has not begun"))
    }

    @Test(arguments: [
        ("service-unavailable", 503, "the room is full"),
        ("item-not-found", 404, "the room does not exist"), ("jid-malformed", 405, "jid-malformed"),
    ])
    func aRoomThatRefusesEndsTheStay(condition: String, code: Int, words: String) throws {
        var world = CallWorld()
        world.connect()
        try world.ready()
        try world.refuse(condition, "auth")
        #expect(world.end == .refused(code: code, message: words))
    }

    /// No other bot would be admitted either.
    @Test(arguments: [
        ("not-authorized", 401, "the room has a password"),
        (
            "registration-required", 407,
            "the room has a lobby, where somebody would have to let the recorder in"
        ),
        ("forbidden", 403, "the recorder is banned from the room"),
    ])
    func aRoomThatIsClosedEndsTheStay(condition: String, code: Int, words: String) throws {
        var world = CallWorld()
        world.connect()
        try world.ready()
        try world.refuse(condition, "auth")
        #expect(world.end == .closed(code: code, message: words))
    }

    @Test func aWrongPasswordIsSaid() throws {
        var world = CallWorld(password: "pass")
        world.connect()
        try world.ready()
        let muc = "http://jabber.org/protocol/muc"
        #expect(world.entry?.child("x", muc)?.child("password", muc)?.text == "pass")
        try world.refuse("not-authorized", "auth")
        #expect(world.end == .closed(code: 401, message: "the room has another password"))
    }

    @Test func aNickThatIsTakenIsChanged() throws {
        var world = CallWorld()
        world.connect()
        try world.ready()
        var nicks: Set<String> = []
        for _ in 0..<CallLimits.entryAttempts where world.end == nil {
            #expect(nicks.insert(world.call.nick).inserted)
            try world.refuse("conflict")
        }
        #expect(nicks.count == CallLimits.entryAttempts)
        #expect(
            world.end == .refused(code: 409, message: "the room has another member of our name"))
    }

    @Test func aRoomThatIsJustCreatedIsEnteredAgain() throws {
        var world = CallWorld()
        world.connect()
        try world.ready()
        let nick = world.call.nick
        try world.refuse("not-allowed")
        #expect(world.sent.count == 1)
        world.pass(CallLimits.entryPause)
        #expect(world.sent.count == 2 && world.call.nick == nick)
        try world.admit()
        #expect(world.events.contains(.joined))
    }

    @Test func aRoomThatIsSilentEndsTheStay() throws {
        var world = CallWorld()
        world.connect()
        try world.ready()
        world.pass(CallLimits.entry)
        #expect(world.end == .unreachable("the room does not admit us"))
    }

    // MARK: Members

    @Test func theHiddenAreNobody() throws {
        var world = try CallWorld.inside([])
        try world.receive(CallWorld.presence("0000000c", address: "recorder@hidden.example/1"))
        #expect(world.rosters == [[]])
        // It was a member of before.
        try world.receive(CallWorld.ann)
        #expect(world.rosters.last?.count == 1)
    }

    @Test func aMemberIsKnownByItsNewestPresence() throws {
        var world = try CallWorld.connected()
        #expect(world.rosters.last?.first?.tracks == [Self.camera, Self.microphone])
        try world.receive(
            CallWorld.member(
                "0000000a", "Anna",
                #"{"0000000a-a0":{"muted":false},"0000000a-v0":{"muted":true,"videoType":"desktop"}}"#
            ))
        let anna = try #require(world.rosters.last?.first)
        #expect(anna.name == "Anna")
        #expect(
            anna.tracks == [
                RemoteTrack(
                    id: "0000000a-v0", isVideo: true, source: .presentation, isMuted: true),
                RemoteTrack(id: "0000000a-a0", isVideo: false, isMuted: false),
            ])
        let count = world.rosters.count
        try world.receive(CallWorld.presence("0000000c", type: "unavailable"))
        #expect(world.rosters.count == count)
        try world.receive(CallWorld.presence("0000000a", type: "unavailable"))
        #expect(world.rosters.last == [] && world.described.isEmpty)
    }

    @Test func aRoomHasSoManyMembers() throws {
        var world = CallWorld()
        world.connect()
        try world.ready()
        for number in 0..<JitsiLimits.members + 5 {
            try world.receive(CallWorld.presence("m\(number)"))
        }
        try world.admit()
        #expect(world.rosters.last?.count == JitsiLimits.members)
        #expect(world.warnings.count == 5)
        #expect(world.warnings.last == "the room has too many members")
    }

    // MARK: Sessions

    @Test func aSessionIsAcceptedAndItsSourcesAreTracks() throws {
        var world = try CallWorld.inside()
        try world.initiate()
        #expect(world.described == ["0000000a-v0": [11, 12], "0000000a-a0": [13]])
        #expect(world.questions.isEmpty)
        world.call.described(1, SessionDescription(), at: world.now)
        world.drain()
        #expect(world.questions.map(\.question) == [.accept(1)])
        #expect(world.questions[0].to == JID("r@muc.example/focus"))
        #expect(world.questions[0].payload["action"] == "session-accept")
        #expect(world.media.last == .openChannel(1, .data))
        try world.answer(.accept(1), .result(nil))
        world.change(.connected)
        #expect(world.paths == [.connected])
        #expect(world.rosters.last?.first?.tracks == [Self.camera, Self.microphone])
    }

    @Test func sourcesComeAndGo() throws {
        var world = try CallWorld.connected([CallWorld.ann, CallWorld.ben])
        #expect(
            try world.request(Offers.jingle("source-add", Offers.json([Offers.ben]))) == nil)
        #expect(
            world.described
                == [
                    "0000000a-v0": [11, 12], "0000000a-a0": [13], "0000000b-v1": [21],
                    "0000000b-a0": [23],
                ])
        let ben = world.rosters.last?.last
        #expect(ben?.tracks.map(\.source) == [.presentation, .regular])
        #expect(
            try world.request(Offers.jingle("source-remove", Offers.json([Offers.ann]))) == nil)
        #expect(world.described == ["0000000b-v1": [21], "0000000b-a0": [23]])
        #expect(world.rosters.last?.map(\.tracks.count) == [0, 2])
        // The focus is told nothing of it.
        #expect(world.questions.isEmpty)
    }

    @Test func anotherSessionFollowsWithoutAChangeOfTheRoster() throws {
        var world = try CallWorld.connected()
        let rosters = world.rosters
        #expect(
            try world.request(
                Offers.jingle("session-terminate", "<reason><success/></reason>")) == nil)
        #expect(world.media.last == .close(1) && world.paths.last == .disconnected)
        try world.initiate(session: "s2")
        try world.describe()
        #expect(world.number == 2 && world.described.count == 2)
        world.change(.connected)
        #expect(world.rosters == rosters && world.paths.last == .connected)
        // What the connection of before still tells does not count.
        world.call.stateChanged(1, .failed, at: world.now)
        world.drain()
        #expect(world.call.session?.state == .connected)
    }

    @Test func anotherSessionTakesThePlaceOfOne() throws {
        var world = try CallWorld.connected()
        try world.initiate(session: "s2")
        #expect(world.media.contains(.close(1)) && world.call.session?.number == 2)
        #expect(try world.request(Offers.initiate(session: "s2")) == "service-unavailable")
        #expect(try world.request(Offers.jingle("source-add", session: "s1")) == "item-not-found")
    }

    @Test func onlyTheFocusCalls() throws {
        var world = try CallWorld.inside()
        for from in ["r@muc.example/0000000a", "focus@auth.example/1", "s@muc.example/focus"] {
            #expect(try world.request(Offers.initiate(), from: from) == "service-unavailable")
        }
        #expect(world.media.isEmpty && world.end == nil)
        try world.initiate()
        let from = "r@muc.example/0000000a"
        #expect(
            try world.request(Offers.jingle("session-terminate"), from: from)
                == "service-unavailable")
        #expect(world.call.session != nil)
    }

    /// A nick is what its owner makes of it; the real address is the server's word.
    @Test func aMemberWithTheNameOfTheFocusIsNotObeyed() throws {
        var world = CallWorld()
        world.connect()
        try world.ready()
        try world.receive(CallWorld.presence("focus", address: "eve@meet.example/1"))
        try world.receive(CallWorld.presence(world.call.nick, status: [110]))
        #expect(try world.request(Offers.initiate()) == "service-unavailable")
        #expect(world.rosters.last?.map(\.id) == ["focus"] && world.media.isEmpty)
        // The focus comes under whatever nick is left.
        try world.receive(CallWorld.presence("focus2", address: "focus@auth.example/1"))
        #expect(try world.request(Offers.initiate()) == "service-unavailable")
        #expect(try world.request(Offers.initiate(), from: "r@muc.example/focus2") == nil)
        #expect(world.call.session != nil)
        // It leaves, and Eve takes its nick.
        try world.receive(CallWorld.presence("focus2", type: "unavailable"))
        try world.receive(CallWorld.presence("focus2", address: "eve@meet.example/1"))
        #expect(
            try world.request(
                Offers.jingle("session-terminate"), from: "r@muc.example/focus2")
                == "service-unavailable")
        #expect(world.call.session != nil)
    }

    @Test func aFocusWithoutAnAddressIsNobody() throws {
        var world = CallWorld()
        world.connect()
        try world.answer(
            .conference,
            .result(
                XMLElement("conference", JitsiNamespaces.focus, ["ready": "true"])))
        #expect(
            world.end == .protocolViolation("conference: the focus does not tell its address"))
    }

    @Test func whatWeDoNotKnowIsRefused() throws {
        var world = try CallWorld.connected()
        #expect(try world.request(Offers.jingle("content-add")) == "feature-not-implemented")
        #expect(try world.request(Offers.jingle("session-info")) == nil)
        #expect(try world.request(Offers.jingle("transport-info")) == nil)
        #expect(
            try world.request(Offers.jingle("session-initiate", session: "s9")) == "bad-request")
        #expect(try world.request(XMLElement("jingle", JitsiNamespaces.jingle)) == "bad-request")
        #expect(try world.request(XMLElement("x", "y")) == "service-unavailable")
        #expect(world.call.session?.number == 1 && world.end == nil)
        // It is no session without a transport, of which another one is asked for.
        #expect(try world.request(Offers.jingle("transport-replace")) == "bad-request")
        #expect(world.call.session == nil)
        #expect(world.questions.last?.payload["action"] == "session-terminate")
    }

    @Test func questionsAreAnswered() throws {
        var world = try CallWorld.inside()
        let mute = XMLElement("mute", "http://jitsi.org/jitmeet/audio", text: "true")
        #expect(try world.request(mute) == nil)
        #expect(JitsiCall.answered.contains(mute.namespace))
        #expect(try world.request(XMLElement("query", "x"), type: "get") == "service-unavailable")
    }

    @Test func aConnectionThatFailsIsAskedForAnew() throws {
        var world = try CallWorld.connected()
        world.change(.failed)
        let end = try #require(world.questions.first?.payload)
        #expect(end["action"] == "session-terminate")
        #expect(end.child("bridge-session", JitsiNamespaces.focus)?["restart"] == "true")
        #expect(end.child("bridge-session", JitsiNamespaces.focus)?["id"] == "b1")
        #expect(world.media.last == .close(1) && world.rosters.last?.count == 1)
        try world.initiate(session: "s2")
        try world.describe()
        world.change(.connected)
        world.pass(.seconds(120))
        #expect(world.end == nil && world.paths.last == .connected)
    }

    @Test func aFocusThatBeginsNoneIsLeftForAMoment() throws {
        var world = try CallWorld.connected()
        let nick = world.call.nick
        world.change(.failed)
        world.questions = []
        world.pass(CallLimits.invitation)
        #expect(world.sent.last?["type"] == "unavailable")
        #expect(world.questions.map(\.question) == [.conference])
        try world.ready()
        #expect(world.call.nick != nick)
        // The answer to our leave comes under the nick of before.
        try world.receive(CallWorld.presence(nick, type: "unavailable", status: [110]))
        try world.receive(CallWorld.ann)
        try world.admit()
        #expect(world.call.phase == .inside && world.rosters.last?.count == 1)
        #expect(world.events.filter { $0 == .joined }.count == 1)
    }

    @Test func mediaThatNeverComeEndTheStay() throws {
        var world = try CallWorld.inside()
        try world.initiate()
        try world.describe()
        world.pass(CallLimits.connecting)
        #expect(world.warnings.last?.contains("no media within 30.0 seconds") == true)
        world.pass(CallLimits.mediaPatience)
        #expect(world.end == .unreachable("no media for 90.0 seconds"))
        // There is no hurry as long as nobody is there.
        world = try CallWorld.inside([])
        world.pass(.seconds(600))
        #expect(world.end == nil && world.paths == [.connected])
    }

    @Test func aDescriptionThatTheFocusRefusesIsTheLast() throws {
        for reply in [CallReply.silence, .refused(StanzaError("gone", .cancel))] {
            var world = try CallWorld.inside()
            try world.initiate()
            try world.describe(accepted: false)
            try world.answer(.accept(1), reply)
            #expect(world.questions.map(\.question) == [.conference] && world.call.session == nil)
        }
    }

    @Test func mediaThatCannotBeMadeAreToldAndTriedAgain() throws {
        var world = try CallWorld.inside()
        try world.initiate()
        world.call.mediaFailed(1, "no socket", at: world.now)
        world.drain()
        #expect(world.warnings.last?.contains("no socket") == true)
        #expect(world.questions.last?.payload["action"] == "session-terminate")
    }

    @Test func withoutVideoOnlySoundIsDescribed() throws {
        var world = CallWorld(receivesVideo: false)
        world.connect()
        try world.ready()
        try world.receive(CallWorld.ann)
        try world.admit()
        try world.initiate()
        #expect(world.described == ["0000000a-a0": [13]])
        try world.describe()
        world.openChannel()
        #expect(world.told.first?.contains(#""lastN":0"#) == true)
    }

    // MARK: The bridge

    /// Without them every tile would want the best.
    @Test func theProgramIsToldOfTheLayersThatCamerasHave() throws {
        var world = try CallWorld.connected()
        let camera: TrackID = "0000000a-v0"
        let sizes = try #require(world.layers.last?.first?.layers)
        #expect(world.layers.map { $0.map(\.track) } == [[camera]])
        #expect(sizes.map(\.height) == [180, 360, 720])
        for size in sizes { #expect(CameraLayers.height(size.name) >= size.height) }
        // Of a screen nothing is known.
        try world.receive(
            CallWorld.member(
                "0000000a", "Ann", #"{"0000000a-v0":{"muted":false,"videoType":"desktop"}}"#))
        #expect(world.layers.count == 2 && world.layers[1].map(\.track) == [camera])
        #expect(world.layers[1].map(\.layers) == [[]])
        try world.receive(CallWorld.ann)
        #expect(world.layers.count == 3 && world.layers[2].map(\.layers) == [sizes])
        // Nothing new.
        try world.receive(CallWorld.member("0000000a", "Anna", #"{"0000000a-v0":{}}"#))
        #expect(world.rosters.last?.first?.name == "Anna" && world.layers.count == 3)
    }

    @Test func theBridgeIsToldWhatIsWanted() throws {
        var world = try CallWorld.connected()
        #expect(world.told.count == 1 && world.told[0].contains(#""lastN":-1"#))
        world.call.want("0000000a-v0", layer: .low, at: world.now)
        world.drain()
        #expect(world.told.count == 2)
        #expect(world.told[1].contains(#""constraints":{"0000000a-v0":{"maxHeight":180}}"#))
        world.call.want("0000000a-v0", layer: .high, at: world.now)
        world.drain()
        #expect(world.told.count == 2 && world.call.nextDeadline != nil)
        world.pass(CallLimits.wishesInterval)
        #expect(world.told.count == 3 && world.told[2].contains("2160"))
        // A new session's channel is told again.
        try world.initiate(session: "s2")
        try world.describe()
        world.openChannel()
        #expect(world.told.last == world.told[2])
    }

    @Test func aBridgeWithoutSCTPHasASocket() throws {
        var world = try CallWorld.inside()
        try world.initiate(hasData: false)
        try world.describe()
        let url = "wss://meet.example/colibri-ws/jvb/c/1a2b3c4d?pwd=p"
        #expect(world.media.last == .openChannel(1, .socket(url)))
        world.openChannel()
        #expect(world.told.first == #"{"colibriClass":"ClientHello"}"# && world.told.count == 2)
        // It is opened again.
        world.call.channelClosed(1, at: world.now)
        world.media = []
        world.pass(CallLimits.firstPause)
        #expect(world.media == [.openChannel(1, .socket(url))])
        world.openChannel()
        #expect(world.told.count == 4)
    }

    @Test func speakersAndMessagesComeFromTheBridge() throws {
        var world = try CallWorld.connected()
        func speaks(_ id: String, _ silence: Bool) -> String {
            #"{"colibriClass":"DominantSpeakerEndpointChangeEvent","dominantSpeakerEndpoint":"\#(id)","#
                + #""silence":\#(silence)}"#
        }
        world.hear(speaks("0000000a", false))
        world.hear(speaks("0000000a", false))
        world.hear(speaks("0000000f", false))
        world.hear(speaks("0000000a", false))
        world.hear(speaks("0000000a", true))
        let ann = RemoteSpeaker(peer: "0000000a", track: "0000000a-a0", level: 100)
        let speakers = world.events.compactMap { event -> [RemoteSpeaker]? in
            if case .speakers(let speakers) = event { speakers } else { nil }
        }
        #expect(speakers == [[ann], [], [ann], []])
        world.hear(
            #"{"colibriClass":"EndpointMessage","from":"0000000a","to":"","msgPayload":{"b":1}}"#)
        world.hear(#"{"colibriClass":"EndpointMessage","from":"0000000f","to":"","msgPayload":{}}"#)
        #expect(
            world.messages == [
                HeardMessage(
                    sender: "0000000a", type: "endpoint-message",
                    content: OpaqueJSON(text: #"{"b":1}"#), isPrivate: false)
            ])
        world.hear("x")
        #expect(world.warnings.last?.contains("the bridge's message") == true)
    }

    @Test func theChatIsHeard() throws {
        var world = try CallWorld.inside()
        func say(_ from: String, _ inside: String) -> String {
            "<message xmlns='jabber:client' from='r@muc.example/\(from)' type='groupchat'>"
                + inside + "</message>"
        }
        try world.receive(say("0000000a", "<subject/>"))
        try world.receive(say("0000000a", "<body>hi</body>"))
        try world.receive(say("0000000a", "<body>old</body><delay xmlns='urn:xmpp:delay'/>"))
        try world.receive(say(world.call.nick, "<body>ours</body>"))
        try world.receive(say("0000000a", "<subject>S</subject>"))
        #expect(world.messages.map(\.content.text) == ["\"hi\"", "\"S\""])
        #expect(world.messages.map(\.type) == ["chat", "subject"])
    }

    // MARK: The end

    @Test func removalsEndTheStay() throws {
        let cases: [(String, RoomEnd)] = [
            ("<item/><status code='307'/><status code='110'/>", .removed(reason: "kicked")),
            (
                "<item><reason>out</reason></item><status code='307'/><status code='110'/>",
                .removed(reason: "out")
            ),
            ("<item/><status code='301'/><status code='110'/>", .removed(reason: "status 301")),
            ("<destroy/>", .roomEnded(reason: "the room was destroyed")),
        ]
        for (inside, end) in cases {
            var world = try CallWorld.connected()
            try world.receive(
                """
                <presence xmlns='jabber:client' from='r@muc.example/\(world.call.nick)' \
                type='unavailable'><x xmlns='http://jabber.org/protocol/muc#user'>\(inside)</x>\
                </presence>
                """)
            #expect(world.end == end && world.media.last == .close(1))
            // Nothing follows.
            try world.receive(CallWorld.ben)
            world.pass(.seconds(200))
            #expect(world.events.last == .end(end))
        }
    }

    @Test func anEncryptedConferenceIsRefused() throws {
        let encrypted = "<jitsi_participant_e2ee.enabled>true</jitsi_participant_e2ee.enabled>"
        var world = try CallWorld.inside([CallWorld.member("0000000a", "Ann", "{}", encrypted)])
        #expect(
            world.end
                == .encrypted(
                    "the conference is encrypted from end to end, and a recorder has no key"))
        // One among others is not shown; it cannot end the recording of the others.
        world = try CallWorld.connected([CallWorld.ann, CallWorld.ben])
        try world.receive(CallWorld.member("0000000a", "Ann", "{}", encrypted))
        #expect(world.end == nil && world.rosters.last?.first?.tracks == [])
        #expect(world.warnings.last?.contains("0000000a encrypts from end to end") == true)
        try world.receive(CallWorld.member("0000000b", "Ben", "{}", encrypted))
        #expect(world.end != nil)
    }

    @Test func whoLeavesSaysGoodbye() throws {
        var world = try CallWorld.connected()
        world.call.leave()
        world.drain()
        #expect(world.questions.last?.payload["action"] == "session-terminate")
        #expect(world.sent.last?["type"] == "unavailable" && world.media.last == .close(1))
        #expect(world.end == nil)
    }

    @Test func everybodyMayLeave() throws {
        var world = try CallWorld.connected()
        try world.receive(CallWorld.presence("0000000a", type: "unavailable"))
        _ = try world.request(Offers.jingle("session-terminate"))
        world.pass(.seconds(600))
        #expect(world.end == nil && world.rosters.last == [] && world.paths == [.connected])
        // Somebody comes, and the focus begins a session.
        try world.receive(CallWorld.ann)
        try world.initiate(session: "s2")
        #expect(world.described.count == 2)
    }

    @Test func aFocusThatLeavesIsAskedToComeBack() throws {
        var world = try CallWorld.connected()
        try world.receive(
            CallWorld.presence("focus", address: "focus@auth.example/1", type: "unavailable"))
        #expect(world.questions.map(\.question) == [.conference] && world.media.count == 2)
        try world.ready()
        #expect(world.call.phase == .inside && world.sent.count == 2)
        // Until it is there, whoever has its nick is somebody else.
        #expect(try world.request(Offers.initiate(session: "s2")) == "service-unavailable")
        try world.receive(CallWorld.presence("focus", address: "focus@auth.example/2"))
        try world.initiate(session: "s2")
        #expect(world.call.session?.number == 2)
    }

    // MARK: The stream

    @Test func aLostStreamIsComeBackTo() throws {
        var world = try CallWorld.connected([CallWorld.ann, CallWorld.ben])
        let rosters = world.rosters
        world.pass(.seconds(60))
        // It may be that of before.
        world.connect(isResumed: true)
        #expect(world.questions.isEmpty && world.call.phase == .inside)
        world.connect()
        // The media go on.
        #expect(world.media.count == 2 && world.paths == [.connected])
        try world.ready()
        #expect(world.rosters == rosters)
        try world.receive(CallWorld.ann)
        #expect(world.rosters == rosters)
        // Ben has left meanwhile.
        try world.admit()
        #expect(world.rosters.last?.map(\.name) == ["Ann"])
        #expect(world.events.filter { $0 == .joined }.count == 1)
        try world.initiate(session: "s2")
        #expect(world.media.contains(.close(1)))
    }

    @Test func whatIsRecordedIsShownOnceMediaCome() throws {
        var world = CallWorld(recording: RecordingPresence(session: "uuid", mode: "stream"))
        world.connect()
        try world.ready()
        try world.receive(CallWorld.ann)
        try world.admit()
        func isShown() -> Bool {
            world.sent.contains { $0.child("session_id", Namespaces.client) != nil }
        }
        try world.initiate()
        try world.describe()
        #expect(!isShown())
        world.change(.connected)
        #expect(isShown())
        // And still, in another stay.
        world.sent = []
        world.connect()
        try world.ready()
        #expect(isShown())
    }

    @Test func aRecordingIsShown() throws {
        var world = try CallWorld.inside()
        let shown = RecordingPresence(session: "uuid", mode: "file")
        world.call.show(shown)
        world.drain()
        let presence = try #require(world.sent.last)
        #expect(presence.child("session_id", Namespaces.client)?.text == "uuid")
        #expect(presence.child("x", "http://jabber.org/protocol/muc") == nil)
        let count = world.sent.count
        world.call.show(shown)
        world.drain()
        #expect(world.sent.count == count)
    }
}
