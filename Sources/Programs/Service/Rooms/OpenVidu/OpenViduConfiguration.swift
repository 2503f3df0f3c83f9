import MediaKernel
import OpenVidu

/// What the server says of its configuration, in the words of OpenVidu's: `GET /openvidu/api/config`.
struct OpenViduConfiguration {
    /// The version of OpenVidu whose protocol this is.
    private static let version = "2.32.1"

    private let settings: OpenViduSettings

    init(_ settings: OpenViduSettings) { self.settings = settings }

    /// - Parameter base: of the server's address, such as `https://live.example.org`.
    func json(base: String) -> JSONValue {
        let url = HTTPURL(base)
        var members: [String: JSONValue] = [
            "VERSION": .string(Self.version), "DOMAIN_OR_PUBLIC_IP": .string(url?.host ?? ""),
            "HTTPS_PORT": .string(Self.port(of: url)),
            "OPENVIDU_PUBLICURL": .string("\(base)/"), "OPENVIDU_CDR": .bool(false),
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

    private static func port(of url: HTTPURL?) -> String {
        let digits = url?.authority.split(separator: ":").last.flatMap { UInt16($0) }
        return digits.map { "\($0)" } ?? (url?.isSecure == false ? "80" : "443")
    }
}
