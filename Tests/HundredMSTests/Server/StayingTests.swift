import HundredMS
import MediaKernel
import MediaServer
import PeerConnection
import RoomHost
import Rooms
import Testing

/// The conditions under which a peer stays when its token expires, or its socket or media fail.
@Suite(.timeLimit(.minutes(5))) struct StayingTests {
    let fixture = SignallingFixture()

    // MARK: - Tokens

    private func expired(_ token: String) -> SignallingClaims {
        SignallingClaims(
            room: "r1", userID: "ann", role: "host", tokenID: token,
            expiresAt: UnixTime(milliseconds: 1_720_000_000_000))
    }

    @Test func anExpiredTokenLetsBackInWhoIsHereWithIt() async throws {
        let ann = try await fixture.connect("ann", user: "ann", token: "t1")
        _ = try await ann.call("join", #"{"name":"A","offer":{"type":"offer","sdp":"o"}}"#)
        await ann.close()
        let socket = FakeSocket()
        let id = await fixture.signalling.open(
            peer: "ann", claims: expired("t1"), socket: socket)
        #expect(id != nil)
        #expect(try TestFrame(try #require(await socket.next())).method == "on-policy-change")
    }

    @Test(arguments: [(PeerID("ann"), "t2"), (PeerID("ben"), "t1")])
    func anExpiredTokenLetsNobodyElseIn(peer: PeerID, token: String) async throws {
        let ann = try await fixture.connect("ann", user: "ann", token: "t1")
        _ = try await ann.call("join", #"{"name":"A","offer":{"type":"offer","sdp":"o"}}"#)
        let socket = FakeSocket()
        let id = await fixture.signalling.open(peer: peer, claims: expired(token), socket: socket)
        #expect(id == nil)
        let frame = try TestFrame(try #require(await socket.next()))
        #expect(frame.method == "on-error" && frame.params["code"].integer == 401)
        #expect(await socket.closure().code == 1008)
        #expect(try await ann.call("ping").error == nil)
    }

    @Test func aTokenThatExpiresWhileItsOwnerLooksInLetsNobodyJoin() async throws {
        let join = #"{"name":"A","offer":{"type":"offer","sdp":"o"}}"#
        let claims = SignallingClaims(
            room: "r1", userID: "ann", role: "host", tokenID: "t1",
            expiresAt: UnixTime(milliseconds: 1_720_000_010_000))
        func connect(_ peer: PeerID) async throws -> TestClient {
            let socket = FakeSocket()
            let id = await fixture.signalling.open(peer: peer, claims: claims, socket: socket)
            return TestClient(
                fixture: fixture, peer: peer, socket: socket, connection: try #require(id))
        }
        let (ann, visitor) = (try await connect("ann"), try await connect("visitor"))
        #expect(try await ann.call("join", join).error == nil)
        await fixture.pass(.seconds(10))
        #expect(
            try await visitor.call("join", join).error
                == refusal(.tokenExpired))
        // Nor may a present peer join anew; it stays.
        await ann.close()
        let back = try await connect("ann")
        #expect(try await back.call("join", join).code == 401)
        let sdp = #"{"desc":{"type":"offer","sdp":"x"}}"#
        #expect(try await back.call("offer", sdp).error == nil)
    }

    // MARK: - The subscribe connection

    @Test func aBrokenSubscribeConnectionIsRestartedLessAndLessOften() async throws {
        let ann = try await fixture.join("ann")
        _ = fixture.media.calls()
        await fixture.hear(.connection("ann", .subscribe, .disconnected))
        var restarts: [Int] = []
        for second in 1...80 {
            // Its own restarts fail, which does not restart anything.
            if second == 66 { await fixture.hear(.connection("ann", .subscribe, .failed)) }
            _ = try await ann.drain()
            await fixture.pass(.seconds(1))
            if fixture.media.calls() == ["restart ann"] { restarts.append(second) }
        }
        #expect(restarts == [5, 15, 35, 55, 75])
    }

    @Test func aSubscribeConnectionThatRecoversIsLeftAloneAndMayBreakAgain() async throws {
        _ = try await fixture.join("ann")
        _ = fixture.media.calls()
        await fixture.hear(.connection("ann", .subscribe, .disconnected))
        await fixture.pass(.seconds(4))
        await fixture.hear(.connection("ann", .subscribe, .connected))
        await fixture.pass(.seconds(10))
        #expect(fixture.media.calls().isEmpty)
        await fixture.hear(.connection("ann", .subscribe, .failed))
        await fixture.pass(.seconds(5))
        #expect(fixture.media.calls() == ["restart ann"])
    }

    @Test func withoutASocketNothingIsRestartedAndANewOneBeginsAnew() async throws {
        let ann = try await fixture.join("ann")
        _ = fixture.media.calls()
        await fixture.hear(.connection("ann", .subscribe, .failed))
        await ann.close()
        await fixture.pass(.seconds(6))
        #expect(fixture.media.calls().isEmpty)
        _ = try await fixture.connect("ann")
        #expect(fixture.media.calls() == ["restart ann"])
        await fixture.pass(.seconds(4))
        #expect(fixture.media.calls().isEmpty)
        await fixture.pass(.seconds(1))
        #expect(fixture.media.calls() == ["restart ann"])
    }

    @Test func whoHasLeftIsRestartedNoMore() async throws {
        let ann = try await fixture.join("ann")
        await fixture.hear(.connection("ann", .subscribe, .failed))
        await ann.notify("leave")
        // A peer that joins anew with the same id has a fresh connection.
        _ = try await fixture.join("ann")
        _ = fixture.media.calls()
        for _ in 0..<4 { await fixture.pass(.seconds(10)) }
        #expect(await !fixture.host.isEmpty)
        #expect(fixture.media.calls().isEmpty)
    }

    // MARK: - Put out while away

    private func farewell(of peer: PeerID, token: SignallingClaims? = nil) async throws -> TestFrame
    {
        let socket = FakeSocket()
        let claims = token ?? fixture.claims("user-\(peer)", role: "host")
        let id = await fixture.signalling.open(peer: peer, claims: claims, socket: socket)
        try #require(id == nil)
        let frame = try TestFrame(try #require(await socket.next()))
        let closure = await socket.closure()
        #expect(closure.code == 1000 && closure.reason == frame.params["reason"].string)
        return frame
    }

    @Test func whoWasRemovedWhileItWasAwayIsToldWhenItIsBack() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        await ben.close()
        await fixture.pass(.seconds(20))
        let removal = #"{"requested_for":"ben","reason":"noise"}"#
        #expect(try await ann.call("peer-leave-request", removal).error == nil)
        await fixture.pass(.seconds(39))
        #expect(await fixture.host.isHere("ben"))
        #expect(
            try await farewell(of: "ben").text == """
                {"jsonrpc":"2.0","method":"on-peer-leave-request","params":{"reason":"noise",\
                "requested_by":"ann","room_end":false}}
                """)
        // Only once: from now on it is a new peer.
        #expect(await !fixture.host.isHere("ben"))
        let back = try await fixture.connect("ben")
        #expect(try await back.drain().first?.method == "on-policy-change")
    }

    @Test func whoWasAwayWhenTheRoomEndedIsToldThoughItIsLockedAndNobodyIsThere() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        let cat = try await fixture.join("cat")
        await ben.close()
        await cat.close()
        _ = try await ann.call("end-room", #"{"lock":true,"reason":"late"}"#)
        await ann.notify("leave")
        await ann.close()
        #expect(await fixture.host.snapshot().peerCount == 0)
        #expect(await !fixture.host.isHere("ann"), "it has heard")
        #expect(await !fixture.host.isEmpty, "the room stays to tell them")
        let expired = SignallingClaims(
            room: "r1", userID: "user-ben", role: "host", tokenID: "",
            expiresAt: UnixTime(milliseconds: 1_720_000_000_000))
        #expect(await fixture.host.isHere("ben", of: TokenOwner(userID: "user-ben", tokenID: "")))
        let frame = try await farewell(of: "ben", token: expired)
        #expect(frame.method == "on-peer-leave-request")
        #expect(frame.params["room_end"] == .bool(true))
        #expect(frame.params["reason"].string == "late")
        await fixture.pass(.seconds(59))
        #expect(await fixture.host.isHere("cat"))
        await fixture.pass(.seconds(1))
        #expect(await !fixture.host.isHere("cat"))
        #expect(await fixture.host.isEmpty)
    }

    /// It may have lost the answer that reports the end of the room.
    @Test func whoEndsTheRoomAndDoesNotLeaveIsClosedAndToldOnItsNextSocket() async throws {
        let ann = try await fixture.join("ann")
        _ = try await ann.call("end-room", #"{"reason":"late"}"#)
        await fixture.pass(.seconds(4))
        #expect(try await ann.drain().isEmpty)
        await fixture.pass(.seconds(1))
        #expect(await ann.socket.closure() == FakeSocket.Closure(code: 1000, reason: "late"))
        await ann.close()
        let frame = try await farewell(of: "ann")
        #expect(frame.method == "on-peer-leave-request")
        #expect(frame.params["room_end"] == .bool(true))
        #expect(await fixture.host.isEmpty)
    }

    @Test func whoEndsTheRoomAndLosesItsSocketIsToldOnTheNext() async throws {
        let ann = try await fixture.join("ann")
        _ = try await ann.call("end-room", #"{"reason":"late"}"#)
        await ann.close()
        #expect(try await farewell(of: "ann").params["room_end"] == .bool(true))
    }

    @Test func whoEndsTheRoomMayBeginAnewByTheSameSocket() async throws {
        let ann = try await fixture.join("ann")
        _ = try await ann.call("end-room")
        let join = #"{"name":"A","offer":{"type":"offer","sdp":"o"}}"#
        #expect(try await ann.call("join", join).error == nil)
        await fixture.pass(.seconds(10))
        #expect(try await ann.call("ping").error == nil)
        #expect(await fixture.host.snapshot().peerCount == 1)
    }

    /// A lost network reports nothing: the socket seems to be open.
    @Test func whoseSocketDoesNotEndWhenItIsPutOutIsToldOnTheNext() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        let cat = try await fixture.join("cat")
        for peer in ["ben", "cat"] {
            _ = try await ann.call("peer-leave-request", #"{"requested_for":"\#(peer)"}"#)
        }
        await cat.close()
        await fixture.pass(.seconds(5))
        await ben.close()
        #expect(try await farewell(of: "ben").method == "on-peer-leave-request")
        #expect(await !fixture.host.isHere("cat"))
    }

    @Test func anotherTokenHearsNothingOfARemoval() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        await ben.close()
        _ = try await ann.call("peer-leave-request", #"{"requested_for":"ben"}"#)
        let eve = try await fixture.connect("ben", user: "eve")
        #expect(try await eve.drain().first?.method == "on-policy-change")
        let join = #"{"name":"E","offer":{"type":"offer","sdp":"o"}}"#
        #expect(try await eve.call("join", join).error == nil)
        await eve.notify("leave")
        let back = try await fixture.connect("ben")
        #expect(try await back.drain().first?.method == "on-policy-change")
    }

    // MARK: - Ghosts

    /// A client's notifications about others, except for the number of peers.
    private func events(of client: TestClient) async throws -> [String] {
        try await client.methods().filter { $0 != "session-info" }
    }

    @Test func whoIsGoneWithSocketAndMediaIsShownNoMoreUntilItIsBack() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        _ = try await ben.call(
            "offer",
            #"{"desc":{"type":"offer","sdp":"x"},"tracks":{"v":{"track_id":"v","stream_id":"s","#
                + #""type":"video","source":"regular","description":"","mute":false}}}"#)
        _ = try await ann.drain()
        await ben.close()
        await fixture.hear(.connection("ben", .publish, .disconnected))
        await fixture.pass(.seconds(9))
        #expect(try await events(of: ann) == [])
        await fixture.pass(.seconds(1))
        #expect(try await events(of: ann) == ["on-peer-leave", "on-track-remove"])
        #expect(await fixture.host.snapshot().peers.map(\.id) == ["ann"])
        let unknown = try await ann.call("get-peer", #"{"peer_id":"ben"}"#).error
        #expect(unknown?.hasPrefix("404") == true)
        let late = try await fixture.connect("cat")
        _ = try await late.call("join", #"{"name":"C","offer":{"type":"offer","sdp":"o"}}"#)
        let list = try await late.drain().first { $0.method == "peer-list" }
        #expect(list?.params["peers"].keys == ["ann"])
        _ = try await ann.drain()
        _ = fixture.media.calls()

        _ = try await fixture.connect("ben")
        #expect(try await events(of: ann) == ["on-peer-join", "on-track-add"])
        #expect(fixture.media.calls().contains("subscribe ann [v]"))
    }

    @Test func whoseMediaFlowsOrWhoseSocketLivesIsShown() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        let cat = try await fixture.join("cat")
        _ = try await ann.drain()
        await ben.close()
        await fixture.hear(.connection("ben", .publish, .connected))
        await fixture.hear(.connection("cat", .publish, .failed))
        for _ in 1...3 {
            _ = try await (ann.drain(), cat.drain())
            await fixture.pass(.seconds(10))
        }
        #expect(await fixture.host.snapshot().peers.count == 3)
        await fixture.hear(.connection("ben", .publish, .disconnected))
        await fixture.hear(.connection("ben", .publish, .connected))
        await fixture.pass(.seconds(5))
        #expect(await fixture.host.snapshot().peers.count == 3)
    }

    @Test func aPeerWithoutMediaIsShownForTenSecondsWithoutASocket() async throws {
        let ann = try await fixture.join("ann")
        let bot = try await fixture.connect("bot")
        _ = try await bot.call("join", #"{"name":"B"}"#)
        _ = try await ann.drain()
        await bot.close()
        await fixture.pass(.seconds(9))
        #expect(await fixture.host.snapshot().peerCount == 2)
        await fixture.pass(.seconds(1))
        #expect(await fixture.host.snapshot().peerCount == 1)
    }

    @Test func aSocketThatIsSilentIsLostSoonerWhenItsMediaHasStopped() async throws {
        let ann = try await fixture.join("ann")
        await fixture.hear(
            .connection("ann", .publish, .connected), .connection("ann", .publish, .disconnected))
        await fixture.pass(.seconds(11))
        #expect(await !fixture.host.isEmpty)
        await fixture.pass(.seconds(1))
        #expect(await ann.socket.closure().code == 1001)
        await fixture.pass(.seconds(10))
        #expect(await fixture.host.snapshot().peerCount == 0)
    }

    @Test func aPeerThatNeverHadMediaMayBeSilentAsLongAsAny() async throws {
        let bot = try await fixture.connect("bot")
        _ = try await bot.call("join", #"{"name":"B"}"#)
        let ann = try await fixture.join("ann")
        await fixture.hear(.connection("ann", .publish, .failed))
        await fixture.pass(.seconds(44))
        for client in [bot, ann] { #expect(try await client.call("ping").error == nil) }
    }
}
