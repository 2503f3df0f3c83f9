import HOCON

/// What each key of Jibri's means here.
enum JibriKeys {
    enum Meaning {
        case read
        case ignored(String)
    }

    /// A key stands for all below it that are not listed. Those of an environment are the last part
    /// of their path.
    private static let keys: [String: Meaning] = {
        var keys: [String: Meaning] = [:]
        for key in [
            "jibri.id", "jibri.single-use-mode", "jibri.api.http.external-api-host",
            "jibri.api.http.external-api-port", "jibri.api.http.internal-api-host",
            "jibri.api.http.internal-api-port", "jibri.recording.recordings-directory",
            "jibri.recording.finalize-script", "jibri.recording.audio-only",
            "jibri.streaming.rtmp-allow-list",
            "jibri.webhook.subscribers", "jibri.jwt-info.signing-key-path",
            "jibri.jwt-info.kid", "jibri.jwt-info.issuer", "jibri.jwt-info.audience",
            "jibri.jwt-info.ttl", "jibri.call-status-checks.no-media-timeout",
            "jibri.call-status-checks.all-muted-timeout",
            "jibri.call-status-checks.default-call-empty-timeout",
            "jibri.call-status-checks.ice-connection-timeout", "jibri.stats.prometheus.enabled",
            "jibri.ffmpeg.resolution", "jibri.ffmpeg.framerate",
            "jibri.ffmpeg.streaming-max-bitrate",
        ] { keys[key] = .read }
        for (key, reason) in [
            ("jibri.chrome", "no browser takes part"),
            ("jibri.selenium", "no browser takes part"),
            ("jibri.sip", "Roomcast is no SIP gateway"),
            ("jibri.stats.enable-stats-d", statsD), ("jibri.stats.host", statsD),
            ("jibri.stats.port", statsD),
            ("jibri.ffmpeg", "ffmpeg is not started; Roomcast encodes by itself"),
            ("jibri.ffmpeg.h264-constant-rate-factor", bitrates),
            ("jibri.ffmpeg.streaming-buf-size", bitrates),
            ("jibri.ffmpeg.video-encode-preset", preset),
            ("jibri.ffmpeg.video-encode-preset-recording", preset),
            ("jibri.ffmpeg.video-encode-preset-streaming", preset),
            ("jibri.ffmpeg.gop-size", "pictures stand alone where segments begin"),
            ("jibri.ffmpeg.recording-format", "recordings are MP4"),
            ("jibri.ffmpeg.recording-extension", "recordings are MP4"),
            ("jibri.ffmpeg.streaming-format", "pushes are FLV over RTMP"),
            ("jibri.streaming.youtube-stream-key-pattern", streamKeys),
        ] { keys[key] = .ignored(reason) }
        let environment = "jibri.api.xmpp.environments"
        for key in [
            "name", "xmpp-server-hosts", "xmpp-domain", "base-url", "strip-from-room-domain",
            "usage-timeout", "trust-all-xmpp-certs", "security-mode", "control-muc.domain",
            "control-muc.room-name", "control-muc.nickname", "control-login.domain",
            "control-login.port", "control-login.username", "control-login.password",
            "control-login.randomize-username", "call-login.domain", "call-login.username",
            "call-login.password", "call-login.randomize-username",
        ] { keys["\(environment).\(key)"] = .read }
        keys["\(environment).sip-control-muc"] = .ignored("Roomcast is no SIP gateway")
        keys["\(environment).call-login.port"] = .ignored(
            "both logins use the port of control-login")
        return keys
    }()

    private static let statsD = "Roomcast has no StatsD"
    private static let bitrates = "layers have bitrates: stream.ladder"
    private static let preset = "the encoder's preset is that of stream.preset"
    private static let streamKeys =
        "no version of Jibri reads it; rtmp-allow-list has the addresses that are allowed"

    /// Says which keys are ignored, each with its reason, or unknown.
    static func say(about root: HOCONValue, _ reader: inout SettingsReader) {
        visit(root, path: "", &reader)
    }

    private static func visit(
        _ value: HOCONValue, path: String, _ reader: inout SettingsReader
    ) {
        switch keys[path] {
        case .read: return
        case .ignored(let reason): return ignored(value, path, reason, &reader)
        case nil: break
        }
        let inner = path.isEmpty ? "" : path + "."
        guard keys.keys.contains(where: { $0.hasPrefix(inner) }) else {
            return reader.say(.unknown, path, "", at: value.place)
        }
        switch value.content {
        case .object(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                visit(member, path: inner + name, &reader)
            }
        case .list(let items): for item in items { visit(item, path: path, &reader) }
        // What should have been an object is said where it is read.
        case .null, .text: break
        }
    }

    /// Each key below is named, so that nobody has to guess which of them are meant. What is more
    /// exactly listed has its own reason.
    private static func ignored(
        _ value: HOCONValue, _ path: String, _ reason: String, _ reader: inout SettingsReader
    ) {
        guard let members = value.object, !members.isEmpty else {
            return reader.say(.ignored, path, reason, at: value.place)
        }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let inner = "\(path).\(name)"
            if keys[inner] == nil {
                ignored(member, inner, reason, &reader)
            } else {
                visit(member, path: inner, &reader)
            }
        }
    }
}
