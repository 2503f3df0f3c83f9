import HundredMS
import HundredMSTerms
import MediaKernel
import RoomHost
import Rooms
import Testing

@Suite struct ClientTests {
    var client = SignallingClient(seed: 3)

    mutating func drain() -> [SignallingClient.Output] {
        var outputs: [SignallingClient.Output] = []
        while let output = client.poll() { outputs.append(output) }
        return outputs
    }

    mutating func events(of text: String) -> [SignallingEvent] {
        client.received(text, at: .zero)
        return drain().compactMap { output in
            guard case .event(let event) = output else { return nil }
            return event
        }
    }

    func sent(_ outputs: [SignallingClient.Output]) throws -> [TestFrame] {
        try outputs.compactMap { output in
            guard case .send(let text) = output else { return nil }
            return try TestFrame(text)
        }
    }

    @Test mutating func aCallHasAnIDAndANotificationHasNot() throws {
        let id = client.join(name: "Ann", metadata: "m", offer: "v=0\r\n")
        #expect(
            drain() == [
                .send(
                    """
                    {"id":"\(id)","jsonrpc":"2.0","method":"join","params":{"data":"m",\
                    "name":"Ann","offer":{"sdp":"v=0\\r\\n","type":"offer"}}}
                    """)
            ])
        #expect(id.description.count == 36)
        #expect(id.description.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        client.answer("a")
        client.trickle(
            CandidatePayload(candidate: "c", sdpMid: "0", sdpMLineIndex: 0), target: .subscribe)
        client.updateTracks([TrackPayload(trackID: "t", streamID: "s", type: .audio, mute: true)])
        client.leave()
        #expect(
            drain() == [
                .send(#"{"method":"answer","params":{"desc":{"sdp":"a","type":"answer"}}}"#),
                .send(
                    #"{"method":"trickle","params":{"candidate":{"candidate":"c","sdpMLineIndex":0,"sdpMid":"0"},"target":1}}"#
                ),
                .send(
                    #"{"method":"track-update","params":{"tracks":{"t":{"description":"","mute":true,"source":"regular","stream_id":"s","track_id":"t","type":"audio"}}}}"#
                ),
                .send(#"{"method":"leave","params":{"client_reason":"sdk request"}}"#),
            ])
    }

    @Test mutating func answersFindTheirCallsWhateverTheirOrder() {
        let join = client.join(name: "A", offer: "o")
        let offer = client.offer("o2", tracks: [])
        let stop = client.stopHLS()
        let message = client.broadcast("hi")
        _ = drain()
        #expect(
            events(of: #"{"id":"\#(stop)","jsonrpc":"2.0","result":{}}"#)
                == [.done(stop, .hlsStop)])
        #expect(
            events(of: #"{"id":"\#(offer)","result":{"type":"answer","sdp":"a2"}}"#)
                == [.answered(offer, sdp: "a2")])
        #expect(
            events(of: #"{"id":"\#(join)","result":{"type":"answer","sdp":"a","sfu_node_id":"x"}}"#)
                == [.joined(join, sdp: "a")])
        #expect(
            events(of: #"{"id":"\#(message)","result":{"timestamp":5,"message_id":"m"}}"#)
                == [.sent(message, BroadcastResult(timestamp: 5, messageID: "m"))])
        #expect(
            events(of: #"{"id":"\#(join)","result":{}}"#)
                == [.ignored("an answer to a call that was not made: \(join)")])
    }

    @Test mutating func aRefusalNamesItsCall() {
        let id = client.startHLS()
        #expect(
            events(of: #"{"id":"\#(id)","error":{"code":403,"message":"no"}}"#)
                == [.refused(id, .hlsStart, ErrorPayload(code: 403, message: "no"))])
    }

