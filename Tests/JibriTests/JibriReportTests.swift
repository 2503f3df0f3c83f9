import HOCON
import Testing

@testable import Jibri

@Suite struct JibriReportTests {
    static let environment = """
        {
          name = "prod", xmpp-server-hosts = ["a.example", "b.example:6222"], xmpp-domain = "meet.example"
          base-url = "https://meet.example/x"
          control-muc { domain = "internal-muc.meet.example", room-name = "JibriBrewery", nickname = "rec-1" }
          control-login { domain = "auth.meet.example", port = "5223", username = "jibri", password = "top" }
          call-login { domain = "recorder.meet.example", username = "recorder", password = "secret" }
          strip-from-room-domain = "conference.", usage-timeout = 1 hour, trust-all-xmpp-certs = true
          security-mode = required
        }
        """

    static func report(
        _ text: String?, _ variables: [String: String] = [:], files: [String: String] = [:]
    ) -> JibriReport {
        JibriReport(text: text, source: "jibri.conf", environment: variables, name: "fallback") {
            include throws(HOCONFault) in
            files[include.name].map { HOCONText($0, source: include.name) }
        }
    }

    static func settings(_ more: String, environment: String = environment) throws -> JibriSettings
    {
        let report = report("\(more)\njibri.api.xmpp.environments = [\(environment)]")
        return try #require(report.settings, "\(report.lines)")
    }

    @Test func aFileOfJibrisIsUnderstood() throws {
        let settings = try Self.settings(
            """
            jibri {
              id = "one", single-use-mode = true
              api.http { external-api-host = "0.0.0.0", external-api-port = 2223, internal-api-port = 3334 }
              recording { recordings-directory = /srv/recordings, finalize-script = "/opt/finish.sh" }
              streaming.rtmp-allow-list = [ "rtmps://.*\\\\.example/.*" ]
              webhook.subscribers = ["http://localhost:6000/hook"]
              call-status-checks { no-media-timeout = 1 minute, all-muted-timeout = 20 s
                default-call-empty-timeout = 5000, ice-connection-timeout = 1m }
            }
            """)
        #expect(settings.id == "one" && settings.isSingleUse)
        #expect(settings.http.externalHost == "0.0.0.0" && settings.http.externalPort == 2223)
        #expect(settings.http.internalHost == "127.0.0.1" && settings.http.internalPort == 3334)
        #expect(settings.recordingsDirectory == "/srv/recordings")
        #expect(settings.finalizeScript == "/opt/finish.sh")
        #expect(settings.allowedStreams == ["rtmps://.*\\.example/.*"])
        #expect(settings.webhooks == ["http://localhost:6000/hook"])
        var timeouts = CallTimeouts()
        timeouts.noMedia = .seconds(60)
        timeouts.allMuted = .seconds(20)
        timeouts.empty = .seconds(5)
        timeouts.connection = .seconds(60)
        #expect(settings.timeouts == timeouts)
        let environment = try #require(settings.environments.first)
        #expect(environment.name == "prod" && environment.domain == "meet.example")
        #expect(environment.hosts.map(\.description) == ["a.example:5223", "b.example:6222"])
        #expect(environment.baseURL == "https://meet.example/x")
        #expect(environment.roomDomainPrefix == "conference.")
        #expect(environment.usageTimeout == .seconds(3600))
        #expect(environment.trustsAllCertificates && environment.security == .required)
        #expect(environment.control.description == "jibri@auth.meet.example")
        #expect(environment.control.password == "top" && environment.call.password == "secret")
        #expect(environment.call.description == "recorder@recorder.meet.example")
        #expect(environment.brewery.room == "JibriBrewery")
        #expect((0..<3).map(environment.brewery.nick) == ["rec-1", "rec-1-2", "rec-1-3"])
    }

    @Test(arguments: [("1 hour", 3600, false), ("1 minute", 600, true)])
    func webhooksMayBeSigned(ttl: String, seconds: Int, isNoted: Bool) throws {
        let text = """
            jibri.jwt-info { signing-key-path = "/etc/key.pem", kid = "k", issuer = "i"
              audience = "a", ttl = \(ttl) }
            jibri.api.xmpp.environments = [\(Self.environment)]
            """
        let report = Self.report(text)
        let signing = try #require(report.settings?.signing, "\(report.lines)")
        #expect(signing.keyFile == "/etc/key.pem" && signing.keyID == "k")
        #expect(signing.issuer == "i" && signing.audience == "a")
        #expect(signing.lifetime == .seconds(seconds))
        #expect(report.findings.contains { $0.kind == .noted } == isNoted)
        for key in ["kid", "issuer", "audience", "ttl"] {
            let lacking = Self.report(text.replacing("\(key) =", with: "x-\(key) ="))
            #expect(lacking.isWrong, "\(key)")
        }
        let unsigned = Self.report(text.replacing("\"/etc/key.pem\"", with: "\"\""))
        #expect(unsigned.settings != nil && unsigned.settings?.signing == nil)
    }

