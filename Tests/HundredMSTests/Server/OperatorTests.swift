import HundredMS
import HundredMSTerms
import MediaKernel
import RoomHost
import Rooms
import Testing

/// Actions on a room from outside it.
@Suite(.timeLimit(.minutes(5))) struct OperatorTests {
    let fixture = SignallingFixture()

    private func refusedFrame(of peer: PeerID) async -> String? {
        let socket = FakeSocket()
        let id = await fixture.signalling.open(
            peer: peer, claims: fixture.claims("u", role: "guest"), socket: socket)
        guard id == nil else { return nil }
        return await socket.next()
    }

    @Test func aLockedRoomKeepsItsPeersAndTakesNobodyNew() async throws {
        let ann = try await fixture.join("ann")
        let visitor = try await fixture.connect("v")
        await fixture.host.setLocked(true)
        #expect(await refusedFrame(of: "ben")?.contains(RoomError.roomLocked.message) == true)
        let join = #"{"name":"V","data":"","offer":{"type":"offer","sdp":"o"}}"#
        #expect(
            try await visitor.call("join", join).error
                == refusal(.room(.roomLocked)))
        await ann.close()
        #expect(await fixture.host.isHere("ann"), "it may come back")
        #expect(await !fixture.host.isHere("v"))
        _ = try await fixture.connect("ann")
        await fixture.host.setLocked(false)
        #expect(try await visitor.call("join", join).error == nil)
        #expect(await fixture.host.snapshot().peerCount == 2)
    }

    @Test func aSessionThatIsEndedMayBeFollowedByAnother() async throws {
        let ann = try await fixture.join("ann")
        let bot = try await fixture.join("bot", role: HundredMSTerms.recorderRole)
        let session = await fixture.host.snapshot().session
        await fixture.host.end(reason: "max duration reached")
        for client in [ann, bot] {
            let frame = try #require(await client.next())
            #expect(frame.method == "on-peer-leave-request")
            #expect(frame.params["reason"].string == "max duration reached")
            #expect(frame.params["room_end"] == .bool(true))
            #expect(await client.socket.closure().code == 1000)
            await client.close()
        }
        #expect(await fixture.host.isEmpty)
        _ = try await fixture.join("ann")
        let next = await fixture.host.snapshot().session
        #expect(next != nil && next?.id != session?.id)
    }

    @Test func aRoomWithADefaultImageSaysSo() async throws {
        let image = "https://example.org/p.png"
        let fixture = SignallingFixture(defaultImage: image)
        let visitor = try await fixture.connect("v")
        let info = try await visitor.drain().first { $0.method == "room-info" }
        #expect(info?.params["default_image"].string == image)
        let other = try await SignallingFixture().connect("v")
        let plain = try await other.drain().first { $0.method == "room-info" }
        #expect(plain != nil && plain?.params["default_image"] == .null)
    }

    @Test func aRoomOfASizeSaysSo() async throws {
        var limits = RoomLimits()
        limits.visiblePeers = 3
        let fixture = SignallingFixture(roomLimits: limits)
        let ann = try await fixture.connect("ann")
        await ann.send(
            #"{"id":"1","method":"join","params":{"name":"A","data":"","#
                + #""offer":{"type":"offer","sdp":"o"}}}"#)
        let info = try await ann.drain().first { $0.method == "room-info" }
        #expect(info?.params["max_size"].integer == 3)
    }
}
