import Codec
import ControlAPI
import Foundation
import HLS
import HundredMS
import Logging
import MediaKernel
import MediaServer
import Rooms
import Sandbox
import Stage
import Streams
import Testing
import Webhooks
import Workbench

@testable import Service

/// The setting whose value is refused; nil if none is. What is said of it is for the operator.
func refusedSetting(_ body: () throws -> some Any) -> String? {
    do {
        _ = try body()
        return nil
    } catch SettingsError.invalid(let key, _) {
        return key
    } catch SettingsError.wrongType(let key, _) {
        return key
    } catch {
        return "\(error)"
    }
}

@Suite struct SettingsTests {
    private func settings(
        _ json: String? = nil, _ environment: [String: String] = [:]
    ) throws -> Settings {
        guard let json else {
            return try Settings(SettingsInput(file: nil, environment: environment))
        }
        let scratch = try Scratch()
        let file = try scratch.write(json.utf8, to: "settings.json")
        do {
            return try Settings(SettingsInput(file: file, environment: environment))
        } catch .unreadable(_, let reason) {
            throw SettingsError.unreadable(file: "f", reason: reason)
        } catch .unknownKeys(let keys, _) {
            throw SettingsError.unknownKeys(keys, file: "f")
        }
    }

    @Test func theDefaultsServeOnTheLoopbackAddress() throws {
        let settings = try settings()
        #expect(settings.http.host == "127.0.0.1")
        #expect(settings.http.port == 8080)
        #expect(settings.access.usesDevelopmentKey)
        #expect(settings.pages.opensTokens && settings.rooms.opensOnJoin)
        #expect(settings.httpService.listsRooms && settings.httpService.servesOwnHostsOnly)
        #expect(settings.stream.playback.signedLifetime == nil)
        #expect(settings.udp.port == 7882 && settings.tcp.port == .sameAsUDP)
        #expect(settings.http.publicBaseURL == "http://127.0.0.1:8080")
        #expect(settings.stream.playback.publicBaseURL == "http://127.0.0.1:8080")
        #expect(settings.stream.ladder == .standard)
        #expect(settings.stream.segmentDuration == .seconds(2))
        #expect(settings.stream.rules.emptyTimeout == .seconds(300))
        #expect(settings.stream.recordings.kept == .seconds(14 * 86_400))
        #expect(settings.stream.rules.durationMaximum == nil)
    }