    @Test func theDefaultsAreThoseOfJibri() throws {
        let settings = try Self.settings("jibri.recording.finalize-script = /path/to/finalize")
        #expect(settings.id.isEmpty && !settings.isSingleUse)
        #expect(settings.http.externalPort == 2222 && settings.http.internalPort == 3333)
        #expect(settings.recordingsDirectory == "/tmp/recordings" && settings.finalizeScript == nil)
        #expect(settings.allowedStreams == [".*"] && settings.webhooks.isEmpty)
        #expect(settings.timeouts.noMedia == .seconds(180))
        #expect(settings.timeouts.allMuted == .seconds(600))
        #expect(settings.timeouts.empty == .seconds(30))
        #expect(settings.timeouts.connection == .seconds(30))
    }

    @Test(arguments: [
        ("rec-1", "rec-2", "rec-2"), ("rec-1", "", "rec-1"), ("", "", "fallback"),
    ])
    func theNickIsTheirsOrTheIDOrOurs(id: String, nickname: String, nick: String) throws {
        let environment = Self.environment.replacing("\"rec-1\"", with: "\"\(nickname)\"")
        let settings = try Self.settings("jibri.id = \"\(id)\"", environment: environment)
        #expect(settings.environments.first?.brewery.nickname == nick)
    }

    @Test(arguments: [
        ("1 hour", 3600), ("90 minutes", 5400), ("\"0\"", nil), ("0", nil), ("59 seconds", nil),
        ("100 seconds", 60), ("120", nil),
    ])
    func theUsageTimeoutIsInWholeMinutes(text: String, seconds: Int?) throws {
        let report = Self.report(
            "jibri.api.xmpp.environments = [\(Self.environment) { usage-timeout = \(text) }]")
        let environment = try #require(report.settings?.environments.first, "\(report.lines)")
        #expect(environment.usageTimeout == seconds.map { .seconds($0) })
        let isNoted = report.findings.contains { $0.kind == .noted }
        #expect(isNoted == ["59 seconds", "120"].contains(text))
    }

    @Test(arguments: [
        (
            "jibri.single-use-mode = perhaps",
            "jibri.conf:1:25: jibri.single-use-mode: is not true or false"
        ),
        (
            "jibri.api.http.external-api-port = 0",
            "jibri.conf:1:36: jibri.api.http.external-api-port: is not a port from 1 to 65535"
        ),
        (
            "jibri.api.http.internal-api-port = 70000",
            "jibri.conf:1:36: jibri.api.http.internal-api-port: is not a port from 1 to 65535"
        ),
        (
            "jibri.recording.recordings-directory = here",
            "jibri.conf:1:40: jibri.recording.recordings-directory: is no absolute path"
        ),
        (
            "jibri.recording.finalize-script = []",
            "jibri.conf:1:35: jibri.recording.finalize-script: is not a text"
        ),
        (
            "jibri.streaming.rtmp-allow-list = [\n\"(\"]",
            "jibri.conf:2:1: jibri.streaming.rtmp-allow-list: has what is not a regular expression"
        ),
        (
            "jibri.streaming.rtmp-allow-list = \".*\"",
            "jibri.conf:1:35: jibri.streaming.rtmp-allow-list: is not a list"
        ),
        (
            "jibri.webhook.subscribers = [\"ftp://x\"]",
            "jibri.conf:1:30: jibri.webhook.subscribers: has what is not a web address"
        ),
        (
            "jibri.call-status-checks.no-media-timeout = soon",
            "jibri.conf:1:45: jibri.call-status-checks.no-media-timeout: is not a duration such as '30 seconds'"
        ),
        (
            "jibri.call-status-checks.all-muted-timeout = -1s",
            "jibri.conf:1:46: jibri.call-status-checks.all-muted-timeout: is not a duration such as '30 seconds'"
        ),
        ("a = [", "jibri.conf:1:5: the file cannot be read: a '[' that is not closed"),
    ])
    func whatIsWrongIsSaidWithItsPlace(text: String, message: String) {
        let report = Self.report(
            text + (text == "a = [" ? "" : "\njibri.api.xmpp.environments = [\(Self.environment)]"))
        #expect(report.isWrong)
        #expect(report.findings.filter { $0.kind == .wrong }.map(\.description) == [message])
    }

