import MediaKernel
import MediaServer
import RoomHost
import Rooms
import Testing
import Workbench
import XML
import XMPP

@testable import Jitsi

/// Conferences in a room, up to its media.
@Suite(.timeLimit(.minutes(2))) struct MeetingTests {
    private static let camera = """
        {"sources":{"ann":[[{"s":1,"n":"ann-v0"},{"s":2,"n":"ann-v0"}],[["f",1,2]],\
        [{"s":3,"n":"ann-a0"}]]}}
        """

    private static func shown(_ nick: String, isMuted: Bool = false) -> String {
        "<SourceInfo>{\"\(nick)-v0\":{\"muted\":\(isMuted)},\"\(nick)-a0\":{\"muted\":false}}</SourceInfo>"
    }

    private func names(_ stanzas: [XMLElement]) -> [String] {
        stanzas.map { stanza in
            let child = stanza.elements.first
            return child?["action"] ?? child?.name ?? stanza["type"] ?? stanza.name
        }
    }

    // MARK: Coming

    @Test func theFocusIsThereBeforeTheMembers() async throws {
        let world = FocusWorld()
        await world.open()
        await world.open()
        let sent = world.server.take()
        #expect(sent.map { $0["to"] } == ["\(FocusWorld.room)/focus"])
        #expect(sent.map { $0["from"] } == [FocusWorld.focus])
        #expect(await world.entrance.isOpen())
        #expect(await !world.host.isEmpty)
    }

    @Test func aMemberIsAskedInvitedAndSeen() async throws {
        let world = FocusWorld()
        await world.open()
        try await world.come(
            "ann",
            "<nick xmlns='http://jabber.org/protocol/nick'>Ann</nick><SourceInfo>{}</SourceInfo>")
        #expect(await world.peer(named: "Ann") == nil)
        try await world.answerDiscovery(of: "ann")
        #expect(await world.peer(named: "Ann")?.role == "host")
        let offer = try #require(world.jingle(to: "ann"))
        #expect(offer["action"] == "session-initiate")
        #expect(offer.child("bridge-session", "http://jitsi.org/protocol/focus") != nil)
        // The first one owns the XMPP room.
        #expect(
            world.server.all.contains {
                $0["to"] == FocusWorld.room
                    && $0.elements.first?.elements.first?["affiliation"] == "owner"
            })
        #expect(try await world.accept("ann", Self.camera) == nil)
        #expect(world.media.noted.answers.count == 1)
        // Muted, as its presence has no sources yet.
        #expect(await world.peer(named: "Ann")?.tracks.map(\.isMuted) == [true, true])
        try await world.receive(
            FocusWorld.presence(
                "ann",
                Self.shown("ann") + "<nick xmlns='http://jabber.org/protocol/nick'>Anna</nick>"))
        #expect(await world.peer(named: "Anna")?.tracks.map(\.isMuted) == [false, false])
    }

    @Test func theSecondMemberIsNoModeratorUntilTheFirstHasLeft() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        #expect(await world.peer(named: "ben")?.role == "guest")
        try await world.go("ann")
        #expect(await world.peer(named: "ann") == nil)
        #expect(await world.peer(named: "ben")?.role == "host")
        let granted = world.server.take().compactMap { $0.elements.first?.elements.first }
        #expect(granted.contains { $0["affiliation"] == "owner" && $0["jid"] == "ben@example" })
    }

    @Test func aModeratorMayMakeAnother() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        try await world.receive(FocusWorld.presence("ben", role: "moderator"))
        #expect(await world.peer(named: "ben")?.role == "host")
        // The presence of the first one may be of before it was made one.
        try await world.receive(FocusWorld.presence("ann", "<nick xmlns='x'>Anna</nick>"))
        #expect(await world.host.snapshot().peers.map(\.role) == ["host", "host"])
        try await world.receive(FocusWorld.presence("ben", role: "participant"))
        #expect(await world.peer(named: "ben")?.role == "guest")
    }

    @Test func theRoomMayMakeAndUnmakeModerators() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let ben = try #require(await world.peer(named: "ben")).id
        func granted() -> [String?] {
            world.server.take().compactMap { $0.elements.first?.elements.first }
                .filter { $0["jid"] == "ben@example" }.map { $0["affiliation"] }
        }
        try await world.host.changeRole(of: ben, to: "host")
        #expect(granted() == ["owner"])
        try await world.receive(FocusWorld.presence("ben", role: "moderator"))
        #expect(granted() == [])
        try await world.host.changeRole(of: ben, to: "guest")
        #expect(granted() == ["member"])
        try await world.receive(FocusWorld.presence("ben"))
        #expect(await world.peer(named: "ben")?.role == "guest")
        #expect(granted() == [])
    }

    @Test func whoComesBackAsAModeratorIsOne() async throws {
        let world = try await FocusWorld.meeting("ann")
        try await world.receive(FocusWorld.presence("ben", role: "moderator"))
        try await world.answerDiscovery(of: "ben")
        #expect(await world.peer(named: "ben")?.role == "host")
        try await world.go("ann")
        #expect(await world.peer(named: "ben")?.role == "host")
    }

    @Test func theLastModeratorIsFollowedByAnother() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        try await world.receive(FocusWorld.presence("ann", role: "moderator"))
        _ = world.server.take()
        try await world.receive(FocusWorld.presence("ann", role: "participant"))
        // The oldest.
        #expect(await world.peer(named: "ann")?.role == "host")
        let granted = world.server.take().compactMap { $0.elements.first?.elements.first }
        #expect(granted.contains { $0["affiliation"] == "owner" && $0["jid"] == "ann@example" })
    }

    @Test func theRoomMayRemoveTheModerator() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        try await world.host.remove(try #require(await world.peer(named: "ann")).id)
        try await world.go("ann")
        #expect(await world.peer(named: "ben")?.role == "host")
    }

    @Test func manyWhoComeAtOnceAreInvitedOneAfterTheOther() async throws {
        let world = FocusWorld()
        await world.open()
        for number in 0..<300 { try await world.come("m\(number)") }
        func asked() -> Int {
            world.server.all.count { $0.elements.first?.name == "query" && $0["type"] == "get" }
        }
        #expect(asked() == 200)
        // Those who have left are not asked.
        try await world.go("m200")
        await world.pass(.seconds(1))
        #expect(asked() == 250)
        await world.pass(.seconds(1))
        #expect(asked() == 299)
    }

    @Test func manyMembersMayLeaveQuestionsUnanswered() async throws {
        let world = FocusWorld()
        await world.open()
        for number in 0...PendingRequests.maximum { try await world.come("m\(number)") }
        // Some of them have to wait for their turn.
        await world.pass(.seconds(2))
        let last = "m\(PendingRequests.maximum)"
        #expect(
            await comesAbout { world.jingle(to: last)?["action"] == "session-initiate" })
        #expect(world.jingle(to: "m0") == nil)
    }

    @Test func whoDoesNotSayWhatItCanDoIsInvitedAllTheSame() async throws {
        let world = FocusWorld()
        await world.open()
        try await world.come("ann")
        await world.pass(.seconds(20))
        #expect(
            await comesAbout { world.jingle(to: "ann")?["action"] == "session-initiate" })
    }

    @Test func aSessionThatNobodyAcceptsEnds() async throws {
        let world = FocusWorld()
        await world.open()
        try await world.come("ann")
        try await world.answerDiscovery(of: "ann")
        await world.pass(.seconds(31))
        #expect(world.jingle(to: "ann")?["action"] == "session-terminate")
        #expect(world.media.noted.closed == [.named("jitsi-1")])
    }

    @Test func anEmptyConferenceEnds() async throws {
        let world = try await FocusWorld.meeting("ann")
        try await world.go("ann")
        await world.pass(.seconds(1))
        await world.pass(.seconds(29))
        #expect(await world.entrance.isOpen())
        await world.pass(.seconds(2))
        #expect(await !world.entrance.isOpen())
        #expect(await world.host.isEmpty)
        #expect(world.server.all.last?.elements.first?.elements.first?.name == "destroy")
    }

    @Test func anUnusableNickIsPutOut() async throws {
        let world = FocusWorld()
        await world.open()
        _ = world.server.take()
        try await world.come("a b")
        let kick = world.server.take().first?.elements.first?.elements.first
        #expect(kick?["role"] == "none")
        #expect(kick?["nick"] == "a b")
    }

    @Test func whoLeftWhileTheServerWasAwayIsGone() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        #expect(await world.entrance.comeBack())
        #expect(world.server.take().map { $0["to"] } == ["\(FocusWorld.room)/focus"])
        try await world.come("ben")
        try await world.receive(
            FocusWorld.presence(
                "focus", address: FocusWorld.focus, statuses: "<status code='110'/>"))
        #expect(await world.peer(named: "ann") == nil)
        #expect(await world.peer(named: "ben") != nil)
    }

    // MARK: Sessions

    @Test func sourcesComeAndGo() async throws {
        let world = try await FocusWorld.meeting("ann")
        let add = world.jingle("source-add", of: "ann", [FocusWorld.json(Self.camera)])
        #expect(await world.ask("ann", add) == nil)
        #expect(
            await world.peer(named: "ann")?.tracks.map(\.publishedID) == ["ann-v0", "ann-a0"])
        #expect(await world.ask("ann", add) == "bad-request")
        let remove = world.jingle(
            "source-remove", of: "ann",
            [FocusWorld.json(#"{"sources":{"ann":[[{"s":1,"n":"ann-v0"}]]}}"#)])
        #expect(await world.ask("ann", remove) == nil)
        #expect(await world.peer(named: "ann")?.tracks.map(\.publishedID) == ["ann-a0"])
    }

    @Test func oneStreamIsNotTwoSources() async throws {
        let world = try await FocusWorld.meeting("ann")
        let add = world.jingle(
            "source-add", of: "ann",
            [
                FocusWorld.json(
                    #"{"sources":{"ann":[[{"s":1,"n":"ann-v0"}],[],[{"s":1,"n":"ann-a0"}]]}}"#)
            ])
        #expect(await world.ask("ann", add) == "bad-request")
        #expect(await world.peer(named: "ann")?.tracks.isEmpty == true)
    }

    @Test func onlyItsOwnSessionIsAMembers() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let add = world.jingle("source-add", of: "ann")
        #expect(await world.ask("ben", add) == "item-not-found")
        #expect(await world.ask("eve", add) == "forbidden")
        #expect(
            await world.ask("ann", world.jingle("session-accept", of: "ann"))
                == "unexpected-request")
        #expect(
            await world.ask("ann", world.jingle("content-add", of: "ann"))
                == "feature-not-implemented")
        #expect(await world.ask("ann", XMLElement("x", "urn:x")) == "service-unavailable")
        #expect(await world.ask("ann", world.jingle("transport-info", of: "ann")) == nil)
    }

    /// - Returns: what `ask` returns.
    private func restart(_ nick: String, in world: FocusWorld) async -> String? {
        let bridge = XMLElement(
            "bridge-session", "http://jitsi.org/protocol/focus",
            ["id": world.jingle(to: nick)?["sid"], "restart": "true"])
        let reason = XMLElement(
            "reason", "urn:xmpp:jingle:1", [:], [XMLElement("success", "urn:xmpp:jingle:1")])
        return await world.ask(
            nick, world.jingle("session-terminate", of: nick, [reason, bridge]))
    }

    @Test func whoAsksForAnotherSessionGetsIt() async throws {
        let world = try await FocusWorld.meeting("ann")
        let first = world.jingle(to: "ann")?["sid"]
        #expect(await restart("ann", in: world) == nil)
        #expect(world.jingle(to: "ann")?["action"] == "session-initiate")
        #expect(world.jingle(to: "ann")?["sid"] != first)
        #expect(world.media.noted.closed == [.named("jitsi-1")])
        #expect(try await world.accept("ann") == nil)
    }

    @Test func tooManyRequestsAreRefused() async throws {
        let world = try await FocusWorld.meeting("ann")
        let ping = XMLElement("ping", "urn:xmpp:ping")
        var answers: Set<String?> = []
        for _ in 0..<FocusLimits.stanzasBurst + 10 { answers.insert(await world.ask("ann", ping)) }
        #expect(answers == [nil, "resource-constraint"])
    }

    /// Every attribute and element of a request in turn is taken away.
    @Test func noPartOfARequestIsTrusted() async throws {
        let world = try await FocusWorld.meeting("ann")
        let offer = try #require(world.jingle(to: "ann"))
        let whole = try FocusWorld.acceptance(of: offer, Self.camera)
        for action in ["session-accept", "source-add", "source-remove"] {
            for changed in Self.less(of: whole) {
                var changed = changed
                changed["action"] = action
                await world.pass(.seconds(1))
                _ = await world.ask("ann", changed)
                #expect(await world.entrance.isOpen())
            }
        }
    }

    private static func less(of element: XMLElement) -> [XMLElement] {
        var all: [XMLElement] = []
        for index in element.attributes.indices {
            var less = element
            less.attributes.remove(at: index)
            all.append(less)
        }
        for index in element.children.indices {
            var less = element
            less.children.remove(at: index)
            all.append(less)
            guard case .element(let child) = element.children[index] else { continue }
            for changed in Self.less(of: child) {
                var other = element
                other.children[index] = .element(changed)
                all.append(other)
            }
        }
        return all
    }

    // MARK: What members receive

    @Test func aMemberIsToldWhichStreamsAreWhose() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let add = world.jingle("source-add", of: "ann", [FocusWorld.json(Self.camera)])
        _ = await world.ask("ann", add)
        let ann = try #require(await world.peer(named: "ann")).id
        let ben = try #require(await world.peer(named: "ben")).id
        _ = world.server.take()
        let sent = [
            SentTrack(id: "ann-a0", publisher: ann, ssrc: 70),
            SentTrack(id: "ann-v0", publisher: ann, ssrc: 80, repairSSRC: 81),
        ]
        await world.hear(.tracksSent(ben, .named("jitsi-1"), sent))
        let told = try #require(world.jingle(to: "ben"))
        #expect(told["action"] == "source-add")
        #expect(
            told.elements.first?.text
                == #"{"sources":{"ann":[[{"m":"ann-video-0 ann-v0-80","n":"ann-v0","s":80},{"m":"ann-video-0 ann-v0-80","n":"ann-v0","s":81}],[["f",80,81]],[{"m":"ann-audio-0 ann-a0-70","n":"ann-a0","s":70}]]}}"#
        )
        // The same again is no news, and another connection's is none of it.
        _ = world.server.take()
        await world.hear(
            .tracksSent(ben, .named("jitsi-1"), sent), .tracksSent(ben, .named("jitsi-9"), []))
        #expect(world.server.take().isEmpty)
        await world.hear(.tracksSent(ben, .named("jitsi-1"), Array(sent.dropFirst())))
        #expect(world.jingle(to: "ben")?["action"] == "source-remove")
        #expect(
            world.jingle(to: "ben")?.elements.first?.text
                == #"{"sources":{"ann":[[],[],[{"m":"ann-audio-0 ann-a0-70","n":"ann-a0","s":70}]]}}"#
        )
    }

    @Test func anOlderClientIsToldInXML() async throws {
        let world = FocusWorld()
        await world.open()
        try await world.come("ben")
        try await world.answerDiscovery(
            of: "ben",
            "<query xmlns='http://jabber.org/protocol/disco#info'><feature var='urn:xmpp:jingle:apps:rtp:audio'/><feature var='urn:xmpp:jingle:apps:rtp:video'/></query>"
        )
        try await world.accept("ben")
        try await world.addGuest("cat", Track(id: "camera", streamID: "s", kind: .video))
        let ben = try #require(await world.peer(named: "ben")).id
        await world.hear(
            .tracksSent(
                ben, .named("jitsi-1"),
                [SentTrack(id: "camera", publisher: "cat", ssrc: 80, repairSSRC: 81)]))
        let told = try #require(world.jingle(to: "ben"))
        let list = try SourceList(of: told, told.elements)
        let guest = try #require(list.sources.first?.owner)
        #expect(list.sources.map(\.ssrc) == [80])
        #expect(list.sources.map(\.repairSSRC) == [81])
        #expect(world.server.all.contains { $0["to"] == "\(FocusWorld.room)/\(guest)" })
    }

    @Test func itsWishesReachTheMedia() async throws {
        let world = try await FocusWorld.meeting("ben")
        try await world.addGuest("cat", Track(id: "camera", streamID: "s", kind: .video))
        let ben = try #require(await world.peer(named: "ben")).id
        await world.hear(
            .dataText(
                ben, .named("jitsi-1"),
                #"{"colibriClass":"ReceiverVideoConstraints","defaultConstraints":{"maxHeight":180}}"#
            ),
            .tracksSent(
                ben, .named("jitsi-1"), [SentTrack(id: "camera", publisher: "cat", ssrc: 80)]))
        #expect(world.media.noted.preferences == ["camera": .low])
        await world.hear(
            .dataText(
                ben, .named("jitsi-1"), #"{"colibriClass":"LastNChangedEvent","lastN":0}"#))
        #expect(world.media.noted.preferences == ["camera": .none])
    }

    @Test func itIsToldWhichVideosItIsSent() async throws {
        let world = try await FocusWorld.meeting("ben")
        try await world.addGuest("cat", Track(id: "camera", streamID: "s", kind: .video))
        let ben = try #require(await world.peer(named: "ben")).id
        await world.hear(
            .tracksSent(
                ben, .named("jitsi-1"), [SentTrack(id: "camera", publisher: "cat", ssrc: 80)]))
        let told = try #require(world.jingle(to: "ben"))
        let camera = try #require(try SourceList(of: told, told.elements).sources.first).name
        func words(lastN: Int) async -> [String] {
            let count = world.media.noted.texts.count
            await world.hear(
                .dataText(
                    ben, .named("jitsi-1"),
                    #"{"colibriClass":"LastNChangedEvent","lastN":\#(lastN)}"#))
            return world.media.noted.texts.dropFirst(count).map(\.text)
        }
        // Clients know nothing else.
        #expect(await words(lastN: -1).isEmpty)
        #expect(
            await words(lastN: 0)
                == [#"{"colibriClass":"ForwardedSources","forwardedSources":[]}"#])
        #expect(await words(lastN: 0).isEmpty)
        #expect(
            await words(lastN: 1)
                == [#"{"colibriClass":"ForwardedSources","forwardedSources":["\#(camera)"]}"#])
    }

    @Test func theMediaForgetWhatWasWantedInAnEarlierSession() async throws {
        let world = try await FocusWorld.meeting("ben")
        try await world.addGuest("cat", Track(id: "camera", streamID: "s", kind: .video))
        let ben = try #require(await world.peer(named: "ben")).id
        func want(_ lastN: Int, on key: ConnectionKey) async {
            await world.hear(
                .dataText(ben, key, #"{"colibriClass":"LastNChangedEvent","lastN":\#(lastN)}"#),
                .tracksSent(ben, key, [SentTrack(id: "camera", publisher: "cat", ssrc: 80)]))
        }
        await want(0, on: .named("jitsi-1"))
        #expect(world.media.noted.preferences == ["camera": .none])
        #expect(await restart("ben", in: world) == nil)
        #expect(try await world.accept("ben") == nil)
        await want(-1, on: .named("jitsi-2"))
        #expect(world.media.noted.preferences == ["camera": .high])
    }

    // MARK: The bridge

    @Test func endpointMessagesGoToAllOrToOne() async throws {
        let world = try await FocusWorld.meeting("ann", "ben", "cid")
        let ann = try #require(await world.peer(named: "ann")).id
        let ben = try #require(await world.peer(named: "ben")).id
        let cid = try #require(await world.peer(named: "cid")).id
        await world.hear(
            .dataText(
                ann, .named("jitsi-1"),
                #"{"colibriClass":"EndpointMessage","to":"","from":"ben","msgPayload":{"n":1}}"#),
            .dataText(
                ann, .named("jitsi-1"),
                #"{"colibriClass":"EndpointMessage","to":"cid","msgPayload":{"n":2}}"#),
            .dataText(ann, .named("jitsi-1"), #"{"colibriClass":"ClientHello"}"#),
            .dataText(ann, .named("jitsi-1"), "nonsense"))
        let texts = world.media.noted.texts
        #expect(Set(texts.prefix(2).map(\.peer)) == [ben, cid])
        #expect(texts[0].text.contains(#""from":"ann""#))
        #expect(texts[2].peer == cid)
        #expect(texts[3].peer == ann)
        #expect(texts[3].text.contains("ServerHello"))
        #expect(texts.count == 4)
    }

    @Test func howAConnectionIsGoesToThoseWhoSeeIt() async throws {
        let world = try await FocusWorld.meeting("ann", "ben", "cid")
        let ann = try #require(await world.peer(named: "ann")).id
        let ben = try #require(await world.peer(named: "ben")).id
        let cid = try #require(await world.peer(named: "cid")).id
        let ask = FocusWorld.json(#"{"sources":{"ann":[[{"s":1,"n":"ann-v0"}]]}}"#)
        #expect(await world.ask("ann", world.jingle("source-add", of: "ann", [ask])) == nil)
        let camera = try #require(await world.peer(named: "ann")?.tracks.first).id
        // Cid has no picture of hers.
        await world.hear(
            .tracksSent(
                cid, .named("jitsi-1"), [SentTrack(id: camera, publisher: ann, ssrc: 80)]),
            .dataText(cid, .named("jitsi-1"), #"{"colibriClass":"LastNChangedEvent","lastN":0}"#))
        let count = world.media.noted.texts.count
        await world.hear(
            .dataText(
                ann, .named("jitsi-1"),
                #"{"colibriClass":"EndpointStats","from":"cid","connectionQuality":90}"#))
        let told = world.media.noted.texts.dropFirst(count)
        #expect(told.map(\.peer) == [ben])
        #expect(
            told.first?.text
                == #"{"colibriClass":"EndpointStats","connectionQuality":90,"from":"ann"}"#)
    }

    @Test func theSpeakerIsToldWhenItChanges() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let ann = try #require(await world.peer(named: "ann")).id
        let loud = ActiveSpeaker(peer: ann, track: "ann-a0", level: 80)
        await world.hear(
            .activeSpeakers([]), .activeSpeakers([loud]), .activeSpeakers([loud]),
            .activeSpeakers([]))
        let texts = world.media.noted.texts.map(\.text)
        #expect(texts.count == 4)
        #expect(
            texts.first
                == #"{"colibriClass":"DominantSpeakerEndpointChangeEvent","dominantSpeakerEndpoint":"ann","previousSpeakers":[],"silence":false}"#
        )
        #expect(texts.last?.contains(#""silence":true"#) == true)
        // Whoever comes later is told when its channel opens, once.
        let ben = try #require(await world.peer(named: "ben")).id
        for _ in 0..<2 {
            await world.hear(
                .dataText(ben, .named("jitsi-1"), #"{"colibriClass":"VideoTypeMessage"}"#))
        }
        let later = world.media.noted.texts.dropFirst(4)
        #expect(later.map(\.peer) == [ben])
        #expect(later.first?.text.contains(#""dominantSpeakerEndpoint":"ann""#) == true)
    }

    // MARK: The room

    @Test func guestsAreOccupants() async throws {
        let world = FocusWorld()
        try await world.addGuest("cat", Track(id: "camera", streamID: "s", kind: .video))
        await world.open()
        try await world.come("ann")
        try await world.answerDiscovery(of: "ann")
        let guest = try #require(
            world.server.all.first { $0.name == "presence" && $0["from"] != FocusWorld.focus })
        let nick = try #require(guest["to"]?.split(separator: "/").last)
        #expect(guest["from"] == "\(nick)@focus.example/guest")
        #expect(
            guest.child("SourceInfo", "jabber:client")?.text
                == "{\"\(nick)-v0\":{\"muted\":false,\"videoType\":\"camera\"}}")
        _ = world.server.take()
        try await world.publish(
            [
                Track(id: "camera", streamID: "s", kind: .video),
                Track(id: "screen", streamID: "s", kind: .video, source: "screen"),
            ], by: "cat")
        let shown = try #require(world.server.take().last)
        #expect(
            shown.child("SourceInfo", "jabber:client")?.text.contains(
                "\"\(nick)-v1\":{\"muted\":false,\"videoType\":\"desktop\"}") == true)
        try await world.host.remove("cat")
        #expect(world.server.take().last?["type"] == "unavailable")
    }

    @Test func chatGoesBothWays() async throws {
        let world = try await FocusWorld.meeting("ann")
        try await world.addGuest("cat")
        try await world.receive(
            "<message xmlns='jabber:client' type='groupchat' from='\(FocusWorld.room)/ann' to='\(FocusWorld.focus)'><body>hello</body></message>"
        )
        _ = world.server.take()
        try await world.host.say("well met", by: "cat")
        let ann = try #require(await world.peer(named: "ann")).id
        try await world.host.say("psst", by: "cat", to: .peer(ann))
        let sent = world.server.take()
        #expect(sent.map { $0["type"] } == ["groupchat", "chat"])
        #expect(sent.map { $0["to"] } == [FocusWorld.room, "\(FocusWorld.room)/ann"])
        #expect(sent.map { $0.elements.first?.text } == ["well met", "psst"])
        #expect(sent.allSatisfy { $0["from"]?.hasSuffix("@focus.example/guest") == true })
        // What members say is not repeated to them.
        try await world.receive(
            "<message xmlns='jabber:client' type='groupchat' from='\(FocusWorld.room)/ann' to='\(FocusWorld.focus)'><body>again</body></message>"
        )
        #expect(world.server.take().isEmpty)
    }

    @Test func mutesAreAskedOfWhoeverIsMeant() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        _ = await world.ask(
            "ben",
            world.jingle(
                "source-add", of: "ben",
                [FocusWorld.json(#"{"sources":{"ben":[[],[],[{"s":9,"n":"ben-a0"}]]}}"#)]))
        func mute(_ nick: String) -> XMLElement {
            XMLElement(
                "mute", "http://jitsi.org/jitmeet/audio", ["jid": "\(FocusWorld.room)/\(nick)"],
                text: "true")
        }
        _ = world.server.take()
        #expect(await world.ask("ann", mute("ben")) == nil)
        let order = try #require(
            world.server.take().first { $0["to"] == "\(FocusWorld.room)/ben" }?.elements.first)
        #expect(order.isNamed("mute", "http://jitsi.org/jitmeet/audio"))
        #expect(order["actor"] == "\(FocusWorld.room)/ann")
        #expect(order.text == "true")
        #expect(await world.ask("ben", mute("ann")) == "not-allowed")
        #expect(await world.ask("ann", mute("nobody")) == "item-not-found")
    }

    @Test func whoIsPutOutOfTheRoomIsKicked() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let ben = try #require(await world.peer(named: "ben")).id
        try await world.host.remove(ben)
        let kick = world.server.take().first?.elements.first?.elements.first
        #expect(kick?["nick"] == "ben")
        #expect(kick?["role"] == "none")
        #expect(kick?.elements.first?.text == "enough")
    }

    @Test func aModeratorOfTheXMPPRoomPutsGuestsOut() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        try await world.addGuest("cat")
        let entered = try #require(world.server.take().last)
        let address = try #require(entered["from"])
        let nick = String(try #require(address.split(separator: "@").first))
        func kicked(by actor: String) -> String {
            FocusWorld.presence(
                nick, type: "unavailable", item: "<actor nick='\(actor)'/>", to: address,
                address: address, statuses: "<status code='307'/>")
        }
        // The room does not let this one: the guest comes back.
        try await world.receive(kicked(by: "ben"))
        #expect(await world.peer(named: "cat") != nil)
        #expect(world.server.take().last?["to"] == "\(FocusWorld.room)/\(nick)")
        try await world.receive(kicked(by: "ann"))
        #expect(await world.peer(named: "cat") == nil)
    }

    @Test func theEndOfTheRoomIsTheEndOfTheConference() async throws {
        let world = try await FocusWorld.meeting("ann")
        await world.host.endAll(reason: "good night")
        let end = world.server.take().last?.elements.first?.elements.first
        #expect(end?.name == "destroy")
        #expect(end?.elements.first?.text == "good night")
        #expect(await world.host.isEmpty)
    }
}
