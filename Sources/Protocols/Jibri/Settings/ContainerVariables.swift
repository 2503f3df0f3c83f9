import HOCON

/// The variables of Jitsi's container as the settings that its templates make of them
/// (docker-jitsi-meet, `jibri/rootfs/defaults`).
struct ContainerVariables {
    private let variables: [String: String]

    init(_ variables: [String: String]) { self.variables = variables }

    /// The container refuses to start without these.
    private static let needed = ["JIBRI_XMPP_PASSWORD", "JIBRI_RECORDER_PASSWORD"]

    /// Nil outside of the container.
    var settings: HOCONValue? {
        guard Self.needed.contains(where: { set($0) != nil }) else { return nil }
        var jibri: [String: HOCONValue] = [:]
        for (path, name) in Self.settings {
            guard let text = set(name) else { continue }
            Self.put(text, at: path[...], HOCONPlace(source: name), &jibri)
        }
        Self.put(
            set("JIBRI_RECORDING_DIR") ?? "/storage/recordings",
            at: ["recording", "recordings-directory"], HOCONPlace(source: "JIBRI_RECORDING_DIR"),
            &jibri)
        let place = HOCONPlace(source: "XMPP_SERVER")
        let servers = items("XMPP_SERVER", or: "xmpp.meet.jitsi")
        let environments = servers.enumerated().map { environment($0.offset, $0.element, place) }
        let api = jibri["api"]?.object ?? [:]
        jibri["api"] = HOCONValue(
            .object(
                api.merging([
                    "xmpp": Self.object(
                        ["environments": HOCONValue(.list(environments), at: place)], at: place)
                ]) { $1 }), at: place)
        if set("JIBRI_WEBHOOK_SUBSCRIBERS") != nil {
            let place = HOCONPlace(source: "JIBRI_WEBHOOK_SUBSCRIBERS")
            let texts = items("JIBRI_WEBHOOK_SUBSCRIBERS", or: "")
                .map { HOCONValue(.text($0), at: place) }
            jibri["webhook"] = Self.object(
                ["subscribers": HOCONValue(.list(texts), at: place)], at: place)
        }
        return Self.object(["jibri": Self.object(jibri, at: place)], at: place)
    }

    /// The settings of one text each, below `jibri`.
    private static let settings: [(path: [String], name: String)] = [
        (["id"], "JIBRI_INSTANCE_ID"), (["single-use-mode"], "JIBRI_SINGLE_USE_MODE"),
        (["api", "http", "external-api-port"], "JIBRI_HTTP_API_EXTERNAL_PORT"),
        (["api", "http", "internal-api-port"], "JIBRI_HTTP_API_INTERNAL_PORT"),
        (["recording", "finalize-script"], "JIBRI_FINALIZE_RECORDING_SCRIPT_PATH"),
        (["ffmpeg", "resolution"], "JIBRI_RECORDING_RESOLUTION"),
        (["ffmpeg", "framerate"], "JIBRI_RECORDING_FRAMERATE"),
        (["ffmpeg", "streaming-max-bitrate"], "JIBRI_RECORDING_STREAMING_MAX_BITRATE"),
        (["ffmpeg", "queue-size"], "JIBRI_RECORDING_QUEUE_SIZE"),
        (["ffmpeg", "h264-constant-rate-factor"], "JIBRI_RECORDING_CONSTANT_RATE_FACTOR"),
        (
            ["ffmpeg", "video-encode-preset-recording"],
            "JIBRI_RECORDING_VIDEO_ENCODE_PRESET_RECORDING"
        ),
        (
            ["ffmpeg", "video-encode-preset-streaming"],
            "JIBRI_RECORDING_VIDEO_ENCODE_PRESET_STREAMING"
        ),
        (["chrome", "flags"], "CHROMIUM_FLAGS"), (["stats", "enable-stats-d"], "ENABLE_STATS_D"),
        (["stats", "host"], "JIBRI_STATSD_HOST"), (["stats", "port"], "JIBRI_STATSD_PORT"),
        (["stats", "prometheus", "enabled"], "JIBRI_ENABLE_PROMETHEUS"),
    ]

