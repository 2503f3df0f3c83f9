import HundredMS
import HundredMSTerms
import MediaKernel
import RoomHost
import Rooms
import Testing

/// The recorder appears in no peer's list, count or event: not when it joins, not when it leaves,
/// not after any peer's reconnection.
@Suite(.timeLimit(.minutes(5))) struct HiddenRecorderTests {
    let fixture = SignallingFixture()

    func names(in frames: [TestFrame]) -> [String] {
        frames.filter { $0.text.contains("bot") || $0.text.contains("__internal_recorder") }
            .map(\.text)
    }

    @Test func nothingEverShowsIt() async throws {
        let ann = try await fixture.join("ann")
        let bot = try await fixture.join("bot", role: HundredMSTerms.recorderRole)
        var seen = try await ann.drain()
        #expect(seen.isEmpty)

        let ben = try await fixture.connect("ben", role: "guest")
        _ = try await ben.call("join", #"{"name":"B","offer":{"type":"offer","sdp":"v"}}"#)
        let welcome = try await ben.drain()
        #expect(welcome.first?.params["peers"].keys == ["ann"])
        #expect(welcome.last?.params["peer_count"].integer == 2)
        seen += welcome

        // It loses its socket, returns, sends forbidden requests, and leaves.
        await bot.close()
        let back = try await fixture.connect("bot", role: HundredMSTerms.recorderRole)
        #expect(try await back.drain()[1].params["peers"].keys == ["ann", "ben"])
        _ = try await back.call("peer-update", #"{"name":"bot 2","data":"bot"}"#)
        #expect(
            try await back.call("broadcast", #"{"info":{"message":"I am a bot"}}"#).error
                == refusal(.room(.missingPermission(.broadcast, role: "__internal_recorder"))))
        _ = try await back.call("group-join", #"{"name":"bots"}"#)
        #expect(
            try await back.call("hls-start").error
                == refusal(.room(.missingPermission(.hlsStreaming, role: "__internal_recorder"))))
        #expect(
            try await back.call(
                "role-change-request", #"{"requested_for":"ann","role":"guest","force":true}"#
            ).error == refusal(.room(.missingPermission(.changeRole, role: "__internal_recorder"))))
        #expect(
            try await back.call(
                "offer",
                """
                {"desc":{"type":"offer","sdp":"x"},"tracks":{"bot":{"track_id":"bot",\
                "stream_id":"s","type":"audio"}}}
                """
            ).error == nil, "answered, and published to nobody")

        // Others lose their sockets and return.
        await ann.close()
        let ann2 = try await fixture.connect("ann")
        seen += try await ann2.drain()
        let ben2 = try await fixture.connect("ben", role: "guest")
        seen += try await ben2.drain()
        #expect(
            try await ann2.call("get-peer", #"{"peer_id":"bot"}"#).code == 404)
        let searched = try await ann2.call("peer-name-search", #"{"query":""}"#)
        #expect(searched.result["count"].integer == 2)
        seen.append(searched)
        #expect(
            try await ann2.call("group-add", #"{"name":"g","peer_id":"bot"}"#).error?
                .hasPrefix("404") == true)
        #expect(
            try await ann2.call(
                "role-change-request", #"{"requested_for":"bot","role":"guest","force":true}"#
            ).code == 404)
        let found = try await ann2.call("find-peer", #"{"limit":10}"#)
        #expect(found.result["total"].integer == 2)
        seen.append(found)
        let state = try await fixture.connect("visitor", role: "viewer").drain()
        #expect(state.last?.params["peer_count"].integer == 2)
        seen += state

        await back.notify("leave")
        seen += try await ann2.drain() + ben2.drain()
        #expect(names(in: seen) == [])
        let snapshot = await fixture.host.snapshot()
        #expect(snapshot.peerCount == 2)
        #expect(snapshot.peers.map(\.id) == ["ann", "ben"])
    }

    @Test func itIsToldOfEverybodyAndReceivesEverything() async throws {
        let bot = try await fixture.join("bot", role: HundredMSTerms.recorderRole)
        let ann = try await fixture.join("ann")
        _ = try await ann.call(
            "offer",
            """
            {"desc":{"type":"offer","sdp":"x"},"tracks":{"t":{"track_id":"t","stream_id":"s",\
            "type":"video"}}}
            """)
        _ = try await ann.call("broadcast", #"{"info":{"message":"x"}}"#)
        await fixture.host.hlsChanged(
            HLSState(variants: [HLSVariant(url: "u", state: .started)]))
        #expect(
            try await bot.drain().map(\.method) == [
                "on-peer-join", "on-track-add", "on-broadcast", "on-hls-update",
            ])
        #expect(fixture.media.calls().contains("subscribe bot [t]"))
    }

    @Test func itsOwnRoleIsInItsPolicy() async throws {
        let bot = try await fixture.connect("bot", role: HundredMSTerms.recorderRole)
        let policy = try #require(await bot.next())
        #expect(policy.params["name"].string == HundredMSTerms.recorderRole)
        #expect(
            policy.params["known_roles"].keys == [
                "__internal_recorder", "guest", "host", "viewer",
            ])
    }

    @Test func aRoomWithNobodyElseIsEmptyToOthersAndNotToTheServer() async throws {
        let bot = try await fixture.join("bot", role: HundredMSTerms.recorderRole)
        #expect(await fixture.host.snapshot().peerCount == 0)
        #expect(await !fixture.host.isEmpty)
        await bot.notify("leave")
        #expect(await fixture.host.isEmpty)
    }
}
