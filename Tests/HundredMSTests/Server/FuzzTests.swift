import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Testing

/// Hostile input never traps, the connection stays, and other peers are not harmed.
@Suite(.timeLimit(.minutes(5))) struct FuzzTests {
    static let frames = [
        #"{"method":"join","params":{"name":"Ann","disableVidAutoSub":true,"data":"","offer":{"type":"offer","sdp":"v=0\r\n"}},"id":"5ab6","jsonrpc":"2.0"}"#,
        #"{"method":"offer","params":{"desc":{"type":"offer","sdp":"x"},"tracks":{"t1":{"type":"video","source":"regular","description":"","mute":false,"track_id":"t1","stream_id":"s1"}}},"id":"2"}"#,
        #"{"method":"answer","params":{"desc":{"type":"answer","sdp":"x"}}}"#,
        #"{"method":"trickle","params":{"target":1,"candidate":{"candidate":"candidate:1 1 udp 1 1.2.3.4 5 typ host","sdpMid":"0","sdpMLineIndex":0,"usernameFragment":null}}}"#,
        #"{"method":"track-update","params":{"tracks":{"t1":{"mute":true}}}}"#,
        #"{"method":"broadcast","params":{"info":{"message":{"a":[1,2.5,null,true,"é\u00e9"]},"type":"chat"},"roles":["host"],"peer_id":null},"id":"3"}"#,
        #"{"method":"hls-start","params":{"variants":[{"meeting_url":"https://x/","metadata":"m"}],"hls_recording":{"hls_vod":true}},"id":"4"}"#,
        #"{"method":"rtmp-start","params":{"meeting_url":"https://x/","rtmp_urls":["rtmp://x/y"],"record":true,"resolution":{"width":1280,"height":720}},"id":"16"}"#,
        #"{"method":"set-metadata","params":{"key":"k","data":{"x":1},"if_change_version":1},"id":"5"}"#,
        #"{"method":"find-peer","params":{"peers":["a"],"role":"host","limit":9223372036854775807},"id":"6"}"#,
        #"{"method":"role-change-request","params":{"requested_for":"victim","role":"guest","force":true},"id":"8"}"#,
        #"{"method":"role-change-request","params":{"roles":["guest","host"],"role":"viewer","force":true},"id":"9"}"#,
        #"{"method":"role-change","params":{"requested_by":"a","role":"host","token":"t"},"id":"10"}"#,
        #"{"method":"track-update-request","params":{"requested_for":"a","track_id":"t1","stream_id":"s1","mute":true},"id":"11"}"#,
        #"{"method":"change-track-mute-state-request","params":{"value":true,"type":"audio","source":"regular","roles":["guest"],"requested_for":null},"id":"12"}"#,
        #"{"method":"group-join","params":{"name":"_handraise"},"id":"13"}"#,
        #"{"method":"group-remove","params":{"name":"_handraise","peer_id":"victim"},"id":"14"}"#,
        #"{"method":"peer-name-search","params":{"query":"vic","limit":10,"offset":0},"id":"15"}"#,
        #"{"method":"peer-update","params":{"name":"n","data":"d"},"id":"7"}"#,
        #"{"method":"poll-info-set","params":{"poll_id":"p","title":"t","type":"quiz","duration":30,"anonymous":false,"mode":"userid","vote":["host"],"responses":["host"]},"id":"17"}"#,
        #"{"method":"poll-questions-set","params":{"poll_id":"p","questions":[{"question":{"index":1,"text":"q","type":"multiple-choice","weight":2,"answer_min_len":1,"answer_max_len":9},"options":[{"index":1,"text":"a","weight":1}],"answer":{"hidden":true,"options":[1],"text":"a","case":true,"trim":true}}]},"id":"18"}"#,
        #"{"method":"poll-start","params":{"poll_id":"p"},"id":"19"}"#,
        #"{"method":"poll-response","params":{"poll_id":"p","responses":[{"question":1,"type":"multiple-choice","skipped":false,"option":1,"options":[1],"text":"a","duration":12}]},"id":"20"}"#,
        #"{"method":"poll-responses","params":{"poll_id":"p","index":0,"count":50,"self":false},"id":"21"}"#,
        #"{"method":"poll-list","params":{"state":"started","count":50,"start":"p"},"id":"22"}"#,
        #"{"method":"group-call","params":{"action":"update_custom_items","custom_items":{"a":"b"}},"id":"24"}"#,
        #"{"method":"group-call","params":{"action":"delete_custom_items","keys":["a"]},"id":"25"}"#,
        #"{"method":"group-call","params":{"action":"invite","user_id":"ben","expires_in":60},"id":"26"}"#,
        #"{"method":"group-call","params":{"action":"accept_invitation","invitation_id":"i1"},"id":"27"}"#,
        #"{"method":"poll-leaderboard","params":{"poll_id":"p","question":1,"count":10,"offset":0},"id":"23"}"#,
    ]

    @Test func everyTruncationOfEveryFrameIsSurvived() async throws {
        let fixture = SignallingFixture()
        let client = try await fixture.join("a")
        for frame in Self.frames.prefix(4) {
            let bytes = Array(frame.utf8)
            for length in 0..<bytes.count {
                await client.send(String(decoding: bytes.prefix(length), as: UTF8.self))
                #expect(try await client.next()?.code == 400)
            }
        }
        #expect(try await client.call("ping").error == nil)
    }

    @Test func mutatedFramesNeverTrapAndTheConnectionStays() async throws {
        let fixture = SignallingFixture()
        let victim = try await fixture.join("victim", role: "guest")
        let client = try await fixture.join("a")
        var random = SeededRandom(seed: 20)
        let words = [
            "null", "[]", "{}", "-1", "1e999", "99999999999999999999", "\"\"", "true", "\\ud800",
            "\u{0}", "😀", "}", "\"", ",", "params", "9.5",
        ]
        for round in 0..<1500 {
            var bytes = Array(Self.frames[round % Self.frames.count].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                case 2:
                    bytes.insert(contentsOf: words.randomElement(using: &random)!.utf8, at: index)
                default: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &random))
                }
            }
            await client.send(String(decoding: bytes, as: UTF8.self))
            if round % 100 == 0 {
                _ = try await client.drain()
                _ = try await victim.drain()
            }
        }
        #expect(try await client.call("ping").error == nil)
        #expect(try await victim.call("ping").error == nil)
        #expect(await fixture.host.snapshot().peerCount == 2)
    }

    @Test func theClientSurvivesMutatedServerFrames() throws {
        let peer =
            #"{"peer_id":"p","role":"host","groups":[],"info":{"name":"P","data":"","user_id":"u","type":"regular"}}"#
        let frames = [
            #"{"jsonrpc":"2.0","method":"on-policy-change","params":{"name":"host","known_roles":{"host":{"name":"host","publishParams":{"allowed":["audio"]}}},"template_id":"t"}}"#,
            #"{"jsonrpc":"2.0","method":"peer-list","params":{"peers":{"p":\#(peer)},"room":{"name":"r","streaming":{"enabled":true,"hls":{"enabled":true,"variants":[{"url":"u","state":"started"}]}}}}}"#,
            #"{"jsonrpc":"2.0","method":"on-track-add","params":{"tracks":{"t":{"track_id":"t","stream_id":"s","type":"video"}},"peer":\#(peer)}}"#,
            #"{"jsonrpc":"2.0","method":"offer","params":{"type":"offer","sdp":"x"}}"#,
            #"{"jsonrpc":"2.0","method":"on-role-change-request","params":{"requested_by":"p","role":"host","token":"t"}}"#,
            #"{"jsonrpc":"2.0","method":"on-track-update-request","params":{"requested_by":"p","track_id":"t","stream_id":"s","mute":true}}"#,
            #"{"jsonrpc":"2.0","method":"on-change-track-mute-state-request","params":{"requested_by":"p","roles":["host"],"type":"audio","source":"regular","value":false}}"#,
            #"{"id":"1","error":{"code":"404","message":"no"}}"#,
        ]
        var client = SignallingClient(seed: 1)
        client.opened(at: .zero)
        var random = SeededRandom(seed: 21)
        for round in 0..<2000 {
            var bytes = Array(frames[round % frames.count].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[index] = UInt8.random(in: 32...126, using: &random)
                } else {
                    bytes.remove(at: index)
                }
            }
            client.received(String(decoding: bytes, as: UTF8.self), at: .zero)
            while client.poll() != nil {}
        }
        // It still understands intact frames.
        for frame in frames.prefix(2) { client.received(frame, at: .zero) }
        var events: [SignallingEvent] = []
        while let output = client.poll() {
            if case .event(let event) = output { events.append(event) }
        }
        guard events.count == 2, case .policy(let policy) = events[0],
            case .peerList(let list) = events[1]
        else {
            Issue.record("\(events)")
            return
        }
        #expect(policy.name == "host")
        #expect(policy.knownRoles["host"]?.publishParams.allowed == [.audio])
        #expect(list.peers.keys.sorted() == ["p"])
        #expect(list.room.streaming?.hls.variants.map(\.url) == ["u"])
    }
}
