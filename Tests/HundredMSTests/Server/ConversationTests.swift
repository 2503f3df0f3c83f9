import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Testing

/// Whole conversations, byte for byte (`docs/PROTOCOL.md` sections 3 to 6).
@Suite(.timeLimit(.minutes(5))) struct ConversationTests {
    let fixture = SignallingFixture()
    static let roomState = """
        "recording":{"browser":{"enabled":false,"state":"none"},\
        "hls":{"enabled":false,"state":"none"},"sfu":{"enabled":false,"state":"none"}}
        """
    static let noStreams = """
        "streaming":{"enabled":false,"hls":{"enabled":false,"variants":[]},\
        "rtmp":{"enabled":false,"state":"none"}},"transcriptions":[]
        """

    @Test func aNewConnectionIsToldItsRoleAtOnceAndThenTheRoom() async throws {
        let client = try await fixture.connect("p1", role: "viewer")
        let policy = try #require(await client.next())
        #expect(policy.method == "on-policy-change")
        #expect(policy.id == nil)
        #expect(policy.json["jsonrpc"].string == "2.0")
        #expect(policy.params["name"].string == "viewer")
        #expect(policy.params["template_id"].string == "default")
        #expect(policy.params["known_roles"].keys == ["guest", "host", "viewer"])
        let viewer = policy.params["known_roles"]["viewer"]
        #expect(viewer["publishParams"]["allowed"] == .array([]))
        #expect(viewer["isHidden"] == .null)
        let host = policy.params["known_roles"]["host"]
        #expect(host["priority"].integer == 1)
        #expect(host["publishParams"]["video"]["frameRate"].integer == 30)
        #expect(host["permissions"]["hlsStreaming"] == .bool(true))
        #expect(host["subscribeParams"]["maxSubsBitRate"].integer == 9000)
        for method in ["room-info", "session-info"] {
            #expect(try await client.next()?.method == method)
        }
        let state = try #require(await client.next())
        #expect(
            state.text == """
                {"jsonrpc":"2.0","method":"room-state","params":{"peer_count":0,"peers":{},\
                "room":{"name":"demo",\(Self.roomState),\(Self.noStreams)}}}
                """)
    }

    @Test func aJoinIsAnsweredAndThenTheRoomIsTold() async throws {
        let client = try await fixture.connect("p1")
        _ = try await client.drain()
        await client.send(
            """
            {"method":"join","params":{"name":"Ann","disableVidAutoSub":true,"data":"",\
            "offer":{"type":"offer","sdp":"v=0"},"server_sub_degrade":false,"simulcast":false,\
            "onDemandTracks":false},"id":"5ab6","jsonrpc":"2.0"}
            """)
        #expect(
            await client.socket.next() == """
                {"id":"5ab6","jsonrpc":"2.0","result":{"sdp":"answer to v=0","type":"answer"}}
                """)
        let session = try #require(await fixture.host.snapshot().session?.id)
        #expect(
            await client.socket.next() == """
                {"jsonrpc":"2.0","method":"peer-list","params":{"peers":{},"room":\
                {"name":"demo",\(Self.roomState),"session_id":"\(session)",\
                "started_at":1720000000000,\(Self.noStreams)}}}
                """)
        #expect(
            await client.socket.next() == """
                {"jsonrpc":"2.0","method":"room-info","params":{"description":"",\
                "large_room_optimization":false,"max_size":1500,"name":"demo","room_id":"r1"}}
                """)
        #expect(
            await client.socket.next() == """
                {"jsonrpc":"2.0","method":"session-info","params":{"peer_count":1,\
                "room_id":"r1","session_id":"\(session)","track_count":0}}
                """)
        #expect(
            fixture.media.calls() == [
                "add p1 who asks for videos", "offer p1 v=0", "subscribe p1 []",
            ])
    }

    @Test func othersAreToldOfAJoinAndALeave() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        let peer = """
            {"groups":[],"info":{"data":"","name":"BEN","type":"regular",\
            "user_id":"user-ben"},"joined_at":1720000000000,"peer_id":"ben",\
            "realtime":true,"role":"guest"}
            """
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"on-peer-join","params":\(peer)}
                """)
        _ = fixture.media.calls()
        await ben.notify("leave", #"{"client_reason":"user request"}"#)
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"on-peer-leave","params":\(peer)}
                """)
        #expect(await ben.socket.closure().code == 1000)
        #expect(fixture.media.calls() == ["remove ben"])
        await ben.close()
        #expect(try await ann.drain().isEmpty)
    }

    @Test func publishingIsAnsweredToldAndForwarded() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        _ = fixture.media.calls()
        let reply = try await ben.call(
            "offer",
            """
            {"desc":{"type":"offer","sdp":"with video"},"tracks":{"t1":{"type":"video",\
            "source":"regular","description":"","mute":false,"track_id":"t1","stream_id":"s1"}}}
            """)
        #expect(
            reply.result
                == .object(["type": .string("answer"), "sdp": .string("answer to with video")]))
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"on-track-add","params":{"peer":{"groups":[],\
                "info":{"data":"","name":"BEN","type":"regular","user_id":"user-ben"},\
                "joined_at":1720000000000,"peer_id":"ben","realtime":true,"role":"guest"},\
                "tracks":{"t1":{"description":"","mute":false,"source":"regular",\
                "stream_id":"s1","track_id":"t1","type":"video"}}}}
                """)
        #expect(
            fixture.media.calls() == [
                "offer ben with video",
                "subscribe ann [t1]",
            ])
        await ben.notify("track-update", #"{"tracks":{"t1":{"track_id":"t1","mute":true}}}"#)
        let update = try #require(await ann.next())
        #expect(update.method == "on-track-update")
        #expect(update.params["tracks"]["t1"]["mute"] == .bool(true))
        _ = try await ben.call("offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":{}}"#)
        let removal = try #require(await ann.next())
        #expect(removal.method == "on-track-remove")
        #expect(removal.params["peer"]["peer_id"].string == "ben")
        #expect(
            fixture.media.calls() == [
                "offer ben x", "subscribe ann []",
            ])
    }

    @Test func aLateJoinerIsToldOfEverythingThatIsThere() async throws {
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ben.call(
            "offer",
            """
            {"desc":{"type":"offer","sdp":"x"},"tracks":{"t1":{"type":"audio","track_id":"t1",\
            "stream_id":"s1","mute":true}}}
            """)
        let ann = try await fixture.connect("ann")
        let state = try await ann.drain().first { $0.method == "room-state" }
        #expect(state?.params["peer_count"].integer == 1)
        #expect(state?.params["peers"]["ben"]["tracks"] == .null)
        _ = try await ann.call(
            "join", #"{"name":"Ann","offer":{"type":"offer","sdp":"v"}}"#)
        let list = try #require(await ann.next())
        #expect(list.params["peers"].keys == ["ben"])
        #expect(list.params["peers"]["ben"]["info"]["name"].string == "BEN")
        #expect(list.params["peers"]["ben"]["tracks"]["t1"]["mute"] == .bool(true))
        #expect(fixture.media.calls().last == "subscribe ann [t1]")
    }

    @Test func aMessageHasAnIDAndIsNotEchoed() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ann.drain()
        let reply = try await ben.call(
            "broadcast", #"{"info":{"message":"hello","type":"chat"},"roles":["host"]}"#)
        let id = try #require(reply.result["message_id"].string)
        #expect(reply.result["timestamp"].integer == 1_720_000_000_000)
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"on-broadcast","params":{"info":{"message":"hello",\
                "type":"chat"},"message_id":"\(id)","peer":{"groups":[],"info":{"data":"",\
                "name":"BEN","type":"regular","user_id":"user-ben"},\
                "joined_at":1720000000000,"peer_id":"ben","realtime":true,"role":"guest"},\
                "private":false,"roles":["host"],"timestamp":1720000000000}}
                """)
        _ = try await ann.call(
            "broadcast", #"{"info":{"message":{"a":[1]},"type":"x"},"peer_id":"ben"}"#)
        let told = try await ben.drain()
        #expect(told.map(\.method) == ["on-broadcast"])
        #expect(told.first?.params["private"] == .bool(true))
        #expect(told.first?.params["info"]["message"]["a"][0].integer == 1)
        #expect(try await ann.drain().isEmpty)
    }

    @Test func aPingIsAnsweredBeforeTheJoinToo() async throws {
        let client = try await fixture.connect("p1")
        let reply = try await client.call("ping", #"{"timestamp":123}"#)
        #expect(reply.result == .object(["timestamp": .integer(1_720_000_000_000)]))
        await client.notify("analytics", #"{"name":"x","info":{},"timestamp":1}"#)
        #expect(try await client.drain().isEmpty)
    }

    @Test func aNewNameIsToldAsRealtime() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        _ = try await ann.drain()
        #expect(try await ben.call("peer-update", #"{"name":"Benny"}"#).result == .object([:]))
        let update = try #require(await ann.next())
        #expect(update.method == "on-peer-update")
        #expect(update.params["realtime"] == .bool(true))
        #expect(update.params["info"]["name"].string == "Benny")
    }
}
