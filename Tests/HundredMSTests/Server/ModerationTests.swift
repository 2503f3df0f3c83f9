import HundredMS
import MediaKernel
import MediaServer
import RoomHost
import Rooms
import Testing

/// A peer's actions on others, frame by frame.
@Suite(.timeLimit(.minutes(5))) struct ModerationTests {
    let fixture = SignallingFixture()

    func offer(_ tracks: [String]) -> String {
        let payloads = tracks.map { id in
            let type = id.hasPrefix("v") ? "video" : "audio"
            return #""\#(id)":{"track_id":"\#(id)","stream_id":"s","type":"\#(type)"}"#
        }
        return """
            {"desc":{"type":"offer","sdp":"o"},"tracks":{\(payloads.joined(separator: ","))}}
            """
    }

    func changeRole(of peer: String, to role: String, force: Bool = true) -> String {
        #"{"requested_for":"\#(peer)","role":"\#(role)","force":\#(force)}"#
    }

    // MARK: - Roles

    @Test func aForcedRoleIsToldAsPolicyThenAsPeerThenAsTracks() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ben.call("offer", offer(["m", "v"]))
        _ = try await ann.drain()
        _ = fixture.media.calls()
        await ann.send(
            """
            {"id":"1","method":"role-change-request",\
            "params":{"requested_for":"ben","role":"viewer","force":true}}
            """)
        let own = try await ben.drain()
        #expect(own.map(\.method) == ["on-policy-change", "on-peer-update"])
        #expect(own.first?.params["name"].string == "viewer")
        #expect(own.first?.params["known_roles"].keys == ["guest", "host", "viewer"])
        #expect(
            own.last?.text == """
                {"jsonrpc":"2.0","method":"on-peer-update","params":{"groups":[],"info":\
                {"data":"","name":"BEN","type":"regular","user_id":"user-ben"},\
                "joined_at":1720000000000,"peer_id":"ben","realtime":true,"role":"viewer"}}
                """)
        let seen = try await ann.drain()
        #expect(
            seen.map { $0.method ?? "answer" } == ["answer", "on-peer-update", "on-track-remove"])
        #expect(seen.first?.result == .object([:]))
        #expect(seen.last?.params["tracks"].keys == ["m", "v"])
        // The role has its own terms for received tracks, too.
        #expect(
            fixture.media.calls() == ["subscribe ann []", "subscribe ben []"])
        #expect(await fixture.host.snapshot().peers.last?.role == "viewer")
    }

    /// 100ms' web client throws if a peer with a camera gets a role without `video`, and if its own
    /// role lacks the publish parameters.
    @Test func everyRoleIsSentWithAllThatClientsReadOfIt() async throws {
        let fixture = SignallingFixture(
            policy: try Policy(validating: [
                Role(name: "speaker", publishParams: PublishParameters(allowed: [.audio, .video])),
                Role(
                    name: "viewer",
                    publishParams: PublishParameters(
                        video: VideoParameters(
                            bitRate: 900, codec: "vp9", frameRate: 30, width: 1280, height: 720))),
            ]))
        let ann = try await fixture.connect("ann", role: "speaker")
        let roles = try #require(try await ann.drain().first).params["known_roles"]
        let speaker = roles["speaker"]["publishParams"]
        #expect(speaker["audio"] == .object(["bitRate": .integer(32), "codec": .string("opus")]))
        #expect(speaker["video"]["width"].integer == 320)
        #expect(speaker["screen"]["bitRate"].integer == 1024)
        let viewer = roles["viewer"]["publishParams"]
        #expect(viewer["allowed"] == .array([]) && viewer["screen"]["width"].integer == 1280)
        #expect(viewer["video"]["codec"].string == "vp9")
        #expect(viewer["video"]["height"].integer == 720)
    }

    /// 100ms' Android library knows three codec names and fails to look up others.
    @Test(arguments: [(ClientKind.web, "av1"), (.native, "vp8"), (.reactNative, "vp8")])
    func aCodecIsSentInAWordThatTheClientHas(client: ClientKind, word: String) async throws {
        let fixture = SignallingFixture(
            policy: try PolicyFile.policy(
                fromJSON: """
                    {"roles":{"guest":{},"host":{"permissions":{"changeRole":true},
                      "publishParams":{"video":{"codec":"AV1"},"screen":{"codec":"VP9"}}}}}
                    """))
        let socket = FakeSocket()
        let claims = SignallingClaims(room: "r1", userID: "u", role: "host", client: client)
        let id = await fixture.signalling.open(peer: "ann", claims: claims, socket: socket)
        let ann = TestClient(
            fixture: fixture, peer: "ann", socket: socket, connection: try #require(id))
        func words(_ frame: TestFrame?) -> [String?] {
            let publish = frame?.params["known_roles"]["host"]["publishParams"] ?? .null
            return [publish["video"]["codec"].string, publish["screen"]["codec"].string]
        }
        let first = try await ann.next()
        #expect(words(first) == [word, "vp9"])
        #expect(try await ann.call("join", #"{"name":"A"}"#).error == nil)
        _ = try await ann.drain()
        #expect(
            try await ann.call("role-change-request", changeRole(of: "ann", to: "guest")).error
                == nil)
        let second = try await ann.drain().first { $0.method == "on-policy-change" }
        #expect(words(second) == [word, "vp9"])
    }

    /// If a layer lacks one of two numbers, 100ms' web client calculates with undefined.
    @Test func everyLayerIsSentWithTheNumbersThatClientsReckonWith() async throws {
        let layers = [
            SimulcastLayer(rid: "f"),
            SimulcastLayer(rid: "h", scaleResolutionDownBy: 2, maxBitrate: 100),
            SimulcastLayer(rid: "q", scaleResolutionDownBy: 4),
        ]
        let publish = PublishParameters(
            allowed: [.video],
            video: VideoParameters(bitRate: 900, frameRate: 30, width: 1280, height: 720),
            simulcast: SimulcastParameters(
                video: SimulcastLayers(layers: layers),
                screen: SimulcastLayers(layers: [SimulcastLayer(rid: "f")])))
        let fixture = SignallingFixture(
            policy: try Policy(validating: [Role(name: "speaker", publishParams: publish)]))
        let ann = try await fixture.connect("ann", role: "speaker")
        let roles = try #require(try await ann.drain().first).params["known_roles"]
        let sent = roles["speaker"]["publishParams"]["simulcast"]
        let (video, screen) = (sent["video"]["layers"], sent["screen"]["layers"])
        let scales = [video[0], video[1], video[2], screen[0]].map { layer in
            layer["scaleResolutionDownBy"].integer
        }
        let bitRates = [video[0], video[1], video[2], screen[0]].map { layer in
            layer["maxBitrate"].integer
        }
        #expect(scales == [1, 2, 4, 1])
        #expect(bitRates == [900, 100, 900, 1024])
    }

    @Test func aRoleThatIsOfferedIsTakenByItsToken() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "viewer")
        _ = try await ann.drain()
        let ask = changeRole(of: "ben", to: "host", force: false)
        #expect(try await ann.call("role-change-request", ask).result == .object([:]))
        let offer = try #require(await ben.next())
        #expect(offer.method == "on-role-change-request")
        #expect(offer.params.keys == ["requested_by", "role", "token"])
        #expect(offer.params["requested_by"].string == "ann")
        #expect(offer.params["role"].string == "host")
        let token = try #require(offer.params["token"].string)
        #expect(try await ann.drain().isEmpty)

        let accept = #"{"requested_by":"ann","role":"host","token":"\#(token)"}"#
        await ben.send(#"{"id":"1","method":"role-change","params":\#(accept)}"#)
        let frames = try await ben.drain()
        #expect(
            frames.map { $0.method ?? "answer" } == [
                "answer", "on-policy-change", "on-peer-update",
            ])
        #expect(frames.first?.result == .object([:]))
        #expect(try await ann.drain().map(\.method) == ["on-peer-update"])
        // It now has the permissions of its new role.
        #expect(
            try await ben.call("role-change-request", changeRole(of: "ann", to: "viewer")).error
                == nil)
        #expect(
            try await ben.call("role-change", accept).error
                == refusal(.room(.unknownRoleOffer)))
    }

    @Test func rolesAreChangedInBulk() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        let cleo = try await fixture.join("cleo", role: "guest")
        for client in [ann, ben, cleo] { _ = try await client.drain() }
        let request = #"{"roles":["guest"],"role":"viewer","force":true}"#
        #expect(
            try await ben.call("role-change-request", request).error
                == refusal(.room(.missingPermission(.changeRole, role: "guest"))))
        #expect(try await ann.call("role-change-request", request).result == .object([:]))
        for client in [ben, cleo] {
            let methods = try await client.drain().map(\.method)
            #expect(methods.filter { $0 == "on-policy-change" }.count == 1)
            #expect(methods.filter { $0 == "on-peer-update" }.count == 2)
        }
        #expect(try await ann.drain().map(\.method) == ["on-peer-update", "on-peer-update"])
    }

    /// The web client unpublishes video, then audio, then the screen, each with its own offer.
    @Test func offersThatStillListWhatWasTakenAwayAreAnswered() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ben.call("offer", offer(["m", "v"]))
        _ = try await ann.call("role-change-request", changeRole(of: "ben", to: "viewer"))
        _ = try await ann.drain()
        _ = try await ben.drain()
        #expect(try await ben.call("offer", offer(["m"])).result["sdp"].string == "answer to o")
        await ben.notify("track-update", #"{"tracks":{"m":{"mute":true},"v":{"mute":true}}}"#)
        #expect(try await ben.drain().isEmpty)
        #expect(try await ben.call("offer", offer([])).error == nil)
        await ben.send(#"{"id":"1","method":"offer","params":\#(offer(["m2"]))}"#)
        let frames = try await ben.drain()
        #expect(frames.map(\.method) == ["on-warning", nil])
        #expect(frames[0].params["code"].integer == 403)
        #expect(frames[0].params["message"].string == "role 'viewer' may not publish audio")
        #expect(frames[1].result["sdp"].string == "answer to o")
        #expect(try await ben.call("offer", offer(["m2"])).error == nil)
        #expect(try await ann.drain().isEmpty)
    }

    @Test func aNewRoleIsStillThereAfterAReconnection() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        await ben.close()
        _ = try await ann.call("role-change-request", changeRole(of: "ben", to: "viewer"))
        let back = try await fixture.connect("ben", role: "guest")
        #expect(try await back.drain().first?.params["name"].string == "viewer")
    }

    @Test func whoJoinedWithoutAnOfferMakesItWhenItsRolePublishes() async throws {
        let ann = try await fixture.join("ann")
        _ = try await ann.call("offer", offer(["v1"]))
        let ben = try await fixture.connect("ben", role: "viewer")
        _ = try await ben.call("join", #"{"name":"Ben","disableVidAutoSub":true}"#)
        _ = try await ann.call("role-change-request", changeRole(of: "ben", to: "guest"))
        _ = try await ann.drain()
        _ = try await ben.drain()
        _ = fixture.media.calls()
        #expect(try await ben.call("offer", offer(["m"])).result["sdp"].string == "answer to o")
        #expect(
            fixture.media.calls() == [
                "add ben who asks for videos", "offer ben o", "subscribe ben [v1]",
                "subscribe ann [m]",
            ])
        #expect(try await ann.drain().map(\.method) == ["on-track-add"])
        #expect(try await ben.call("offer", offer(["m"])).error == nil)
        #expect(fixture.media.calls() == ["offer ben o"])
        await ben.notify("leave")
        #expect(await ben.socket.closure().code == 1000)
        #expect(fixture.media.calls().first == "remove ben")
    }

    @Test func aFirstOfferThatIsRefusedMayBeMadeAgain() async throws {
        let ben = try await fixture.connect("ben", role: "guest")
        _ = try await ben.call("join", #"{"name":"Ben"}"#)
        fixture.media.refuse("publishOffer")
        #expect(
            try await ben.call("offer", offer(["m"])).error
                == refusal(.media("the offer was refused: no publishOffer today")))
        #expect(fixture.media.calls() == ["add ben", "offer ben o", "remove ben"])
        fixture.media.allow("publishOffer")
        #expect(try await ben.call("offer", offer(["m"])).error == nil)
    }

    @Test func whoLeavesDuringItsFirstOfferLeavesNothingBehind() async throws {
        let ben = try await fixture.connect("ben", role: "guest")
        _ = try await ben.call("join", #"{"name":"Ben"}"#)
        fixture.media.closeGate()
        let params = offer(["m"])
        async let late: Void = ben.send(#"{"id":"1","method":"offer","params":\#(params)}"#)
        await fixture.media.waitForGate()
        await ben.notify("leave")
        fixture.media.openGate()
        await late
        #expect(await fixture.host.isEmpty)
        #expect(fixture.media.calls().filter { $0 == "remove ben" }.count == 1)
        _ = try await fixture.join("ben", role: "guest")
    }

    // MARK: - Mutes

    /// The room distinguishes the ids; their publisher does not know that.
    @Test func whoPublishesATrackHearsOfItByItsOwnName() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.call("offer", offer(["m"]))
        _ = try await ben.drain()
        _ = try await ben.call("offer", offer(["m"]))
        let told = try await ann.drain()
        #expect(told.contains { "\($0)".contains("m-2") }, "\(told)")
        _ = fixture.media.calls()
        let wanted = fixture.media.subscriptions(of: "ann")?.tracks
        #expect(wanted?.map(\.id) == ["m-2"] && wanted?.map(\.publishedID) == ["m"])
        _ = try await ben.drain()
        let request = #"{"requested_for":"ben","track_id":"m-2","stream_id":"s","mute":true}"#
        #expect(try await ann.call("track-update-request", request).result == .object([:]))
        #expect(
            await ben.socket.next() == """
                {"jsonrpc":"2.0","method":"on-track-update-request","params":{"mute":true,\
                "requested_by":"ann","stream_id":"s","track_id":"m"}}
                """)
        await fixture.hear(
            .activeSpeakers([
                ActiveSpeaker(peer: "ben", track: "m", level: 50),
                ActiveSpeaker(peer: "ann", track: "m", level: 40),
            ]))
        let frames = fixture.media.calls()
        func heard(by peer: String) -> [String] {
            let frame = frames.first { $0.hasPrefix("data \(peer) ") } ?? ""
            return frame.matches(of: /"track_id":"([^"]*)"/).map { String($0.1) }
        }
        #expect(heard(by: "ann") == ["m-2", "m"])
        #expect(heard(by: "ben") == ["m", "m"])
    }

    @Test func oneTrackIsAskedForAndTheServerChangesNothing() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ben.call("offer", offer(["m", "v"]))
        _ = try await ann.drain()
        _ = fixture.media.calls()
        let request = #"{"requested_for":"ben","track_id":"m","stream_id":"s","mute":true}"#
        #expect(try await ann.call("track-update-request", request).result == .object([:]))
        #expect(
            await ben.socket.next() == """
                {"jsonrpc":"2.0","method":"on-track-update-request","params":{"mute":true,\
                "requested_by":"ann","stream_id":"s","track_id":"m"}}
                """)
        #expect(try await ann.drain().isEmpty)
        #expect(
            await fixture.host.snapshot().peers.last?.tracks.allSatisfy { !$0.isMuted }
                == true)
        #expect(fixture.media.calls().isEmpty)
        #expect(
            try await ben.call(
                "track-update-request",
                #"{"requested_for":"ann","track_id":"m","stream_id":"s","mute":true}"#
            ).error == refusal(.room(.missingPermission(.mute, role: "guest"))))
        #expect(
            try await ann.call(
                "track-update-request",
                #"{"requested_for":"ben","track_id":"m","stream_id":"x","mute":true}"#
            ).error
                == refusal(
                    .room(.invalidField(field: "stream_id", reason: "is not that of track m"))))
    }

    @Test func allTracksOfAKindAreAskedForWithWhatTheAskerSaid() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        let cleo = try await fixture.join("cleo", role: "viewer")
        _ = try await ann.call("offer", offer(["m1"]))
        _ = try await ben.call("offer", offer(["m2"]))
        for client in [ann, ben, cleo] { _ = try await client.drain() }
        let request = #"{"value":false,"type":"audio","source":"regular","roles":["guest"]}"#
        #expect(
            try await ann.call("change-track-mute-state-request", request).result == .object([:]))
        #expect(
            await ben.socket.next() == """
                {"jsonrpc":"2.0","method":"on-change-track-mute-state-request","params":\
                {"requested_by":"ann","roles":["guest"],"source":"regular","type":"audio",\
                "value":false}}
                """)
        _ = try await ann.call("change-track-mute-state-request", #"{"value":true}"#)
        #expect(
            await ben.socket.next() == """
                {"jsonrpc":"2.0","method":"on-change-track-mute-state-request","params":\
                {"requested_by":"ann","value":true}}
                """)
        #expect(try await ann.drain().isEmpty)
        #expect(try await cleo.drain().isEmpty)
    }

    // MARK: - Both ends

    @Test func theClientAsksForMutesAsTheServerWantsAndIsAskedInTurn() async throws {
        let ben = try await fixture.join("ben")
        _ = try await ben.call("offer", offer(["m"]))
        let socket = try await fixture.join("ann")
        _ = try await socket.call("offer", offer(["v"]))
        _ = try await ben.drain()
        var client = SignallingClient(seed: 9)
        let track = TrackPayload(trackID: "m", streamID: "s", type: .audio)
        client.requestMute(true, track: track, of: "ben")
        client.requestMutes(MutesParameters(value: false, type: .audio, roles: ["host"]))
        while case .send(let text)? = client.poll() { await socket.send(text) }
        #expect(
            try await ben.drain().map(\.method) == [
                "on-track-update-request", "on-change-track-mute-state-request",
            ])
        _ = try await ben.call(
            "change-track-mute-state-request", #"{"value":true,"requested_for":"ann"}"#)
        while let text = await socket.socket.next() {
            client.received(text, at: .zero)
            if text.contains("mute-state") { break }
        }
        var events: [SignallingEvent] = []
        while case .event(let event)? = client.poll() { events.append(event) }
        #expect(events.last == .mutesRequested(MutesPayload(requestedBy: "ben", value: true)))
        #expect(
            events.contains { event in
                if case .done(_, .trackUpdateRequest) = event { true } else { false }
            })
    }

    @Test func theClientUnderstandsRolesAndSaysThemAsTheServerWants() async throws {
        let ann = try await fixture.join("ann")
        let socket = try await fixture.connect("ben", role: "guest")
        var client = SignallingClient(seed: 9)
        client.opened(at: .zero)
        client.join(name: "Ben", offer: "o")
        var roles: [String] = []
        var accepted: RequestID?
        while roles.count < 2 || accepted != nil {
            while let output = client.poll() {
                switch output {
                case .send(let text): await socket.send(text)
                case .event(.policy(let policy)): roles.append(policy.name)
                case .event(.peerList):
                    _ = try await ann.call(
                        "role-change-request", changeRole(of: "ben", to: "viewer", force: false))
                case .event(.roleOffered(let offer)):
                    #expect(offer.requestedBy == "ann")
                    accepted = client.acceptRole(offer)
                case .event(.done(let id, .roleChange)) where id == accepted: accepted = nil
                case .event: break
                }
            }
            guard roles.count < 2 || accepted != nil, let text = await socket.socket.next() else {
                break
            }
            client.received(text, at: .zero)
        }
        #expect(roles == ["guest", "viewer"])
        #expect(await fixture.host.snapshot().peers.last?.role == "viewer")
    }
}