    @Test(arguments: [
        ("[\"a.example\", \"b.example:6222\"]", "[]", "xmpp-server-hosts: has no host"),
        ("\"b.example:6222\"", "\"b.example:x\"", "xmpp-server-hosts: has what is no host"),
        ("\"5223\"", "\"-1\"", "control-login.port: is not a port from 1 to 65535"),
        ("password = \"top\"", "", "control-login.password: is missing"),
        ("\"secret\"", "\"\"", "call-login.password: is not a text that is not empty"),
        ("xmpp-domain = \"meet.example\"", "", "xmpp-domain: is missing"),
        (
            "\"https://meet.example/x\"", "\"meet.example\"",
            "base-url: is no web address, or has a login in it"
        ),
        ("https://meet", "https://a:b@meet", "base-url: is no web address, or has a login in it"),
        ("\"JibriBrewery\"", "\"a b\"", "control-muc: is no room of XMPP"),
        ("\"recorder\"", "\"a@b\"", "call-login: is no address of XMPP"),
        ("= required", "= some", "security-mode: is none of required, ifpossible and disabled"),
        ("control-muc {", "muc {", "control-muc: is missing"),
        ("1 hour", "x", "usage-timeout: is not a duration such as '30 seconds'"),
    ])
    func whatIsWrongWithAnEnvironmentIsSaid(old: String, new: String, message: String) {
        let environment = Self.environment.replacing(old, with: new)
        #expect(environment != Self.environment)
        let report = Self.report("jibri.api.xmpp.environments = [\(environment)]")
        #expect(
            report.findings.filter { $0.kind == .wrong }
                .map { "\($0.subject): \($0.text)" } == ["jibri.api.xmpp.environments.\(message)"])
    }

    @Test func withoutEnvironmentsNothingCanStart() {
        for text in [nil, "", "jibri { }", "jibri.api.xmpp.environments = []"] {
            let report = Self.report(text)
            #expect(report.isWrong)
            #expect(
                report.findings.map(\.subject) == ["jibri.api.xmpp.environments"], "\(report.lines)"
            )
        }
    }

    @Test func whatHasNoMeaningIsSaidWithItsReason() {
        let report = Self.report(
            """
            jibri {
              chrome.flags = ["--kiosk"]
              ffmpeg { resolution = 1x1, audio-source = pulse, queue-size = 1, gop-size = 2
                       video-encode-preset-streaming = fast }
              streaming.youtube-stream-key-pattern = ".*"
              stats { enable-stats-d = true, prometheus.enabled = true }
              jwt-info { signing-key-path = /x, kid = k, issuer = i, audience = a, ttl = 1h }
              api.xmpp.environments = [\(Self.environment) { sip-control-muc { }, jid = 1
                call-login.randomize-username = true }]
              colour = blue
            }
            other.key = 1
            include "more.conf"
            """)
        #expect(!report.isWrong)
        let said = report.findings.map { "\($0.kind) \($0.subject)" }
        let environment = "jibri.api.xmpp.environments"
        #expect(
            said == [
                "noted jibri.ffmpeg.resolution", "noted include 'more.conf'",
                "ignored jibri.chrome.flags", "ignored jibri.ffmpeg.audio-source",
                "ignored jibri.ffmpeg.queue-size", "ignored jibri.ffmpeg.gop-size",
                "ignored jibri.ffmpeg.video-encode-preset-streaming",
                "ignored jibri.streaming.youtube-stream-key-pattern",
                "ignored jibri.stats.enable-stats-d", "ignored \(environment).sip-control-muc",
                "ignored \(environment).call-login.randomize-username",
                "unknown \(environment).jid", "unknown jibri.colour",
                "unknown other",
            ])
        #expect(report.findings.allSatisfy { $0.place.line > 0 })
        #expect(report.findings.allSatisfy { $0.kind != .ignored || !$0.text.isEmpty })
        #expect(report.settings?.showsMetrics == true)
    }

    @Test func picturesAreThoseOfFFmpeg() throws {
        let settings = try Self.settings(
            """
            jibri.ffmpeg { resolution = "1920x1080", framerate = 25, streaming-max-bitrate = "2976k" }
            """)
        #expect(settings.picture.width == 1920 && settings.picture.height == 1080)
        #expect(settings.picture.frameRate == 25)
        #expect(settings.picture.streamBitrate == 2_976_000)
        #expect(try Self.settings("").picture == JibriPicture())
        #expect(
            try Self.settings("jibri.ffmpeg.streaming-max-bitrate = 3M").picture.streamBitrate
                == 3_000_000)
    }

    @Test(arguments: [
        "resolution = 3840x2160", "resolution = 1280x719", "resolution = wide",
        "resolution = 1x1x1",
        "framerate = 1", "framerate = 25.5", "streaming-max-bitrate = 1G",
        "streaming-max-bitrate = 1", "streaming-max-bitrate = -5k",
        "streaming-max-bitrate = 99999999999999999999k",
        "streaming-max-bitrate = 9223372036854775807M",
    ])
    func picturesThatRoomcastDoesNotMakeAreNoted(setting: String) {
        let report = Self.report(
            "jibri.ffmpeg.\(setting)\njibri.api.xmpp.environments = [\(Self.environment)]")
        #expect(report.settings?.picture == JibriPicture())
        #expect(
            report.findings.map { "\($0.kind) \($0.subject)" }
                == ["noted jibri.ffmpeg.\(setting.prefix { $0 != " " })"])
    }

    @Test func noPasswordIsPrinted() {
        for text in [
            Self.environment, Self.environment.replacing("port = \"5223\"", with: "port = x"),
        ] {
            let report = Self.report("jibri.api.xmpp.environments = [\(text)]")
            let printed = report.lines.joined() + String(describing: report.settings)
            #expect(!printed.contains("\"top\"") && !printed.contains("secret"))
            var dumped = ""
            dump(report, to: &dumped)
            #expect(!dumped.contains("\"top\"") && !dumped.contains("secret"))
        }
        let broken = Self.report("a {\n  password \"secret\"\n}").lines.joined()
        #expect(broken.contains("jibri.conf:2:20") && !broken.contains("secret"))
        let hook = Self.report(
            "jibri.webhook.subscribers = [\"https://h.example/secret\"]\n"
                + "jibri.api.xmpp.environments = [\(Self.environment)]")
        #expect(hook.lines.contains("  webhooks: h.example"))
    }

    /// As operators have it who began before 2020.
    @Test func aConfigJSONIsUnderstood() throws {
        let report = Self.report(
            """
            {
              // Comments were allowed.
              "jibri_id": "one", "recording_directory": "/srv/recordings", "single_use_mode": true,
              "finalize_recording_script_path": "/opt/finish.sh",
              "xmpp_environments": [{
                "name": "prod", "xmpp_server_hosts": ["a.example"], "xmpp_domain": "meet.example",
                "control_login": {"domain": "auth.meet.example", "username": "jibri", "password": "top"},
                "control_muc": {"domain": "internal.auth.meet.example", "room_name": "JibriBrewery",
                                "nickname": "rec-1"},
                "call_login": {"domain": "recorder.meet.example", "username": "recorder",
                               "password": "secret"},
                "room_jid_domain_string_to_strip_from_start": "conference.", "usage_timeout": "90"
              }]
            }
            """)
        let settings = try #require(report.settings, "\(report.lines)")
        #expect(report.findings.isEmpty, "\(report.lines)")
        #expect(settings.id == "one" && settings.isSingleUse)
        #expect(settings.recordingsDirectory == "/srv/recordings")
        #expect(settings.finalizeScript == "/opt/finish.sh")
        let environment = try #require(settings.environments.first)
        #expect(environment.hosts.map(\.description) == ["a.example:5222"])
        #expect(environment.domain == "meet.example" && environment.trustsAllCertificates)
        #expect(environment.control.description == "jibri@auth.meet.example")
        #expect(environment.call.description == "recorder@recorder.meet.example")
        #expect(environment.brewery.room == "JibriBrewery")
        #expect(environment.roomDomainPrefix == "conference.")
        #expect(environment.usageTimeout == .seconds(5400))
    }

    @Test func soundAloneIsRecordedIfItIsSetSo() throws {
        #expect(try !Self.settings("").recordsSoundAlone)
        let report = Self.report(
            "jibri.recording.audio-only = true, "
                + "jibri.api.xmpp.environments = [\(Self.environment)]")
        #expect(report.settings?.recordsSoundAlone == true && report.findings.isEmpty)
        #expect(report.lines.contains("  recordings of sound alone in /tmp/recordings"))
    }

    @Test func theReportIsForPeople() {
        let report = Self.report(
            "jibri.api.xmpp.environments = [\(Self.environment)], jibri.chrome.flags = []")
        #expect(
            report.lines == [
                "understood:",
                "  environment 'prod': meet.example, at a.example:5223, b.example:6222, any certificate",
                "    waits as jibri@auth.meet.example, password set, in "
                    + "JibriBrewery@internal-muc.meet.example as rec-1",
                "    joins rooms as recorder@recorder.meet.example, password set, for 60 min at most",
                "    meetings at https://meet.example/x, rooms' domains without 'conference.'",
                "  recordings in /tmp/recordings", "  streams to addresses that match .*",
                "  HTTP at 127.0.0.1:2222, internal at 127.0.0.1:3333", "  id: none",
                "  webhooks: none",
                "  a call ends after 30 s empty, 10 min muted, 3 min without media, 30 s without connection",
                "ignored:", "  jibri.conf:9:26: jibri.chrome.flags: no browser takes part",
            ])
    }
}
