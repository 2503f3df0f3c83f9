import HundredMS
import HundredMSTerms
import MediaKernel
import RoomHost
import Rooms
import Testing

/// `hlsStreamingState` in the room: docs/api/live-streams.md.
@Suite(.timeLimit(.minutes(5))) struct StreamingTests {
    let fixture = SignallingFixture()
    let started = HLSVariant(
        url: "https://h.test/m.m3u8", meetingURL: "https://h.test/rooms/r1", state: .started,
        initialisedAt: UnixTime(milliseconds: 1_720_000_004_000),
        startedAt: UnixTime(milliseconds: 1_720_000_009_000))
    static let variant = """
        {"initialised_at":1720000004000,"meeting_url":"https://h.test/rooms/r1","metadata":"",\
        "playlist_type":"no-dvr","started_at":1720000009000,"state":"started",\
        "stream_type":"composite","url":"https://h.test/m.m3u8"}
        """

    @Test func everyPeerIsToldOfAChangeOnce() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "viewer")
        _ = try await ann.drain()
        await fixture.host.hlsChanged(HLSState(variants: [started]))
        await fixture.host.hlsChanged(HLSState(variants: [started]))
        for client in [ann, ben] {
            #expect(
                await client.socket.next() == """
                    {"jsonrpc":"2.0","method":"on-hls-update","params":{"enabled":true,\
                    "variants":[\(Self.variant)]}}
                    """)
            #expect(try await client.drain().isEmpty)
        }
    }

    @Test func lateJoinersVisitorsAndThoseWhoReturnAreToldToo() async throws {
        let ann = try await fixture.join("ann")
        await fixture.host.hlsChanged(HLSState(variants: [started]))
        let ben = try await fixture.connect("ben")
        let state = try await ben.drain().last
        #expect(
            state?.text.contains(#""hls":{"enabled":true,"variants":[\#(Self.variant)]}"#) == true)
        _ = try await ben.call("join", #"{"name":"B","offer":{"type":"offer","sdp":"v"}}"#)
        let list = try #require(await ben.next())
        let hls = list.params["room"]["streaming"]["hls"]
        #expect(hls["variants"][0]["url"].string == "https://h.test/m.m3u8")
        #expect(list.params["room"]["streaming"]["enabled"] == .bool(true))
        await ann.close()
        let back = try await fixture.connect("ann")
        #expect(try await back.drain()[1].params["room"]["streaming"]["hls"] == hls)
    }

    @Test func aFailureIsToldWithItsReasonAndStaysForLateJoiners() async throws {
        let ann = try await fixture.join("ann")
        var failed = started
        failed.state = .failed
        await fixture.host.hlsChanged(
            HLSState(
                variants: [failed],
                error: StreamingFailure(.broken, message: "the disk is full")))
        let update = try #require(await ann.next())
        #expect(update.params["enabled"] == .bool(false))
        #expect(update.params["error"]["message"].string == "the disk is full")
        let ben = try await fixture.connect("ben")
        let hls = try await ben.drain().last?.params["room"]["streaming"]["hls"]
        #expect(hls?["variants"][0]["state"].string == "failed")
        #expect(hls?["error"]["code"].integer == 500)
    }

    @Test func whatIsRecordedIsToldToThoseWhoAreThereAndInTheRoomsState() async throws {
        let ann = try await fixture.join("ann")
        var recording = HLSRecording(
            state: .started, hlsVOD: true, singleFilePerLayer: false,
            initialisedAt: UnixTime(milliseconds: 1_720_000_004_000),
            startedAt: UnixTime(milliseconds: 1_720_000_009_000))
        await fixture.host.hlsChanged(
            HLSState(variants: [started], recording: recording))
        let config = #"{"hls_vod":true,"single_file_per_layer":false}"#
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"on-hls-update","params":{"enabled":true,\
                "hls_recording":\(config),"variants":[\(Self.variant)]}}
                """)
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"on-record-update","params":{\
                "hls_recording":\(config),"initialised_at":1720000004000,\
                "started_at":1720000009000,"state":"started","type":"HLS"}}
                """)
        recording.state = .paused
        await fixture.host.hlsChanged(
            HLSState(variants: [started], recording: recording))
        #expect(try await ann.drain().map(\.method) == ["on-hls-update", "on-record-update"])
        let ben = try await fixture.connect("ben")
        let state = """
            "hls":{"config":\(config),"enabled":true,"initialised_at":1720000004000,\
            "started_at":1720000009000,"state":"paused"}
            """
        #expect(try await ben.drain().last?.text.contains(state) == true)
        await ann.close()
        let back = try await fixture.connect("ann")
        let list = try await back.drain()[1]
        #expect(list.method == "peer-list" && list.text.contains(state))
    }

    @Test func aRecordingThatFailedSaysWhyAndIsOff() async throws {
        let ann = try await fixture.join("ann")
        let failed = HLSRecording(state: .failed, hlsVOD: false, singleFilePerLayer: true)
        await fixture.host.hlsChanged(
            HLSState(
                error: StreamingFailure(.broken, message: "the disk is full"),
                recording: failed))
        let update = try #require(try await ann.drain().last)
        #expect(update.params["state"].string == "failed")
        #expect(update.params["error"]["message"].string == "the disk is full")
        let ben = try await fixture.connect("ben")
        let hls = try await ben.drain().last?.params["room"]["recording"]["hls"]
        #expect(hls?["enabled"] == .bool(false))
        #expect(hls?["error"]["code"].integer == 500)
        #expect(hls?["error"]["message"].string == "the disk is full")
    }

    @Test func aRecordingWithoutAStreamIsTheBrowsersAndTheStreamsAreNotTouched() async throws {
        let ann = try await fixture.join("ann")
        let recording = RoomRecording(
            state: .started, initialisedAt: UnixTime(milliseconds: 1_720_000_004_000),
            startedAt: UnixTime(milliseconds: 1_720_000_009_000))
        for _ in 0..<2 { await fixture.host.recordingChanged(recording) }
        #expect(
            await ann.socket.next() == """
                {"jsonrpc":"2.0","method":"on-record-update","params":{\
                "initialised_at":1720000004000,"started_at":1720000009000,\
                "state":"started","type":"Browser"}}
                """)
        #expect(try await ann.drain().isEmpty, "it is told once")
        let ben = try await fixture.connect("ben")
        let text = try await ben.drain().last?.text
        #expect(
            text?.contains(
                """
                "browser":{"enabled":true,"initialised_at":1720000004000,\
                "started_at":1720000009000,"state":"started"}
                """) == true)
        #expect(text?.contains(#""hls":{"enabled":false,"variants":[]}"#) == true)
        await fixture.host.recordingChanged(
            RoomRecording(
                state: .failed, error: StreamingFailure(.broken, message: "the disk is full")))
        let update = try #require(try await ann.drain().last)
        #expect(update.params["error"]["message"].string == "the disk is full")
    }

    @Test func everybodyIsToldWhoRecordsWhileThatPeerIsThere() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        let bot = try await fixture.join("bot", role: HundredMSTerms.recorderRole)
        for client in [ann, ben, bot] { _ = try await client.drain() }
        func told(_ state: RecordingState, by peer: PeerID) async throws -> [String?] {
            await fixture.host.hlsChanged(
                HLSState(
                    recording: HLSRecording(
                        state: state, hlsVOD: true, singleFilePerLayer: false, startedBy: peer)))
            await fixture.host.recordingChanged(
                RoomRecording(state: state, startedBy: peer))
            return try await ben.drain().filter { $0.method == "on-record-update" }.map {
                $0.params["peer"]["peer_id"].string
            }
        }
        #expect(try await told(.initialised, by: "ann") == ["ann", "ann"])
        #expect(try await told(.started, by: "bot") == [nil, nil], "it is hidden")
        await ann.notify("leave")
        #expect(try await told(.stopped, by: "ann") == [nil, nil])
    }

    @Test func aHostStartsAndStopsAndAGuestMayNot() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        #expect(
            try await ann.call(
                "hls-start",
                """
                {"variants":[{"meeting_url":"https://h.test/x"}],\
                "hls_recording":{"single_file_per_layer":false,"hls_vod":true}}
                """
            ).result == .object([:]))
        #expect(try await ann.call("hls-stop").result == .object([:]))
        #expect(
            fixture.streaming.calls() == [
                "start r1 [https://h.test/x] vod=true by ann at rooms.test:8443", "stop r1 by ann",
            ])
        for method in ["hls-start", "hls-stop"] {
            #expect(
                try await ben.call(method).error
                    == refusal(.room(.missingPermission(.hlsStreaming, role: "guest"))))
        }
        #expect(fixture.streaming.calls().isEmpty)
    }

    @Test func aStartMayNameALayout() async throws {
        let ann = try await fixture.join("ann")
        #expect(
            try await ann.call("hls-start", #"{"layout":{"name":"pip"}}"#).result == .object([:]))
        let layout = JSONValue.object(["name": .string("pip")])
        #expect(
            fixture.streaming.calls()
                == ["start r1 [] vod=false by ann at rooms.test:8443 as \(layout)"])
    }

    @Test func timedMetadataIsTakenFromThoseWhoMayStream() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        func send(_ client: TestClient, _ metadata: String) async throws -> TestFrame {
            try await client.call("hls-timed-metadata", #"{"metadata_objs":\#(metadata)}"#)
        }
        let two = #"[{"payload":"a","duration":2},{"payload":"b","duration":5}]"#
        #expect(try await send(ann, two).result == .object([:]))
        #expect(fixture.streaming.calls() == ["metadata [a/2 b/5] in r1 by ann"])
        #expect(
            try await send(ben, two).error
                == refusal(.room(.missingPermission(.hlsStreaming, role: "guest"))))
        let many = Array(repeating: #"{"payload":"a","duration":2}"#, count: 21)
        for (metadata, error) in [
            ("[]", .badParameter("metadata_objs", .entries(0, allowed: 1...20))),
            (
                "[\(many.joined(separator: ","))]",
                .badParameter("metadata_objs", .entries(21, allowed: 1...20))
            ),
            (
                #"[{"payload":"a"}]"#,
                .missingParameter("metadata_objs.0.duration")
            ),
            (
                #"[{"payload":1,"duration":2}]"#,
                .badParameter("metadata_objs.0.payload", .mustBe(.string))
            ),
        ] as [(String, SignallingError)] {
            #expect(try await send(ann, metadata).error == refusal(error))
        }
        #expect(fixture.streaming.calls().isEmpty)
    }

    @Test func whoeverKeepsTheChatHearsEachMessageOnce() async throws {
        let ann = try await fixture.join("ann")
        for text in ["one", "two"] {
            _ = try await ann.call("broadcast", #"{"info":{"message":"\#(text)","type":"chat"}}"#)
        }
        #expect(try await ann.call("broadcast", #"{"info":{}}"#).error != nil)
        #expect(fixture.streaming.said() == [#"ann "one" in r1"#, #"ann "two" in r1"#])
    }

    @Test func aRefusedStartIsSaidInTheServicesWordsAndOthersAreNotShownOurInsides() async throws {
        let ann = try await fixture.join("ann")
        let foreign = LiveStreamingError(.invalid, message: "meeting_url is not one of our rooms")
        fixture.streaming.fail(foreign)
        #expect(try await ann.call("hls-start").error == refusal(.streaming(foreign)))
        fixture.streaming.fail(FakeMediaError(description: "/secret/path"))
        #expect(try await ann.call("hls-start").error == "500 the stream could not start")
        #expect(try await ann.call("hls-stop").error == "500 the stream could not stop")
    }

    @Test func variantsAreBounded() async throws {
        let ann = try await fixture.join("ann")
        let many = Array(repeating: "{}", count: 17).joined(separator: ",")
        #expect(
            try await ann.call("hls-start", #"{"variants":[\#(many)]}"#).error
                == refusal(.badParameter("variants", .entries(17, allowed: 0...16))))
        let long = String(repeating: "u", count: 2049)
        #expect(
            try await ann.call("hls-start", #"{"variants":[{},{"meeting_url":"\#(long)"}]}"#).error
                == refusal(
                    .badParameter("variants.1.meeting_url", .tooLong(bytes: 2049, maximum: 2048)))
        )
    }

    @Test func visitorsAreRefreshedAtTheNextTick() async throws {
        let visitor = try await fixture.connect("v")
        _ = try await visitor.drain()
        _ = try await fixture.join("ann")
        _ = try await fixture.join("ben")
        #expect(try await visitor.drain().isEmpty)
        await fixture.pass(.seconds(1))
        let frames = try await visitor.drain()
        #expect(frames.map(\.method) == ["session-info", "room-state"])
        #expect(frames.last?.params["peer_count"].integer == 2)
        await fixture.pass(.seconds(1))
        #expect(try await visitor.drain().isEmpty)
    }
}
