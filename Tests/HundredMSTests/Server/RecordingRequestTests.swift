import HundredMS
import MediaKernel
import Rooms
import Testing

/// `rtmp-start` and `rtmp-stop`: a recording without a live stream, and pushes.
@Suite(.timeLimit(.minutes(5))) struct RecordingRequestTests {
    let fixture = SignallingFixture()

    @Test func whoMayStartsAndStopsARecordingAndOthersMayNot() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "guest")
        for (params, call) in [
            (#"{"record":true}"#, "record r1 [-] - by ann at rooms.test:8443"),
            (
                """
                {"meeting_url":"https://h.test/rooms/r1","record":true,"rtmp_urls":[],\
                "resolution":{"width":1280,"height":720}}
                """, "record r1 [https://h.test/rooms/r1] 1280x720 by ann at rooms.test:8443"
            ),
        ] {
            #expect(try await ann.call("rtmp-start", params).result == .object([:]))
            #expect(fixture.streaming.calls() == [call])
        }
        #expect(try await ann.call("rtmp-stop").result == .object([:]))
        #expect(fixture.streaming.calls() == ["stop recording r1 by ann"])
        for (method, params) in [("rtmp-start", #"{"record":true}"#), ("rtmp-stop", "{}")] {
            #expect(
                try await ben.call(method, params).error
                    == refusal(.room(.missingPermission(.browserRecording, role: "guest"))))
        }
        #expect(
            try await ben.call("rtmp-start", #"{"record":false,"rtmp_urls":["rtmp://x/y"]}"#).error
                == refusal(.room(.missingPermission(.rtmpStreaming, role: "guest"))))
        #expect(fixture.streaming.calls().isEmpty)
        #expect(try await ben.drain().isEmpty, "what nobody may ask for is told to nobody")
    }

    @Test func whatIsWrongIsNamed() async throws {
        let ann = try await fixture.join("ann")
        let long = String(repeating: "u", count: 2049)
        for (params, error) in [
            (
                "{}",
                .badParameter("record", .neededWithout("rtmp_urls"))
            ),
            (#"{"record":1}"#, .badParameter("record", .mustBe(.boolean))),
            (
                #"{"record":true,"meeting_url":"\#(long)"}"#,
                .badParameter("meeting_url", .tooLong(bytes: 2049, maximum: 2048))
            ),
            (
                #"{"record":true,"resolution":{"width":1280}}"#,
                .missingParameter("resolution.height")
            ),
        ] as [(String, SignallingError)] {
            #expect(try await ann.call("rtmp-start", params).error == refusal(error))
        }
        #expect(fixture.streaming.calls().isEmpty)
        let full = LiveStreamingError(.unavailable, message: "too many streams")
        fixture.streaming.fail(full)
        #expect(
            try await ann.call("rtmp-start", #"{"record":true}"#).error
                == refusal(.streaming(full)))
        fixture.streaming.fail(FakeMediaError(description: "/secret/path"))
        #expect(try await ann.call("rtmp-stop").code == 500)
    }

    @Test func refusedPushesAreToldToEverybody() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "viewer")
        let dora = try await fixture.join("dora")
        for client in [ann, ben] { _ = try await client.drain() }
        let both = #"{"record":true,"rtmp_urls":["rtmp://x/y"]}"#
        let keyless = LiveStreamingError(.invalid, message: "no key")
        fixture.streaming.fail(keyless)
        #expect(try await ann.call("rtmp-start", both).error == refusal(.streaming(keyless)))
        let failed = """
            {"enabled":false,"error":{"code":400,"message":"no key"},\
            "state":"failed"}
            """
        for client in [ann, ben] {
            let update = try #require(await client.next())
            #expect(update.method == "on-rtmp-update")
            #expect(update.params["state"].string == "failed")
            #expect(update.params["error"]["code"].integer == 400)
            #expect(update.params["peer"]["peer_id"].string == "ann")
            #expect(update.params["peer"]["info"]["name"].string == "ANN")
        }
        // A repeated request is refused again, without news for the others.
        for client in [ann, dora] {
            fixture.streaming.fail(keyless)
            #expect(try await client.call("rtmp-start", both).code == 400)
        }
        #expect(try await ben.drain().isEmpty)
        let cleo = try await fixture.connect("cleo")
        #expect(try await cleo.drain().last?.text.contains(#""rtmp":\#(failed)"#) == true)
    }

    @Test func whoMayPushesWithoutAFileAndEndsIt() async throws {
        let ann = try await fixture.join("ann")
        let urls = #"{"record":false,"rtmp_urls":["rtmp://x/y/z"]}"#
        #expect(try await ann.call("rtmp-start", urls).result == .object([:]))
        #expect(
            fixture.streaming.calls() == [
                "record r1 [-] - to rtmp://x/y/z without file by ann at rooms.test:8443"
            ])
    }

    @Test func theRoomsStateSaysWhatThereIsNot() async throws {
        let ann = try await fixture.connect("ann")
        let text = try #require(try await ann.drain().last?.text)
        let none = #"{"enabled":false,"state":"none"}"#
        #expect(text.contains(#""sfu":\#(none)"#) && text.contains(#""rtmp":\#(none)"#))
    }
}
