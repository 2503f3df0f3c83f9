import HundredMS
import MediaKernel
import Rooms
import Testing

/// Polls on the wire.
@Suite(.timeLimit(.minutes(5))) struct PollTests {
    let fixture = SignallingFixture()

    static let info = #"{"poll_id":"p","title":"Sums","type":"quiz"}"#
    /// As in 100ms' web SDK: the second one first, and with fields for its own use.
    static let questions = #"""
        {"poll_id":"p","questions":[
        {"question":{"text":"even?","type":"multiple-choice","index":2,"weight":5,"negative":true,
        "options":[{"text":"1","isCorrectAnswer":false}],"draftID":"d"},
        "options":[{"index":2,"text":"2","weight":3},{"index":1,"text":"1"}],
        "answer":{"hidden":true,"options":[2]}},
        {"question":{"text":"1 + 1?","type":"single-choice","index":1},
        "options":[{"index":1,"text":"1"},{"index":2,"text":"2"}],
        "answer":{"hidden":false,"option":2}},
        {"question":{"text":"why?","type":"long-answer","index":3,"skippable":false,"once":true,
        "duration":9,"answer_min_len":2,"answer_max_len":80}}]}
        """#.replacing("\n", with: "")

    /// Ann with a quiz that Ben has received.
    func started() async throws -> (ann: TestClient, ben: TestClient) {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        #expect(try await ann.call("poll-info-set", Self.info).error == nil)
        #expect(try await ann.call("poll-questions-set", Self.questions).error == nil)
        #expect(try await ann.call("poll-start", #"{"poll_id":"p"}"#).error == nil)
        _ = try await ann.drain()
        _ = try await ben.drain()
        return (ann, ben)
    }

    @Test func aQuizFromItsMakingToItsLeaderboard() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        #expect(
            try await ann.call("poll-info-set", Self.info).text.hasSuffix(
                #""result":{"poll_id":"p","version":"1.0"}}"#))
        #expect(
            try await ann.call("poll-questions-set", Self.questions).text.hasSuffix(
                #""result":{"poll_id":"p","total_questions":3,"version":"1.0"}}"#))
        #expect(
            try await ben.call("poll-info-get", #"{"poll_id":"p"}"#).error
                == refusal(.room(.unknownPoll("p"))))
        #expect(
            try await ann.call("poll-info-get", #"{"poll_id":"p"}"#).text.hasSuffix(
                """
                "result":{"anonymous":false,"created_at":1720000000000,"created_by":"ann",\
                "duration":0,"locked":false,"mode":"userid","poll_id":"p","questions_count":3,\
                "responses":[],"state":"created","title":"Sums","type":"quiz","visibility":false,\
                "vote":[]}}
                """))
        await fixture.pass(.seconds(1))
        _ = try await (ann.drain(), ben.drain())
        await ann.send(#"{"id":"s","method":"poll-start","params":{"poll_id":"p"}}"#)
        #expect(
            await ann.socket.next()
                == #"{"id":"s","jsonrpc":"2.0","result":{"duration":0,"poll_id":"p"}}"#)
        let told = """
            {"jsonrpc":"2.0","method":"on-poll-start","params":{"polls":[{"anonymous":false,\
            "created_at":1720000000000,"created_by":"ann","duration":0,"locked":true,\
            "mode":"userid","poll_id":"p","questions_count":3,"responses":[],\
            "started_at":1720000001000,"started_by":"ann","state":"started","title":"Sums",\
            "type":"quiz","visibility":false,"vote":[]}]}}
            """
        #expect(await ann.socket.next() == told)
        #expect(await ben.socket.next() == told)

        await fixture.pass(.seconds(1))
        #expect(
            try await ben.call(
                "poll-response",
                #"{"poll_id":"p","responses":[{"question":1,"type":"single-choice","option":2,"duration":400.5},{"question":2,"options":[2],"duration":200},{"question":3,"text":"x","duration":1}]}"#
            ).text.hasSuffix(
                """
                "result":{"poll_id":"p","result":[{"correct":true,"question":1},{"question":2},\
                {"error":{"code":400,"description":"","message":"text must have 2 to 80 \
                characters"},"question":3}],"version":"1.0"}}
                """))
        #expect(try await ann.drain().isEmpty)
        await fixture.pass(.seconds(1))
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"on-poll-stats","params":{"polls":[{"max_user":2,\
                "poll_id":"p","questions":[{"correct":1,"options":[0,1],"question":1,"skipped":0,\
                "total":1,"type":"single-choice"},{"correct":1,"options":[0,1],"question":2,\
                "skipped":0,"total":1,"type":"multiple-choice"},{"correct":0,"question":3,\
                "skipped":0,"total":0,"type":"long-answer"}],"total_response":2,\
                "user_count":1}]}}
                """)
        let seen = try #require(await ben.next())
        #expect(seen.method == "on-poll-stats")
        #expect(seen.params["polls"][0]["questions"][1].keys.contains("correct") == false)

        let stop = try await ann.call("poll-stop", #"{"poll_id":"p"}"#)
        #expect(stop.result["duration"].integer == 0)
        let end = try #require(await ben.next())
        #expect(end.method == "on-poll-stop")
        #expect(end.params["polls"][0]["stopped_by"].string == "ann")
        #expect(end.params["polls"][0]["stopped_at"].integer == 1_720_000_003_000)
        #expect(end.params["polls"][0]["state"].string == "stopped")
        #expect(
            try await ben.call("poll-result", #"{"poll_id":"p"}"#).result["questions"][1]["correct"]
                .integer == 1)
        let board = try await ben.call("poll-leaderboard", #"{"poll_id":"p","offset":0}"#)
        let hash = try #require(board.result["questions"][0]["peer"]["hash"].string)
        #expect(
            board.text.hasSuffix(
                """
                "result":{"avg_score":6,"avg_time":300,"correct_users":0,"last":true,\
                "poll_id":"p","questions":[{"correct_responses":2,"duration":600,\
                "peer":{"hash":"\(hash)","peerid":"ben","userid":"user-ben","username":"BEN"},\
                "position":1,"score":6,"total_responses":2}],"total_users":2,"voted_users":1}}
                """))
    }

    @Test func questionsComeInTheirOrderAndWithoutWhatIsHidden() async throws {
        let (ann, ben) = try await started()
        let page = try await ben.call(
            "poll-questions-get", #"{"poll_id":"p","index":0,"count":50}"#)
        #expect(
            page.text.hasSuffix(
                """
                "result":{"last":true,"poll_id":"p","questions":[{"answer":{"hidden":false,\
                "option":2},"options":[{"index":1,"text":"1"},{"index":2,"text":"2"}],"question":\
                {"duration":0,"index":1,"negative":false,"once":false,"skippable":true,\
                "text":"1 + 1?","type":"single-choice","weight":1}},{"answer":{"hidden":true},\
                "options":[{"index":1,"text":"1"},{"index":2,"text":"2","weight":3}],"question":\
                {"duration":0,"index":2,"negative":true,"once":false,"skippable":true,\
                "text":"even?","type":"multiple-choice","weight":5}},{"question":\
                {"answer_max_len":80,"answer_min_len":2,"duration":9,"index":3,"negative":false,\
                "once":true,"skippable":false,"text":"why?","type":"long-answer","weight":1}}],\
                "version":"1.0"}}
                """))
        let rest = try await ann.call("poll-questions-get", #"{"poll_id":"p","index":1,"count":1}"#)
        #expect(rest.result["last"] == .bool(false))
        #expect(rest.result["questions"][0]["question"]["index"].integer == 2)
        #expect(rest.result["questions"][0]["answer"]["options"][0].integer == 2)
        #expect(rest.result["questions"][1] == .null)
    }

    /// 100ms' Android library sends one for every question.
    @Test func anEmptyRightAnswerIsNone() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        let questions = #"""
            {"poll_id":"p","questions":[{"question":{"text":"why?","type":"short-answer","index":1,
            "negative":true},"answer":{"hidden":false,"text":"","case":false,"trim":false}}]}
            """#
        #expect(try await ann.call("poll-info-set", Self.info).error == nil)
        #expect(try await ann.call("poll-questions-set", questions).error == nil)
        #expect(try await ann.call("poll-start", #"{"poll_id":"p"}"#).error == nil)
        let answer = #"{"poll_id":"p","responses":[{"question":1,"text":"so"}]}"#
        #expect(try await ben.call("poll-response", answer).error == nil)
        let page = try await ben.call("poll-questions-get", #"{"poll_id":"p"}"#).result
        #expect(page["questions"][0]["answer"].keys == ["hidden"])
        _ = try await ann.call("poll-stop", #"{"poll_id":"p"}"#)
        let board = try await ben.call("poll-leaderboard", #"{"poll_id":"p"}"#).result
        #expect(board["questions"][0]["score"].integer == 0)
    }

    @Test func whatOneAnsweredIsGivenBack() async throws {
        let (ann, ben) = try await started()
        _ = try await ben.call(
            "poll-response",
            #"{"poll_id":"p","responses":[{"question":2,"options":[2,1],"duration":5},{"question":1,"skipped":true},{"question":3,"text":"so what"}]}"#
        )
        let own = try await ben.call(
            "poll-responses", #"{"poll_id":"p","index":0,"count":50,"self":true}"#)
        let hash = try #require(own.result["responses"][0]["peer"]["hash"].string)
        let peer =
            #"{"hash":"\#(hash)","peerid":"ben","userid":"user-ben","username":"BEN"}"#
        #expect(
            own.text.hasSuffix(
                """
                "result":{"last":true,"poll_id":"p","responses":[{"final":true,"peer":\(peer),\
                "response":{"duration":0,"question":1,"response_id":"\(hash)-1","skipped":true,\
                "type":"single-choice","update":false}},{"final":true,"peer":\(peer),\
                "response":{"duration":0,"options":[1,2],"question":2,"response_id":"\(hash)-2",\
                "skipped":false,"type":"multiple-choice","update":false}},{"final":true,\
                "peer":\(peer),"response":{"duration":0,"question":3,"response_id":"\(hash)-3",\
                "skipped":false,"text":"so what","type":"long-answer","update":false}}],\
                "version":"1.0"}}
                """))
        #expect(
            try await ben.call("poll-responses", #"{"poll_id":"p"}"#).error
                == refusal(.room(.mayNotSeeAnswers("p", role: "guest"))))
        let all = try await ann.call(
            "poll-responses", #"{"poll_id":"p","index":1,"count":1,"self":false}"#)
        #expect(all.result["last"] == .bool(false))
        #expect(all.result["responses"][0]["response"]["question"].integer == 1)
        #expect(
            try await ann.call("poll-responses", #"{"poll_id":"p","self":true}"#)
                .result["responses"] == .array([]))
    }

    @Test func pollsAreListedPageByPage() async throws {
        let ann = try await fixture.join("ann")
        for index in 0..<5 {
            _ = try await ann.call("poll-info-set", #"{"poll_id":"p\#(index)","title":"?"}"#)
        }
        let first = try await ann.call("poll-list", #"{"state":"created","count":3}"#).result
        #expect(first["last"].string == "p2")
        #expect(first["polls"][0]["poll_id"].string == "p0")
        #expect(first["polls"][0]["type"].string == "poll")
        let rest = try await ann.call(
            "poll-list", #"{"state":"created","count":3,"start":"p2"}"#
        ).result
        #expect(rest["last"].string == "" && rest["polls"][1]["poll_id"].string == "p4")
        #expect(try await ann.call("poll-list").result["polls"][4]["state"].string == "created")
        #expect(
            try await ann.call("poll-list", #"{"state":"started"}"#).result["polls"] == .array([]))
        let made = try await ann.call("poll-info-set", #"{"poll_id":"","title":"?"}"#).result
        #expect(made["poll_id"].string?.count == 24)
    }

    @Test func leaderboardsComePageByPage() async throws {
        let (ann, _) = try await started()
        for index in 0..<12 {
            let one = try await fixture.join(PeerID("g\(index)"), role: "viewer")
            _ = try await one.call(
                "poll-response",
                #"{"poll_id":"p","responses":[{"question":1,"option":2,"duration":\#(index)}]}"#)
        }
        _ = try await ann.call("poll-stop", #"{"poll_id":"p"}"#)
        let first = try await ann.call("poll-leaderboard", #"{"poll_id":"p","offset":0}"#).result
        #expect(first["last"] == .bool(false) && first["questions"][9]["position"].integer == 10)
        #expect(first["questions"][10] == .null && first["voted_users"].integer == 12)
        let rest = try await ann.call(
            "poll-leaderboard", #"{"poll_id":"p","offset":10,"count":200}"#
        ).result
        #expect(rest["last"] == .bool(true) && rest["questions"][1]["position"].integer == 12)
        let one = try await ann.call(
            "poll-leaderboard", #"{"poll_id":"p","question":2,"offset":0}"#
        ).result
        #expect(one["questions"] == .array([]))
    }

    @Test func aNativeClientIsRefusedInItsOwnNumbers() async throws {
        let (_, ben) = try await started()
        // 100ms has none for polls, so all clients get the same codes.
        let refused = try await ben.call(
            "poll-response", #"{"poll_id":"p","responses":[{"question":9,"option":1}]}"#)
        #expect(
            refused.error
                == refusal(.room(.invalidField(field: "question", reason: "must be 1 to 3"))))
        #expect(
            try await ben.call("poll-start", #"{"poll_id":"p"}"#).error
                == refusal(.room(.missingPermission(.pollWrite, role: "guest"))))
    }

    /// Simultaneous answers cost the other peers one frame, and simultaneous requests for the
    /// leaderboard one rendering.
    @Test func aStormOfAnswersIsToldOnce() async throws {
        var roomLimits = RoomLimits()
        roomLimits.largeRoomPeers = 2
        let fixture = SignallingFixture(roomLimits: roomLimits)
        let ann = try await fixture.join("ann")
        _ = try await fixture.join("ben", role: "guest")
        _ = try await ann.call("poll-info-set", Self.info)
        _ = try await ann.call("poll-questions-set", Self.questions)
        _ = try await ann.call("poll-start", #"{"poll_id":"p"}"#)
        var voters: [TestClient] = []
        for index in 0..<200 {
            voters.append(try await fixture.join(PeerID("v\(index)"), role: "viewer"))
        }
        await fixture.pass(.seconds(1))
        _ = try await ann.drain()
        for (index, voter) in voters.enumerated() {
            await voter.send(
                #"{"id":"1","method":"poll-response","params":{"poll_id":"p","responses":[{"question":1,"option":\#(index % 2 + 1)}]}}"#
            )
        }
        #expect(try await ann.drain().isEmpty)
        await fixture.pass(.seconds(1))
        let frames = try await ann.drain()
        #expect(frames.map(\.method) == ["on-poll-stats"])
        let counted = try #require(frames.first).params["polls"][0]
        #expect(counted["user_count"].integer == 200 && counted["max_user"].integer == 202)
        #expect(counted["questions"][0]["options"] == .array([.integer(100), .integer(100)]))
        _ = try await ann.call("poll-stop", #"{"poll_id":"p"}"#)
        var boards: [JSONValue] = []
        for client in [ann, voters[7]] {
            boards.append(
                try await client.call("poll-leaderboard", #"{"poll_id":"p","count":200}"#).result)
        }
        #expect(boards[0] == boards[1] && boards[0]["questions"][199]["position"].integer == 200)
    }

    /// A cached leaderboard of one poll is not returned for another poll with its id.
    @Test func aLeaderboardIsThatOfItsPoll() async throws {
        for session in 1...2 {
            let (ann, ben) = try await started()
            if session == 2 {
                _ = try await ben.call(
                    "poll-response",
                    #"{"poll_id":"p","responses":[{"question":1,"option":2}]}"#)
            }
            _ = try await ann.call("poll-stop", #"{"poll_id":"p"}"#)
            let board = try await ann.call("poll-leaderboard", #"{"poll_id":"p"}"#).result
            #expect(board["voted_users"].integer == Int64(session - 1))
            for client in [ann, ben] { await client.notify("leave") }
            await fixture.pass(.seconds(1))
        }
    }
}
