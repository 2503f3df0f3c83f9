import HundredMSTerms
import MediaKernel
import MediaServer
import RoomHost
import Rooms
import SDP
import Testing

@testable import OpenVidu

/// Clients in a room: who they are told of, what they publish and receive.
@Suite(.timeLimit(.minutes(5))) struct SessionTests {
    private static func track(
        _ id: String, _ kind: TrackKind, source: String = "regular"
    ) -> Track {
        Track(id: TrackID(id), streamID: "s-\(id)", kind: kind, source: source)
    }

    // MARK: - Joining

    @Test func welcomeHasWhatClientsRead() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann", role: "host", serverData: "from the server")
        #expect(ann.welcome["role"] == "MODERATOR" && ann.welcome["mediaServer"] == "kurento")
        #expect(ann.welcome["version"] == "2.32.1" && ann.welcome["session"] == "r1")
        #expect(ann.welcome["value"] == .array([]) && ann.welcome["life"] == -1)
        #expect(ann.welcome["metadata"] == #"{"clientData":"Ann"}%/%from the server"#)
        #expect(ann.id.hasPrefix("con_") && ann.id.count == 14)
        #expect(ann.welcome["sessionId"]?.text?.hasSuffix(".r1") == true)
        #expect(await world.host.snapshot().peers.map(\.name) == ["Ann"])
    }

    /// Clients up to 2.20 read one TURN server, in members of its own.
    @Test func oldClientsFindTheRelay() async throws {
        let world = OpenViduWorld()
        let client = TestClient(world)
        let relays = [
            "stun:relay.example.org:3478", "turns:relay.example.org:443?transport=tcp",
            "turn:relay.example.org:3479?transport=udp", "turn:other.example.org:3478",
        ].map { OpenViduCaller.Relay(url: $0, username: "user", credential: "word") }
        try await client.join(
            OpenViduCaller(userID: "u", tokenID: "t", role: "guest", relays: relays))
        #expect(client.welcome["customIceServers"]?.count == 4)
        #expect(client.welcome["coturnIp"] == "relay.example.org")
        #expect(client.welcome["coturnPort"] == 3479)
        #expect(client.welcome["turnUsername"] == "user")
        #expect(client.welcome["turnCredential"] == "word")

        func found(_ url: String) -> [JSONValue?] {
            let members = CoturnMembers.of([.object(["url": .string(url)])])
            return [members["coturnIp"], members["coturnPort"]]
        }
        #expect(found("turn:192.0.2.7") == ["192.0.2.7", 3478])
        #expect(found("turn:[2001:db8::7]") == ["[2001:db8::7]", 3478])
        #expect(found("turn:[2001:db8::7]:80?transport=tcp") == ["[2001:db8::7]", 80])
        for url in ["turn:", "turn:?", "turn::80", "turn:a:x", "turn:a:70000", "stun:a", ""] {
            #expect(found(url) == [nil, nil])
        }
        #expect(CoturnMembers.of([5, .object([:]), .object(["url": 5])]).isEmpty)
        let ann = try await world.join("Ann")
        #expect(ann.welcome["coturnIp"] == nil && ann.welcome["customIceServers"] == nil)
    }

    @Test func newcomersAndPresentOnesKnowEachOther() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let stream = try await ann.publish()
        let ben = try await world.join("Ben", role: "viewer")
        #expect(ben.welcome["role"] == "SUBSCRIBER")
        let seen = ben.welcome["value"]?[0]
        #expect(seen?["id"]?.text == ann.id && seen?["metadata"] == #"{"clientData":"Ann"}"#)
        #expect(
            seen?["streams"]?[0]
                == .object([
                    "id": .string(stream), "createdAt": 1_720_000_000_000,
                    "hasAudio": .bool(true), "hasVideo": .bool(true),
                    "audioActive": .bool(true), "videoActive": .bool(true),
                    "typeOfVideo": "CAMERA", "frameRate": 30,
                    "videoDimensions": #"{"width":640,"height":480}"#, "filter": .object([:]),
                ]))
        let told = await ann.told("participantJoined")
        #expect(told["id"]?.text == ben.id && told["metadata"] == #"{"clientData":"Ben"}"#)
        _ = try await ben.call("leaveRoom")
        let left = await ann.told("participantLeft")
        #expect(left["connectionId"]?.text == ben.id && left["reason"] == "disconnect")
        await world.pass(.seconds(11))
        #expect(await ben.socket.closure().code == 1000)
    }

    @Test func refusalsHaveOpenViduNumbers() async throws {
        var limits = RoomLimits()
        limits.visiblePeers = 1
        let world = OpenViduWorld(roomLimits: limits)
        let caller = OpenViduCaller(userID: "u", tokenID: "t", role: "guest")
        let lost = TestClient(world)
        try await lost.join(caller, parameters: ["session": "r2"])
        #expect(lost.welcome["error"]?["code"] == 401 && lost.place == nil)
        let wordy = TestClient(world)
        let metadata = String(repeating: "x", count: RoomLimits.metadataBytes + 1)
        try await wordy.join(caller, parameters: ["metadata": .string(metadata)])
        #expect(wordy.welcome["error"]?["code"] == 500)
        _ = try await world.join("Ann")
        let late = TestClient(world)
        try await late.join(caller)
        #expect(late.welcome["error"]?["code"] == 204)
    }

    /// An app of 2018: its own names, texts for flags, no `typeOfVideo`.
    @Test func oldAppIsUnderstood() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        try await ann.publish()
        let old = try await world.join(
            "old", parameters: ["metadata": #"{"participantName":"Olga"}"#, "recorder": "false"])
        let receives: [String: JSONValue] = [
            "sdpOffer": .string(OpenViduWorld.sdp([.audio, .video], .receiveOnly))
        ]
        for sender in ["\(ann.id)_CAMERA", "Ann_CAMERA", ann.id] {
            let answer = try await old.call(
                "receiveVideoFrom", receives.merging(["sender": .string(sender)]) { $1 })
            #expect(answer["sdpAnswer"]?.text?.contains("a=sendonly") == true, "\(sender)")
        }
        let printed = "RTCSessionDescription:\noffer\n\(OpenViduWorld.sdp())"
        let published = try await old.call(
            "publishVideo",
            [
                "sdpOffer": .string(printed), "doLoopback": "false",
                "audioActive": "true", "videoActive": "false",
            ])
        #expect(published["id"]?.text?.hasPrefix("str_CAM_") == true)
        _ = try await old.call(
            "onIceCandidate",
            [
                "candidate": "candidate:1 1 udp 1 127.0.0.1 5000 typ host", "sdpMid": "0",
                "sdpMLineIndex": "0", "endpointName": .string("\(ann.id)_CAMERA"),
            ])
        #expect(world.media.candidates.count == 1)
        let peers = await world.host.snapshot().peers
        #expect(peers.map(\.name) == ["Ann", "Olga"])
        #expect(peers.last?.tracks.map(\.isMuted) == [false, true])
        let seen = await ann.told("participantPublished")["streams"]?[0]
        #expect(seen?["typeOfVideo"] == "CAMERA" && seen?["videoActive"] == .bool(false))
    }

    /// Apps of 2018 take a result with `sessionId` and `value` for that of `joinRoom`, and crash.
    @Test func onlyPongsHaveNoSession() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        #expect(try await ann.call("ping", ["interval": "5000"]) == .object(["value": "pong"]))
        #expect(try await ann.call("echo")["sessionId"] == ann.welcome["sessionId"])
    }

    @Test func whatStandsBeforeADescriptionIsLeftOut() {
        let sdp = OpenViduWorld.sdp()
        for prefix in ["", "RTCSessionDescription:\noffer\n", "a\r\n", "\n", "v\n=\n"] {
            #expect(OldDescription.bare(prefix + sdp) == sdp)
        }
        for text in ["", "v", "offer\n", "offer v=0", "\n\n"] {
            #expect(OldDescription.bare(text) == text)
        }
    }

    // MARK: - Publishing

    @Test func streamIsToldWithItsChanges() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let ben = try await world.join("Ben")
        let stream = try await ann.publish(["typeOfVideo": "SCREEN"])
        #expect(stream.hasPrefix("str_SCR_") && stream.hasSuffix("_\(ann.id)"))
        let published = await ben.told("participantPublished")
        #expect(published["id"]?.text == ann.id)
        #expect(published["streams"]?[0]?["typeOfVideo"] == "SCREEN")
        let tracks = await world.host.snapshot().peers.first?.tracks
        #expect(tracks?.map(\.source) == ["screen", "screen"])
        #expect(await ann.code("publishVideo", ["sdpOffer": .string(OpenViduWorld.sdp())]) == 106)

        _ = try await ann.call(
            "streamPropertyChanged",
            [
                "streamId": .string(stream), "property": "audioActive", "newValue": .bool(false),
                "reason": "publishAudio",
            ])
        var change = await ben.told("streamPropertyChanged")
        #expect(
            change
                == .object([
                    "connectionId": .string(ann.id), "streamId": .string(stream),
                    "property": "audioActive", "newValue": "false", "reason": "publishAudio",
                ]))
        // The server stops forwarding what its client goes on sending.
        let key = try #require(world.media.offers.keys.first)
        _ = try await ben.call(
            "receiveVideoFrom",
            [
                "sender": .string(stream),
                "sdpOffer": .string(OpenViduWorld.sdp([.audio, .video], .receiveOnly)),
            ])
        let wanted = try #require(world.media.terms(of: ben.id)?.tracks)
        #expect(wanted.map(\.isHeldBack) == [true, false])
        #expect(wanted.allSatisfy { $0.connection != nil && $0.connection != key })

        _ = try await ann.call(
            "streamPropertyChanged",
            [
                "streamId": .string(stream), "property": "videoDimensions",
                "newValue": #""{\"width\":480,\"height\":640}""#, "reason": "deviceRotated",
            ])
        change = await ben.told("streamPropertyChanged")
        // Clients parse it twice.
        #expect(change["newValue"] == #""{\"width\":480,\"height\":640}""#)
        #expect(change["reason"] == "deviceRotated")
        for (width, said, told) in [
            (481, "screenResized", "screenResized"), (482, "trackReplaced", "trackReplaced"),
            (483, "a whim", "deviceRotated"),
        ] {
            _ = try await ann.call(
                "streamPropertyChanged",
                [
                    "streamId": .string(stream), "property": "videoDimensions",
                    "newValue": .string(#"{"width":\#(width),"height":640}"#),
                    "reason": .string(said),
                ])
            #expect(await ben.told("streamPropertyChanged")["reason"] == .string(told))
        }

        _ = try await ann.call("unpublishVideo")
        let gone = await ben.told("participantUnpublished")
        #expect(gone["connectionId"]?.text == ann.id && gone["reason"] == "unpublish")
        #expect(world.media.closed.contains(key))
        #expect(await ann.code("unpublishVideo") == 105)
        try await ann.publish()
    }

    @Test func unusableStreamsAreRefused() async throws {
        let world = OpenViduWorld()
        let viewer = try await world.join("Vic", role: "viewer")
        #expect(
            await viewer.code("publishVideo", ["sdpOffer": .string(OpenViduWorld.sdp())]) == 401)
        let ann = try await world.join("Ann")
        #expect(await ann.code("publishVideo") == -32602)
        #expect(await ann.code("publishVideo", ["sdpOffer": "v=0"]) == 302)
        let silent = OpenViduWorld.sdp([.audio], .receiveOnly)
        #expect(await ann.code("publishVideo", ["sdpOffer": .string(silent)]) == 302)
        let crowd = OpenViduWorld.sdp([.video, .video])
        #expect(await ann.code("publishVideo", ["sdpOffer": .string(crowd)]) == 302)
        #expect(await world.host.snapshot().peers.allSatisfy(\.tracks.isEmpty))
    }

    // MARK: - Receiving

    @Test func eachStreamComesOnItsOwnConnection() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let stream = try await ann.publish()
        try await world.addPeer(
            "hms", Self.track("mic", .audio), Self.track("cam", .video),
            Self.track("scr", .video, source: "screen"))
        let ben = try await world.join("Ben")
        // A camera and a screen of one peer are two participants.
        let others = try #require(ben.welcome["value"])
        #expect(others.count == 3)
        let camera = try #require(others[1]?["streams"]?[0])
        let screen = try #require(others[2]?["streams"]?[0])
        #expect(camera["typeOfVideo"] == "CAMERA" && camera["hasAudio"] == .bool(true))
        #expect(screen["typeOfVideo"] == "SCREEN" && screen["hasAudio"] == .bool(false))
        #expect(others[1]?["metadata"] == #"{"clientData":"hms"}"#)
        // Nothing is received that was not asked for.
        #expect(world.media.terms(of: ben.id)?.tracks.isEmpty ?? true)

        let offer = JSONValue.string(OpenViduWorld.sdp([.audio, .video], .receiveOnly))
        for sender in [JSONValue.string(stream), camera["id"] ?? .null, screen["id"] ?? .null] {
            _ = try await ben.call("receiveVideoFrom", ["sender": sender, "sdpOffer": offer])
        }
        let routes = try #require(world.media.terms(of: ben.id)?.tracks)
        #expect(routes.count == 5 && Set(routes.map(\.connection)).count == 3)
        let byTrack = Dictionary(
            routes.map { ($0.publishedID, $0.connection) }, uniquingKeysWith: { $1 })
        #expect(byTrack["mic"] == byTrack["cam"] && byTrack["cam"] != byTrack["scr"])

        _ = try await ben.call("unsubscribeFromVideo", ["sender": .string(ann.id)])
        #expect(world.media.closed.count == 1)
        #expect(world.media.terms(of: ben.id)?.tracks.count == 3)
        #expect(await ben.code("receiveVideoFrom", ["sender": "con_X", "sdpOffer": offer]) == 102)
        #expect(
            await ann.code("receiveVideoFrom", ["sender": .string(ben.id), "sdpOffer": offer])
                == 105)

        // The screen ends: its connection is closed, and its participant leaves.
        try await world.host.change { host in
            try host.publish([Self.track("mic", .audio), Self.track("cam", .video)], by: "hms")
        }
        #expect(await ben.told("participantLeft")["connectionId"] == others[2]?["id"])
        #expect(world.media.closed.count == 2)
        #expect(world.media.terms(of: ben.id)?.tracks.map(\.publishedID) == ["mic", "cam"])
    }

    @Test func serverOffersWhenItIsAskedTo() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let stream = try await ann.publish()
        let ben = try await world.join("Ben")
        let sender = ["sender": JSONValue.string(stream)]
        let sdp = JSONValue.string(OpenViduWorld.sdp([.audio, .video], .receiveOnly))
        #expect(
            await ben.code("receiveVideoFrom", sender.merging(["sdpAnswer": sdp]) { $1 }) == 302)
        let offer = try await ben.call(
            "prepareReceiveVideoFrom", sender.merging(["reconnect": .bool(false)]) { $1 })
        #expect(offer["sdpOffer"]?.text?.contains("m=video") == true)
        _ = try await ben.call("receiveVideoFrom", sender.merging(["sdpAnswer": sdp]) { $1 })
        #expect(world.media.answers.count == 1)
        #expect(
            Set(world.media.terms(of: ben.id)?.tracks.map(\.connection) ?? [])
                == [world.media.answers[0]])
    }

    @Test func brokenStreamsAreConnectedAnew() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let stream = try await ann.publish()
        let first = try #require(world.media.offers.keys.first)
        let again = try await ann.call(
            "reconnectStream",
            ["stream": .string(stream), "sdpString": .string(OpenViduWorld.sdp())])
        #expect(again["id"]?.text == stream && again["sdpAnswer"] != nil)
        #expect(world.media.closed == [first])
        let ben = try await world.join("Ben")
        let offer = OpenViduWorld.sdp([.audio, .video], .receiveOnly)
        for _ in 0..<2 {
            let answer = try await ben.call(
                "reconnectStream", ["stream": .string(stream), "sdpString": .string(offer)])
            #expect(answer["sdpAnswer"] != nil)
        }
        #expect(world.media.closed.count == 2)
    }

    /// The media plane takes its time, and the room changes meanwhile.
    @Test(arguments: ["receiveVideoFrom", "prepareReceiveVideoFrom"])
    func streamThatEndsWhileItIsConnectedLeavesNoConnection(method: String) async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let stream = try await ann.publish()
        let ben = try await world.join("Ben")
        let own = try #require(world.media.offers.keys.first)
        world.media.dawdle()
        let offer = OpenViduWorld.sdp([.audio, .video], .receiveOnly)
        async let code = ben.code(
            method, ["sender": .string(stream), "sdpOffer": .string(offer)])
        await world.media.somebodyWaits()
        _ = try await ann.call("unpublishVideo")
        world.media.hurry()
        #expect(await code == 105)
        #expect(world.media.closed.first == own && world.media.closed.count == 2)
        #expect(world.media.terms(of: ben.id)?.tracks.isEmpty ?? true)
    }

    @Test func streamThatIsEndedWhileItReconnectsLeavesNoConnection() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann", role: "host")
        let ben = try await world.join("Ben")
        let stream = try await ben.publish()
        world.media.dawdle()
        async let code = ben.code(
            "reconnectStream",
            ["stream": .string(stream), "sdpString": .string(OpenViduWorld.sdp())])
        await world.media.somebodyWaits()
        _ = try await ann.call("forceUnpublish", ["streamId": .string(stream)])
        world.media.hurry()
        #expect(await code == 105)
        #expect(Set(world.media.closed) == Set(world.media.offers.keys))
        #expect(world.media.closed.count == 2)
    }

    // MARK: - Others' requests

    @Test func mutesByOthersAreDoneByTheServer() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let stream = try await ann.publish()
        try await world.addPeer("hms")
        try await world.host.change { host in
            try host.room.mutesRequested(
                MuteRequest(isMuted: true, kind: .audio), by: "hms", at: .zero)
        }
        let told = await ann.told("streamPropertyChanged")
        #expect(told["streamId"]?.text == stream && told["newValue"] == "false")
        func mutes() async -> [Bool]? {
            await world.host.snapshot().peers.first?.tracks.map(\.isMuted)
        }
        #expect(await mutes() == [true, false])
        _ = try await ann.call(
            "streamPropertyChanged",
            ["streamId": .string(stream), "property": "videoActive", "newValue": .bool(false)])
        // What the client has muted itself, it has to unmute itself.
        try await world.host.change { host in
            try host.room.mutesRequested(MuteRequest(isMuted: false), by: "hms", at: .zero)
        }
        #expect(await mutes() == [false, true])
    }

    /// Were it told that it is heard, or heard later without being told, it would be misled.
    @Test func whoIsModeratedStaysMutedWhoeverAsksItToSpeak() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        _ = try await ann.publish()
        try await world.addPeer("hms")
        func ask(_ isMuted: Bool) async throws {
            try await world.host.change { host in
                try host.room.mutesRequested(
                    MuteRequest(isMuted: isMuted, kind: .audio), by: "hms", at: .zero)
            }
        }
        func moderate(_ change: Moderation.Change) async throws {
            try await world.host.change { host in
                _ = try host.room.moderationRequested(change, by: "hms", at: .zero)
            }
        }
        func isMuted() async -> Bool? {
            await world.host.snapshot().peers.first?.tracks.first?.isMuted
        }
        try await ask(true)
        #expect(await ann.told("streamPropertyChanged")["newValue"] == "false")
        try await moderate(.start(.audio))
        try await ask(false)
        #expect(await isMuted() == true)
        try await moderate(.end)
        #expect(await isMuted() == true)
        #expect(!ann.socket.notifications.contains("streamPropertyChanged"))
        try await ask(false)
        #expect(await isMuted() == false)
        #expect(await ann.told("streamPropertyChanged")["newValue"] == "true")
    }

    @Test func moderatorsPutOutAndUnpublish() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann", role: "host")
        let ben = try await world.join("Ben")
        let cid = try await world.join("Cid")
        let stream = try await ben.publish()
        let target: [String: JSONValue] = ["connectionId": .string(ben.id)]
        #expect(await cid.code("forceDisconnect", target) == 401)
        #expect(await cid.code("forceUnpublish", ["streamId": .string(stream)]) == 401)
        #expect(await ann.code("forceDisconnect", ["connectionId": .string(stream)]) == 102)
        _ = try await ann.call("forceUnpublish", ["streamId": .string(stream)])
        #expect(await ben.told("participantUnpublished")["reason"] == "forceUnpublishByUser")
        _ = await cid.told("participantUnpublished")
        #expect(await ann.code("forceDisconnect", ["connectionId": "con_X"]) == 102)
        _ = try await ann.call("forceDisconnect", target)
        let evicted = await ben.told("participantEvicted")
        #expect(evicted["connectionId"]?.text == ben.id)
        #expect(evicted["reason"] == "forceDisconnectByUser")
        #expect(await cid.told("participantLeft")["reason"] == "forceDisconnectByUser")
    }

    @Test func foreignStreamIsMutedInsteadOfUnpublished() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann", role: "host")
        try await world.addPeer("hms", Self.track("mic", .audio))
        let stream = await ann.told("participantPublished")["streams"]?[0]?["id"]
        _ = try await ann.call("forceUnpublish", ["streamId": stream ?? .null])
        #expect(!ann.socket.notifications.contains("participantUnpublished"))
    }

    // MARK: - Signals

    @Test func signalsReachAllOrOne() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let ben = try await world.join("Ben")
        let cid = try await world.join("Cid")
        func message(_ text: String) -> [String: JSONValue] { ["message": .string(text)] }
        _ = try await ann.call(
            "sendMessage", message(#"{"to":[],"data":"hello","type":"signal:chat"}"#))
        for client in [ann, ben, cid] {
            let expected: [String: JSONValue] = [
                "data": "hello", "type": "signal:chat", "from": .string(ann.id),
            ]
            #expect(await client.told("sendMessage") == .object(expected))
        }
        _ = try await ann.call(
            "sendMessage", message(#"{"to":["\#(ben.id)"],"data":"psst","type":"signal:x"}"#))
        #expect(await ben.told("sendMessage")["data"] == "psst")
        #expect(!ann.socket.notifications.contains("sendMessage"))
        #expect(!cid.socket.notifications.contains("sendMessage"))
        #expect(await ann.code("sendMessage", message(#"{"to":["con_X"],"data":""}"#)) == 601)
        let stream = try await ben.publish()
        #expect(
            await ann.code("sendMessage", message(#"{"to":["\#(stream)"],"data":""}"#)) == 601)
        #expect(await ann.code("sendMessage", message(#"{"to":[null]}"#)) == 601)
        #expect(await ann.code("sendMessage", message("hello")) == 600)
        #expect(await ann.code("sendMessage", message(#"{"data":5}"#)) == 600)
    }

    /// Application servers are told of it like of any other.
    @Test func signalToOneselfHasTheLimitsOfOthers() async throws {
        var limits = RoomLimits()
        limits.fanOutPerSecond = 5
        limits.fanOutBurst = 5
        let world = OpenViduWorld(roomLimits: limits)
        let ann = try await world.join("Ann")
        await world.pass(.seconds(2))
        func send(_ count: Int) async -> JSONValue? {
            let data = String(repeating: "d", count: count)
            let text = #"{"to":["\#(ann.id)"],"data":"\#(data)"}"#
            return await ann.code("sendMessage", ["message": .string(text)])
        }
        #expect(await send(RoomLimits.messageBytes) != nil, "the quotes do not fit")
        #expect(await send(10) == nil)
        #expect(await ann.told("sendMessage")["from"]?.text == ann.id)
        for _ in 0..<4 { _ = await send(10) }
        #expect(await send(10) != nil)
        await world.pass(.seconds(1))
        #expect(await send(10) == nil)
    }

    @Test func chatOfOtherProtocolsIsASignal() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        try await world.addPeer("hms")
        let from = await ann.told("participantJoined")["id"]
        try await world.host.change { host in
            _ = try host.room.messageSent(
                by: "hms", to: .everybody, type: "chat", body: OpaqueJSON(string: "hi"), at: .zero,
                wall: host.clock.wall())
        }
        let signal = await ann.told("sendMessage")
        #expect(signal["data"] == "hi" && signal["type"] == "signal:chat")
        #expect(signal["from"] == from)
    }

    /// Its sender is no connection of the session any more.
    @Test func signalOfWhoIsGoneComesFromNobody() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        try await world.addPeer("hms")
        await ann.lose()
        try await world.host.change { host in
            _ = try host.room.messageSent(
                by: "hms", to: .everybody, type: "chat", body: OpaqueJSON(string: "bye"),
                at: .zero, wall: host.clock.wall())
            host.room.left("hms")
        }
        _ = try await ann.comeBack()
        #expect(
            await ann.told("sendMessage") == .object(["data": "bye", "type": "signal:chat"]))
    }

    @Test func recorderMaySayNothing() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let recorder = TestClient(world)
        try await recorder.join(
            OpenViduCaller(userID: "r", tokenID: "r", role: "host", isHidden: true))
        #expect(recorder.id == "RECORDER")
        #expect(await recorder.code("sendMessage", ["message": #"{"data":"psst"}"#]) == 401)
        let offer = JSONValue.string(OpenViduWorld.sdp())
        #expect(await recorder.code("publishVideo", ["sdpOffer": offer]) == 401)
        let target: [String: JSONValue] = ["connectionId": .string(ann.id)]
        #expect(await recorder.code("forceDisconnect", target) == 401)
        #expect(await ann.code("forceDisconnect", ["connectionId": "RECORDER"]) != nil)
        #expect(ann.socket.notifications.isEmpty)
    }

    /// A session has one recorder. One that has died keeps the place for as long as in OpenVidu.
    @Test func aSecondRecorderWaitsForThePlace() async throws {
        let world = OpenViduWorld()
        func record() async throws -> TestClient {
            let recorder = TestClient(world)
            try await recorder.join(
                OpenViduCaller(userID: "r", tokenID: "r", role: "viewer", isHidden: true))
            return recorder
        }
        let first = try await record()
        var second = try await record()
        #expect(second.welcome["error"]?["code"] == 104 && second.place == nil)
        // However long it has been there.
        await world.pass(.seconds(20))
        second = try await record()
        #expect(second.welcome["error"]?["code"] == 104)

        await first.lose()
        await world.pass(.seconds(9))
        second = try await record()
        #expect(second.welcome["error"]?["code"] == 104)
        let answer = try await first.comeBack()
        #expect(answer["result"]?["value"] == "reconnection successful")
        await world.pass(.seconds(9))
        second = try await record()
        #expect(second.welcome["error"]?["code"] == 104)

        await first.lose()
        await world.pass(.seconds(10))
        second = try await record()
        #expect(second.id == "RECORDER" && second.place != nil)
        #expect(try await first.comeBack()["error"]?["code"] == 40007)
    }

    // MARK: - Recordings

    @Test func publishersHearOfRecordings() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let vic = try await world.join("Vic", role: "viewer")
        await world.host.recordingChanged(RoomRecording(state: .started))
        #expect(await ann.told("recordingStarted")["name"] == "demo")
        #expect(!vic.socket.notifications.contains("recordingStarted"))
        let ben = try await world.join("Ben")
        #expect(ben.welcome["recordingId"] == "r1")
        await world.host.recordingChanged(RoomRecording(state: .stopped))
        #expect(await ben.told("recordingStopped")["reason"] == "recordingStoppedByServer")
    }

    // MARK: - Sockets

    @Test func clientComesBackAndHearsWhatItMissed() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let ben = try await world.join("Ben")
        try await ben.publish()
        await ann.lose()
        _ = try await ben.call("unpublishVideo")
        _ = try await ben.call("leaveRoom")
        let cid = try await world.join("Cid")
        _ = try await cid.call("sendMessage", ["message": #"{"data":"missed"}"#])
        let answer = try await ann.comeBack()
        #expect(answer["result"]?["value"] == "reconnection successful")
        #expect(answer["result"]?["sessionId"] == ann.welcome["sessionId"])
        #expect(await ann.told("participantLeft")["connectionId"]?.text == ben.id)
        #expect(await ann.told("participantJoined")["id"]?.text == cid.id)
        #expect(await ann.told("sendMessage")["data"] == "missed")
        #expect(await world.host.snapshot().peers.map(\.name) == ["Ann", "Cid"])
    }

    @Test func lostClientIsGoneAfterAWhile() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let ben = try await world.join("Ben")
        _ = try await ann.call("ping", ["interval": 5000])
        _ = try await ben.call("ping", ["interval": 30_000])
        await world.pass(.seconds(16))
        #expect(await ann.socket.closure().code == 1001)
        for _ in 0..<2 {
            await world.pass(.seconds(29))
            _ = try await ben.call("ping")
        }
        await world.pass(.seconds(10))
        #expect(await ben.told("participantLeft")["reason"] == "networkDisconnect")
        #expect(try await ann.comeBack()["error"]?["code"] == 40007)
    }

    @Test func tooMuchClosesTheSocket() async throws {
        var limits = OpenViduLimits()
        limits.framesBurst = 5
        let world = OpenViduWorld(limits: limits)
        let ann = try await world.join("Ann")
        for _ in 0..<6 { await ann.send("{}") }
        #expect(await ann.socket.closure().code == 1008)
        let ben = try await world.join("Ben")
        await ben.send(String(repeating: " ", count: OpenViduLimits.frameBytes + 1))
        #expect(await ben.socket.closure().code == 1009)
    }

    /// Every method with each parameter missing, and of each wrong type.
    @Test func wrongParametersAreAnsweredAndChangeNothing() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        let parameters: [String] = [
            "sdpOffer", "sdpAnswer", "sender", "candidate", "endpointName", "message", "streamId",
            "property", "newValue", "connectionId", "stream", "sdpString", "interval",
            "videoDimensions", "typeOfVideo", "frameRate", "audioActive",
        ]
        let values: [JSONValue] = [
            .null, 5, .bool(true), "x", .array([1]), .object(["a": .null]), .number(1e300),
        ]
        for method in OpenViduMethod.allCases where method != .leaveRoom {
            for value in values {
                let given = Dictionary(uniqueKeysWithValues: parameters.map { ($0, value) })
                let answer = await ann.answer(method.rawValue, given)
                #expect((answer["result"] == nil) != (answer["error"] == nil), "\(method)")
                await world.pass(.seconds(1))
            }
        }
        let frame = #"{"id":9,"jsonrpc":"2.0","method":"ping","params":{"interval":5000}}"#
        for length in 0..<frame.utf8.count { await ann.send(String(frame.prefix(length))) }
        #expect(try await ann.call("ping")["value"] == "pong")
        #expect(await world.host.snapshot().peers.first?.tracks == [])
    }

    // MARK: - Roles

    @Test func rolesCorrespond() throws {
        func name(_ role: OpenViduRole, _ policy: Policy) -> String? {
            role.role(in: policy)?.name
        }
        #expect(OpenViduRole.allCases.map { name($0, .standard) } == ["viewer", "guest", "host"])
        let publishing = PublishParameters(allowed: [.audio])
        let simple = try Policy(validating: [
            Role(name: "singer", publishParams: publishing), Role(name: "Subscriber"),
        ])
        #expect(
            OpenViduRole.allCases.map { name($0, simple) } == ["Subscriber", "singer", "singer"])
        let mute = try Policy(validating: [Role(name: "singer", publishParams: publishing)])
        #expect(name(.subscriber, mute) == nil)
    }
}
