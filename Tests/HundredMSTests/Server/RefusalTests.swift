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
            try await client.next()?.error == "400 malformed frame: the frame must be an object")
        await client.send("")
        #expect(try await client.next()?.error == "400 malformed frame: not valid JSON")
        #expect(try await client.call("ping").error == nil)
    }

    @Test func anUnknownMethodIsNamed() async throws {
        let client = try await fixture.join("a")
        #expect(
            try await client.call("whiteboard-create").error
                == "404 method 'whiteboard-create' is not known here")
        await client.send(#"{"id":"7","params":{}}"#)
        let frame = try #require(await client.next())
        #expect(frame.id == "7")
        #expect(frame.error == "400 malformed frame: no method")
        await client.send(#"{"id":8,"method":5}"#)
        #expect(
            await client.socket.next() == """
                {"error":{"code":400,"message":"malformed frame: no method"},"id":8,\
                "jsonrpc":"2.0"}
                """)
    }

    @Test(arguments: [
        ("join", #"{"name":5}"#, "parameter 'name' must be a string"),
        ("join", #"{"name":"N","offer":{"type":"offer"}}"#, "parameter 'offer.sdp' is missing"),
        (
            "join", #"{"name":"N","offer":{"type":"answer","sdp":""}}"#,
            "parameter 'offer.type' must be 'offer'"
        ),
        (
            "join", #"{"name":"N","offer":{"type":"nonsense","sdp":""}}"#,
            "parameter 'offer.type' has a value that is not allowed"
        ),
        ("join", "[]", "parameter 'params' must be an object"),
        ("broadcast", "{}", "'broadcast' needs a joined peer: join first"),
        ("hls-start", "{}", "'hls-start' needs a joined peer: join first"),
        ("rtmp-start", "{}", "'rtmp-start' needs a joined peer: join first"),
        ("rtmp-stop", "{}", "'rtmp-stop' needs a joined peer: join first"),
        ("role-change-request", "{}", "'role-change-request' needs a joined peer: join first"),
        ("poll-list", "{}", "'poll-list' needs a joined peer: join first"),
        ("poll-response", "{}", "'poll-response' needs a joined peer: join first"),
    ])
    func beforeTheJoin(method: String, params: String, message: String) async throws {
        let client = try await fixture.connect("a")
        let reply = try await client.call(method, params)
        #expect(reply.error == "400 \(message)")
        #expect(fixture.media.calls().isEmpty)
    }

    @Test(arguments: [
        ("join", #"{"name":"A"}"#, "400 peer a has already joined the room"),
        ("offer", "{}", "400 parameter 'desc' is missing"),
        (
            "offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":{"t":{"type":"video"}}}"#,
            "400 parameter 'tracks.t.track_id' is missing"
        ),
        (
            "offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":[]}"#,
            "400 parameter 'tracks' must be an object"
        ),
        (
            "offer",
            #"{"desc":{"type":"offer","sdp":"x"},"tracks":{"t":{"track_id":"t","stream_id":"s","type":"smell"}}}"#,
            "400 parameter 'tracks.t.type' has a value that is not allowed"
        ),
        (
            "trickle", #"{"target":2,"candidate":{"candidate":""}}"#,
            "400 parameter 'target' has a value that is not allowed"
        ),
        ("trickle", #"{"candidate":{"candidate":""}}"#, "400 parameter 'target' is missing"),
        ("track-update", "{}", "400 parameter 'tracks' is missing"),
        (
            "track-update", #"{"tracks":{"x":{"mute":true}}}"#,
            "404 track x is not published by this peer"
        ),
        (
            "track-update", #"{"tracks":{"x":{"mute":"yes"}}}"#,
            "400 parameter 'tracks.x.mute' must be a boolean"
        ),
        ("offer", #"{"desc":5}"#, "400 parameter 'desc' must be an object"),
        ("broadcast", #"{"info":"hello"}"#, "400 parameter 'info' must be an object"),
        ("hls-start", #"{"variants":"all"}"#, "400 parameter 'variants' must be an array"),
        ("broadcast", #"{"info":{}}"#, "400 parameter 'info.message' is missing"),
        (
            "broadcast", #"{"info":{"message":"x"},"peer_id":"nobody"}"#,
            "404 peer nobody is not in the room"
        ),
        (
            "broadcast", #"{"info":{"message":"x"},"roles":["pope"]}"#,
            "400 role 'pope' does not exist in this room's policy"
        ),
        ("get-peer", "{}", "400 parameter 'peer_id' is missing"),
        ("get-peer", #"{"peer_id":"x"}"#, "404 peer x is not in the room"),
        (
            "peer-iter-next", #"{"iterator":"9"}"#,
            "400 parameter 'iterator' is not known or too old"
        ),
        ("set-metadata", #"{"key":"","data":1}"#, "400 key is empty"),
        ("listen-metadata-change", "{}", "400 parameter 'keys' is missing"),
        ("peer-leave-request", "{}", "400 parameter 'requested_for' is missing"),
        ("whiteboard-create", "{}", "404 method 'whiteboard-create' is not known here"),
        ("role-change-request", "{}", "400 parameter 'role' is missing"),
        (
            "role-change-request", #"{"role":"guest"}"#,
            "400 parameter 'requested_for' is missing"
        ),
        (
            "role-change-request", #"{"role":"guest","requested_for":"b"}"#,
            "404 peer b is not in the room"
        ),
        (
            "role-change-request", #"{"role":"pope","requested_for":"a","force":true}"#,
            "400 role 'pope' does not exist in this room's policy"
        ),
        (
            "role-change-request",
            #"{"role":"__internal_recorder","requested_for":"a","force":true}"#,
            "400 role '__internal_recorder' does not exist in this room's policy"
        ),
        (
            "role-change-request", #"{"role":"guest","roles":["host"]}"#,
            "400 parameter 'force' must be true for a change by 'roles'"
        ),
        (
            "role-change-request", #"{"role":"guest","roles":[],"force":true}"#,
            "400 roles is empty"
        ),
        (
            "role-change-request",
            #"{"role":"guest","roles":["host"],"requested_for":"a","force":true}"#,
            "400 parameter 'roles' cannot stand beside 'requested_for'"
        ),
        (
            "role-change-request", #"{"role":"guest","requested_for":"a","force":"yes"}"#,
            "400 parameter 'force' must be a boolean"
        ),
        ("role-change", #"{"role":"guest"}"#, "400 parameter 'token' is missing"),
        (
            "role-change", #"{"role":"guest","token":"t"}"#,
            "403 this role has not been offered, or the offer is over"
        ),
        ("track-update-request", "{}", "400 parameter 'requested_for' is missing"),
        (
            "track-update-request", #"{"requested_for":"a","track_id":"t","stream_id":"s"}"#,
            "400 parameter 'mute' is missing"
        ),
        (
            "track-update-request",
            #"{"requested_for":"x","track_id":"t","stream_id":"s","mute":true}"#,
            "404 peer x is not in the room"
        ),
        (
            "track-update-request",
            #"{"requested_for":"a","track_id":"t","stream_id":"s","mute":true}"#,
            "404 track t is not published by this peer"
        ),
        ("change-track-mute-state-request", "{}", "400 parameter 'value' is missing"),
        (
            "change-track-mute-state-request", #"{"value":true,"type":"smell"}"#,
            "400 parameter 'type' has a value that is not allowed"
        ),
        (
            "change-track-mute-state-request", #"{"value":true,"roles":["pope"]}"#,
            "400 role 'pope' does not exist in this room's policy"
        ),
        (
            "change-track-mute-state-request", #"{"value":true,"requested_for":"x"}"#,
            "404 peer x is not in the room"
        ),
        ("group-join", "{}", "400 parameter 'name' is missing"),
        ("group-join", #"{"name":""}"#, "400 name is empty"),
        ("group-add", #"{"name":"g"}"#, "400 parameter 'peer_id' is missing"),
        ("group-remove", #"{"name":"g","peer_id":"x"}"#, "404 peer x is not in the room"),
        (
            "peer-name-search", #"{"query":"x","limit":"many"}"#,
            "400 parameter 'limit' must be a whole number"
        ),
    ])
    func afterTheJoin(method: String, params: String, error: String) async throws {
        let client = try await fixture.join("a")
        _ = fixture.media.calls()
        #expect(try await client.call(method, params).error == error)
        #expect(fixture.media.calls().isEmpty)
        #expect(try await client.call("ping").error == nil)
    }

    /// The media plane makes no further offer while it waits for an answer, and would not learn of
    /// this one.
    @Test(arguments: [
        (
            #"{"desc":{"type":"offer","sdp":"x"}}"#,
            "400 parameter 'desc.type' must be 'answer'"
        ),
        ("{}", "400 parameter 'desc' is missing"),
        ("[]", "400 parameter 'params' must be an object"),
    ])
    func theMediaPlaneIsToldOfAnAnswerThatCannotBeRead(params: String, error: String) async throws {
        let client = try await fixture.join("a")
        _ = fixture.media.calls()
        #expect(try await client.call("answer", params).error == error)
        #expect(fixture.media.calls() == ["answer refused a"])
        #expect(try await client.call("ping").error == nil)
    }

    @Test(arguments: [
        ("poll-info-set", #"{"title":5}"#, "400 parameter 'title' must be a string"),
        (
            "poll-info-set", #"{"poll_id":"a b"}"#,
            "400 poll_id must be visible ASCII without blanks"
        ),
        (
            "poll-info-set", #"{"type":"exam"}"#,
            "400 parameter 'type' has a value that is not allowed"
        ),
        (
            "poll-info-set", #"{"mode":"face"}"#,
            "400 parameter 'mode' has a value that is not allowed"
        ),
        (
            "poll-info-set", #"{"duration":"60"}"#,
            "400 parameter 'duration' must be a whole number"
        ),
        ("poll-info-set", #"{"duration":-1}"#, "400 duration must be 0 to 86400"),
        ("poll-info-set", #"{"vote":"host"}"#, "400 parameter 'vote' must be an array"),
        (
            "poll-info-set", #"{"responses":["pope"]}"#,
            "400 role 'pope' does not exist in this room's policy"
        ),
        ("poll-info-get", "{}", "400 parameter 'poll_id' is missing"),
        ("poll-info-get", #"{"poll_id":"x"}"#, "404 poll x is not in this session"),
        ("poll-questions-set", #"{"poll_id":"p"}"#, "400 parameter 'questions' is missing"),
        (
            "poll-questions-set", #"{"poll_id":"p","questions":[{"question":{"text":"?"}}]}"#,
            "400 parameter 'questions.0.question.type' is missing"
        ),
        (
            "poll-questions-set",
            #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"essay"}}]}"#,
            "400 parameter 'questions.0.question.type' has a value that is not allowed"
        ),
        (
            "poll-questions-set",
            #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"long-answer","index":2}}]}"#,
            "400 parameter 'questions' must have the indexes 1 to 1"
        ),
        (
            "poll-questions-set",
            #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"single-choice"},"options":[{"index":1,"text":"a"},{"index":1,"text":"b"}]}]}"#,
            "400 parameter 'questions.0.options' must have the indexes 1 to 2"
        ),
        (
            "poll-questions-set",
            #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"long-answer","answer_min_len":9,"answer_max_len":8}}]}"#,
            "400 parameter 'questions.0.question.answer_min_len' is more than answer_max_len"
        ),
        (
            "poll-questions-set",
            #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"long-answer","answer_min_len":-9223372036854775808,"answer_max_len":9223372036854775807}}]}"#,
            "400 questions.0.answer_max_len must be 1 to 4096"
        ),
        (
            "poll-questions-set",
            #"{"poll_id":"p","questions":[{"question":{"text":"?","type":"single-choice"},"options":[{"text":"a"}],"answer":{"option":2}}]}"#,
            "400 questions.0.answer.options must be of the question's, each once"
        ),
        ("poll-start", #"{"poll_id":"p"}"#, "400 poll p has no questions"),
        ("poll-stop", #"{"poll_id":"p"}"#, "409 poll p has not been started"),
        ("poll-response", #"{"poll_id":"p"}"#, "400 parameter 'responses' is missing"),
        (
            "poll-response", #"{"poll_id":"p","responses":[{"option":1}]}"#,
            "400 parameter 'responses.0.question' is missing"
        ),
        (
            "poll-response", #"{"poll_id":"p","responses":[{"question":1,"option":"1"}]}"#,
            "400 parameter 'responses.0.option' must be a whole number"
        ),
        (
            "poll-response", #"{"poll_id":"p","responses":[{"question":1,"duration":1e300}]}"#,
            "409 poll p has not been started"
        ),
        (
            "poll-responses", #"{"poll_id":"p","self":"yes"}"#,
            "400 parameter 'self' must be a boolean"
        ),
        (
            "poll-list", #"{"state":"draft"}"#,
            "400 parameter 'state' has a value that is not allowed"
        ),
        ("poll-result", #"{"poll_id":""}"#, "400 poll_id is empty"),
        ("poll-leaderboard", #"{"poll_id":"p"}"#, "409 poll p has not been started"),
    ])
    func ofPolls(method: String, params: String, error: String) async throws {
        let client = try await fixture.join("a")
        _ = try await client.call("poll-info-set", #"{"poll_id":"p","title":"?"}"#)
        #expect(try await client.call(method, params).error == error)
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
        #expect(
            try await client.call(
                "offer", #"{"desc":{"type":"offer","sdp":"\#(longest + line)"}}"#
            ).error?.hasSuffix("at most 921600 are allowed") == true)
    }

    @Test func descriptionsAndCandidatesAreBounded() async throws {
        let client = try await fixture.connect("a")
        let long = String(repeating: "x", count: 65537)
        #expect(
            try await client.call(
                "join", #"{"name":"A","offer":{"type":"offer","sdp":"\#(long)"}}"#
            ).error == "400 parameter 'offer.sdp' has 65537 bytes; at most 65536 are allowed")
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
                ).error == "400 parameter 'desc.sdp' has 921601 bytes; at most 921600 are allowed")
        }
        #expect(fixture.media.calls() == ["answer refused b"])
        let candidate = String(repeating: "x", count: 2049)
        #expect(
            try await joined.call(
                "trickle", #"{"target":0,"candidate":{"candidate":"\#(candidate)"}}"#
            ).error == "400 parameter 'candidate' has 2049 bytes; at most 2048")
    }

    @Test func jsonNestedTooDeepIsRefused() async throws {
        let client = try await fixture.join("a")
        for depth in [100, 600, 100_000] {
            let message =
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let text = #"{"method":"broadcast","id":"1","params":{"info":{"message":\#(message)}}}"#
            await client.send(text)
            #expect(try await client.next()?.error?.hasPrefix("400") == true)
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
                == "500 no media for this peer: no addPeer today")
        #expect(fixture.media.calls() == ["add a", "remove a"])
        fixture.media.allow("addPeer")
        fixture.media.refuse("publishOffer")
        #expect(
            try await client.call("join", join).error
                == "400 the offer was refused: no publishOffer today")
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
        #expect(await stranger.next()?.contains("token is for another room") == true)
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
                == "403 the room is full: it holds 1 peers")
    }

    @Test func aPeerWithoutAnOfferHasNoMediaAndIsInTheRoomAllTheSame() async throws {
        let client = try await fixture.connect("a")
        #expect(try await client.call("join", #"{"name":"A"}"#).result == .object([:]))
        #expect(
            try await client.call(
                "trickle", #"{"target":0,"candidate":{"candidate":""}}"#
            ).error == "400 the peer joined without an offer and so has no media")
        #expect(try await client.call("answer").error == "400 parameter 'desc' is missing")
        #expect(await fixture.host.snapshot().peerCount == 1)
        await client.notify("leave")
        #expect(await client.socket.closure().code == 1000)
        #expect(fixture.media.calls().isEmpty)
    }
}
