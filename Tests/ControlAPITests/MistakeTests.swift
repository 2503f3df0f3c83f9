import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Testing
import Tokens

@testable import ControlAPI

/// The mistakes that people make at the API, and what they are told: a message says what is wrong,
/// and the details say where, and what to do.
@Suite struct MistakeTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let call: String
        let body: String
        let status: Int
        let message: String
        let details: [String]

        init(
            _ call: String, _ body: String = "", _ status: Int, _ message: String,
            _ details: String...
        ) {
            (self.call, self.body, self.status) = (call, body, status)
            (self.message, self.details) = (message, details)
        }

        var testDescription: String { "\(call) \(body)" }
    }

    private static let start = "POST /v2/live-streams/room/demo/start"
    private static let record = "POST /v2/recordings/room/demo/start"

    static let calls: [Mistake] = [
        .init("GET /v2/livestreams", "", 404, "not found"),
        .init("POST /v2/live-streams/room/demo/begin", "", 404, "not found"),
        .init(
            "GET /v2/live-streams/room/demo/start", "", 405, "method not allowed",
            "GET is not one of POST"),
        .init(
            "DELETE /v2/live-streams/stream-1", "", 405, "method not allowed",
            "DELETE is not one of GET, HEAD, PATCH"),
        .init(
            "PUT /v2/rooms/demo", "", 405, "method not allowed", "PUT is not one of GET, HEAD, POST"
        ),
        .init(
            "POST /v2/live-streams/room/town.hall/start", "", 400, "room_id is not valid",
            "1 to 64 of A-Z, a-z, 0-9, - and _"),
        .init("GET /v2/live-streams/nowhere", "", 404, "live stream not found", "stream nowhere"),
        .init(
            "POST /v2/live-streams/room/empty/stop", "", 404, "live stream not found",
            "room empty has no live stream"),
        .init("GET /v2/rooms/nowhere", "", 404, "room not found", "room nowhere"),
        .init(
            "GET /v2/live-streams?room=demo", "", 400, "malformed query",
            "room is not known"),
        .init(
            "GET /v2/live-streams?roomid=demo", "", 400, "malformed query",
            "roomid is not known; did you mean room_id?"),
        .init("GET /v2/live-streams?limit=5", "", 400, "limit is not valid", "10 to 100"),
        .init("GET /v2/live-streams?limit=all", "", 400, "limit is not valid", "10 to 100"),
        .init(
            "GET /v2/live-streams?status=live", "", 400, "status is not valid",
            "one of starting, running, stopping, post_processing, completed, failed"),
        .init("GET /v2/rooms?enabled=yes", "", 400, "enabled is not valid", "true or false"),
        .init(
            "GET /v2/rooms?after=yesterday", "", 400, "after is not valid",
            "a time like 2026-11-21T01:09:07.120Z, of 1970 to 2199"),
    ]

    static let starts: [Mistake] = [
        .init(start, "metadata=main", 400, "malformed body", "the body is not valid JSON"),
        .init(start, "{'metadata':'main'}", 400, "malformed body", "the body is not valid JSON"),
        .init(start, #"{"metadata":"a",}"#, 400, "malformed body", "the body is not valid JSON"),
        .init(start, #"["main"]"#, 400, "malformed body", "the body is not of type object"),
        .init(
            start, #"{"recordng":{}}"#, 400, "malformed body",
            "recordng is not known; did you mean recording?"),
        .init(
            start, #"{"recording":true}"#, 400, "malformed body",
            "recording is not of type object"),
        .init(
            start, #"{"recording":{"hlsVod":true}}"#, 400, "malformed body",
            "recording.hlsVod is not known; did you mean hls_vod?"),
        .init(
            start, #"{"layout":{"nmae":"grid","watermark":{"postion":"center"}}}"#, 400,
            "malformed body", "layout.nmae is not known; did you mean name?",
            "layout.watermark.postion is not known; did you mean position?"),
        .init(
            start, #"{"segment_seconds":"2"}"#, 400, "malformed body",
            "segment_seconds is not of type number"),
        .init(
            start, #"{"low_latency":"true"}"#, 400, "malformed body",
            "low_latency is not of type boolean"),
        .init(
            start, #"{"ladder":{"width":1280}}"#, 400, "malformed body",
            "ladder is not of type array"),
        .init(
            start, #"{"ladder":[{"width":1280,"height":720}]}"#, 400, "malformed body",
            "ladder.[0].videoBitrate is missing"),
        .init(
            start, #"{"ladder":[{"width":1280,"height":720,"videoBitrate":2000000}]}"#, 400,
            "ladder is not valid", "bitrates are in kbit/s, 1 to 1000000"),
        .init(
            start, #"{"segment_seconds":0}"#, 400, "segment_seconds is not valid",
            "0.5 to 10.0 seconds"),
        .init(
            start, #"{"container":"mp4"}"#, 400, "container is not valid", "ts, cmaf or both"),
        .init(
            start, #"{"low_latency":true,"container":"ts"}"#, 400, "low_latency is not valid",
            "it needs the container cmaf or both"),
        .init(
            start, #"{"meeting_url":"example.org/rooms/demo"}"#, 400,
            "meeting_url is not supported", "meeting_url is not an http or https URL"),
        .init(
            start, #"{"meeting_url":"http://localhost/rooms/other"}"#, 400,
            "meeting_url is not supported",
            "meeting_url names room other, but the stream is of demo"),
        .init(
            start, #"{"variants":[{},{}]}"#, 400, "variants are not distinct",
            "variants of the same view need different metadata"),
        .init(
            start, #"{"rtmp_urls":"rtmp://example.org/live/key"}"#, 400, "malformed body",
            "rtmp_urls is not of type array"),
        .init(
            record, #"{"resolution":{"width":640,"height":360}}"#, 400,
            "resolution is not valid",
            "500x480 to 1920x1080, or 500x500 to 1080x1920, not 640x360"),
        .init(
            record, #"{"recording":{"hls_vod":true}}"#, 400, "malformed body",
            "recording is not known"),
        .init(
            "POST /v2/external-streams/room/demo/start", "{}", 400, "malformed body",
            "rtmp_urls is missing"),
    ]

    static let changes: [Mistake] = [
        .init(
            "POST /v2/live-streams/room/demo/stop", #"{"metadata":"main"}"#, 400,
            "malformed body", "metadata is not known"),
        .init(
            "POST /v2/live-streams/stream-1/timed-metadata", #"{"payload":"a"}"#, 400,
            "malformed body", "duration is missing"),
        .init(
            "POST /v2/live-streams/stream-1/captions", #"{"captions":"Hello"}"#, 400,
            "malformed body", "captions is not of type array"),
        .init(
            "POST /v2/live-streams/stream-1/outputs", #"{"urls":["rtmp://h/a"]}"#, 400,
            "malformed body", "urls is not known; did you mean url?"),
        .init(
            "POST /v2/rooms", #"{"name":"town hall"}"#, 400, "name is not valid",
            "1 to 128 of A-Z, a-z, 0-9, . - : _"),
        .init(
            "POST /v2/rooms", #"{"template":"default"}"#, 400, "Invalid body param",
            "Invalid body param: template. Use template_id"),
        .init(
            "POST /v2/rooms", #"{"template_id":"lecture"}"#, 400, "template not found",
            "template lecture"),
        .init(
            "POST /v2/rooms", #"{"max_duration_seconds":60}"#, 400,
            "max_duration_seconds is not valid", "120 to 43200, or 0 for any"),
        .init(
            "POST /v2/rooms", #"{"size":5000}"#, 400, "size is not valid",
            "0 to 2500, with large_room 0 to 20000"),
        .init(
            "POST /v2/active-rooms/demo/remove-peers", "{}", 400, "peer_id or role is missing"),
        .init(
            "POST /v2/active-rooms/demo/send-message", #"{"text":"Hello"}"#, 400,
            "malformed body", "text is not known"),
        .init(
            "POST /v2/active-rooms/demo/send-message", #"{"message":"Hello"}"#, 404,
            "active room not found", "nobody is in room demo"),
        .init(
            "POST /v2/room-codes/code", #"{"code":"a"}"#, 400, "malformed body",
            "enabled is missing"),
        .init("POST /v2/token", #"{"code":"abc-defg-hij"}"#, 404, "room code not found"),
    ]

    @Test(arguments: calls + starts + changes)
    func aMistakeIsNamed(_ mistake: Mistake) async throws {
        try await TestWorld.withStream { _, client, headers in
            let parts = mistake.call.split(separator: " ").map(String.init)
            let answer = try await client.execute(
                uri: parts[1], method: try #require(HTTPRequest.Method(rawValue: parts[0])),
                headers: headers, body: ByteBuffer(string: mistake.body))
            #expect(answer.status.code == mistake.status)
            let body = try TestJSON.decode(APIError.Body.self, answer)
            #expect(body.message == mistake.message)
            #expect(body.details == mistake.details)
        }
    }

    @Test func thereAreFortyOfThem() {
        #expect(Self.calls.count + Self.starts.count + Self.changes.count >= 40)
    }

    @Test func aTokenThatIsNoneIsNamed() async throws {
        let world = try await TestWorld()
        let management = try world.authority.makeManagementToken(at: TestWorld.now)
        let room = try await world.roomToken()
        let other = try TokenAuthority(
            accessKey: "key", secret: String(repeating: "x", count: 32)
        ).makeManagementToken(at: TestWorld.now)
        let old = try world.authority.makeManagementToken(
            at: UnixTime(seconds: TestWorld.now.seconds - 7200), lifetime: .seconds(3600))
        let rows: [(authorization: String?, detail: String)] = [
            (nil, "token is missing"), (management, "token is missing"),
            ("Basic \(management)", "token is missing"),
            ("Bearer \(room)", "token type is app, this endpoint needs management"),
            ("Bearer \(other)", "signature is invalid"),
            ("Bearer \(old)", "token is expired since 2025-10-09T07:53:20.000000000Z"),
            ("Bearer \(management.dropLast(20))", "signature is invalid"),
        ]
        try await world.routes { client in
            for row in rows {
                let answer = try await client.execute(
                    uri: "/v2/rooms", method: .get,
                    headers: row.authorization.map { [.authorization: $0] } ?? [:])
                #expect(answer.status == .unauthorized)
                let body = try TestJSON.decode(APIError.Body.self, answer)
                #expect(body.message == "Token validation error")
                #expect(body.details == [row.detail])
            }
        }
    }
}