    @Test mutating func pingsGoOutEveryThreeSecondsAndSilenceIsNoticedAfterTwelve() throws {
        #expect(client.nextDeadline == nil)
        client.opened(at: .zero)
        #expect(try sent(drain()).map(\.method) == ["ping"])
        #expect(client.nextDeadline == .zero + .seconds(3))
        client.handleTimeout(at: .zero + .seconds(2))
        #expect(drain().isEmpty)
        client.handleTimeout(at: .zero + .seconds(3))
        #expect(try sent(drain()).count == 1)
        // Any frame ends a silence, whether or not it answers a ping.
        client.received(
            #"{"method":"on-broadcast","params":{}}"#, at: .zero + .seconds(5))
        for second in [6, 9, 12, 15] {
            client.handleTimeout(at: .zero + .seconds(second))
        }
        #expect(try sent(drain()).count == 4)
        #expect(client.nextDeadline == .zero + .seconds(17))
        client.handleTimeout(at: .zero + .seconds(17))
        #expect(drain() == [.event(.silent)])
        #expect(client.nextDeadline == nil)
        client.opened(at: .zero + .seconds(20))
        #expect(try sent(drain()).map(\.method) == ["ping"])
    }

    @Test mutating func callsWithoutAnswersAreForgottenWithTheirSocketAndPastTheMaximum() {
        let first = client.join(name: "A", offer: nil)
        for _ in 0..<SignallingClient.pendingMaximum { client.stopHLS() }
        _ = drain()
        #expect(
            events(of: #"{"id":"\#(first)","result":{}}"#)
                == [.ignored("an answer to a call that was not made: \(first)")])
        let second = client.join(name: "A", offer: nil)
        client.closed()
        _ = drain()
        #expect(
            events(of: #"{"id":"\#(second)","result":{}}"#)
                == [.ignored("an answer to a call that was not made: \(second)")])
    }

    @Test mutating func whatCannotBeReadIsIgnoredWithAReason() {
        #expect(events(of: "x") == [.ignored("malformed frame: not valid JSON")])
        #expect(events(of: "{}") == [.ignored("a frame with neither id nor method")])
        #expect(
            events(of: #"{"method":"sfu-stats","params":{}}"#)
                == [.ignored("notification 'sfu-stats' is not known here")])
        #expect(
            events(of: #"{"method":"offer","params":{}}"#)
                == [.ignored("parameter 'type' is missing")])
    }

    @Test mutating func notificationsAreTyped() throws {
        let peer = PeerPayload(
            peerID: "p", role: "guest", info: PeerInfoPayload(name: "P"), realtime: true)
        #expect(
            events(
                of:
                    #"{"method":"on-peer-join","params":{"peer_id":"p","role":"guest","realtime":true,"info":{"name":"P"},"new_field":1}}"#
            ) == [.peerJoined(peer)])
        #expect(
            events(of: #"{"method":"on-error","params":{"code":"410","message":"gone"}}"#)
                == [.fatal(ErrorPayload(code: 410, message: "gone"))])
        #expect(
            events(of: #"{"method":"trickle","params":{"target":0,"candidate":{"candidate":"c"}}}"#)
                == [.trickle(.publish, CandidatePayload(candidate: "c"))])
        #expect(
            events(of: #"{"method":"on-peer-leave-request","params":{"room_end":true}}"#)
                == [
                    .leaveRequested(
                        LeaveRequestNotification(requestedBy: nil, reason: "", roomEnd: true))
                ])
        let hls = events(
            of:
                #"{"method":"on-hls-update","params":{"enabled":true,"variants":[{"url":"u","state":"started","initialised_at":5}],"hls_recording":{"hls_vod":true}}}"#
        )
        guard case .hls(let payload)? = hls.first else {
            Issue.record("not typed: \(hls)")
            return
        }
        #expect(payload.variants.first?.state == .started)
        #expect(payload.variants.first?.initialisedAt == 5)
    }

    @Test func aPolicySaysWhatItsRecipientMayPublish() {
        func track(_ type: TrackKind, source: String = "regular") -> TrackPayload {
            TrackPayload(trackID: "t", streamID: "s", type: type, source: source)
        }
        var policy = PolicyPayload(.standard, role: "viewer")
        #expect(!policy.allows(track(.audio)))
        policy.name = "guest"
        #expect(policy.allows(track(.video)))
        policy.knownRoles["guest"]?.publishParams.allowed = [.audio, .screen]
        #expect(policy.allows(track(.audio)))
        #expect(!policy.allows(track(.video)))
        #expect(policy.allows(track(.video, source: "screen")))
        // If the server's roles are unreadable, nothing is known.
        policy.knownRoles = [:]
        #expect(policy.allows(track(.video)))
    }

    @Test func aPreferenceIsAFrameOfTheDataChannel() throws {
        var client = client
        let request = client.preferVideo("t", layer: .high)
        let (id, text) = try #require(request)
        #expect(
            text == """
                {"id":"\(id)","jsonrpc":"2.0","method":"prefer-video-track-state",\
                "params":{"max_spatial_layer":"high","track_id":"t"}}
                """)
    }

    /// The module's server and client, directly connected.
    @Test(.timeLimit(.minutes(5))) func theServerAndTheClientUnderstandEachOther() async throws {
        let fixture = SignallingFixture()
        let ben = try await fixture.join("ben", role: "guest")
        _ = try await ben.call(
            "offer",
            """
            {"desc":{"type":"offer","sdp":"x"},"tracks":{"t":{"track_id":"t","stream_id":"s",\
            "type":"video","source":"screen","description":"d","mute":true}}}
            """)
        await fixture.host.hlsChanged(
            HLSState(variants: [HLSVariant(url: "u", state: .started)]))
        let socket = try await fixture.connect("bot", role: HundredMSTerms.recorderRole)
        var client = SignallingClient(seed: 9)
        client.opened(at: .zero)
        let join = client.join(name: "bot", offer: "o")
        var events: [SignallingEvent] = []
        while events.count < 8 {
            while let output = client.poll() {
                switch output {
                case .send(let text): await socket.send(text)
                case .event(let event): events.append(event)
                }
            }
            if events.count < 8, let text = await socket.socket.next() {
                client.received(text, at: .zero)
            }
        }
        guard case .policy(let policy) = events[0], case .roomInfo = events[1],
            case .sessionInfo = events[2], case .roomState = events[3],
            case .joined(join, "answer to o") = events[4],
            case .peerList(let list) = events[5], case .roomInfo = events[6],
            case .sessionInfo(let session) = events[7]
        else {
            Issue.record("wrong events: \(events)")
            return
        }
        #expect(policy.name == HundredMSTerms.recorderRole)
        #expect(policy.knownRoles["host"] == Policy.standard.role("host"))
        #expect(
            list.peers["ben"]?.tracks?["t"]
                == TrackPayload(
                    trackID: "t", streamID: "s", type: .video, source: "screen",
                    description: "d", mute: true))
        #expect(list.room.streaming?.hls.variants.first?.state == .started)
        #expect(session.peerCount == 1)
    }
}