    private func environment(_ index: Int, _ server: String, _ place: HOCONPlace) -> HOCONValue {
        var settings: [String: HOCONValue] = [:]
        func put(_ path: [String], _ name: String, _ text: String?) {
            guard let text else { return }
            Self.put(text, at: path[...], HOCONPlace(source: name), &settings)
        }
        put(["name"], "XMPP_ENV_NAME", "\(set("XMPP_ENV_NAME") ?? "")-\(index)")
        settings["xmpp-server-hosts"] = HOCONValue(
            .list([HOCONValue(.text(server), at: place)]), at: place)
        put(["xmpp-domain"], "XMPP_DOMAIN", set("XMPP_DOMAIN") ?? "meet.jitsi")
        put(["base-url"], "PUBLIC_URL", set("PUBLIC_URL"))
        put(
            ["control-muc", "domain"], "XMPP_INTERNAL_MUC_DOMAIN",
            set("XMPP_INTERNAL_MUC_DOMAIN") ?? "internal-muc.meet.jitsi")
        put(
            ["control-muc", "room-name"], "JIBRI_BREWERY_MUC",
            set("JIBRI_BREWERY_MUC") ?? "jibribrewery")
        put(["control-muc", "nickname"], "JIBRI_INSTANCE_ID", set("JIBRI_INSTANCE_ID"))
        put(
            ["control-login", "domain"], "XMPP_AUTH_DOMAIN",
            set("XMPP_AUTH_DOMAIN") ?? "auth.meet.jitsi")
        put(["control-login", "port"], "XMPP_PORT", set("XMPP_PORT"))
        put(["control-login", "username"], "JIBRI_XMPP_USER", set("JIBRI_XMPP_USER") ?? "jibri")
        put(
            ["control-login", "password"], "JIBRI_XMPP_PASSWORD", set("JIBRI_XMPP_PASSWORD") ?? "")
        put(
            ["call-login", "domain"], "XMPP_HIDDEN_DOMAIN",
            set("XMPP_HIDDEN_DOMAIN") ?? set("XMPP_RECORDER_DOMAIN") ?? "hidden.meet.jitsi")
        put(
            ["call-login", "username"], "JIBRI_RECORDER_USER",
            set("JIBRI_RECORDER_USER") ?? "recorder")
        put(
            ["call-login", "password"], "JIBRI_RECORDER_PASSWORD",
            set("JIBRI_RECORDER_PASSWORD") ?? "")
        let prefix = (set("XMPP_MUC_DOMAIN") ?? "muc.meet.jitsi").prefix { $0 != "." }
        put(
            ["strip-from-room-domain"], "JIBRI_STRIP_DOMAIN_JID",
            (set("JIBRI_STRIP_DOMAIN_JID") ?? String(prefix)) + ".")
        put(["usage-timeout"], "JIBRI_USAGE_TIMEOUT", set("JIBRI_USAGE_TIMEOUT"))
        put(
            ["trust-all-xmpp-certs"], "XMPP_TRUST_ALL_CERTS",
            Self.flag(set("XMPP_TRUST_ALL_CERTS") ?? "true"))
        return Self.object(settings, at: place)
    }

    /// The template's `toBool` takes all that Go reads as a flag.
    private static func flag(_ text: String) -> String {
        ["1", "t", "T", "TRUE", "true", "True"].contains(text) ? "true" : "false"
    }

    /// A variable that is not empty, which means as much as one that is not set.
    private func set(_ name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func items(_ name: String, or standard: String) -> [String] {
        (set(name) ?? standard).split(separator: ",").map { String($0) }
    }

    private static func object(
        _ members: [String: HOCONValue], at place: HOCONPlace
    ) -> HOCONValue { HOCONValue(.object(members), at: place) }

    private static func put(
        _ text: String, at path: ArraySlice<String>, _ place: HOCONPlace,
        _ object: inout [String: HOCONValue]
    ) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            object[name] = HOCONValue(.text(text), at: place)
            return
        }
        var inner = object[name]?.object ?? [:]
        put(text, at: path.dropFirst(), place, &inner)
        object[name] = self.object(inner, at: object[name]?.place ?? place)
    }
}
