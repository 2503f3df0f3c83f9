import Foundation
import HLS
import MediaKernel
import Rooms
import Stage
import Testing

@testable import Streams

@Suite struct StreamPlanTests {
    private static let plan = StreamPlan(
        variant: LiveStreamVariant(meetingURL: "http://h/rooms/demo", metadata: "m"),
        recording: LiveStreamRecording(hlsVOD: true), destination: "main",
        audio: LiveStreamAudio(roles: ["host"]), segmentDuration: .milliseconds(1500),
        playlist: .live(window: 6), layout: Layout(name: .speaker, gap: 8),
        pictureHosts: WebHosts(["example.org"], allowsHTTP: true) ?? WebHosts(),
        sourceHosts: WebHosts(["example.net:8443"], allowsHTTP: true) ?? WebHosts(),
        preset: "sharp", encoder: "auto")

    @Test func whatIsKeptIsRead() throws {
        var silent = Self.plan
        silent.recording = nil
        silent.audio = LiveStreamAudio(only: true)
        silent.playlist = .event
        var fragments = Self.plan
        fragments.container = .both
        fragments.captions = StreamCaptions(languages: [
            CaptionLanguage(code: "en", name: "English"), CaptionLanguage(code: "pt-BR"),
        ])
        fragments.partFrames = 10
        for plan in [Self.plan, silent, fragments, StreamPlan()] {
            let data = try JSONEncoder().encode(plan)
            #expect(try JSONDocument.decode(StreamPlan.self, from: data) == plan)
        }
        #expect(Self.plan.frameRate == 30 && silent.frameRate == nil)
    }

    @Test func aConferenceIsKeptWithItsAddresses() throws {
        let conference = JitsiConference(
            server: "127.0.0.1:5222", certificates: JitsiConference.anyCertificate,
            encryption: .optional, domain: "hidden.meet.jitsi", room: "r@muc.meet.jitsi",
            focus: "focus.meet.jitsi", name: "Roomcast", hiddenDomain: "hidden.meet.jitsi",
            isJibri: true,
            recording: JitsiConference.Recording(
                session: "uuid", mode: "stream", viewURL: "https://example.org/watch"))
        let url = "jitsi:https://meet.example.org/r"
        for conference in [
            conference, JitsiConference(server: "a", domain: "b", room: "c", focus: "d"),
        ] {
            let plan = StreamPlan(
                variant: LiveStreamVariant(meetingURL: url, conference: conference))
            let data = try JSONEncoder().encode(plan)
            #expect(try JSONDocument.decode(StreamPlan.self, from: data) == plan)
        }
        #expect(conference.authorities == nil)
    }

    /// Records keep no secrets: a bot gets them beside the plan.
    @Test func outputsAreKeptWithoutTheirKeys() throws {
        var plan = Self.plan
        let target = try PushTarget("rtmp://h/app/secret")
        plan.outputs = [StreamOutput(id: "1", layer: 1, target: target)]
        plan.lastOutput = 1
        plan.pushHosts = try #require(PushHosts(["10.0.0.5:1935"]))
        let data = try JSONEncoder().encode(plan)
        #expect(!String(decoding: data, as: UTF8.self).contains("secret"))
        var read = try JSONDocument.decode(StreamPlan.self, from: data)
        #expect(read.outputs[0].target == nil && read.outputs[0].shown == "rtmp://h/app")
        read.outputs = plan.outputs
        #expect(read == plan)
    }

    @Test func anOutputNeedsALayerWithVideoAndAnAllowedHost() throws {
        let target = try PushTarget("rtmp://10.0.0.5/app/key")
        var plan = StreamPlan()
        let foreign = LiveStreamError.invalidOutput(.hostNotAllowed("10.0.0.5"))
        #expect(throws: foreign) { try plan.checkOutput(target, layer: 0) }
        plan.pushHosts = try #require(PushHosts(["10.0.0.5"]))
        try plan.checkOutput(target, layer: 0)
        let layerless = LiveStreamError.invalidOutput(
            .unknownLayer(count: plan.ladder.layers.count))
        #expect(throws: layerless) { try plan.checkOutput(target, layer: 9) }
        plan.recording = LiveStreamRecording(tracks: TrackOptions(composite: false))
        #expect(throws: LiveStreamError.invalidOutput(.withoutPicture)) {
            try plan.checkOutput(target, layer: 0)
        }
        plan.recording = nil
        plan.audio.only = true
        #expect(throws: LiveStreamError.invalidOutput(.withoutVideo)) {
            try plan.checkOutput(target, layer: 0)
        }
    }

    /// Each field has a key, and there are no other keys.
    @Test func everyFieldIsKept() throws {
        let data = try JSONEncoder().encode(Self.plan)
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(
            json.keys.sorted() == [
                "audio", "destination", "encoder", "ladder", "layout", "meeting_url", "metadata",
                "picture_hosts", "picture_http", "playlist", "preset", "recording",
                "segment_seconds", "source_hosts",
            ])
    }

    @Test(arguments: [
        #"{"mode":"vod"}"#, #"{"mode":"live"}"#, #"{"mode":"live","window":0}"#, "1",
    ])
    func aPlaylistThatThereIsNotIsRefused(playlist: String) throws {
        let text = #"""
            {"ladder":[{"width":320,"height":180,"frame_rate":30,"video_bitrate":200000,
            "audio_bitrate":64000}],"segment_seconds":2,"preset":"fast","encoder":"x264",
            "playlist":\#(playlist)}
            """#
        #expect(throws: DecodingError.self) {
            try JSONDocument.decode(StreamPlan.self, from: Array(text.utf8))
        }
    }

    @Test func aBotMayMissSomeOfItsSegmentsHoweverLongTheyAre() {
        func timeout(_ seconds: Int) -> Duration {
            StreamRules().fitting(StreamPlan(segmentDuration: .seconds(seconds))).segmentTimeout
        }
        #expect(timeout(2) == .seconds(30))
        #expect(timeout(10) == .seconds(50))
    }

    @Test func aSourceGoesOnWithoutAnybodyInTheRoom() {
        var rules = StreamRules(emptyTimeout: .seconds(300))
        rules.idleTimeout = .seconds(60)
        let source = LiveStreamVariant(meetingURL: "whep:https://example.org/live")
        #expect(rules.fitting(StreamPlan()) == rules)
        let fitting = rules.fitting(StreamPlan(variant: source))
        #expect(fitting.emptyTimeout == nil && fitting.idleTimeout == nil)
        #expect(fitting.readyTimeout > .seconds(60), "a bot waits for its source for a minute")
    }
}
