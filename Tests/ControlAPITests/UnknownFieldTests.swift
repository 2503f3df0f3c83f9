import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Rooms
import Testing

@testable import ControlAPI

/// A misspelt field is refused at any depth, and not silently ignored.
@Suite struct UnknownFieldTests {
    private static let rows: [(path: String, body: String, reason: String)] = [
        (
            "/v2/live-streams/room/demo/start", #"{"recordng":{"hls_vod":true}}"#,
            "recordng is not known; did you mean recording?"
        ),
        (
            "/v2/live-streams/room/demo/start", #"{"recording":{"hlsVod":true}}"#,
            "recording.hlsVod is not known; did you mean hls_vod?"
        ),
        (
            "/v2/live-streams/room/demo/start", #"{"recording":{"thumbnails":{"offset":[1]}}}"#,
            "recording.thumbnails.offset is not known; did you mean offsets?"
        ),
        (
            "/v2/live-streams/room/demo/start", #"{"variants":[{"metadata":"a"},{"meta":"b"}]}"#,
            "variants[1].meta is not known"
        ),
        (
            "/v2/live-streams/room/demo/start",
            #"{"ladder":[{"width":2,"height":2,"videoBitrate":9,"audiobitrat":9}]}"#,
            "ladder[0].audiobitrat is not known; did you mean audioBitrate?"
        ),
        (
            "/v2/live-streams/room/demo/start", #"{"audio":{"rolse":["host"]}}"#,
            "audio.rolse is not known; did you mean roles?"
        ),
        (
            "/v2/live-streams/room/demo/start",
            #"{"layout":{"nmae":"grid","watermark":{"postion":"center"}},"recordng":{}}"#,
            """
            ["layout.nmae is not known; did you mean name?",\
            "layout.watermark.postion is not known; did you mean position?",\
            "recordng is not known; did you mean recording?"]
            """
        ),
        (
            "/v2/recordings/room/demo/start", #"{"layout":{"fitt":"crop"}}"#,
            "layout.fitt is not known; did you mean fit?"
        ),
        (
            "/v2/templates",
            #"{"destinations":{"hlsDestinations":{"x":{"layout":{"corners":8}}}}}"#,
            "destinations.hlsDestinations.x.layout.corners is not known"
        ),
        (
            "/v2/live-streams/stream-1/timed-metadata", #"{"payload":"a","durration":1}"#,
            "durration is not known; did you mean duration?"
        ),
        (
            "/v2/recordings/room/demo/start", #"{"audioOnly":true}"#,
            "audioOnly is not known; did you mean audio_only?"
        ),
        (
            "/v2/recordings/room/demo/start", #"{"resolution":{"width":640,"hight":480}}"#,
            "resolution.hight is not known; did you mean height?"
        ),
        ("/v2/rooms", #"{"nam":"a"}"#, "nam is not known; did you mean name?"),
        ("/v2/rooms", #"{"max_duration":600}"#, "max_duration is not known"),
        (
            "/v2/rooms", #"{"webhook":{"uri":"http://x"}}"#,
            "webhook.uri is not known; did you mean url?"
        ),
        (
            "/v2/room-codes/code", #"{"code":"a","enable":true}"#,
            "enable is not known; did you mean enabled?"
        ),
        (
            "/v2/active-rooms/demo/send-message", #"{"message":"a","roles":["b"]}"#,
            "roles is not known; did you mean role?"
        ),
        (
            "/v2/active-rooms/demo/remove-peers", #"{"peerId":"a"}"#,
            "peerId is not known; did you mean peer_id?"
        ),
        ("/v2/active-rooms/demo/end-room", #"{"locked":true}"#, "locked is not known"),
        (
            "/v2/active-rooms/demo/peers/p", #"{"nmae":"a"}"#,
            "nmae is not known; did you mean name?"
        ),
        (
            "/v2/templates", #"{"role":{"a":{}}}"#, "role is not known; did you mean roles?"
        ),
        (
            "/v2/templates", #"{"roles":{"a":{"publishParam":{}}}}"#,
            "roles.a.publishParam is not known; did you mean publishParams?"
        ),
        (
            "/v2/templates",
            #"{"destinations":{"hlsDestinations":{"x":{"recording":{"hls_vod":true}}}}}"#,
            "destinations.hlsDestinations.x.recording.hls_vod is not known; did you mean hlsVod?"
        ),
        (
            "/v2/templates/t/settings", #"{"roomstate":{}}"#,
            "roomstate is not known; did you mean roomState?"
        ),
        (
            "/v2/templates/t/roles/a", #"{"permissions":{"endroom":true}}"#,
            "permissions.endroom is not known; did you mean endRoom?"
        ),
    ]

    @Test func aMisspeltFieldIsRefusedWithTheNearestKnownOne() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for row in Self.rows {
                let answer = try await client.execute(
                    uri: row.path, method: .post, headers: headers,
                    body: ByteBuffer(string: row.body))
                #expect(answer.status == .badRequest, "\(row.path) \(row.body)")
                let body = String(buffer: answer.body)
                #expect(body.contains(row.reason), "\(row.path): \(body)")
            }
        }
    }

    @Test(arguments: [
        #"{"transcription":{"enabled":true},"metadata":"a"}"#, "{}", "",
        #"{"layout":{"name":"grid"}}"#,
    ])
    func whatTheDocumentsSendIsTaken(body: String) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(string: body))
            #expect(answer.status == .ok)
        }
    }

    private func faults(_ json: String, _ content: BodyFields.Content) throws -> [String] {
        try BodyFieldCheck(JSONDocument(json, limits: .standard).root, content).faults
    }

    @Test func whatIsFarFromAllThatATemplateHasIsKept() throws {
        for json in [
            #"{"plugins":{"whiteboard":{}},"tags":[],"settings":{"retry":{}}}"#,
            #"{"roles":{"a":{"color":"red","publishParams":{"videoSimulcastLayers":{}}}}}"#,
            #"{"destinations":{"rtmpDestinations":{},"transcriptions":{}}}"#,
        ] {
            #expect(try faults(json, .object(TemplateFields.template)) == [], "\(json)")
        }
    }

    /// All fields of a policy are known.
    @Test func thePolicysOwnFieldsAreKnown() throws {
        let layer = HLSDestination.Layer(width: 2, height: 2, videoBitrate: 1, audioBitrate: 1)
        var live = HLSDestination(layers: [layer])
        live.recording = .init(hlsVod: true, singleFilePerLayer: true)
        live.recording?.layers = [layer]
        live.recording?.thumbnails = ThumbnailOptions(
            enabled: true, width: 1, height: 1, offsets: [1], fps: 1)
        live.recording?.tracks = TrackOptions(
            peers: ["a"], roles: ["a"], sources: ["screen"], ids: ["a"], audio: .ogg, zip: true,
            composite: true)
        (live.maxDuration, live.videoFrameRate, live.numPlaylistSegments) = (1, 1, 3)
        (live.playlistType, live.autoStopTimeout, live.idleTimeout) = ("event", 1, 1)
        (live.autoStart, live.name) = ("room", "a")
        (live.container, live.lowLatency) = ("both", true)
        var browser = RecordingDestination(name: "a", width: 2, height: 2)
        (browser.maxDuration, browser.autoStopTimeout, browser.idleTimeout) = (1, 1, 1)
        browser.thumbnails = live.recording?.thumbnails
        browser.tracks = live.recording?.tracks
        var role = Role(name: "a")
        role.permissions = .all
        role.isHidden = true
        role.subscribeParams.subscribeDegradation = SubscribeDegradation()
        let json = try JSONValue.object([
            "roles": .object(["a": JSONValue(encoding: role)]),
            "settings": .object(["roomState": JSONValue(encoding: RoomStateSettings())]),
            "destinations": .object([
                "hlsDestinations": .object(["a": JSONValue(encoding: live)]),
                "browserRecordings": .object(["a": JSONValue(encoding: browser)]),
            ]),
        ])
        // None merely resembles a known one: that would be refused here.
        let text = String(decoding: try JSON.data(json), as: UTF8.self)
        #expect(try faults(text, .object(TemplateFields.template)) == [])
    }

    @Test func faultsAreFewHoweverManyThereAre() throws {
        let many = (0..<5000).map { "\"recordng\($0)\":1" }.joined(separator: ",")
        let found = try faults("{\(many)}", .object(StartBody.fields))
        #expect(found.count == 10)
        let long = String(repeating: "recording", count: 7000)
        #expect(
            try faults("{\"\(long)\":1}", .object(StartBody.fields))
                == ["\(long.prefix(64)) is not known"])
    }
}
