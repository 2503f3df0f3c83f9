import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Testing

/// `docs/PROTOCOL.md` section 9: the same peer id and token on a new socket, without a join.
@Suite(.timeLimit(.minutes(5))) struct ReconnectionTests {
    let fixture = SignallingFixture()

    @Test func aPeerThatReturnsIsToldEverythingAndItsSubscriptionIsRestarted() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        _ = try await ann.drain()
        _ = fixture.media.calls()
        await ben.close()
        #expect(await fixture.host.snapshot().peerCount == 2)

        let back = try await fixture.connect("ben")
        let frames = try await back.drain()
        #expect(
            frames.map(\.method) == [
                "on-policy-change", "peer-list", "room-info", "session-info", "on-peer-update",
            ])
        #expect(frames[1].params["peers"].keys == ["ann"])
        #expect(frames[4].params["peer_id"].string == "ben", "what others made of it")
        #expect(fixture.media.calls() == ["restart ben"])
        #expect(try await ann.drain().isEmpty)
        #expect(
            try await back.call("offer", #"{"desc":{"type":"offer","sdp":"x"}}"#).error == nil)
    }

    /// The loss goes unnoticed until the new socket comes. Messages within 4 s of its last frame
    /// may have been read.
    @Test func whatWasSaidToASocketThatWasGoneIsSaidAgainOnce() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        for text in ["0 s", "3 s", "6 s", "9 s"] {
            let reply = try await ann.call(
                "broadcast", #"{"info":{"message":"\#(text)"},"peer_id":"ben"}"#)
            #expect(reply.error == nil)
            await fixture.pass(.seconds(3))
        }
        #expect(await ben.socket.next() != nil)
        let back = try await fixture.connect("ben")
        _ = try await ann.call("broadcast", #"{"info":{"message":"after"}}"#)
        let frames = try await back.drain()
        #expect(frames.prefix(2).map(\.method) == ["on-policy-change", "peer-list"])
        let said = frames.filter { $0.method == "on-broadcast" }
        #expect(
            said.map { $0.params["info"]["message"].string } == ["6 s", "9 s", "after"])
        await back.close()
        try await fixture.host.send(
            OpaqueJSON(text: #""of the operator""#), type: "chat", to: .peer("ben"))
        let again = try await fixture.connect("ben").drain().filter { $0.method == "on-broadcast" }
        #expect(again.map { $0.params["info"]["message"].string } == ["of the operator"])
    }

    @Test func aSecondSocketOfTheSamePeerReplacesTheFirst() async throws {
        let ann = try await fixture.join("ann")
        let old = try await fixture.join("ben")
        _ = try await ann.drain()
        let new = try await fixture.connect("ben")
        #expect(await old.socket.closure().code == 1000)
        #expect(try await new.drain().count == 5)
        // The old socket's end and its late frames no longer matter.
        await old.notify("leave")
        await old.close()
        await fixture.pass(.seconds(3))
        #expect(try await ann.methods() == ["session-info"])
        #expect(await fixture.host.snapshot().peerCount == 2)
        _ = try await ann.call("broadcast", #"{"info":{"message":"x"}}"#)
        #expect(try await new.drain().map(\.method) == ["on-broadcast"])
    }

    @Test func anotherUserCannotTakeAPeerOverBeItHereLostOrOnlyLookingIn() async throws {
        let ann = try await fixture.join("ann")
        func intrude() async -> String? {
            let socket = FakeSocket()
            let id = await fixture.signalling.open(
                peer: "ann", claims: fixture.claims("eve", role: "host"), socket: socket)
            #expect(id == nil)
            #expect(await socket.closure().code == 1008)
            return await socket.next()
        }
        let refusal = """
            {"jsonrpc":"2.0","method":"on-error","params":{"code":403,\
            "message":"peer ann joined with another token"}}
            """
        #expect(await intrude() == refusal)
        #expect(try await ann.drain().isEmpty)
        await ann.close()
        #expect(await intrude() == refusal)

        let visiting = SignallingFixture()
        let visitor = try await visiting.connect("ann")
        let socket = FakeSocket()
        #expect(
            await visiting.signalling.open(
                peer: "ann", claims: visiting.claims("eve", role: "host"), socket: socket) == nil)
        #expect(try await visitor.call("ping").error == nil)
    }

    /// Even of the same user: anyone with a room code may use any user's name.
    @Test func anotherTokenDoesNotTakeAPeerOver() async throws {
        let host = try await fixture.connect("ann", user: "ann", token: "t1")
        let join = #"{"name":"A","offer":{"type":"offer","sdp":"o"}}"#
        #expect(try await host.call("join", join).error == nil)
        let socket = FakeSocket()
        let intruder = await fixture.signalling.open(
            peer: "ann", claims: fixture.claims("ann", role: "guest", token: "t2"),
            socket: socket)
        #expect(intruder == nil)
        #expect(await socket.closure().code == 1008)
        #expect(try await host.call("ping").error == nil)
        _ = try await fixture.connect("ann", user: "ann", token: "t1")
    }

    /// The answer to its join was lost with the socket, so the client joins again on the next one.
    @Test func aJoinByANewerSocketBeginsAnew() async throws {
        let ann = try await fixture.join("ann")
        let lost = try await fixture.join("ben")
        _ = try await ann.drain()
        await lost.close()
        _ = fixture.media.calls()
        let back = try await fixture.connect("ben")
        let join = #"{"name":"B","offer":{"type":"offer","sdp":"again"}}"#
        #expect(try await back.call("join", join).error == nil)
        let calls = fixture.media.calls().filter { !$0.hasPrefix("subs") }
        #expect(calls.suffix(3) == ["remove ben", "add ben", "offer ben again"])
        #expect(try await ann.methods() == ["on-peer-leave", "on-peer-join"])
        #expect(try await back.call("join", join).code == 400)
        #expect(await fixture.host.snapshot().peerCount == 2)
    }

    /// A peer that has neither joined nor a socket would never be removed.
    @Test func aSocketThatGoesBeforeItsPeerBeginsAnewLeavesNothingBehind() async throws {
        let lost = try await fixture.join("ben")
        await lost.close()
        let back = try await fixture.connect("ben")
        fixture.media.closeGate(of: "removePeer")
        async let joining: Void = back.notify(
            "join", #"{"name":"B","offer":{"type":"offer","sdp":"v"}}"#)
        await fixture.media.waitForGate()
        await back.close()
        fixture.media.openGate()
        await joining
        #expect(await fixture.host.isEmpty)
    }

    @Test func aPeerThatDoesNotReturnIsGoneAfterSixtySeconds() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        _ = try await ann.drain()
        _ = fixture.media.calls()
        await ben.close()
        await fixture.pass(.seconds(30))
        _ = try await ann.drain()
        await fixture.pass(.seconds(29))
        #expect(try await ann.drain().isEmpty)
        await fixture.pass(.seconds(1))
        #expect(try await ann.methods() == ["on-peer-leave", "session-info"])
        #expect(fixture.media.calls() == ["remove ben"])
        // From now on it is a new peer.
        let back = try await fixture.connect("ben")
        #expect(try await back.drain().last?.method == "room-state")
    }

    @Test func aSilentConnectionIsLost() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        await fixture.pass(.seconds(44))
        #expect(try await ann.methods() == ["on-peer-join", "session-info"])
        await fixture.pass(.seconds(1))
        #expect(await ben.socket.closure().code == 1001)
        #expect(await fixture.host.snapshot().peerCount == 2)
        await fixture.pass(.seconds(40))
        _ = try await ann.drain()
        await fixture.pass(.seconds(20))
        #expect(try await ann.methods() == ["on-peer-leave", "session-info"])
    }

    @Test func aSocketThatGoesDuringTheJoinEndsTheJoin() async throws {
        let ann = try await fixture.join("ann")
        _ = fixture.media.calls()
        let ben = try await fixture.connect("ben")
        fixture.media.closeGate()
        async let joining: Void = ben.notify(
            "join", #"{"name":"B","offer":{"type":"offer","sdp":"v"}}"#)
        await fixture.media.waitForGate()
        await ben.close()
        // The peer has to wait until the media plane has released it.
        let back = try await fixture.connect("ben")
        let join = #"{"name":"B","offer":{"type":"offer","sdp":"w"}}"#
        #expect(try await back.call("join", join).error == refusal(.busy))
        fixture.media.openGate()
        await joining
        #expect(fixture.media.calls() == ["add ben", "offer ben v", "remove ben"])
        #expect(try await ann.drain().isEmpty)
        #expect(try await back.call("join", join).error == nil)
        #expect(try await ann.drain().map(\.method) == ["on-peer-join"])
    }

    @Test func aJoinThatALockOvertakesIsClosedWithTheReasonAndNoError() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.connect("ben")
        _ = try await ben.drain()
        fixture.media.closeGate()
        async let joining: Void = ben.send(
            #"{"id":"1","method":"join","params":{"name":"B","offer":{"type":"offer","sdp":"v"}}}"#)
        await fixture.media.waitForGate()
        _ = try await ann.call("end-room", #"{"lock":true,"reason":"late"}"#)
        fixture.media.openGate()
        await joining
        #expect(await ben.socket.next() == nil)
        #expect(await ben.socket.closure() == FakeSocket.Closure(code: 1000, reason: "late"))
    }

    @Test func aRoomThatEndsDuringAJoinTakesNobodyIn() async throws {
        let ben = try await fixture.connect("ben")
        fixture.media.closeGate()
        async let joining: Void = ben.notify(
            "join", #"{"name":"B","offer":{"type":"offer","sdp":"v"}}"#)
        await fixture.media.waitForGate()
        await fixture.host.endAll(reason: "over")
        fixture.media.openGate()
        await joining
        #expect(fixture.media.calls().last == "remove ben")
        #expect(await fixture.host.isEmpty)
    }

    @Test func whatTheMediaPlaneSaysToAnAbsentPeerIsDropped() async throws {
        let running = Task { await fixture.host.run() }
        let ben = try await fixture.join("ben")
        await ben.close()
        fixture.media.say(.subscribeOffer("ben", sdp: "stale"))
        fixture.media.shutDown()
        await running.value
        let back = try await fixture.connect("ben")
        #expect(try await back.drain().count == 5)
    }

    /// 100ms' web SDK ends its session when it is offered twice before it has answered.
    @Test func whatWasOfferedForAnEarlierSocketIsNotSaidToTheNext() async throws {
        let ben = try await fixture.join("ben")
        await fixture.hear(.subscribeOffer("ben", sdp: "first"))
        #expect(try await ben.methods() == ["offer"])
        await ben.close()
        let back = try await fixture.connect("ben")
        _ = try await back.drain()
        await fixture.hear(
            .subscribeOffer("ben", sdp: "late"),
            .subscribeOffer("ben", sdp: "restart", socket: 1))
        let offers = try await back.drain().map { $0.params["sdp"].string }
        #expect(offers == ["restart"])
        // A peer that joins anew starts from scratch.
        await back.notify("leave")
        let anew = try await fixture.join("ben")
        await fixture.hear(.subscribeOffer("ben", sdp: "anew"))
        #expect(try await anew.methods() == ["offer"])
    }

    /// 100ms' clients do this after a restart of the server, which does not know them: any other
    /// error would come again every second for a minute.
    @Test func whoGoesOnWithoutAPlaceIsSentBackToJoin() async throws {
        let stranger = try await fixture.connect("ann")
        let reply = try await stranger.call(
            "offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":{}}"#)
        #expect(
            reply.code == 410
                && reply.error == refusal(.placeLost("ann", kept: .seconds(60))))
        let last = try #require(try await stranger.next())
        #expect(last.method == "on-error" && last.params["code"].integer == 410)
        #expect(await stranger.socket.closure() == .init(code: 1008, reason: "refused: 410"))
        #expect(fixture.media.calls().isEmpty)

        let back = try await fixture.connect("ann")
        #expect(try await back.call("join", #"{"name":"Ann"}"#).error == nil)
    }

    /// A preview that lost its socket offers its tracks, which are none, and is not mistaken for an
    /// unknown peer.
    @Test func whoOnlyLooksInGoesOnLookingIn() async throws {
        let visitor = try await fixture.connect("ann")
        await visitor.notify("track-update", #"{"tracks":{}}"#)
        #expect(try await visitor.methods().last == "on-warning")
        #expect(try await visitor.call("join", #"{"name":"Ann"}"#).error == nil)
    }
}
