import ControlAPI
import MediaKernel
import OpenVidu
import Streams

/// OpenVidu's REST API of recordings.
extension OpenViduRooms: OpenViduRecordingControl {
    /// The version of OpenVidu whose protocol this is.
    private static let version = "2.32.1"

    func startRecording(
        of room: RoomID, _ body: OpenViduBody, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue {
        let session = try known(room)
        guard session.terms.mediaMode == "ROUTED" else {
            throw .conflict("the session is not routed")
        }
        let standard = try OpenViduRecordingProperties(OpenViduBody(session.terms.recordings))
        let properties = try OpenViduRecordingProperties(body, completedBy: standard)
        let stream = try await recordings.start(
            room, properties, authorities: caller.authorities)
        guard stream.status != .failed else {
            throw .unavailable(
                "Error starting recording: \(stream.end?.description ?? "it failed")")
        }
        return OpenViduRecordingBody(stream, []).json(base: caller.base)
    }

    func stopRecording(
        _ id: String, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue {
        OpenViduRecordingBody(try await recordings.stop(id), []).json(base: caller.base)
    }

    func recordings(for caller: OpenViduCallerView) async throws(APIError) -> [JSONValue] {
        try await recordings.all().map { OpenViduRecordingBody($0, $1).json(base: caller.base) }
    }

    func recording(
        _ id: String, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue {
        let (stream, assets) = try await recordings.recording(id)
        return OpenViduRecordingBody(stream, assets).json(base: caller.base)
    }

    func deleteRecording(_ id: String) async throws(APIError) {
        try await recordings.delete(id)
    }

    func recordingFile(
        _ name: String, of id: String
    ) async throws(APIError) -> OpenViduRecordingFile? {
        let (stream, assets) = try await recordings.recording(id)
        guard let file = OpenViduRecordingBody.file(of: stream, assets) else { return nil }
        let body = OpenViduRecordingBody(stream, assets)
        if name == body.fileName { return OpenViduRecordingFile(file) }
        if name == body.thumbnailName { return OpenViduRecordingFile(file, .thumbnail) }
        return nil
    }

    private static func port(of url: HTTPURL?) -> String {
        let digits = url?.authority.split(separator: ":").last.flatMap { UInt16($0) }
        return digits.map { "\($0)" } ?? (url?.isSecure == false ? "80" : "443")
    }

    var opensFiles: Bool { settings.opensRecordings }

    func configuration(for caller: OpenViduCallerView) -> JSONValue {
        let url = HTTPURL(caller.base)
        var members: [String: JSONValue] = [
            "VERSION": .string(Self.version), "DOMAIN_OR_PUBLIC_IP": .string(url?.host ?? ""),
            "HTTPS_PORT": .string(Self.port(of: url)),
            "OPENVIDU_PUBLICURL": .string("\(caller.base)/"), "OPENVIDU_CDR": .bool(false),
            "OPENVIDU_STREAMS_VIDEO_MAX_RECV_BANDWIDTH": .integer(0),
            "OPENVIDU_STREAMS_VIDEO_MIN_RECV_BANDWIDTH": .integer(0),
            "OPENVIDU_STREAMS_VIDEO_MAX_SEND_BANDWIDTH": .integer(0),
            "OPENVIDU_STREAMS_VIDEO_MIN_SEND_BANDWIDTH": .integer(0),
            "OPENVIDU_STREAMS_FORCED_VIDEO_CODEC": "NONE",
            "OPENVIDU_STREAMS_ALLOW_TRANSCODING": .bool(false),
            "OPENVIDU_WEBRTC_SIMULCAST": .bool(false),
            "OPENVIDU_SESSIONS_GARBAGE_INTERVAL": .integer(900),
            "OPENVIDU_SESSIONS_GARBAGE_THRESHOLD": .integer(
                Int64(OpenViduBook.unusedKept.inSeconds)),
            "OPENVIDU_RECORDING": .bool(true), "OPENVIDU_RECORDING_VERSION": .string(Self.version),
            "OPENVIDU_RECORDING_PATH": "", "OPENVIDU_RECORDING_CUSTOM_LAYOUT": "",
            "OPENVIDU_RECORDING_PUBLIC_ACCESS": .bool(settings.opensRecordings),
            "OPENVIDU_RECORDING_NOTIFICATION": "publisher_moderator",
            "OPENVIDU_RECORDING_AUTOSTOP_TIMEOUT": .integer(Int64(settings.autostop.inSeconds)),
            "OPENVIDU_WEBHOOK": .bool(settings.webhook != nil),
        ]
        if let webhook = settings.webhook {
            members["OPENVIDU_WEBHOOK_ENDPOINT"] = .string(webhook.url)
            // Their values may be secrets.
            members["OPENVIDU_WEBHOOK_HEADERS"] = .array(
                webhook.headers.keys.sorted().map { .string("\($0): ***") })
            members["OPENVIDU_WEBHOOK_EVENTS"] = .array(
                webhook.events.sorted().map { .string($0) })
        }
        return .object(members)
    }
}