    @Test func theEmbeddedPlayerMayBeFramedAnywhereUnlessTheOperatorSaysWhere() throws {
        #expect(try settings().httpService.embedders == ["*"])
        #expect(try settings(#"{"pages": {"embedders": ["none"]}}"#).pages.embedders.isEmpty)
        let some = ["http://localhost:3000", "https://*.example.org"]
        #expect(
            try settings(
                #"{"pages": {"embedders": ["http://localhost:3000", "https://*.example.org"]}}"#
            ).httpService.embedders == some)
        for bad in [
            "example.org", "https://a.example/x", "https://a.example; script-src *", "'self'",
            "none, *",
        ] {
            #expect(
                refusedSetting {
                    try settings("{\"pages\": {\"embedders\": [\"\(bad)\", \"*\"]}}")
                } == "pages.embedders")
        }
    }

    @Test(.enabled(if: SystemUser.mayChange)) func botsOfRootBecomeSomebodyElse() throws {
        #expect(try settings().botUser == SystemUser(named: "nobody"))
        #expect(
            try settings(#"{"bots": {"user": "daemon"}}"#).botUser == SystemUser(named: "daemon"))
        #expect(try settings(#"{"bots": {"user": "root"}}"#).botUser == nil)
        #expect(
            throws: SettingsError.invalid(
                key: "bots.user", reason: "there is no user 'no-such-user'")
        ) {
            try settings(#"{"bots": {"user": "no-such-user"}}"#)
        }
    }

    @Test func everySettingCanBeWrittenIntoTheFile() throws {
        let settings = try settings(
            #"""
            {"http": {"host": "0.0.0.0", "port": 9000, "connectionsMaximum": 99,
                      "connectionsPerAddressMaximum": 7,
                      "certificateFile": "c.pem",
                      "privateKeyFile": "k.pem", "publicURL": "https://live.example.org/"},
             "udp": {"host": "10.0.0.1", "port": 5000,
                     "advertisedAddresses": ["203.0.113.5", "2001:db8::1"]},
             "tcp": {"port": 443, "advertisedAddresses": ["203.0.113.6"]},
             "turn": {"urls": ["turn:relay.example.org?transport=udp",
                               "turns:relay.example.org:443?transport=tcp"],
                      "secret": "a secret of 20 bytes", "lifetimeSeconds": 3600},
             "auth": {"accessKey": "k1", "secret": "0123456789abcdef0123456789abcdef"},
             "recordings": {"directory": "/srv/recordings", "keepDays": 0.5,
                            "thumbnails": {"width": 640, "offsets": [0, 9]}},
             "webhooks": {"url": "https://example.org/hooks?a=1",
                          "secret": "fedcba9876543210fedcba9876543210",
                          "allowPrivate": true},
             "output": {"directory": "/srv/hls"}, "policy": {"file": "policy.json"},
             "stream": {"ladder": ["1920x1080@4500+128", "640x360@500+64"], "frameRate": 25,
                        "segmentSeconds": 1.5, "container": "both", "lowLatency": true,
                        "playlist": "live", "playlistWindow": 8,
                        "layout": {"fit": "letterbox", "focus": null},
                        "preset": "superfast", "encoder": "auto", "emptyTimeoutSeconds": 0, "maximumSeconds": 600,
                        "signedPlaybackSeconds": 7200, "sourceHosts": ["live.example.org"],
                        "maximum": 9, "idleCoresMinimum": 0.75, "variantsPerRoomMaximum": 2},
             "rooms": {"openOnJoin": false, "maximum": 7, "peersMaximum": 100, "largeRoomPeers": 50,
                       "connectionsMaximum": 150, "tracksPerPeerMaximum": 4,
                       "requestsPerSecond": 5, "requestsBurst": 9,
                       "readsPerSecond": 6, "readsBurst": 11, "absenceSeconds": 2.5,
                       "silenceSeconds": 6, "outboxMessages": 64, "outboxBytes": 65536},
             "captions": {"languages": ["en=English", "de"],
                          "stt": {"command": ["/usr/bin/python3", "-u"], "language": "de"}},
             "pictures": {"hosts": ["*.example.org"], "allowHTTP": true},
             "pages": {"openTokens": true, "listRooms": true, "hlsScriptURL": "/assets/hls.js", "directory": "/w",
                       "embedders": ["https://*.example.org"]},
             "log": {"level": "debug", "format": "json"}}
            """#)
        #expect(settings.http.port == 9000)
        #expect(settings.http.certificateFile == "c.pem")
        #expect(settings.stream.recordings.directory == "/srv/recordings")
        #expect(settings.stream.recordings.kept == .seconds(43_200))
        #expect(settings.stream.rules.durationMaximum == .seconds(600))
        #expect(settings.stream.container == .both && settings.stream.playback.isLowLatency)
        #expect(
            settings.stream.captions.standard.languages == [
                CaptionLanguage(code: "en", name: "English"), CaptionLanguage(code: "de"),
            ])
        #expect(
            settings.stream.captions.speech
                == SpeechCommand(words: ["/usr/bin/python3", "-u"], language: "de"))
        #expect(
            settings.webhooks
                == WebhookSettings(
                    url: "https://example.org/hooks?a=1",
                    secret: "fedcba9876543210fedcba9876543210", accountID: "k1",
                    reach: WebhookReach(includesPrivate: true)))
        #expect(settings.stream.playback.signedLifetime == .seconds(7200))
        #expect(settings.http.publicURL == "https://live.example.org")
        #expect(settings.http.publicBaseURL == "https://live.example.org")
        #expect(settings.http.botEndpoint(port: 9000) == "https://live.example.org")
        #expect(settings.udp.advertisedAddresses == ["203.0.113.5", "2001:db8::1"])
        #expect(settings.tcp.port == .number(443))
        #expect(settings.tcp.advertisedAddresses == ["203.0.113.6"])
        #expect(
            settings.turn
                == TURNRelay(
                    urls: [
                        "turn:relay.example.org?transport=udp",
                        "turns:relay.example.org:443?transport=tcp",
                    ], secret: "a secret of 20 bytes", lifetime: .seconds(3600)))
        #expect(settings.access.key == "k1")
        #expect(settings.stream.outputDirectory == "/srv/hls")
        #expect(settings.policyFile == "policy.json")
        #expect(settings.stream.ladder.layers.map(\.width) == [1920, 640])
        #expect(settings.stream.ladder.layers[0].videoBitrate == 4_500_000)
        #expect(settings.stream.ladder.layers[1].audioBitrate == 64_000)
        #expect(settings.stream.ladder.frameRate == 25)
        #expect(settings.stream.segmentDuration == .milliseconds(1500))
        #expect(settings.stream.rules.segmentTimeout == .seconds(30))
        #expect(settings.stream.playlist == .live(window: 8))
        #expect(settings.stream.preset == "superfast")
        #expect(settings.stream.encoder == .auto)
        #expect(settings.stream.layout == Layout(fit: .letterbox))
        #expect(
            settings.stream.recordings.thumbnails
                == ThumbnailOptions(enabled: true, width: 640, height: 0, offsets: [0, 9]))
        #expect(settings.stream.pictureHosts.allowed("http://a.example.org/x") != nil)
        #expect(settings.stream.sourceHosts.allowed("http://live.example.org/whep") != nil)
        #expect(settings.stream.rules.emptyTimeout == nil)
        #expect(settings.stream.limits.streams == 9)
        #expect(settings.stream.limits.idleCoresMinimum == 0.75)
        #expect(settings.pages.opensTokens)
        #expect(settings.httpService.listsRooms && !settings.httpService.servesOwnHostsOnly)
        #expect(settings.httpService.connectionsMaximum == 99)
        #expect(settings.httpService.connectionsPerAddressMaximum == 7)
        #expect(!settings.rooms.opensOnJoin && settings.rooms.maximum == 7)
        let limits = settings.rooms.limits
        #expect(limits.peers == 100 && limits.largeRoomPeers == 50 && limits.tracksPerPeer == 4)
        #expect(limits.fanOutPerSecond == 5 && limits.fanOutBurst == 9)
        #expect(limits.readsPerSecond == 6 && limits.readsBurst == 11)
        #expect(limits.absence == .milliseconds(2500) && limits.shownAbsence == limits.absence)
        let signalling = settings.rooms.signalling
        #expect(signalling.outboxFrames == 64 && signalling.outboxBytes == 65_536)
        #expect(signalling.connections == 150)
        #expect(signalling.silence == .seconds(6) && signalling.silenceWithoutMedia == .seconds(6))
        #expect(settings.log.level == .debug)
        #expect(settings.stream.log.format == "json")
    }

    @Test func theEnvironmentWinsOverTheFile() throws {
        let settings = try settings(
            #"{"http": {"port": 9000}, "udp": {"port": 5000}}"#,
            [
                "ROOMCAST_HTTP_PORT": "9001", "ROOMCAST_HTTP_PUBLIC_URL": "http://[::1]:1",
                "ROOMCAST_UDP_ADVERTISED_ADDRESSES": "10.0.0.1, 10.0.0.2",
                "ROOMCAST_TCP_PORT": "0", "ROOMCAST_UDP_THREADS": "3",
                "ROOMCAST_PAGES_OPEN_TOKENS": "no", "ROOMCAST_STREAM_SEGMENT_SECONDS": "4",
                "ROOMCAST_LOG_LEVEL": "", "UNRELATED": "x",
            ])
        #expect(settings.http.port == 9001)
        #expect(settings.udp.port == 5000 && settings.tcp.port == .none)
        #expect(settings.udp.threads == 3)
        #expect(settings.http.publicURL == "http://[::1]:1")
        #expect(settings.udp.advertisedAddresses == ["10.0.0.1", "10.0.0.2"])
        #expect(!settings.pages.opensTokens)
        #expect(settings.stream.segmentDuration == .seconds(4))
    }

    @Test func variablesThatAreNoSettingsAreNamed() throws {
        let settings = try settings(
            nil, ["ROOMCAST_HTTP_PORT": "1", "ROOMCAST_HTTP_PROT": "1", "ROOMCAST_A": "", "B": ""])
        #expect(settings.unknownVariables == ["ROOMCAST_A", "ROOMCAST_HTTP_PROT"])
    }

    /// A token needs only the key, and a new catalogue only the directories: these commands need
    /// not know the server's other secrets.
    @Test func oneCommandReadsOnlyItsOwnSettings() throws {
        let scratch = try Scratch()
        let file = try scratch.write(
            #"""
            {"webhooks": {"url": "https://example.org"}, "turn": {"urls": ["turn:a"]},
             "recordings": {"directory": "/r", "store": {"bucket": "abc"}},
             "output": {"directory": "/o"}, "auth": {"accessKey": "k"}}
            """#.utf8, to: "settings.json")
        let secret = "0123456789abcdef0123456789abcdef"
        let key = try Settings(
            keyIn: SettingsInput(file: file, environment: ["ROOMCAST_AUTH_SECRET": secret]))
        #expect(key.access.key == "k" && key.access.secret == secret)
        let directories = try Settings(directoriesIn: SettingsInput(file: file, environment: [:]))
            .stream
        #expect(directories.outputDirectory == "/o" && directories.recordings.directory == "/r")
        // An invalid key is an error, as in the server.
        #expect(
            refusedSetting {
                try Settings(keyIn: SettingsInput(file: file, environment: [:]))
            } == "auth.accessKey")
        #expect(throws: SettingsError.accessKeyNeeded) {
            try Settings(
                keyIn: SettingsInput(file: nil, environment: ["ROOMCAST_HTTP_HOST": "0.0.0.0"]))
        }
        #expect(throws: SettingsError.accessKeyNeededInPublic) {
            try Settings(
                keyIn: SettingsInput(
                    file: nil, environment: ["ROOMCAST_HTTP_PUBLIC_URL": "https://a.org"]))
        }
    }

    @Test func theVariablesAreNamedAfterTheSettings() {
        #expect(SettingKey.httpPublicURL.variable == "ROOMCAST_HTTP_PUBLIC_URL")
        #expect(SettingKey.pagesHLSScriptURL.variable == "ROOMCAST_PAGES_HLS_SCRIPT_URL")
        #expect(SettingKey.authAccessKey.variable == "ROOMCAST_AUTH_ACCESS_KEY")
        #expect(
            SettingKey.streamVariantsPerRoomMaximum.variable
                == "ROOMCAST_STREAM_VARIANTS_PER_ROOM_MAXIMUM")
    }

    private static let noRelay = SettingsError.invalid(
        key: "turn.urls",
        reason: "1 to 8 addresses like turn:relay.example.org:3478?transport=udp")

    static let refusals: [(String, SettingsError)] = [
        (#"{"http": {"prot": 1}, "x": true}"#, .unknownKeys(["http.prot", "x"], file: "f")),
        (#"{"http": 5}"#, .unknownKeys(["http"], file: "f")),
        (#"{"http": {"port": {"a": 1}}}"#, .unknownKeys(["http.port.a"], file: "f")),
        (#"{"http": {"port": "9000"}}"#, .wrongType(key: "http.port", expected: "whole number")),
        (#"{"http": {"port": 1.5}}"#, .wrongType(key: "http.port", expected: "whole number")),
        (#"{"http": {"port": null}}"#, .wrongType(key: "http.port", expected: "whole number")),
        (
            #"{"pages": {"openTokens": 1}}"#,
            .wrongType(key: "pages.openTokens", expected: "true or false")
        ),
        (
            #"{"stream": {"ladder": "1x1@1+1"}}"#,
            .wrongType(key: "stream.ladder", expected: "list of texts")
        ),
        (#"{"http": {"port": 65536}}"#, .invalid(key: "http.port", reason: "0 to 65535")),
        (
            #"{"openvidu": {"webhook": {"url": "http://a.example/"}}}"#,
            .invalid(key: "openvidu.webhook.url", reason: "openvidu.secret is missing")
        ),
        (
            #"{"openvidu": {"secret": "long enough", "webhook": {"url": "a"}}}"#,
            .invalid(key: "openvidu.webhook.url", reason: "an http or https address")
        ),
        (
            #"{"openvidu": {"secret": "short"}}"#,
            .invalid(key: "openvidu.secret", reason: "at least 8 bytes")
        ),
        (
            #"{"openvidu": {"servers": {"example.org": "s"}}}"#,
            .invalid(
                key: "openvidu.servers",
                reason: "an object of servers, each with a secret or tokens by session")
        ),
        (
            #"{"openvidu": {"servers": {"example.org": {}}}}"#,
            .invalid(
                key: "openvidu.servers", reason: "example.org has neither a secret nor tokens")
        ),
        (
            #"{"openvidu": {"servers": {"https://example.org": {"secret": "s"}}}}"#,
            .invalid(
                key: "openvidu.servers",
                reason: "servers are named like example.org or example.org:4443")
        ),
        (
            #"{"openvidu": {"servers": {"example.org": {"tokens": {"ses_1": ""}}}}}"#,
            .invalid(
                key: "openvidu.servers",
                reason: "a secret or a token of example.org is empty or too long")
        ),
        (
            #"{"jitsi": {"deployments": {"meet.example.org": "x"}}}"#,
            .invalid(
                key: "jitsi.deployments",
                reason: "an object of deployments by the hosts of their pages")
        ),
        (
            #"{"jitsi": {"deployments": {"meet.example.org": {"user": "recorder"}}}}"#,
            .invalid(
                key: "jitsi.deployments",
                reason: "meet.example.org has a user without a password, or the other way round")
        ),
        (
            #"{"http": {"connectionsMaximum": 15}}"#,
            .invalid(key: "http.connectionsMaximum", reason: "16 to 1000000")
        ),
        (
            #"{"rooms": {"maximum": 0}}"#,
            .invalid(key: "rooms.maximum", reason: "1 to 100000")
        ),
        (
            #"{"stream": {"idleCoresMinimum": 65}}"#,
            .invalid(key: "stream.idleCoresMinimum", reason: "0 to 64 cores")
        ),
        (
            #"{"rooms": {"peersMaximum": 5001}}"#,
            .invalid(key: "rooms.peersMaximum", reason: "1 to 5000")
        ),
        (
            #"{"rooms": {"tracksPerPeerMaximum": 33}}"#,
            .invalid(key: "rooms.tracksPerPeerMaximum", reason: "1 to 32")
        ),
        (
            #"{"rooms": {"absenceSeconds": 0.5}}"#,
            .invalid(key: "rooms.absenceSeconds", reason: "1 to 3600 seconds")
        ),
        (
            #"{"rooms": {"silenceSeconds": 3601}}"#,
            .invalid(key: "rooms.silenceSeconds", reason: "4 to 3600 seconds")
        ),
        (
            #"{"rooms": {"outboxBytes": 65535}}"#,
            .invalid(key: "rooms.outboxBytes", reason: "65536 to 268435456")
        ),
        (
            #"{"http": {"certificateFile": "c"}}"#,
            .invalid(
                key: "http.certificateFile",
                reason: "certificateFile and privateKeyFile must be given together")
        ),
        (
            #"{"http": {"certificateFile": "c", "privateKeyFile": "k"}}"#,
            .invalid(
                key: "http.publicURL",
                reason: "it is needed with a certificate: bots call the server by the name in it")
        ),
        (
            #"{"http": {"publicURL": "live.example.org"}}"#,
            .invalid(
                key: "http.publicURL",
                reason: "it must be http:// or https:// with a host and nothing behind it")
        ),
        (
            #"{"udp": {"advertisedAddresses": ["example.org"]}}"#,
            .invalid(
                key: "udp.advertisedAddresses", reason: "'example.org' is not an IP address")
        ),
        (#"{"tcp": {"port": -1}}"#, .invalid(key: "tcp.port", reason: "0 to 65535")),
        (
            #"{"tcp": {"advertisedAddresses": ["example.org"]}}"#,
            .invalid(
                key: "tcp.advertisedAddresses", reason: "'example.org' is not an IP address")
        ),
        (#"{"turn": {"secret": "a secret of 20 bytes"}}"#, noRelay),
        (#"{"turn": {"lifetimeSeconds": 60}}"#, noRelay),
        (#"{"turn": {"urls": ["stun:a"], "secret": "a secret of 20 bytes"}}"#, noRelay),
        (
            #"{"turn": {"urls": ["turn:a"]}}"#,
            .invalid(key: "turn.secret", reason: "at least 20 bytes that the relay has too")
        ),
        (
            #"{"turn": {"urls": ["turn:a"], "secret": "a secret of 19 byte"}}"#,
            .invalid(key: "turn.secret", reason: "at least 20 bytes that the relay has too")
        ),
        (
            #"{"turn": {"lifetimeSeconds": 59}}"#,
            .invalid(key: "turn.lifetimeSeconds", reason: "60 to 604800")
        ),
        (
            #"{"auth": {"accessKey": "k"}}"#,
            .invalid(
                key: "auth.accessKey", reason: "accessKey and secret must be given together")
        ),
        (
            #"{"auth": {"accessKey": "k", "secret": "short"}}"#,
            .invalid(key: "auth.secret", reason: "HS256 needs at least 32 bytes")
        ),
        (#"{"http": {"host": "0.0.0.0"}}"#, .accessKeyNeeded),
        (
            #"{"stream": {"ladder": ["640x361@500+64"]}}"#,
            .invalid(
                key: "stream.ladder",
                reason: "layer 0: width and height must be even, not 640x361")
        ),
        (
            #"{"stream": {"ladder": ["640x360@500"]}}"#,
            .invalid(
                key: "stream.ladder", reason: "'640x360@500' is not like 1280x720@2000+96")
        ),
        (
            #"{"stream": {"playlist": "vod"}}"#,
            .invalid(key: "stream.playlist", reason: "event or live")
        ),
        (
            #"{"stream": {"layout": {"fit": "fill"}}}"#,
            .invalid(
                key: "stream.layout", reason: "layout.fit must be one of crop, letterbox")
        ),
        (#"{"stream": {"layout": 1}}"#, .wrongType(key: "stream.layout", expected: "JSON object")),
        (
            #"{"pictures": {"hosts": ["https://a.org"]}}"#,
            .invalid(
                key: "pictures.hosts",
                reason: "entries are like example.org, *.example.org or example.org:8443")
        ),
        (
            #"{"stream": {"sourceHosts": ["example.org/live"]}}"#,
            .invalid(
                key: "stream.sourceHosts",
                reason: "entries are like example.org, *.example.org or example.org:8443")
        ),
        (
            #"{"webhooks": {"url": "example.org"}}"#,
            .invalid(key: "webhooks.url", reason: "an http or https address")
        ),
        (
            #"{"webhooks": {"url": "http://127.0.0.1:80800/"}}"#,
            .invalid(key: "webhooks.url", reason: "an http or https address")
        ),
        (
            #"{"webhooks": {"url": "http://a/", "secret": "short"}}"#,
            .invalid(
                key: "webhooks.secret", reason: "at least 32 bytes that the receiver has too")
        ),
        (
            #"{"webhooks": {"secret": "0123456789abcdef0123456789abcdef"}}"#,
            .invalid(key: "webhooks.secret", reason: "webhooks.url is missing")
        ),
        (
            #"{"recordings": {"keepDays": -1}}"#,
            .invalid(key: "recordings.keepDays", reason: "0 (for ever) to 36500 days")
        ),
        (
            #"{"recordings": {"thumbnails": {"offsets": [-1]}}}"#,
            .invalid(
                key: "recordings.thumbnails",
                reason: "offsets are at most 20 whole seconds, 0 to 604800")
        ),
        (
            #"{"recordings": {"thumbnails": {"offsets": 2}}}"#,
            .invalid(
                key: "recordings.thumbnails",
                reason: "an object of enabled, width, height, offsets and fps")
        ),
        (
            #"{"recordings": {"thumbnails": {"width": 2, "offset": [2]}}}"#,
            .invalid(
                key: "recordings.thumbnails",
                reason: "offset is not known; did you mean offsets?")
        ),
        (
            #"{"jitsi": {"deployments": {"meet.example": {"usr": "x", "password": "y"}}}}"#,
            .invalid(
                key: "jitsi.deployments",
                reason: "meet.example: usr is not known; did you mean user?")
        ),
        (
            #"{"openvidu": {"servers": {"live.example": {"secret": "x", "token": {}}}}}"#,
            .invalid(
                key: "openvidu.servers",
                reason: "live.example: token is not known; did you mean tokens?")
        ),
        (
            #"{"jitsi": {"focus": {"server": "x", "components": "y"}}}"#,
            .invalid(
                key: "jitsi.focus",
                reason: "components is not known; did you mean component?")
        ),
        (#"{"log": {"format": "xml"}}"#, .invalid(key: "log.format", reason: "logfmt or json")),
        ("[]", .unreadable(file: "f", reason: "it is not a JSON object")),
        (
            "{",
            .unreadable(
                file: "f", reason: "line 1: a name in double quotes is expected, not the end")
        ),
    ]

    @Test(arguments: refusals)
    func whatCannotBeMeantIsRefusedByName(json: String, error: SettingsError) {
        #expect(throws: error) { try settings(json) }
    }

    @Test func presetsAreThoseOfTheEncoder() throws {
        for preset in H264Encoder.presets {
            let settings = try settings(nil, ["ROOMCAST_STREAM_PRESET": preset])
            #expect(settings.stream.preset == preset)
        }
        #expect(
            throws: SettingsError.invalid(
                key: "stream.preset",
                reason: "one of \(H264Encoder.presets.joined(separator: ", "))")
        ) { try settings(nil, ["ROOMCAST_STREAM_PRESET": "placebo"]) }
    }

    @Test func aVariableOfTheWrongTypeIsRefusedByItsName() {
        #expect(
            throws: SettingsError.wrongType(
                key: "ROOMCAST_HTTP_PORT", expected: "whole number")
        ) { try settings(nil, ["ROOMCAST_HTTP_PORT": "abc"]) }
    }

    @Test func theWellKnownKeyIsRefusedElsewhereThanOnLoopback() throws {
        for host in ["0.0.0.0", "::", "192.0.2.1", "localhost.example.org", "127.0.0.1.example"] {
            #expect(throws: SettingsError.accessKeyNeeded) {
                try settings(nil, ["ROOMCAST_HTTP_HOST": host])
            }
            #expect(throws: SettingsError.accessKeyNeeded) {
                try settings(
                    nil,
                    [
                        "ROOMCAST_HTTP_HOST": host, "ROOMCAST_AUTH_ACCESS_KEY": "mine",
                        "ROOMCAST_AUTH_SECRET": AccessSettings.developmentSecret,
                    ])
            }
        }
        for host in ["127.0.0.1", "127.1.2.3", "localhost", "::1"] {
            #expect(try settings(nil, ["ROOMCAST_HTTP_HOST": host]).access.usesDevelopmentKey)
        }
    }

    @Test func theWellKnownKeyIsRefusedBehindAPublicAddress() throws {
        for url in [
            "https://live.example.org", "http://192.0.2.1:8080/", "https://localhost.example.org",
            "http://[2001:db8::1]", "http://localhost@example.org",
        ] {
            #expect(throws: SettingsError.accessKeyNeededInPublic) {
                try settings(nil, ["ROOMCAST_HTTP_PUBLIC_URL": url])
            }
            let own = try settings(
                nil,
                [
                    "ROOMCAST_HTTP_PUBLIC_URL": url, "ROOMCAST_AUTH_ACCESS_KEY": "mine",
                    "ROOMCAST_AUTH_SECRET": "0123456789abcdef0123456789abcdef",
                ])
            #expect(!own.access.usesDevelopmentKey)
        }
        for url in ["http://127.0.0.1:9000", "https://LOCALHOST/", "http://[::1]:80"] {
            #expect(try settings(nil, ["ROOMCAST_HTTP_PUBLIC_URL": url]).access.usesDevelopmentKey)
        }
    }

    @Test func onlyHalfOfAnOwnKeyIsNone() throws {
        let settings = try settings(
            nil,
            [
                "ROOMCAST_AUTH_ACCESS_KEY": "mine",
                "ROOMCAST_AUTH_SECRET": AccessSettings.developmentSecret,
            ])
        #expect(settings.httpService.servesOwnHostsOnly && settings.httpService.listsRooms)
    }

    /// Roomcast cannot sign addresses in a store.
    @Test func signedAddressesAndThoseOfAStoreExcludeEachOther() throws {
        #expect {
            try settings(
                nil,
                [
                    "ROOMCAST_STREAM_SIGNED_PLAYBACK_SECONDS": "3600",
                    "ROOMCAST_RECORDINGS_STORE_BUCKET": "recordings",
                    "ROOMCAST_RECORDINGS_STORE_ACCESS_KEY_ID": "i",
                    "ROOMCAST_RECORDINGS_STORE_SECRET_ACCESS_KEY": "s",
                    "ROOMCAST_RECORDINGS_STORE_LIVE": "true",
                    "ROOMCAST_RECORDINGS_STORE_LIVE_URL": "https://cdn.example.org",
                ])
        } throws: { error in
            "\(error)".contains("signedPlaybackSeconds") && "\(error)".contains("liveURL")
        }
    }

    @Test func aKeyOfOnesOwnKeepsTokensClosed() throws {
        let settings = try settings(
            nil,
            [
                "ROOMCAST_AUTH_ACCESS_KEY": "mine", "ROOMCAST_HTTP_HOST": "0.0.0.0",
                "ROOMCAST_AUTH_SECRET": "0123456789abcdef0123456789abcdef",
            ])
        #expect(!settings.pages.opensTokens)
        #expect(!settings.access.usesDevelopmentKey)
        #expect(!settings.httpService.listsRooms && !settings.httpService.servesOwnHostsOnly)
        #expect(settings.http.publicBaseURL == "http://localhost:8080")
        #expect(settings.http.botEndpoint(port: 81) == "http://127.0.0.1:81")
    }
}
