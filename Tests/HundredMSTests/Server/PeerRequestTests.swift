import HundredMS
import HundredMSTerms
import MediaKernel
import Rooms
import Testing

/// Groups, raised hands, and searches for peers.
@Suite(.timeLimit(.minutes(5))) struct PeerRequestTests {
    let fixture = SignallingFixture()

    @Test func aRaisedHandIsInEveryFormOfThePeer() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        #expect(
            try await ben.call("group-join", #"{"name":"_handraise"}"#).result
                == .object(["groups": .array([.string("_handraise")])]))
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"on-peer-update","params":{"groups":["_handraise"],\
                "info":{"data":"","name":"BEN","type":"regular","user_id":"user-ben"},\
                "joined_at":1720000000000,"peer_id":"ben","realtime":true,"role":"guest"}}
                """)
        #expect(try await ben.drain().map(\.method) == ["on-peer-update"])

        // As in the web SDK.
        let named = try await ann.call("find-peer", #"{"peerIds":["ben"],"limit":10}"#).result
        #expect(named["total"].integer == 1 && named["peers"][0]["peer_id"].string == "ben")
        let everybody = try await ann.call("peer-name-search", #"{"limit":20}"#).result
        #expect(everybody["peers"][1]["peer_id"].string != nil)
        let hands = try await ann.call("find-peer", #"{"group":"_handraise"}"#).result
        #expect(hands["total"].integer == 1)
        #expect(hands["peers"][0]["peer_id"].string == "ben")
        for nothing in [#""group":"""#, #""role":"""#, #""peers":[]"#, #""peerIds":[]"#] {
            #expect(
                try await ann.call("find-peer", "{\(nothing)}").result["total"].integer == 2)
        }
        let both = try await ann.call("find-peer", #"{"peers":[],"peerIds":["ben"]}"#).result
        #expect(both["total"].integer == 1)
        let late = try await fixture.connect("late", role: "viewer")
        let state = try await late.drain().first { $0.method == "room-state" }?.params
        #expect(state?["peers"]["ben"]["groups"] == .array([.string("_handraise")]))
        _ = try await late.call("join", #"{"name":"L","offer":{"type":"offer","sdp":"v"}}"#)
        let list = try await late.drain().first?.params
        #expect(list?["peers"]["ben"]["groups"] == .array([.string("_handraise")]))
        _ = try await ben.call("broadcast", #"{"info":{"message":"me!"}}"#)
        #expect(
            try await late.drain().last?.params["peer"]["groups"]
                == .array([.string("_handraise")]))
    }

    @Test func aHostLowersAHandAndAGuestDoesNot() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        let cleo = try await fixture.join("cleo", role: "guest")
        _ = try await ben.call("group-join", #"{"name":"_handraise"}"#)
        for client in [ann, ben, cleo] { _ = try await client.drain() }
        let lower = #"{"name":"_handraise","peer_id":"ben"}"#
        #expect(
            try await cleo.call("group-remove", lower).error
                == refusal(.room(.missingPermission(.changeRole, role: "guest"))))
        #expect(try await ann.call("group-remove", lower).result == .object([:]))
        #expect(try await ben.drain().map(\.method) == ["on-peer-update"])
        #expect(try await ann.call("group-add", lower).result == .object([:]))
        #expect(
            try await ben.call("group-leave", #"{"name":"_handraise"}"#).result
                == .object(["groups": .array([])]))
    }

    @Test func peersAreSearchedByName() async throws {
        let ann = try await fixture.join("ann")
        for index in 0..<3 { _ = try await fixture.join(PeerID("ben\(index)"), role: "guest") }
        _ = try await ann.drain()
        await ann.send(
            #"{"id":"1","method":"peer-name-search","params":{"query":"ben","limit":2,"offset":1}}"#
        )
        #expect(
            await ann.socket.next() == """
                {"id":"1","jsonrpc":"2.0","result":{"count":2,"eof":true,"limit":2,"offset":1,\
                "peers":[{"name":"BEN1","peer_id":"ben1","role":"guest","type":"regular"},\
                {"name":"BEN2","peer_id":"ben2","role":"guest","type":"regular"}]}}
                """)
        let first = try await ann.call("peer-name-search", #"{"query":"ben","limit":2}"#).result
        #expect(first["eof"] == .bool(false))
        #expect(first["offset"].integer == 0)
        #expect(first["count"].integer == 2)
    }

    /// The module's server and client, directly connected.
    @Test func theClientJoinsGroupsAndSearchesAsTheServerWants() async throws {
        let ben = try await fixture.join("ben", role: "guest")
        let socket = try await fixture.join("ann")
        _ = try await ben.drain()
        var client = SignallingClient(seed: 9)
        let raise = client.joinGroup(HundredMSTerms.raisedHand)
        let lower = client.leaveGroup(HundredMSTerms.raisedHand)
        let add = client.addToGroup("red", peer: "ben")
        let remove = client.removeFromGroup("red", peer: "ben")
        let search = client.searchPeers("BEN")
        while case .send(let text)? = client.poll() { await socket.send(text) }
        var answers: [SignallingEvent] = []
        while answers.count < 5, let text = await socket.socket.next() {
            client.received(text, at: .zero)
            while case .event(let event)? = client.poll() {
                if case .peerUpdated = event { continue }
                answers.append(event)
            }
        }
        #expect(
            answers.dropLast() == [
                .groups(raise, ["_handraise"]), .groups(lower, []), .done(add, .groupAdd),
                .done(remove, .groupRemove),
            ])
        guard case .peersFound(search, let found)? = answers.last else {
            Issue.record("nobody was found: \(answers)")
            return
        }
        #expect(found.peers.map(\.peerID) == ["ben"])
        #expect(found.eof == true)
        #expect(try await ben.drain().count == 4)
    }
}
