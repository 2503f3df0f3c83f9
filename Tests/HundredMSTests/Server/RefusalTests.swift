import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Testing

/// Bad input gets a precise error in the protocol's own form, and the connection stays.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    let fixture = SignallingFixture()

    @Test func aFrameThatIsNotJSONIsAnsweredWithoutAnID() async throws {
        let client = try await fixture.join("a")
        await client.send("{\"method\":")
        #expect(
            await client.socket.next() == """
                {"error":{"code":400,"message":"malformed frame: not valid JSON"},"id":null,\
                "jsonrpc":"2.0"}
                """)
        await client.send("[]")
        #expect(
            try await client.next()?.error == refusal(.malformed(.notAnObject)))
        await client.send("")
        #expect(try await client.next()?.error == refusal(.malformed(.json(.malformed))))
        #expect(try await client.call("ping").error == nil)
    }

    @Test func anUnknownMethodIsNamed() async throws {
        let client = try await fixture.join("a")
        #expect(
            try await client.call("whiteboard-create").error
                == refusal(.unknownMethod("whiteboard-create")))
        await client.send(#"{"id":"7","params":{}}"#)
        let frame = try #require(await client.next())
        #expect(frame.id == "7")
        #expect(frame.error == refusal(.malformed(.noMethod)))
        await client.send(#"{"id":8,"method":5}"#)
        #expect(
            await client.socket.next() == """
                {"error":{"code":400,"message":"malformed frame: no method"},"id":8,\
                "jsonrpc":"2.0"}
                """)
    }

    @Test(
        arguments: [
            ("join", #"{"name":5}"#, .badParameter("name", .mustBe(.string))),
            ("join", #"{"name":"N","offer":{"type":"offer"}}"#, .missingParameter("offer.sdp")),
            (
                "join", #"{"name":"N","offer":{"type":"answer","sdp":""}}"#,
                .badParameter("offer.type", .mustSay("offer"))
            ),
            (
                "join", #"{"name":"N","offer":{"type":"nonsense","sdp":""}}"#,
                .badParameter("offer.type", .notAllowed)
            ),
            ("join", "[]", .badParameter("params", .mustBe(.object))),
            ("broadcast", "{}", .joinFirst(method: "broadcast")),
            ("hls-start", "{}", .joinFirst(method: "hls-start")),
            ("rtmp-start", "{}", .joinFirst(method: "rtmp-start")),
            ("rtmp-stop", "{}", .joinFirst(method: "rtmp-stop")),
            ("role-change-request", "{}", .joinFirst(method: "role-change-request")),
            ("poll-list", "{}", .joinFirst(method: "poll-list")),
            ("poll-response", "{}", .joinFirst(method: "poll-response")),
        ] as [(String, String, SignallingError)])
    func beforeTheJoin(method: String, params: String, error: SignallingError) async throws {
        let client = try await fixture.connect("a")
        let reply = try await client.call(method, params)
        #expect(reply.error == refusal(error))
        #expect(fixture.media.calls().isEmpty)
    }

    @Test(
        arguments: [
            ("join", #"{"name":"A"}"#, .room(.alreadyJoined("a"))),
            ("offer", "{}", .missingParameter("desc")),
            (
                "offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":{"t":{"type":"video"}}}"#,
                .missingParameter("tracks.t.track_id")
            ),
            (
                "offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":[]}"#,
                .badParameter("tracks", .mustBe(.object))
            ),
            (
                "offer",
                #"{"desc":{"type":"offer","sdp":"x"},"tracks":{"t":{"track_id":"t","stream_id":"s","type":"smell"}}}"#,
                .badParameter("tracks.t.type", .notAllowed)
            ),
            (
                "trickle", #"{"target":2,"candidate":{"candidate":""}}"#,
                .badParameter("target", .notAllowed)
            ),
            ("trickle", #"{"candidate":{"candidate":""}}"#, .missingParameter("target")),
            ("track-update", "{}", .missingParameter("tracks")),
            (
                "track-update", #"{"tracks":{"x":{"mute":true}}}"#,
                .room(.unknownTrack("x"))
            ),
            (
                "track-update", #"{"tracks":{"x":{"mute":"yes"}}}"#,
                .badParameter("tracks.x.mute", .mustBe(.boolean))
            ),
            ("offer", #"{"desc":5}"#, .badParameter("desc", .mustBe(.object))),
            ("broadcast", #"{"info":"hello"}"#, .badParameter("info", .mustBe(.object))),
            ("hls-start", #"{"variants":"all"}"#, .badParameter("variants", .mustBe(.array))),
            ("broadcast", #"{"info":{}}"#, .missingParameter("info.message")),
            (
                "broadcast", #"{"info":{"message":"x"},"peer_id":"nobody"}"#,
                .room(.unknownPeer("nobody"))
            ),
            (
                "broadcast", #"{"info":{"message":"x"},"roles":["pope"]}"#,
                .room(.unknownRole("pope"))
            ),
            ("get-peer", "{}", .missingParameter("peer_id")),
            ("get-peer", #"{"peer_id":"x"}"#, .room(.unknownPeer("x"))),
            (
                "peer-iter-next", #"{"iterator":"9"}"#,
                .badParameter("iterator", .unknown)
            ),
            (
                "set-metadata", #"{"key":"","data":1}"#,
                .room(.invalidField(field: "key", reason: "is empty"))
            ),
            ("listen-metadata-change", "{}", .missingParameter("keys")),
            ("peer-leave-request", "{}", .missingParameter("requested_for")),
            ("whiteboard-create", "{}", .unknownMethod("whiteboard-create")),
            ("role-change-request", "{}", .missingParameter("role")),
            (
                "role-change-request", #"{"role":"guest"}"#,
                .missingParameter("requested_for")
            ),
            (
                "role-change-request", #"{"role":"guest","requested_for":"b"}"#,
                .room(.unknownPeer("b"))
            ),
            (
                "role-change-request", #"{"role":"pope","requested_for":"a","force":true}"#,
                .room(.unknownRole("pope"))
            ),
            (
                "role-change-request",
                #"{"role":"__internal_recorder","requested_for":"a","force":true}"#,
                .room(.unknownRole("__internal_recorder"))
            ),
            (
                "role-change-request", #"{"role":"guest","roles":["host"]}"#,
                .badParameter("force", .neededBeside("roles"))
            ),
            (
                "role-change-request", #"{"role":"guest","roles":[],"force":true}"#,
                .room(.invalidField(field: "roles", reason: "is empty"))
            ),
            (
                "role-change-request",
                #"{"role":"guest","roles":["host"],"requested_for":"a","force":true}"#,
                .badParameter("roles", .excludedBy("requested_for"))
            ),
            (
                "role-change-request", #"{"role":"guest","requested_for":"a","force":"yes"}"#,
                .badParameter("force", .mustBe(.boolean))
            ),
            ("role-change", #"{"role":"guest"}"#, .missingParameter("token")),
            (
                "role-change", #"{"role":"guest","token":"t"}"#,
                .room(.unknownRoleOffer)
            ),
            ("track-update-request", "{}", .missingParameter("requested_for")),
            (
                "track-update-request", #"{"requested_for":"a","track_id":"t","stream_id":"s"}"#,
                .missingParameter("mute")
            ),
            (
                "track-update-request",
                #"{"requested_for":"x","track_id":"t","stream_id":"s","mute":true}"#,
                .room(.unknownPeer("x"))
            ),
            (
                "track-update-request",
                #"{"requested_for":"a","track_id":"t","stream_id":"s","mute":true}"#,
                .room(.unknownTrack("t"))
            ),
            ("change-track-mute-state-request", "{}", .missingParameter("value")),
            (
                "change-track-mute-state-request", #"{"value":true,"type":"smell"}"#,
                .badParameter("type", .notAllowed)
            ),
            (
                "change-track-mute-state-request", #"{"value":true,"roles":["pope"]}"#,
                .room(.unknownRole("pope"))
            ),
            (
                "change-track-mute-state-request", #"{"value":true,"requested_for":"x"}"#,
                .room(.unknownPeer("x"))
            ),
            ("group-join", "{}", .missingParameter("name")),
            (
                "group-join", #"{"name":""}"#,
                .room(.invalidField(field: "name", reason: "is empty"))
            ),
            ("group-add", #"{"name":"g"}"#, .missingParameter("peer_id")),
            ("group-remove", #"{"name":"g","peer_id":"x"}"#, .room(.unknownPeer("x"))),
            (
                "peer-name-search", #"{"query":"x","limit":"many"}"#,
                .badParameter("limit", .mustBe(.integer))
            ),
        ] as [(String, String, SignallingError)])
    func afterTheJoin(method: String, params: String, error: SignallingError) async throws {
        let client = try await fixture.join("a")
        _ = fixture.media.calls()
        #expect(try await client.call(method, params).error == refusal(error))
        #expect(fixture.media.calls().isEmpty)
        #expect(try await client.call("ping").error == nil)
    }

    /// The media plane makes no further offer while it waits for an answer, and would not learn of
    /// this one.
    @Test(
        arguments: [
            (
                #"{"desc":{"type":"offer","sdp":"x"}}"#,
                .badParameter("desc.type", .mustSay("answer"))
            ),
            ("{}", .missingParameter("desc")),
            ("[]", .badParameter("params", .mustBe(.object))),
        ] as [(String, SignallingError)])
    func theMediaPlaneIsToldOfAnAnswerThatCannotBeRead(params: String, error: SignallingError)
        async throws
    {
        let client = try await fixture.join("a")
        _ = fixture.media.calls()
        #expect(try await client.call("answer", params).error == refusal(error))
        #expect(fixture.media.calls() == ["answer refused a"])
        #expect(try await client.call("ping").error == nil)
    }

    @Test(
        arguments: [
            ("poll-info-set", #"{"title":5}"#, .badParameter("title", .mustBe(.string))),
            (
                "poll-info-set", #"{"poll_id":"a b"}"#,
                .room(
                    .invalidField(field: "poll_id", reason: "must be visible ASCII without blanks"))
            ),
            (
                "poll-info-set", #"{"type":"exam"}"#,
                .badParameter("type", .notAllowed)
            ),
            (
                "poll-info-set", #"{"mode":"face"}"#,
                .badParameter("mode", .notAllowed)
            ),
            (
                "poll-info-set", #"{"duration":"60"}"#,
                .badParameter("duration", .mustBe(.integer))
            ),
            (
                "poll-info-set", #"{"duration":-1}"#,
                .room(.invalidField(field: "duration", reason: "must be 0 to 86400"))
            ),
            ("poll-info-set", #"{"vote":"host"}"#, .badParameter("vote", .mustBe(.array))),
            (
                "poll-info-set", #"{"responses":["pope"]}"#,
                .room(.unknownRole("pope"))
            ),
            ("poll-info-get", "{}", .missingParameter("poll_id")),
            ("poll-info-get", #"{"poll_id":"x"}"#, .room(.unknownPoll("x"))),
            ("poll-questions-set", #"{"poll_id":"p"}"#, .missingParameter("questions")),
            (
                "poll-questions-set", #"{"poll_id":"p","questions":[{"question":{"text":"?"}}]}"#,
                .missingParameter("questions.0.question.type")
            ),
            (
                "poll-questions-set",
                #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"essay"}}]}"#,
                .badParameter("questions.0.question.type", .notAllowed)
            ),
            (
                "poll-questions-set",
                #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"long-answer","index":2}}]}"#,
                .badParameter("questions", .indexes(count: 1))
            ),
            (
                "poll-questions-set",
                #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"single-choice"},"options":[{"index":1,"text":"a"},{"index":1,"text":"b"}]}]}"#,
                .badParameter("questions.0.options", .indexes(count: 2))
            ),
            (
                "poll-questions-set",
                #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"long-answer","answer_min_len":9,"answer_max_len":8}}]}"#,
                .badParameter("questions.0.question.answer_min_len", .moreThan("answer_max_len"))
            ),
            (
                "poll-questions-set",
                #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"long-answer","answer_min_len":-9223372036854775808,"answer_max_len":9223372036854775807}}]}"#,
                .room(
                    .invalidField(field: "questions.0.answer_max_len", reason: "must be 1 to 4096"))
            ),
            (
                "poll-questions-set",
                #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"single-choice"},"options":[{"text":"a"}],"answer":{"option":2}}]}"#,
                .room(
                    .invalidField(
                        field: "questions.0.answer.options",
                        reason: "must be of the question's, each once"))
            ),
            ("poll-start", #"{"poll_id":"p"}"#, .room(.pollEmpty("p"))),
            ("poll-stop", #"{"poll_id":"p"}"#, .room(.pollState("p", .created))),
            ("poll-response", #"{"poll_id":"p"}"#, .missingParameter("responses")),
            (
                "poll-response", #"{"poll_id":"p","responses":[{"option":1}]}"#,
                .missingParameter("responses.0.question")
            ),
            (
                "poll-response", #"{"poll_id":"p","responses":[{"question":1,"option":"1"}]}"#,
                .badParameter("responses.0.option", .mustBe(.integer))
            ),
            (
                "poll-response", #"{"poll_id":"p","responses":[{"question":1,"duration":1e300}]}"#,
                .room(.pollState("p", .created))
            ),
            (
                "poll-responses", #"{"poll_id":"p","self":"yes"}"#,
                .badParameter("self", .mustBe(.boolean))
            ),
            (
                "poll-list", #"{"state":"draft"}"#,
                .badParameter("state", .notAllowed)
            ),
            (
                "poll-result", #"{"poll_id":""}"#,
                .room(.invalidField(field: "poll_id", reason: "is empty"))
            ),
            ("poll-leaderboard", #"{"poll_id":"p"}"#, .room(.pollState("p", .created))),
        ] as [(String, String, SignallingError)])
    func ofPolls(method: String, params: String, error: SignallingError) async throws {
        let client = try await fixture.join("a")
        _ = try await client.call("poll-info-set", #"{"poll_id":"p","title":"?"}"#)
        #expect(try await client.call(method, params).error == refusal(error))
        #expect(try await client.call("ping").error == nil)
    }

    @Test func aNotificationThatFailsGetsAWarningAndNotAnError() async throws {
        let client = try await fixture.join("a")
        await client.notify("track-update", #"{"tracks":{"x":{"mute":true}}}"#)
        #expect(
            await client.socket.next() == """
                {"jsonrpc":"2.0","method":"on-warning","params":{"code":404,\
                "message":"track x is not published by this peer"}}
                """)
        await client.notify("poll-start")
        #expect(try await client.next()?.method == "on-warning")
    }

    @Test func aFrameOverTheLimitClosesTheConnectionWith1009() async throws {
        let ping = #"{"method":"ping","id":"1"}"#
        let padding = String(repeating: " ", count: SignallingLimits.frameBytes)
        let visitor = try await fixture.connect("v")
        await visitor.send(ping + padding)
        #expect(await visitor.socket.closure().code == 1009)

        // An answer from a peer in the room may be longer.
        let client = try await fixture.join("a")
        await client.send(#"{"method":"answer","id":"1"}"# + padding)
        #expect(try await client.next()?.id == "1")
        await client.send(
            ping + String(repeating: " ", count: SignallingLimits.joinedFrameBytes))
        #expect(await client.socket.closure().code == 1009)
        #expect(await fixture.host.snapshot().peerCount == 1)
    }

    /// 100ms' web SDK never drops a section of its publish connection.
    @Test func anOfferOfWhatWasEverPublishedFitsIntoAFrame() async throws {
        let client = try await fixture.join("a")
        let head = #"v=0\r\no=- 0 0 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"#
        let line = "a=" + String(repeating: "x", count: 2000) + #"\r\n"#
        // Each line end is two bytes in the description and four in the frame.
        let rest = SignallingLimits.joinedSDPBytes - (head.utf8.count - 8)
        let longest = head + String(repeating: line, count: rest / (line.utf8.count - 2))
        let reply = try await client.call(
            "offer", #"{"desc":{"type":"offer","sdp":"\#(longest)"}}"#)
        #expect(reply.error == nil)
        let longer = longest + line
        let bytes = longer.replacing(#"\r\n"#, with: "\r\n").utf8.count
        #expect(
            try await client.call(
                "offer", #"{"desc":{"type":"offer","sdp":"\#(longer)"}}"#
            ).error
                == refusal(.badParameter("desc.sdp", .tooLong(bytes: bytes, maximum: 921_600))))
    }

    @Test func descriptionsAndCandidatesAreBounded() async throws {
        let client = try await fixture.connect("a")
        let long = String(repeating: "x", count: 65537)
        #expect(
            try await client.call(
                "join", #"{"name":"A","offer":{"type":"offer","sdp":"\#(long)"}}"#
            ).error == refusal(.badParameter("offer.sdp", .tooLong(bytes: 65537, maximum: 65536))))
        let joined = try await fixture.join("b")
        let lines = String(
            repeating: "a=" + String(repeating: "x", count: 2000) + #"\r\n"#, count: 33)
        let text = #"v=0\r\no=- 0 0 IN IP4 0.0.0.0\r\ns=long\r\nt=0 0\r\n"# + lines
        await joined.notify("answer", #"{"desc":{"type":"answer","sdp":"\#(text)"}}"#)
        #expect(fixture.media.calls().last == "answer b long")
        let longer = String(repeating: "x", count: 921_601)
        for (method, type) in [("answer", "answer"), ("offer", "offer")] {
            #expect(
                try await joined.call(
                    method, #"{"desc":{"type":"\#(type)","sdp":"\#(longer)"}}"#
                ).error
                    == refusal(.badParameter("desc.sdp", .tooLong(bytes: 921601, maximum: 921600))))
        }
        #expect(fixture.media.calls() == ["answer refused b"])
        let candidate = String(repeating: "x", count: 2049)
        #expect(
            try await joined.call(
                "trickle", #"{"target":0,"candidate":{"candidate":"\#(candidate)"}}"#
            ).error == refusal(.badParameter("candidate", .tooLong(bytes: 2049, maximum: 2048))))
    }

    @Test func jsonNestedTooDeepIsRefused() async throws {
        let client = try await fixture.join("a")
        for depth in [100, 600, 100_000] {
            let message =
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let text = #"{"method":"broadcast","id":"1","params":{"info":{"message":\#(message)}}}"#
            await client.send(text)
            #expect(try await client.next()?.code == 400)
        }
    }

    @Test func whatTheMediaPlaneRefusesIsSaidInItsWords() async throws {
        let client = try await fixture.join("a")
        fixture.media.refuse("publishOffer")
        fixture.media.refuse("subscribeAnswer")
        fixture.media.refuse("trickle")
        let track = #"{"track_id":"t","stream_id":"s","type":"audio"}"#
        #expect(
            try await client.call(
                "offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":{"t":\#(track)}}"#
            ).error == "400 the offer was refused: no publishOffer today")
        #expect(await fixture.host.snapshot().peers.first?.tracks.isEmpty == true)
        _ = fixture.media.calls()
        await client.notify("answer", #"{"desc":{"type":"answer","sdp":"x"}}"#)
        #expect(
            try await client.next()?.params["message"].string
                == "the answer was refused: no subscribeAnswer today")
        #expect(fixture.media.calls() == ["answer a x"], "it knows by itself")
        await client.notify("trickle", #"{"target":1,"candidate":{"candidate":"c"}}"#)
        #expect(
            try await client.next()?.params["message"].string
                == "the candidate was refused: no trickle today")
    }

    @Test func aJoinThatTheMediaPlaneRefusesLeavesNoTraceAndMayBeTriedAgain() async throws {
        let other = try await fixture.join("z")
        _ = fixture.media.calls()
        let client = try await fixture.connect("a")
        let join = #"{"name":"A","offer":{"type":"offer","sdp":"v"}}"#
        fixture.media.refuse("addPeer")
        #expect(
            try await client.call("join", join).error
                == refusal(.mediaUnavailable("no addPeer today")))
        #expect(fixture.media.calls() == ["add a", "remove a"])
        fixture.media.allow("addPeer")
        fixture.media.refuse("publishOffer")
        #expect(
            try await client.call("join", join).error
                == refusal(.media("the offer was refused: no publishOffer today")))
        #expect(fixture.media.calls() == ["add a", "offer a v", "remove a"])
        fixture.media.allow("publishOffer")
        #expect(try await other.drain().isEmpty)
        #expect(try await client.call("join", join).error == nil)
    }

    @Test func whoComesWithAnUnknownRoleOrForAnotherRoomIsToldAndClosed() async throws {
        let socket = FakeSocket()
        let refused = await fixture.signalling.open(
            peer: "a", claims: fixture.claims("u", role: "pope"), socket: socket)
        #expect(refused == nil)
        #expect(
            await socket.next() == """
                {"jsonrpc":"2.0","method":"on-error","params":{"code":400,\
                "message":"role 'pope' does not exist in this room's policy"}}
                """)
        #expect(await socket.closure() == .init(code: 1008, reason: "refused: 400"))

        let stranger = FakeSocket()
        let claims = SignallingClaims(room: "r2", userID: "u", role: "host")
        #expect(
            await fixture.signalling.open(peer: "a", claims: claims, socket: stranger) == nil)
        #expect(await stranger.next()?.contains(RoomError.otherRoom.message) == true)
        #expect(await fixture.host.isEmpty)
    }

    @Test(arguments: [
        (ClientKind.web, 400, 410, 400), (.native, 400, 410, 400),
        (.reactNative, 40004, 41001, 40002),
    ])
    func numbersOf100msAreForReactNative(
        client: ClientKind, joined: Int, gone: Int, other: Int
    ) async throws {
        func open(_ peer: PeerID, room: RoomID = "r1") async throws -> (FakeSocket, TestClient?) {
            let socket = FakeSocket()
            let id = await fixture.signalling.open(
                peer: peer,
                claims: SignallingClaims(
                    room: room, userID: "user-\(peer)", role: "host", client: client),
                socket: socket)
            return (
                socket,
                id.map {
                    TestClient(fixture: fixture, peer: peer, socket: socket, connection: $0)
                }
            )
        }
        let ann = try #require(try await open("ann").1)
        let join = #"{"name":"A"}"#
        #expect(try await ann.call("join", join).error == nil)
        #expect(try await ann.call("join", join).code == joined)
        let ben = try await fixture.join("ben")
        await ben.notify("leave")
        let target = #"{"peer_id":"ben"}"#
        #expect(try await ann.call("get-peer", target).code == gone)
        // An expired place differs from one that never existed.
        let back = try #require(try await open("ben").1)
        #expect(try await back.call("get-peer", target).code == gone)
        let (stranger, none) = try await open("eve", room: "r2")
        #expect(none == nil)
        let refusal = try TestFrame(try #require(await stranger.next()))
        #expect(refusal.params["code"].integer == Int64(other))
        // Errors without a 100ms number are the same for all clients.
        #expect(try await ann.call("whiteboard-create").code == 404)
    }

    /// Regardless of their content: all peers in the room bear the cost of reading them.
    @Test(arguments: ["{", #"{"method":"analytics"}"#, #"{"method":"ping","id":"1"}"#])
    func whoSendsTooManyFramesIsToldAndClosed(frame: String) async throws {
        var limits = SignallingLimits()
        (limits.framesPerSecond, limits.framesBurst) = (1, 1)
        var roomLimits = RoomLimits()
        (roomLimits.fanOutPerSecond, roomLimits.fanOutBurst) = (1, 2)
        (roomLimits.readsPerSecond, roomLimits.readsBurst) = (1, 3)
        let fixture = SignallingFixture(roomLimits: roomLimits, limits: limits)
        let client = try await fixture.join("a")
        // The join and the frame that marked its end took two of ten; four per second are restored.
        for _ in 0..<8 { await client.send(frame) }
        await fixture.pass(.seconds(1))
        for _ in 0..<4 { await client.send(frame) }
        #expect(await fixture.host.snapshot().peers.first?.isReachable == true)
        await client.send(frame)
        await client.send(frame)
        var last: TestFrame?
        while let next = try await client.next() { last = next }
        #expect(last?.method == "on-warning" && last?.params["code"].integer == 429)
        let closure = await client.socket.closure()
        #expect(closure.code == 1008 && closure.reason == "too many frames")
        _ = try await fixture.connect("a")
    }

    @Test func whoSendsTooManyBytesIsClosed() async throws {
        var limits = SignallingLimits()
        (limits.bytesPerSecond, limits.bytesBurst) = (1000, 3000)
        let fixture = SignallingFixture(limits: limits)
        let client = try await fixture.connect("a")
        let frame = #"{"method":"analytics"}"# + String(repeating: " ", count: 1000)
        for _ in 0..<2 { await client.send(frame) }
        await fixture.pass(.seconds(1))
        await client.send(frame)
        #expect(await !fixture.host.isEmpty)
        for _ in 0..<2 { await client.send(frame) }
        #expect(await client.socket.closure().code == 1008)
    }

    /// A room that grants more requests accepts them at any length.
    @Test func bytesAreGrantedInProportionToFrames() async throws {
        var limits = SignallingLimits()
        (limits.framesPerSecond, limits.framesBurst) = (10, 10)
        (limits.bytesPerSecond, limits.bytesBurst) = (1000, 3000)
        var roomLimits = RoomLimits()
        (roomLimits.fanOutPerSecond, roomLimits.fanOutBurst) = (15, 15)
        (roomLimits.readsPerSecond, roomLimits.readsBurst) = (5, 5)
        let fixture = SignallingFixture(roomLimits: roomLimits, limits: limits)
        let client = try await fixture.connect("a")
        let frame = #"{"method":"analytics"}"# + String(repeating: " ", count: 900)
        for _ in 0..<12 { await client.send(frame) }
        await fixture.pass(.seconds(1))
        for _ in 0..<4 { await client.send(frame) }
        #expect(await !fixture.host.isEmpty)
        for _ in 0..<2 { await client.send(frame) }
        #expect(await client.socket.closure().code == 1008)
    }

    @Test func aFullRoomRefusesTheJoin() async throws {
        var limits = RoomLimits()
        limits.peers = 1
        let fixture = SignallingFixture(roomLimits: limits)
        _ = try await fixture.join("a")
        let client = try await fixture.connect("b")
        #expect(
            try await client.call("join", #"{"name":"B"}"#).error
                == refusal(.room(.roomFull(maximum: 1))))
    }

    @Test func aPeerWithoutAnOfferHasNoMediaAndIsInTheRoomAllTheSame() async throws {
        let client = try await fixture.connect("a")
        #expect(try await client.call("join", #"{"name":"A"}"#).result == .object([:]))
        #expect(
            try await client.call(
                "trickle", #"{"target":0,"candidate":{"candidate":""}}"#
            ).code == 400)
        #expect(try await client.call("answer").error == refusal(.missingParameter("desc")))
        #expect(await fixture.host.snapshot().peerCount == 1)
        await client.notify("leave")
        #expect(await client.socket.closure().code == 1000)
        #expect(fixture.media.calls().isEmpty)
    }
}
