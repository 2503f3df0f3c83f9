import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Testing

/// The requests of a joined peer to the room.
@Suite(.timeLimit(.minutes(5))) struct RoomRequestTests {
    let fixture = SignallingFixture()

    @Test func theSessionsStoreIsSharedVersionedAndListenedTo() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        #expect(
            try await ann.call("get-metadata", #"{"key":"pin"}"#).result
                == .object(["key": .string("pin"), "data": .null, "change_version": .integer(0)]))
        #expect(
            try await ben.call("listen-metadata-change", #"{"keys":["pin"]}"#).result
                == .object([:]))
        let set = try await ann.call("set-metadata", #"{"key":"pin","data":{"text":"hi"}}"#)
        #expect(set.result["change_version"].integer == 1)
        #expect(set.result["data"]["text"].string == "hi")
        #expect(
            await ben.socket.next() == """
                {"jsonrpc":"2.0","method":"on-metadata-change","params":{"values":\
                [{"change_version":1,"data":{"text":"hi"},"key":"pin",\
                "updated_at":1720000000000,"updated_by":"ann"}]}}
                """)
        #expect(
            try await ben.call(
                "set-metadata", #"{"key":"pin","data":1,"if_change_version":7}"#
            ).error == refusal(.room(.versionConflict(key: "pin", version: 1))))
        #expect(
            try await ben.call("get-metadata", #"{"key":"pin"}"#).result["updated_by"].string
                == "ann")
        #expect(
            try await ben.call("set-metadata", #"{"data":"x"}"#).result["key"].string == "default")
    }

    @Test func aReplyNamesTheMessageThatItAnswers() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        let first = try await ben.call("broadcast", #"{"info":{"message":"a","type":"chat"}}"#)
        let id = try #require(first.result["message_id"].string)
        _ = try await ben.call(
            "broadcast", #"{"info":{"message":"b","type":"chat","reply_to":"\#(id)"}}"#)
        let said = try await ann.drain().map { $0.params["info"] }
        // As 100ms' clients know it; a reply has one member more.
        #expect(
            said == [
                .object(["message": .string("a"), "type": .string("chat")]),
                .object([
                    "message": .string("b"), "type": .string("chat"), "reply_to": .string(id),
                ]),
            ])
        let refused = try await ben.call(
            "broadcast", #"{"info":{"message":"b","reply_to":"a b"}}"#)
        #expect(
            refused.error
                == refusal(
                    .room(
                        .invalidField(
                            field: "reply_to", reason: "must be visible ASCII without blanks"))))
    }

    /// As 100ms' prebuilt clients do it: they set the whole list that they know.
    @Test func aMessageIsDeletedByItsSenderOrByWhoMayRemoveOthers() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        func say(_ client: TestClient) async throws -> String {
            let said = try await client.call("broadcast", #"{"info":{"message":"a"}}"#)
            return try #require(said.result["message_id"].string)
        }
        func delete(_ list: String, by client: TestClient) async throws -> TestFrame {
            try await client.call(
                "set-metadata", #"{"key":"chatMessageBlacklist","data":[\#(list)]}"#)
        }
        let (own, hers) = (try await say(ben), try await say(ann))
        #expect(
            try await delete("\"\(hers)\"", by: ben).error
                == refusal(.room(.missingPermission(.removeOthers, role: "guest"))))
        #expect(try await delete("\"\(own)\"", by: ben).result["data"] == .array([.string(own)]))
        _ = try await ben.call("listen-metadata-change", #"{"keys":["chatMessageBlacklist"]}"#)
        _ = try await ben.drain()
        // She has not heard of his.
        let set = try await delete("\"\(hers)\"", by: ann)
        #expect(set.result["data"] == .array([.string(own), .string(hers)]))
        let told = try await ben.drain()
        #expect(told.map(\.method) == ["on-metadata-change"])
        #expect(told[0].params["values"][0]["data"] == .array([.string(own), .string(hers)]))
        #expect(
            try await delete("1", by: ann).error
                == refusal(
                    .room(.invalidField(field: "data", reason: "must be a list of messages' ids"))))
        #expect(fixture.streaming.said().suffix(2) == ["1 deleted in r1", "1 deleted in r1"])
    }

    @Test func aListenerIsToldTheValueOfTheDay() async throws {
        let ann = try await fixture.join("ann")
        _ = try await ann.call("set-metadata", #"{"key":"pin","data":1}"#)
        await ann.send(
            #"{"id":"1","method":"listen-metadata-change","params":{"keys":["pin"]}}"#)
        let frames = try await ann.drain()
        #expect(frames.map { $0.method ?? "answer" } == ["answer", "on-metadata-change"])
        #expect(frames.last?.params["values"][0]["data"].integer == 1)
    }

    @Test func theRoomsDescriptionIsToldToThoseWhoJoinAndComeBack() async throws {
        let fixture = SignallingFixture(description: "of the town")
        for _ in 1...2 {
            let ann = try await fixture.connect("ann")
            _ = try await ann.call("join", #"{"name":"A","offer":{"type":"offer","sdp":"o"}}"#)
            let info = try await ann.drain().filter { $0.method == "room-info" }
            #expect(info.map { $0.params["description"].string } == ["of the town"])
            await ann.close()
        }
    }

    @Test func peersAreFoundPageByPage() async throws {
        let ann = try await fixture.join("ann")
        for index in 0..<4 { _ = try await fixture.join(PeerID("g\(index)"), role: "guest") }
        let first = try await ann.call("find-peer", #"{"role":"guest","limit":3}"#).result
        #expect(first["total"].integer == 4)
        #expect(first["eof"] == .bool(false))
        #expect(first["peers"][0]["peer_id"].string == "g0")
        #expect(first["peers"][2]["peer_id"].string == "g2")
        let iterator = try #require(first["iterator"].string)
        let rest = try await ann.call(
            "peer-iter-next", #"{"iterator":"\#(iterator)","limit":3}"#
        ).result
        #expect(rest["eof"] == .bool(true))
        #expect(rest["peers"][0]["peer_id"].string == "g3")
        #expect(rest["peers"][1] == .null)
        let named = try await ann.call("find-peer", #"{"peers":["ann","x"],"limit":-5}"#).result
        #expect(named["total"].integer == 1)
        #expect(
            try await ann.call("find-peer", #"{"group":"_handraise"}"#).result["total"].integer
                == 0)
        #expect(
            try await ann.call("get-peer", #"{"peer_id":"g1"}"#).result["info"]["name"].string
                == "G1")
    }

    @Test func theOldestWalksAreForgotten() async throws {
        let ann = try await fixture.join("ann")
        for _ in 0...16 { _ = try await ann.call("find-peer") }
        #expect(
            try await ann.call("peer-iter-next", #"{"iterator":"1"}"#).error
                == refusal(.badParameter("iterator", .unknown)))
        #expect(try await ann.call("peer-iter-next", #"{"iterator":"2"}"#).error == nil)
    }

    @Test func aWalkOutlastsItsSocketAndEndsWithItsPeer() async throws {
        let ann = try await fixture.join("ann")
        for index in 0..<2 { _ = try await fixture.join(PeerID("g\(index)"), role: "guest") }
        let first = try await ann.call("find-peer", #"{"role":"guest","limit":1}"#).result
        let next = #"{"iterator":"\#(try #require(first["iterator"].string))","limit":1}"#
        await ann.close()
        let back = try await fixture.connect("ann")
        let rest = try await back.call("peer-iter-next", next).result
        #expect(rest["peers"][0]["peer_id"].string == "g1" && rest["eof"] == .bool(true))
        await back.notify("leave")
        let anew = try await fixture.join("ann")
        #expect(
            try await anew.call("peer-iter-next", next).error
                == refusal(.badParameter("iterator", .unknown)))
    }

    @Test func aRemovedPeerIsToldAndClosedAndMayNotStayByItsSocket() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        #expect(
            try await ann.call(
                "peer-leave-request", #"{"requested_for":"ben","reason":"noise"}"#
            ).result == .object([:]))
        #expect(
            await ben.socket.next() == """
                {"jsonrpc":"2.0","method":"on-peer-leave-request","params":{"reason":"noise",\
                "requested_by":"ann","room_end":false}}
                """)
        #expect(await ben.socket.closure().code == 1000)
        #expect(try await ann.drain().map(\.method) == ["on-peer-leave"])
        #expect(fixture.media.calls().last == "remove ben")
        await ben.notify("track-update", #"{"tracks":{}}"#)
        #expect(await fixture.host.snapshot().peerCount == 1)
    }

    @Test func endingTheRoomTellsAndClosesEverybodyAndALockKeepsThemOut() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        #expect(
            try await ben.call("end-room", #"{"lock":true,"reason":"x"}"#).error
                == refusal(.room(.missingPermission(.endRoom, role: "guest"))))
        await ann.send(
            #"{"id":"1","method":"end-room","params":{"lock":true,"reason":"done"}}"#)
        #expect(try await ann.next()?.result == .object([:]))
        let told = try #require(await ben.next())
        #expect(told.method == "on-peer-leave-request")
        #expect(told.params["room_end"] == .bool(true))
        #expect(await ben.socket.closure().code == 1000)
        await ben.close()
        // The peer that ended it has its answer, and leaves on its own.
        #expect(try await ann.drain().isEmpty)
        await ann.notify("leave")
        #expect(await ann.socket.closure() == FakeSocket.Closure(code: 1000, reason: "left"))
        await ann.close()
        #expect(await fixture.host.isEmpty)
        let socket = FakeSocket()
        let claims = fixture.claims("c", role: "host")
        #expect(
            await fixture.signalling.open(peer: "c", claims: claims, socket: socket) == nil)
        #expect(await socket.next()?.contains(RoomError.roomLocked.message) == true)
    }

    @Test func theServerEndsARoomVisitorsIncluded() async throws {
        let ann = try await fixture.join("ann")
        let visitor = try await fixture.connect("v")
        await fixture.host.endAll(reason: "shutting down")
        #expect(try await ann.next()?.params["reason"].string == "shutting down")
        #expect(await ann.socket.closure().reason == "shutting down")
        #expect(await visitor.socket.closure().code == 1000)
        await ann.close()
        #expect(await fixture.host.isEmpty)
        #expect(fixture.media.calls().last == "remove ann")
    }

    @Test func aFloodOfMessagesIsRefusedAndTheConnectionStays() async throws {
        let ann = try await fixture.join("ann")
        // One was spent on joining.
        for _ in 0..<99 {
            #expect(try await ann.call("broadcast", #"{"info":{"message":"x"}}"#).error == nil)
        }
        #expect(
            try await ann.call("broadcast", #"{"info":{"message":"x"}}"#).error
                == refusal(.room(.tooManyRequests(perSecond: 20))))
        await fixture.pass(.seconds(1))
        #expect(try await ann.call("broadcast", #"{"info":{"message":"x"}}"#).error == nil)
    }

    /// As many at once as a page requests on joining a room full of polls, and three times that.
    @Test func aFloodOfQuestionsIsRefusedAndTakesNothingFromMessages() async throws {
        let ann = try await fixture.join("ann")
        let questions = [
            ("get-metadata", #"{"key":"x"}"#), ("poll-list", #"{"state":"started"}"#),
            ("get-peer", #"{"peer_id":"ann"}"#), ("find-peer", #"{"count":1}"#),
            ("listen-metadata-change", #"{"keys":["x"]}"#),
        ]
        for number in 0..<500 {
            let (method, parameters) = questions[number % questions.count]
            let code = try await ann.call(method, parameters).code
            #expect(code != 429)
        }
        for (method, parameters) in questions {
            #expect(
                try await ann.call(method, parameters).error
                    == refusal(.room(.tooManyRequests(perSecond: 100))))
        }
        #expect(try await ann.call("broadcast", #"{"info":{"message":"x"}}"#).error == nil)
        await fixture.pass(.seconds(1))
        #expect(try await ann.call("poll-list", #"{"state":"started"}"#).error == nil)
    }

    @Test(arguments: [
        ("peer-leave-request", #"{"requested_for":"ben","reason":""}"#),
        ("end-room", #"{"lock":false,"reason":""}"#), ("hls-start", "{}"), ("hls-stop", "{}"),
        ("hls-timed-metadata", #"{"metadata_objs":[{"payload":"p","duration":1}]}"#),
        ("rtmp-start", #"{"record":true}"#), ("rtmp-start", #"{"rtmp_urls":["rtmp://x/y"]}"#),
        ("rtmp-stop", "{}"),
    ])
    func whatIsToldToAllCountsLikeAMessage(method: String, parameters: String) async throws {
        var limits = RoomLimits()
        limits.fanOutBurst = 2
        let fixture = SignallingFixture(roomLimits: limits)
        let ann = try await fixture.join("ann")
        _ = try await fixture.join("ben")
        #expect(try await ann.call("broadcast", #"{"info":{"message":"x"}}"#).error == nil)
        #expect(
            try await ann.call(method, parameters).error
                == refusal(.room(.tooManyRequests(perSecond: 20))))
        #expect(fixture.streaming.calls().isEmpty)
        #expect(await fixture.host.snapshot().peerCount == 2)
    }
}
