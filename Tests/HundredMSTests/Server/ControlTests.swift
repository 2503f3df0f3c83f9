import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Testing

/// The operator's actions on peers in the room, as seen by them.
@Suite(.timeLimit(.minutes(5))) struct ControlTests {
    let fixture = SignallingFixture()

    @Test func aMessageOfTheOperatorHasNoPeer() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        let host = fixture.host
        let body = OpaqueJSON(text: #""soon \"over\"""#)
        try await host.send(body, type: "notice", to: .everybody)
        try await host.send(body, type: "chat", to: .roles(["guest"]))
        try await host.send(body, type: "chat", to: .peer("ben"))
        let frames = try await ben.drain()
        #expect(frames.map(\.method) == Array(repeating: "on-broadcast", count: 3))
        for frame in frames {
            #expect(frame.params["peer"] == .null)
            #expect(frame.params["info"]["message"].string == #"soon "over""#)
        }
        #expect(frames.map { $0.params["info"]["type"].string } == ["notice", "chat", "chat"])
        #expect(frames.map { $0.params["private"] } == [.bool(false), .bool(false), .bool(true)])
        #expect(frames[1].params["roles"] == .array([.string("guest")]))
        #expect(try await ann.drain().count == 1)
        #expect(
            fixture.streaming.said()
                == Array(repeating: #"operator "soon \"over\"" in r1"#, count: 3))
    }

    @Test func aPeerIsGivenANameAndARole() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        let peer = try await fixture.host.change(
            "ben", name: "Benjamin", metadata: nil, role: "viewer")
        #expect(peer.name == "Benjamin" && peer.role == "viewer")
        let told = try await ben.drain()
        #expect(told.map(\.method) == ["on-policy-change", "on-peer-update", "on-peer-update"])
        #expect(told.first?.params["name"].string == "viewer")
        let update = try await ann.drain().last
        #expect(update?.params["info"]["name"].string == "Benjamin")
        #expect(update?.params["role"].string == "viewer")
    }

    @Test func whoIsPutOutIsToldWhyAndClosed() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        let cem = try await fixture.join("cem", role: "guest")
        try await fixture.host.remove("ben", reason: "rude")
        try await fixture.host.remove(role: "guest", reason: "over")
        for (client, reason) in [(ben, "rude"), (cem, "over")] {
            var request: TestFrame?
            while let frame = try await client.next() {
                if frame.method == "on-peer-leave-request" { request = frame }
            }
            #expect(request?.params["reason"].string == reason)
            #expect(request?.params["requested_by"] == .null)
            #expect(request?.params["room_end"] == .bool(false))
            #expect(await client.socket.closure().code == 1000)
        }
        #expect(await fixture.host.snapshot().peers.map(\.id) == ["ann"])
        #expect(try await ann.drain().count { $0.method == "on-peer-leave" } == 2)
    }
}
