import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Testing

/// One slow peer delays no other, and takes a bounded amount of memory.
@Suite(.timeLimit(.minutes(5))) struct SlowReaderTests {
    /// A room with `ann`, who reads, and a peer whose socket accepts nothing.
    func fixture(_ limits: SignallingLimits) async throws -> (
        SignallingFixture, TestClient, FakeSocket
    ) {
        var roomLimits = RoomLimits()
        roomLimits.fanOutBurst = 10_000
        let fixture = SignallingFixture(roomLimits: roomLimits, limits: limits)
        let ann = try await fixture.join("ann")
        let stuck = FakeSocket(isStuck: true)
        let slow = try await fixture.connect("slow", socket: stuck)
        await slow.notify("join", #"{"name":"S","offer":{"type":"offer","sdp":"v"}}"#)
        _ = try await ann.drain()
        return (fixture, ann, stuck)
    }

    @Test func aReaderThatLetsFramesPileUpIsLetGoAndKeepsItsPlace() async throws {
        var limits = SignallingLimits()
        limits.outboxFrames = 20
        let (fixture, ann, stuck) = try await fixture(limits)
        var sent = 0
        while await fixture.host.snapshot().peers.last?.isReachable ?? false {
            sent += 1
            try #require(sent < 30)
            #expect(
                try await ann.call("broadcast", #"{"info":{"message":"x"}}"#).error == nil)
        }
        #expect(sent > 10)
        #expect(await stuck.closure() == .init(code: 1013, reason: "reads too slowly"))
        #expect(await fixture.host.snapshot().peerCount == 2)
        // It may return at once, and its old socket's late events have no effect. Frames that never
        // left that socket are sent again.
        let back = try await fixture.connect("slow")
        stuck.release()
        var again = 0
        while again < sent, let frame = try await back.next() {
            if frame.method == "on-broadcast" { again += 1 }
        }
        #expect(again == sent)
        #expect(try await back.drain().isEmpty)
        #expect(try await ann.drain().isEmpty)
    }

    @Test func aReaderThatLetsBytesPileUpIsLetGo() async throws {
        var limits = SignallingLimits()
        limits.outboxBytes = 50_000
        let (fixture, ann, stuck) = try await fixture(limits)
        let text = String(repeating: "x", count: 8000)
        for _ in 0..<6 {
            let reply = try await ann.call("broadcast", #"{"info":{"message":"\#(text)"}}"#)
            #expect(reply.error == nil)
        }
        #expect(await stuck.closure().code == 1013)
        #expect(await fixture.host.snapshot().peerCount == 2)
    }

    @Test func aReaderThatDoesNotReadItsFarewellIsClosedAllTheSame() async throws {
        let (fixture, ann, stuck) = try await fixture(SignallingLimits())
        let reply = try await ann.call(
            "peer-leave-request", #"{"requested_for":"slow","reason":"too slow"}"#)
        #expect(reply.error == nil)
        #expect(try await ann.drain().map(\.method) == ["on-peer-leave"])
        await fixture.pass(.seconds(5))
        #expect(
            await stuck.closure() == .init(code: 1001, reason: "closing took too long"))
    }

    @Test func aRoomTakesSoManyConnectionsAndNoMore() async throws {
        var limits = SignallingLimits()
        limits.connections = 2
        let fixture = SignallingFixture(limits: limits)
        let first = try await fixture.connect("a")
        _ = try await fixture.connect("b")
        let socket = FakeSocket()
        let claims = fixture.claims("c", role: "host")
        #expect(
            await fixture.signalling.open(peer: "c", claims: claims, socket: socket) == nil)
        #expect(
            await socket.next()?.contains(RoomError.tooManyConnections(maximum: 2).message)
                == true)
        await first.close()
        _ = try await fixture.connect("c")
    }

    @Test func aPeerComesBackAlsoWhereVisitorsHoldAllConnections() async throws {
        var limits = SignallingLimits()
        limits.connections = 2
        let fixture = SignallingFixture(limits: limits)
        let ann = try await fixture.join("ann")
        await ann.close()
        for visitor in ["v", "w"] as [PeerID] { _ = try await fixture.connect(visitor) }
        #expect(try await fixture.connect("ann").drain().count == 5)
        #expect(
            await fixture.signalling.open(
                peer: "x", claims: fixture.claims("x", role: "host"), socket: FakeSocket()) == nil)
    }

    /// A frame counts for at most a quarter of it.
    @Test func aListOfPeersThatIsLongerThanTheOutboxGoesThrough() async throws {
        var limits = SignallingLimits()
        limits.outboxBytes = 50_000
        let fixture = SignallingFixture(limits: limits)
        let data = String(repeating: "x", count: 8000)
        for number in 0..<10 {
            let peer = try await fixture.connect(PeerID("p\(number)"))
            let reply = try await peer.call(
                "join", #"{"name":"N","data":"\#(data)","offer":{"type":"offer","sdp":"v"}}"#)
            #expect(reply.error == nil)
            // Its place is kept.
            await peer.close()
        }
        let socket = FakeSocket(isStuck: true)
        let slow = try await fixture.connect("slow", socket: socket)
        await slow.notify("join", #"{"name":"S","offer":{"type":"offer","sdp":"v"}}"#)
        #expect(await fixture.host.snapshot().peers.last?.isReachable == true)
        socket.release()
        #expect(try await slow.methods().contains("peer-list"))
    }
}
