import Catalogue
import Foundation
import HLS
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Stage
import Streams
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct LiveStreamRouteTests {
    @Test(arguments: [
        "/v2/live-streams", "/v2/live-streams/a", "/v2/recordings", "/v2/recordings/a",
        "/api/rooms", "/api/rooms/demo/stream",
    ])
    func aCatalogueThatCannotBeReadIsNotTakenForAnEmptyOne(path: String) async throws {
        let world = try await TestWorld()
        world.control.state.withLock { $0.failure = LiveStreamError(CatalogueError.busy) }
        // A token for a room's stream is a room token.
        let isPublic = path == "/api/rooms/demo/stream"
        let headers = isPublic ? [:] : try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(uri: path, method: .get, headers: headers)
            #expect(response.status == .serviceUnavailable)
            #expect(try TestJSON.refusal(response) == APIError(CatalogueError.busy).body)
        }
    }

    @Test func assetsThatCannotBeReadAreNotLeftOut() async throws {
        let world = try await TestWorld()
        _ = try await world.control.start(
            room: "demo", LiveStreamRequest(recording: RecordingOptions(hlsVOD: true)),
            startedBy: nil)
        world.control.state.withLock { $0.streams[0].status = .completed }
        try Data().write(to: URL(filePath: "\(world.directory)/catalogue.sqlite-wal"))
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for path in ["/v2/live-streams", "/v2/live-streams/stream-1", "/v2/recordings"] {
                let response = try await client.execute(
                    uri: path, method: .get, headers: headers)
                #expect(response.status == .internalServerError)
            }
        }
    }

    @Test(arguments: [
        ("https://here.org/rooms/demo", MeetingURL.Judgement.defaultView),
        ("https://here.org/rooms/demo?skip_preview=true&review=1", .defaultView),
        ("https://here.org/rooms/demo?view=", .defaultView),
        ("https://here.org/rooms/demo#?view=grid", .defaultView),
        ("https://here.org/rooms/demo?role=a&view=grid", .page),
        ("https://else.org/rooms/demo", .page),
    ])
    func aBrowserShowsOtherPagesAndTheRoomsOwnAsAView(
        url: String, judgement: MeetingURL.Judgement
    ) {
        #expect(MeetingURL.judge(url, room: "demo", authorities: ["here.org"]) == judgement)
    }

    @Test func whatAPageHasLeftIsGivenToTheManagement() async throws {
        let world = try await TestWorld()
        _ = try await world.control.start(room: "demo", LiveStreamRequest(), startedBy: nil)
        let stream = world.control.state.withLock { $0.streams[0] }
        let directory = "\(world.directory)/out/\(stream.directory)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let headers = try await world.managementHeaders()
        let uri = "/v2/live-streams/\(stream.id)/page"
        try await world.routes { client in
            func answer(_ file: String, _ headers: HTTPFields) async throws -> TestResponse {
                try await client.execute(uri: "\(uri)/\(file)", method: .get, headers: headers)
            }
            #expect(try await answer("console", headers).status == .notFound)
            try Data("a line\n".utf8).write(to: URL(filePath: "\(directory)/.page-console.log"))
            let console = try await answer("console", headers)
            #expect(console.status == .ok && String(buffer: console.body) == "a line\n")
            #expect(console.headers[.contentType] == "text/plain; charset=utf-8")
            #expect(try await answer("console", [:]).status == .unauthorized)
            // A bot writes it: a link would give out what only the server may read.
            try FileManager.default.createSymbolicLink(
                atPath: "\(directory)/.page.jpg", withDestinationPath: "/etc/passwd")
            #expect(try await answer("screenshot", headers).status == .notFound)
            #expect(try await answer("other", headers).status == .notFound)
        }
    }

    @Test func aStartIsAnsweredWith100msObject() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(
                    string: #"""
                        {"meeting_url":"http://localhost/rooms/demo?skip_preview=true",
                         "recording":{"hls_vod":true},"destination":"default","metadata":"m",
                         "transcription":{"enabled":true}}
                        """#))
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "application/json; charset=utf-8")
            let text = String(buffer: response.body)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let layout = String(decoding: try encoder.encode(Layout().json), as: UTF8.self)
            let expected: [String] = [
                #"{"audio":{"only":false,"roles":null},"#,
                #""bot_restarts":0,"#,
                #""created_at":"2023-03-22T04:24:10.155978231Z","degradation":null,"#,
                #""destination":"default","frame_rate":30,"#,
                #""id":"stream-1","layout":\#(layout),"live_upload":null,"#,
                #""meeting_url":"http://localhost/rooms/demo?skip_preview=true","#,
                #""metadata":"m","outputs":[],"playback":{"url":"http://h/hls/demo/stream-1/master.m3u8"},"#,
                #""post_processing_error":null,"post_processing_position":null,"#,
                #""post_processing_progress":null,"process_deaths":[],"#,
                #""recording":{"hls_vod":true,"single_file_per_layer":false},"#,
                #""recording_assets":null,"recording_paused":false,"room_id":"demo","session_id":"session-1","#,
                #""started_at":null,"started_by":"","status":"starting","stop_code":null,"stop_reason":null,"#,
                #""stopped_at":null,"stopped_by":"","tracks_left_out":[],"#,
                #""updated_at":"2023-03-22T04:24:10.155978231Z","#,
                #""variants":[{"id":"stream-1","#,
                #""meeting_url":"http://localhost/rooms/demo?skip_preview=true","metadata":"m","#,
                #""playback":{"url":"http://h/hls/demo/stream-1/master.m3u8"},"#,
                #""status":"starting"}]}"#,
            ]
            #expect(text == expected.joined())
        }
    }

    @Test(arguments: ["", "{}", " \n", #"{"recording":null,"variants":[]}"#])
    func aStartNeedsNoBody(body: String) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(string: body))
            #expect(response.status == .ok)
            #expect(world.control.state.withLock { $0.requests } == [LiveStreamRequest()])
        }
    }

    @Test func severalVariantsAreStartedAndReturned() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(
                    string: #"{"variants":[{"metadata":"a"},{"metadata":"b"}]}"#))
            let object = try TestJSON.object(response)
            let variants = try #require(object["variants"] as? [[String: Any]])
            #expect(variants.map { $0["metadata"] as? String } == ["a", "b"])
            #expect(variants.map { $0["id"] as? String } == ["stream-1", "stream-2"])
            #expect(object["id"] as? String == "stream-1")
        }
    }

    @Test func aLadderIsGivenInKilobitsAndChecked() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(
                    string: #"{"ladder":[{"width":640,"height":360,"videoBitrate":500}]}"#))
            #expect(response.status == .ok)
            let ladder = world.control.state.withLock { $0.requests[0].ladder }
            #expect(ladder?.layers[0].videoBitrate == 500_000)
            #expect(ladder?.layers[0].audioBitrate == 96_000)
            #expect(ladder?.layers[0].frameRate == 30)
        }
    }

    @Test func segmentsOfAnotherLengthAreAskedFor() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(
                    string:
                        #"{"segment_seconds":1.5,"container":"both","low_latency":true}"#))
            #expect(response.status == .ok)
            let request = world.control.state.withLock { $0.requests[0] }
            #expect(request.container == .both && request.isLowLatency == true)
            #expect(request.segmentDuration == .milliseconds(1500))
        }
    }

    @Test func soundAloneAndWhoIsHeardAreAskedForAndReturned() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(string: #"{"audio":{"roles":["host"],"only":true}}"#))
            #expect(response.status == .ok)
            let audio = world.control.state.withLock { $0.requests[0].audio }
            #expect(audio == LiveStreamAudio(roles: ["host"], only: true))
        }
    }

    static let badBodies: [(String, String, String)] = [
        ("{", "malformed body", "the body is not valid JSON"),
        ("[]", "malformed body", "the body is not of type object"),
        (#"{"meeting_url":5}"#, "malformed body", "meeting_url is not of type string"),
        (
            #"{"variants":[{"metadata":1}]}"#, "malformed body",
            "variants.[0].metadata is not of type string"
        ),
        (
            #"{"recording":{"hls_vod":"yes"}}"#, "malformed body",
            "recording.hls_vod is not of type boolean"
        ),
        (
            #"{"meeting_url":"https://me@example.org/rooms/demo"}"#, "meeting_url is not supported",
            "a page's URL has a host name or an IPv4 address, no user, and only ASCII characters"
        ),
        (
            #"{"meeting_url":"jitsi:https://example.org/r?jwt=eyJ"}"#,
            "meeting_url is not supported",
            "a conference is like jitsi:https://meet.example.org/Room, without a user, a query and "
                + "a fragment"
        ),
        (
            #"{"meeting_url":"openvidu:wss://example.org/"}"#, "meeting_url is not supported",
            "a session is like openvidu:wss://example.org/openvidu?sessionId=ses_1"
        ),
        (
            #"{"meeting_url":"openvidu:wss://example.org/?sessionId=a&secret=MY"}"#,
            "meeting_url is not supported",
            "a session's URL has no user, secret or token: they are in openvidu.servers"
        ),
        (
            #"{"await_start_signal":true}"#, "await_start_signal is not valid",
            "only a page of the web can give the signal"
        ),
        (
            #"{"meeting_url":"http://localhost/rooms/other"}"#, "meeting_url is not supported",
            "meeting_url names room other, but the stream is of demo"
        ),
        (
            #"{"meeting_url":"http://localhost/watch/demo"}"#, "meeting_url is not supported",
            "meeting_url must be the room's page, /rooms/demo"
        ),
        (
            #"{"meeting_url":"ftp://localhost/rooms/demo"}"#, "meeting_url is not supported",
            "meeting_url is not an http or https URL"
        ),
        (
            #"{"meeting_url":"http://localhost/rooms/demo","variants":[{}]}"#, "malformed body",
            "give meeting_url and metadata, or variants, not both"
        ),
        (#"{"variants":[{},{},{},{},{},{}]}"#, "too many variants", "at most 5 in one request"),
        (
            #"{"variants":[{},{}]}"#, "variants are not distinct",
            "variants of the same view need different metadata"
        ),
        (
            #"{"audio":{"roles":[""]}}"#, "audio is not valid",
            "roles are at most 64 names of 1 to 128 bytes"
        ),
        (#"{"ladder":[]}"#, "ladder is not valid", "a ladder needs at least one layer"),
        (
            #"{"ladder":[{"width":641,"height":360,"videoBitrate":500}]}"#, "ladder is not valid",
            "layer 0: width and height must be even, not 641x360"
        ),
        (
            #"{"ladder":[{"width":640,"height":360,"videoBitrate":9223372036854775807}]}"#,
            "ladder is not valid", "bitrates are in kbit/s, 1 to 1000000"
        ),
        (
            #"{"segment_seconds":0.4}"#, "segment_seconds is not valid", "0.5 to 10.0 seconds"
        ),
        (#"{"container":"mkv"}"#, "container is not valid", "ts, cmaf or both"),
        (
            #"{"low_latency":true,"container":"ts"}"#, "low_latency is not valid",
            "it needs the container cmaf or both"
        ),
        (
            #"{"segment_seconds":1e300}"#, "segment_seconds is not valid", "0.5 to 10.0 seconds"
        ),
    ]

    @Test(arguments: badBodies)
    func aBadBodyIsRefusedWithItsReason(
        body: String, message: String, detail: String
    ) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(string: body))
            #expect(response.status == .badRequest)
            let error = try TestJSON.decode(APIError.Body.self, response)
            #expect(error == .init(code: 400, message: message, details: [detail]))
            #expect(world.control.state.withLock { $0.requests.isEmpty })
        }
    }

    @Test func tooLongFieldsAndBodiesAreRefused() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.live { client in
            for (key, count) in [
                ("metadata", Limits.metadataBytes + 1), ("destination", 129),
                ("meeting_url", Limits.meetingURLBytes + 1),
            ] {
                let response = try await client.execute(
                    uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                    body: ByteBuffer(
                        string: #"{"\#(key)":"\#(String(repeating: "x", count: count))"}"#))
                #expect(response.status == .badRequest)
            }
            let huge = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(repeating: 0x20, count: Limits.bodyBytes + 1))
            #expect(huge.status == .contentTooLarge)
            #expect(try TestJSON.refusal(huge) == APIError.tooLarge(maximum: 65536).body)
        }
    }

    @Test(arguments: ["a%20b", "a.b", "%2e%2e", String(repeating: "r", count: 65), "r%C3%A4"])
    func aRoomIDHasAnAlphabet(room: String) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for action in ["start", "stop"] {
                let response = try await client.execute(
                    uri: "/v2/live-streams/room/\(room)/\(action)", method: .post,
                    headers: headers)
                #expect(response.status == .badRequest)
            }
        }
    }

    @Test func stoppingByRoomAnswersWithAList() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let none = try await client.execute(
                uri: "/v2/live-streams/room/demo/stop", method: .post, headers: headers)
            #expect(none.status == .notFound)
            #expect(
                try TestJSON.decode(APIError.Body.self, none)
                    == .init(
                        code: 404, message: "live stream not found",
                        details: ["room demo has no live stream"]))
            for _ in 0..<2 {
                _ = try await client.execute(
                    uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers)
            }
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/stop", method: .post, headers: headers)
            #expect(response.status == .ok)
            let object = try TestJSON.object(response)
            let data = try #require(object["data"] as? [[String: Any]])
            #expect(data.map { $0["status"] as? String } == ["stopping", "stopping"])
            #expect(object["limit"] as? Int == 10)
            #expect(object["last"] as? String == "stream-2")
        }
    }

    @Test func aStreamIsStoppedAndReadByItsID() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            _ = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers)
            let stopped = try await client.execute(
                uri: "/v2/live-streams/stream-1/stop", method: .post, headers: headers)
            #expect(stopped.status == .ok)
            let read = try await client.execute(
                uri: "/v2/live-streams/stream-1", method: .get, headers: headers)
            #expect(try TestJSON.object(read)["status"] as? String == "stopping")
            for uri in ["/v2/live-streams/other", "/v2/live-streams/%2e%2e"] {
                let missing = try await client.execute(uri: uri, method: .get, headers: headers)
                #expect(missing.status == .notFound)
            }
            let missing = try await client.execute(
                uri: "/v2/live-streams/other/stop", method: .post, headers: headers)
            #expect(missing.status == .notFound)
        }
    }

    @Test func listsAreFilteredAndPaged() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for room in ["demo", "demo", "other"] {
                for _ in 0..<4 {
                    _ = try await client.execute(
                        uri: "/v2/live-streams/room/\(room)/start", method: .post,
                        headers: headers)
                }
            }
            func list(_ query: String) async throws -> (ids: [String], last: String, limit: Int) {
                let response = try await client.execute(
                    uri: "/v2/live-streams\(query)", method: .get, headers: headers)
                #expect(response.status == .ok)
                let object = try TestJSON.object(response)
                let data = object["data"] as? [[String: Any]] ?? []
                return (
                    data.compactMap { $0["id"] as? String }, object["last"] as? String ?? "-",
                    object["limit"] as? Int ?? 0
                )
            }
            let first = try await list("")
            #expect(first.ids == (3...12).reversed().map { "stream-\($0)" })
            #expect(first.limit == 10)
            let second = try await list("?start=\(first.last)")
            #expect(second.ids == ["stream-2", "stream-1"])
            let third = try await list("?start=\(second.last)&limit=100")
            #expect(third.ids.isEmpty)
            #expect(third.last == "")
            #expect(try await list("?room_id=other").ids.count == 4)
            #expect(try await list("?room_id=other&status=running").ids.isEmpty)
            #expect(try await list("?session_id=session-1&status=starting").ids.count == 10)
        }
    }

    @Test(arguments: [
        "limit=9", "limit=101", "limit=x", "limit=-1", "status=paused", "room_id=..",
        "session_id=%00", "start=a%2Fb",
    ])
    func aBadFilterIsRefused(query: String) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams?\(query)", method: .get, headers: headers)
            #expect(response.status == .badRequest)
            #expect(try TestJSON.decode(APIError.Body.self, response).code == 400)
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.post, "/room/demo/start"), (.post, "/room/demo/stop"),
        (.post, "/stream-1/stop"), (.get, "/stream-1"), (.get, ""),
    ])
    func everyCallNeedsAManagementToken(method: HTTPRequest.Method, path: String) async throws {
        let world = try await TestWorld()
        let room = try await world.roomToken()
        try await world.routes { client in
            for (header, detail) in [
                (nil, "token is missing"), ("Basic eDp5", "token is missing"),
                ("Bearer x.y", "token is malformed: it has 2 parts, not 3"),
                ("Bearer \(room)", "token type is app, this endpoint needs management"),
            ] {
                var headers = HTTPFields()
                headers[.authorization] = header
                let response = try await client.execute(
                    uri: "/v2/live-streams\(path)", method: method, headers: headers)
                #expect(response.status == .unauthorized)
                #expect(response.headers[.wwwAuthenticate] == "Bearer")
                #expect(
                    try TestJSON.decode(APIError.Body.self, response)
                        == .init(
                            code: 401, message: "Token validation error", details: [detail]))
            }
            #expect(world.control.state.withLock { $0.requests.isEmpty })
        }
    }

    @Test func aDestinationThatIsNotThereIsTheCallersMistake() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        world.control.state.withLock { $0.failure = .unknownDestination("typo") }
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(string: #"{"destination":"typo"}"#))
            #expect(
                try TestJSON.decode(APIError.Body.self, response)
                    == .init(
                        code: 400, message: "destination is not valid",
                        details: ["the policy has no destination 'typo'"]))
        }
    }

    @Test(arguments: [
        (
            LiveStreamError.tooManyStreams(running: 4, maximum: 4), "too many streams",
            "too_many_streams: 4 of 4 are on air"
        ),
        (
            .insufficientCPU(idle: 0.4567, needed: 1.5), "not enough CPU",
            "insufficient_cpu: 0.46 cores are idle, 1.5 are needed"
        ),
        (
            .tooManyVariants(room: "demo", maximum: 5), "too many variants",
            "too_many_variants: room demo may have at most 5 on air"
        ),
        (
            .noBrowser, "no browser for custom views",
            "no_browser: this machine has no Chromium any more, which shows pages"
        ),
        (.storage("no space left"), "the output directory cannot be used", "no space left"),
    ])
    func aStartThatTheMachineCannotServeSaysSo(
        failure: LiveStreamError, message: String, detail: String
    ) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        world.control.state.withLock { $0.failure = failure }
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers)
            #expect(response.status == .serviceUnavailable)
            #expect(response.headers[.retryAfter] == "5")
            #expect(
                try TestJSON.decode(APIError.Body.self, response)
                    == .init(code: 503, message: message, details: [detail]))
        }
    }
}
