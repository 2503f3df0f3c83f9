import HundredMS
import HundredMSTerms
import MediaKernel
import MediaServer
import PeerConnection
import RoomHost
import Rooms
import Testing

/// Events of the media plane, and frames on the data channel.
@Suite(.timeLimit(.minutes(5))) struct MediaEventTests {
    let fixture = SignallingFixture()

    /// Passes the events on, then ends.
    func say(_ events: [MediaEvent]) async {
        for event in events { fixture.media.say(event) }
        fixture.media.shutDown()
        await fixture.host.run()
    }

    func publish(_ track: String, by client: TestClient) async throws {
        let reply = try await client.call(
            "offer",
            """
            {"desc":{"type":"offer","sdp":"x"},"tracks":{"\(track)":{"track_id":"\(track)",\
            "stream_id":"s","type":"audio"}}}
            """)
        #expect(reply.error == nil)
    }

    @Test func offersReachTheirPeer() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        _ = try await ann.drain()
        await say([
            .subscribeOffer("ann", sdp: "offer for ann")
        ])
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"offer","params":{"sdp":"offer for ann","type":"offer"}}
                """)
        #expect(try await ben.drain().isEmpty)
    }

    @Test func whoSendsTooMuchIsTold() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        try await publish("voice", by: ann)
        _ = try await (ann.drain(), ben.drain())
        let entry = fixture.media.subscriptions(of: "ben")?.tracks.first { $0.publisher == "ann" }
        #expect(entry?.statedBitsPerSecond == 32_000)
        await say([.excessMedia("ann", "voice"), .excessMedia("ann", nil)])
        for text in ["track 'voice' sends more than its role", "this peer sends too much media"] {
            let frame = await ann.socket.next()
            #expect(frame?.contains(#""method":"on-warning""#) == true)
            #expect(frame?.contains(#""code":429"#) == true)
            #expect(frame?.contains(text) == true)
        }
        #expect(try await ben.drain().isEmpty)
    }

    @Test func theClientsAnswersAndCandidatesReachTheMediaPlane() async throws {
        let ann = try await fixture.join("ann")
        _ = fixture.media.calls()
        await ann.notify("answer", #"{"desc":{"type":"answer","sdp":"my answer"}}"#)
        await ann.notify(
            "trickle",
            """
            {"target":1,"candidate":{"candidate":"candidate:9","sdpMid":"0","sdpMLineIndex":0,\
            "usernameFragment":"u"}}
            """)
        await ann.notify("trickle", #"{"target":0,"candidate":{"candidate":"","sdpMid":null}}"#)
        #expect(
            fixture.media.calls() == [
                "answer ann my answer", "trickle ann subscribe candidate:9",
                "trickle ann publish ",
            ])
        #expect(try await ann.drain().isEmpty)
    }

    @Test func whatIsSaidDuringTheJoinComesAfterItsAnswer() async throws {
        let running = Task { await fixture.host.run() }
        let ann = try await fixture.connect("ann")
        _ = try await ann.drain()
        fixture.media.closeGate()
        async let joining: Void = ann.send(
            #"{"method":"join","params":{"name":"A","offer":{"type":"offer","sdp":"v"}},"id":"1"}"#)
        await fixture.media.waitForGate()
        for index in 0..<100 { fixture.media.say(.subscribeOffer("ann", sdp: "\(index)")) }
        fixture.media.shutDown()
        await running.value
        fixture.media.openGate()
        await joining
        let frames = try await ann.drain()
        #expect(
            frames.prefix(5).map { $0.method ?? "answer" } == [
                "answer", "peer-list", "room-info", "session-info", "offer",
            ])
        // Beyond the maximum the newest are dropped.
        #expect(frames.count == 4 + 64)
        #expect(frames.last?.params["sdp"].string == "63")
    }

    @Test func whoTurnsAutomaticVideosOffIsMadeKnownAsOneThatAsks() async throws {
        for (peer, said, asks) in [
            ("ann", #","disableVidAutoSub":true"#, true),
            ("ben", #","disableVidAutoSub":false"#, false), ("cleo", "", false),
        ] {
            let client = try await fixture.connect(PeerID(peer))
            let params = #"{"name":"A","offer":{"type":"offer","sdp":"v"}\#(said)}"#
            #expect(try await client.call("join", params).error == nil)
            #expect(
                fixture.media.calls().first == "add \(peer)" + (asks ? " who asks for videos" : ""))
        }
    }

    @Test func theRecorderIsMadeKnownAsOne() async throws {
        let client = try await fixture.connect("bot", role: HundredMSTerms.recorderRole)
        let params = #"{"name":"A","offer":{"type":"offer","sdp":"v"}}"#
        #expect(try await client.call("join", params).error == nil)
        #expect(fixture.media.calls().first == "add bot who records")
    }

    @Test func aPreferenceForATrackThatIsReceivedIsGrantedAndForAnotherIsNot() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        try await publish("t1", by: ben)
        _ = fixture.media.calls()
        _ = ann
        func request(_ id: String, _ method: String, _ params: String) -> MediaEvent {
            .dataText(
                "ann", .subscribe,
                #"{"id":"\#(id)","jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#
            )
        }
        await say([
            request(
                "1", "prefer-video-track-state", #"{"track_id":"t1","max_spatial_layer":"high"}"#),
            request("2", "prefer-audio-track-state", #"{"track_id":"t1","subscribed":false}"#),
            request(
                "3", "prefer-video-track-state", #"{"track_id":"t9","max_spatial_layer":"low"}"#),
            request("4", "prefer-video-track-state", #"{"max_spatial_layer":"low"}"#),
            request("5", "prefer-the-moon", #"{}"#),
            .dataText("ann", .subscribe, "nonsense"),
            .dataText("nobody", .subscribe, #"{"id":"6","method":"prefer-audio-track-state"}"#),
            .dataText("ann", .subscribe, String(repeating: "x", count: 20_000)),
        ])
        let error = #"data ann {"error":{"code":"#
        #expect(
            fixture.media.calls() == [
                "prefer high of t1 for ann",
                #"data ann {"id":"1","jsonrpc":"2.0","result":{"track_id":"t1"}}"#,
                "prefer none of t1 for ann",
                #"data ann {"id":"2","jsonrpc":"2.0","result":{"track_id":"t1"}}"#,
                error + #"404,"message":"track not found"},"id":"3","jsonrpc":"2.0"}"#,
                error
                    + #"400,"message":"parameter 'track_id' is missing"},"id":"4","jsonrpc":"2.0"}"#,
                error
                    + #"404,"message":"method 'prefer-the-moon' is not known here"},"id":"5","jsonrpc":"2.0"}"#,
            ])
    }

    @Test func whoPublishesChangesWhatEverybodyReceivesAtOnce() async throws {
        let ann = try await fixture.join("ann")
        for peer in ["ben", "cat", "dan"] { _ = try await fixture.join(PeerID(peer)) }
        _ = fixture.media.calls()
        let before = fixture.media.subscriptionCalls
        try await publish("t1", by: ann)
        let told = fixture.media.calls().filter { $0.hasPrefix("subscribe") }
        #expect(told == ["subscribe ben [t1]", "subscribe cat [t1]", "subscribe dan [t1]"])
        #expect(fixture.media.subscriptionCalls == before + 1)
    }

    @Test func whatSomebodyShowsIsToldFromACamera() async throws {
        let ann = try await fixture.join("ann")
        _ = try await fixture.join("ben")
        let sources = ["regular", "screen", "videoplaylist", "plugin", "audioplaylist", "mine"]
        let tracks = sources.map { source in
            #""\#(source)":{"track_id":"\#(source)","stream_id":"s","type":"video","#
                + #""source":"\#(source)"}"#
        }
        let list = tracks.joined(separator: ",")
        let answer = try await ann.call(
            "offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":{\#(list)}}"#)
        #expect(answer.error == nil, "\(answer)")
        let received = try #require(fixture.media.subscriptions(of: "ben")).tracks
        #expect(received.count == sources.count)
        #expect(
            Set(received.filter(\.importance.isScreen).map(\.id.rawValue))
                == ["screen", "videoplaylist", "plugin"])
    }

    @Test func aRoleSaysHowMuchItsPeersGetAndHowMuchTheirsMatters() async throws {
        let degradation = SubscribeDegradation(packetLossThreshold: 30)
        let all = SubscribeParameters(subscribeToRoles: ["*"])
        func role(_ name: String, _ priority: Int) -> Role {
            var role = Role(name: name, priority: priority, subscribeParams: all)
            role.publishParams = PublishParameters(allowed: [.audio])
            role.permissions = .all
            role.subscribeParams.maxSubsBitRate = 100 * priority
            role.subscribeParams.subscribeDegradation = degradation
            return role
        }
        let policy = try Policy(validating: [
            role("lead", 1), role("crew", 4),
            Role(name: HundredMSTerms.recorderRole, isHidden: true, subscribeParams: all),
        ])
        let fixture = SignallingFixture(policy: policy)
        let lead = try await fixture.join("lead", role: "lead")
        let crew = try await fixture.join("crew", role: "crew")
        _ = try await fixture.join("bot", role: HundredMSTerms.recorderRole)
        for (client, track) in [(lead, "t1"), (crew, "t2")] { try await publish(track, by: client) }

        let got = try #require(fixture.media.subscriptions(of: "crew"))
        #expect(got.tracks.map(\.importance.priority) == [1] && got.bitsPerSecondMaximum == 400_000)
        #expect(got.lossDegradation?.threshold == 0.3)
        let hidden = try #require(fixture.media.subscriptions(of: "bot"))
        #expect(hidden.tracks.map(\.importance.priority) == [1, 4])
        #expect(hidden.bitsPerSecondMaximum == nil && hidden.lossDegradation == nil)

        // Another role changes both, though not the received tracks.
        let change = try await lead.call(
            "role-change-request", #"{"requested_for":"crew","role":"lead","force":true}"#)
        #expect(change.error == nil)
        #expect(fixture.media.subscriptions(of: "crew")?.bitsPerSecondMaximum == 100_000)
        #expect(fixture.media.subscriptions(of: "lead")?.tracks.map(\.importance.priority) == [1])
        #expect(
            fixture.media.subscriptions(of: "bot")?.tracks.map(\.importance.priority) == [1, 1])
    }

    @Test func connectionQualityIsToldToEverybodyOfEverybodyWhoMayBeSeen() async throws {
        let ann = try await fixture.join("ann")
        _ = try await fixture.join("bot", role: HundredMSTerms.recorderRole)
        _ = try await fixture.connect("visitor")
        _ = ann
        _ = fixture.media.calls()
        fixture.media.say(
            .connectionQuality([
                PeerQuality(peer: "ann", score: 4), PeerQuality(peer: "bot", score: 5),
                PeerQuality(peer: "gone", score: 3), PeerQuality(peer: "visitor", score: 3),
            ]))
        fixture.media.say(.connectionQuality([PeerQuality(peer: "bot", score: 1)]))
        fixture.media.shutDown()
        await fixture.host.run()
        #expect(
            fixture.media.calls() == [
                #"data ann {"jsonrpc":"2.0","method":"on-connection-quality-update","params":{"peers":[{"downlink_score":4,"peer_id":"ann"}]}}"#
            ])
    }

    @Test func theQualityOfManyGoesInSeveralFrames() async throws {
        for number in 0..<101 { _ = try await fixture.join(PeerID("p\(number)")) }
        _ = fixture.media.calls()
        fixture.media.say(
            .connectionQuality((0..<101).map { PeerQuality(peer: PeerID("p\($0)"), score: 5) }))
        fixture.media.shutDown()
        await fixture.host.run()
        let frames = fixture.media.calls().filter { $0.hasPrefix("data p7 ") }
        #expect(frames.map { $0.matches(of: /peer_id/).count } == [100, 1])
    }

    @Test func activeSpeakersAreToldToThoseWhoHearThem() async throws {
        let policy = try Policy(validating: [
            Role(
                name: "stage", publishParams: PublishParameters(allowed: [.audio]),
                subscribeParams: SubscribeParameters(subscribeToRoles: ["stage"])),
            Role(name: "deaf"),
        ])
        let fixture = SignallingFixture(policy: policy)
        let ann = try await fixture.join("ann", role: "stage")
        _ = try await fixture.join("ben", role: "deaf")
        _ = try await ann.call(
            "offer",
            """
            {"desc":{"type":"offer","sdp":"x"},"tracks":{"t":{"track_id":"t","stream_id":"s",\
            "type":"audio"}}}
            """)
        _ = fixture.media.calls()
        // Audio of an unpublished track is ignored.
        fixture.media.say(
            .activeSpeakers([
                ActiveSpeaker(peer: "ben", track: "mine", level: 90),
                ActiveSpeaker(peer: "ann", track: "other", level: 80),
                ActiveSpeaker(peer: "ann", track: "t", level: 400),
            ]))
        fixture.media.shutDown()
        await fixture.host.run()
        #expect(
            fixture.media.calls().sorted() == [
                #"data ann {"jsonrpc":"2.0","method":"active-speakers","params":{"speaker-list":[{"level":100,"peer_id":"ann","track_id":"t"}]}}"#,
                #"data ben {"jsonrpc":"2.0","method":"active-speakers","params":{"speaker-list":[]}}"#,
            ])
    }

    @Test func whomAPeerDoesNotHearTakesNobodysPlaceAmongTheSpeakers() async throws {
        func role(_ name: String, hears names: [String]) -> Role {
            Role(
                name: name, publishParams: PublishParameters(allowed: [.audio]),
                subscribeParams: SubscribeParameters(subscribeToRoles: names))
        }
        let fixture = SignallingFixture(
            policy: try Policy(validating: [
                role("near", hears: ["near"]), role("far", hears: ["near", "far"]),
            ]))
        var speakers: [ActiveSpeaker] = []
        for (peer, role, count) in [
            ("ann", "near", 0), ("ben", "near", 1), ("dan", "far", 10), ("eve", "far", 10),
        ] as [(PeerID, String, Int)] {
            let client = try await fixture.join(peer, role: role)
            guard count > 0 else { continue }
            let ids = (0..<count).map { "\(peer)-\($0)" }
            let tracks = ids.map {
                #""\#($0)":{"track_id":"\#($0)","stream_id":"s","type":"audio"}"#
            }
            let list = tracks.joined(separator: ",")
            let answer = try await client.call(
                "offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":{\#(list)}}"#)
            #expect(answer.error == nil, "\(answer)")
            speakers += ids.map {
                ActiveSpeaker(peer: peer, track: TrackID($0), level: role == "far" ? 90 : 10)
            }
        }
        // An unpublished track is the loudest, followed by those that only the far peers hear.
        speakers += (0..<SignallingLimits.speakers).map {
            ActiveSpeaker(peer: "ann", track: TrackID("x\($0)"), level: 95)
        }
        speakers.sort { $0.level > $1.level }
        _ = fixture.media.calls()
        await fixture.hear(.activeSpeakers(speakers))
        let frames = fixture.media.calls()
        func heard(by peer: String) -> [String] {
            let frame = frames.first { $0.hasPrefix("data \(peer) ") } ?? ""
            return frame.matches(of: /"track_id":"([^"]*)"/).map { String($0.1) }
        }
        #expect(heard(by: "ann") == ["ben-0"])
        #expect(heard(by: "eve").count == SignallingLimits.speakers)
        #expect(heard(by: "eve").allSatisfy { $0.hasPrefix("dan-") || $0.hasPrefix("eve-") })
    }
}
