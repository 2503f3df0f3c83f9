import Foundation
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Streams
import Synchronization
import Testing

@testable import ControlAPI

/// Recordings without a live stream: requests and refusals.
@Suite struct RoomRecordingRouteTests {
    private func post(
        _ world: TestWorld, _ client: any TestClientProtocol, _ path: String, _ body: String = ""
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v2/recordings/\(path)", method: .post,
            headers: try await world.managementHeaders(), body: ByteBuffer(string: body))
    }

    @Test func aStartIsAnsweredIn100msForm() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let answer = try await post(
                world, client, "room/demo/start",
                #"{"resolution": {"width": 1920, "height": 1080}, "destination": "main"}"#)
            #expect(answer.status == .ok)
            let expected = [
                #"{"asset_types":["room-composite"],"audio_only":false,"#,
                #""created_at":"2023-03-22T04:24:10.155978231Z","destination":"main","#,
                #""id":"stream-1","meeting_url":"","name":null,"outputs":[],"#,
                #""post_processing_error":null,"post_processing_position":null,"post_processing_progress":null,"#,
                #""process_deaths":[],"#,
                #""recording_assets":null,"recording_paused":false,"room_id":"demo","#,
                #""session_id":"session-1","started_at":null,"started_by":"","#,
                #""status":"starting","stop_code":null,"stop_reason":null,"stopped_at":null,"stopped_by":"","#,
                #""updated_at":"2023-03-22T04:24:10.155978231Z"}"#,
            ]
            #expect(String(buffer: answer.body) == expected.joined())
            let request = try #require(world.control.state.withLock { $0.requests.last })
            #expect(request.kind == .recording && request.variants.count == 1)
            #expect(request.resolution == .init(width: 1920, height: 1080))
            #expect(
                request.recording == RecordingOptions(hlsVOD: false, singleFilePerLayer: true))
        }
    }

    @Test func soundAloneIsAskedForWithOneWord() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let answer = try await post(
                world, client, "room/demo/start", #"{"audio_only": true}"#)
            #expect(answer.status == .ok)
            #expect(world.control.state.withLock { $0.requests.last?.audio.only } == true)
        }
    }

    @Test func whoNamesOnlyWhereItIsPushedToGetsTheFileAsWell() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let answer = try await post(
                world, client, "room/demo/start", #"{"rtmp_urls": ["rtmp://h/live/key"]}"#)
            #expect(answer.status == .ok)
            let request = try #require(world.control.state.withLock { $0.requests.last })
            #expect(request.kind == .recording && request.outputs.count == 1)
            #expect(request.recording?.singleFilePerLayer == true)
        }
    }

    @Test(arguments: [
        (#"{"resolution": {"width": 498, "height": 480}}"#, "not 498x480"),
        (#"{"resolution": {"width": 640, "height": 478}}"#, "not 640x478"),
        (#"{"resolution": {"width": 1922, "height": 1080}}"#, "not 1922x1080"),
        (#"{"resolution": {"width": 1920, "height": 1082}}"#, "not 1920x1082"),
        (#"{"resolution": {"width": 1082, "height": 1920}}"#, "not 1082x1920"),
        (#"{"resolution": {"width": 641, "height": 480}}"#, "must be even, not 641x480"),
        (
            #"{"audio_only": true, "resolution": {"width": 640, "height": 480}}"#,
            "audio_only has no picture"
        ),
        (#"{"resolution": {"width": 640}}"#, "resolution.height is missing"),
        (#"{"audio_only": 1}"#, "audio_only is not of type boolean"),
        (#"{"meeting_url": "https://[::1]/x"}"#, "a page's URL has a host name"),
        (#"{"rtmp_urls": ["rtmp://example.org/live"]}"#, "stream key"),
        (#"{"rtmp_urls": "rtmp://example.org/live/key"}"#, "rtmp_urls is not of type array"),
    ])
    func whatCannotBeRecordedIsRefusedWithItsReason(body: String, reason: String) async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let answer = try await post(world, client, "room/demo/start", body)
            #expect(answer.status == .badRequest)
            let error = try TestJSON.decode(APIError.Body.self, answer)
            #expect(error.details.joined().contains(reason), "\(error.details)")
            #expect(world.control.state.withLock { $0.requests.isEmpty })
        }
    }

    @Test(arguments: [
        (500, 480), (1920, 1080), (500, 500), (1080, 1920), (1080, 1080),
    ])
    func theLimitsThemselvesAreAllowed(width: Int, height: Int) async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let answer = try await post(
                world, client, "room/demo/start",
                #"{"resolution": {"width": \#(width), "height": \#(height)}}"#)
            #expect(answer.status == .ok)
        }
    }

    @Test func aRecordingIsPausedResumedAndStoppedByItsRoom() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            _ = try await post(world, client, "room/demo/start")
            for (action, isPaused) in [("pause", true), ("resume", false)] {
                let answer = try TestJSON.object(
                    try await post(world, client, "room/demo/\(action)"))
                #expect(answer["id"] as? String == "stream-1")
                #expect(answer["recording_paused"] as? Bool == isPaused)
            }
            let list = try TestJSON.object(try await post(world, client, "room/demo/stop"))
            let data = try #require(list["data"] as? [[String: Any]])
            #expect(data.map { $0["status"] as? String } == ["stopping"])
            #expect(list["last"] as? String == "stream-1" && list["limit"] as? Int == 10)
            let one = try TestJSON.object(try await post(world, client, "stream-1/stop"))
            #expect(one["status"] as? String == "stopping")
        }
    }

    @Test func aLiveStreamAndARecordingHavePathsOfTheirOwn() async throws {
        let world = try await TestWorld()
        world.control.state.withLock { state in
            state.streams = [
                LiveStream(
                    id: "live", room: "demo", session: nil,
                    plan: StreamPlan(recording: LiveStreamRecording(hlsVOD: true)),
                    createdAt: TestWorld.now, startedBy: "")
            ]
        }
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            // The recording of a stream ends with the stream.
            let refused = try await post(world, client, "live/stop")
            #expect(refused.status == .conflict)
            #expect(
                try TestJSON.refusal(refused) == APIError.recordingOfStream("live").body)
            for path in ["room/demo/stop", "room/demo/pause", "room/demo/resume", "none/stop"] {
                let answer = try await post(world, client, path)
                #expect(answer.status == .notFound, "\(path)")
                // Not that of a path that does not exist.
                #expect(
                    try TestJSON.refusal(answer).message == APIError.unknownRecording().message)
            }
            _ = try await post(world, client, "room/demo/start")
            for (method, path) in [
                (.get, ""), (.patch, ""), (.post, "/stop"), (.post, "/pause-recording"),
            ] as [(HTTPRequest.Method, String)] {
                let answer = try await client.execute(
                    uri: "/v2/live-streams/stream-2\(path)", method: method, headers: headers,
                    body: ByteBuffer(string: #"{"layout": {}}"#))
                #expect(answer.status == .notFound, "\(method) \(path)")
            }
            for (list, ids) in [
                ("live-streams", ["live"]), ("recordings", ["stream-2", "live"]),
            ] {
                let answer = try TestJSON.object(
                    try await client.execute(uri: "/v2/\(list)", method: .get, headers: headers))
                let data = try #require(answer["data"] as? [[String: Any]])
                #expect(data.map { $0["id"] as? String } == ids)
            }
        }
    }

    @Test func aManagementTokenIsNeeded() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            for path in ["room/demo/start", "room/demo/stop", "room/demo/pause", "x/stop"] {
                let answer = try await client.execute(
                    uri: "/v2/recordings/\(path)", method: .post)
                #expect(answer.status == .unauthorized, "\(path)")
            }
        }
    }
}
