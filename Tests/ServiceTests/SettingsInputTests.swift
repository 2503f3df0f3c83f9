import Foundation
import Testing
import Workbench

@testable import Service

/// What an operator is told about what was given.
@Suite struct SettingsInputTests {
    /// A file, and what is said about it, without the file's path.
    private static let mistakes: [(file: String, words: String)] = [
        (#"{"http": {"prot": 1}}"#, ":1: there is no setting http.prot; did you mean http.port?"),
        (
            "{\n  \"htpp\": {\n    \"port\": 1}}",
            ":3: there is no setting htpp.port; did you mean http.port?"
        ),
        (
            #"{"port": 1}"#,
            ":1: there is no setting port; did you mean http.port, udp.port or tcp.port?"
        ),
        (
            #"{"http": {"public_url": "http://a"}}"#,
            ":1: there is no setting http.public_url; did you mean http.publicURL?"
        ),
        (#"{"colour": "red"}"#, ":1: there is no setting colour"),
        (
            #"{"a": 1, "http": {"b": 2}}"#,
            ":1: there is no setting a\nFILE:1: there is no setting http.b"
        ),
        (
            "{\"http\": {\n\"port\": \"8080\"}}",
            ":2: http.port must be a whole number, not \"8080\""
        ),
        (
            #"{"stream": {"lowLatency": "yes"}}"#,
            ":1: stream.lowLatency must be true or false, not \"yes\""
        ),
        (
            #"{"stream": {"sourceHosts": "a.org"}}"#,
            ":1: stream.sourceHosts must be a list of texts, not \"a.org\""
        ),
        (
            #"{"stream": {"layout": []}}"#, ":1: stream.layout must be a JSON object, not []"
        ),
        (#"{"http": {"port": 80.5}}"#, ":1: http.port must be a whole number, not 80.5"),
        (
            #"{"http": {"port": 70000}}"#,
            ":1: http.port is not valid: 0 to 65535 (found: 70000)"
        ),
        (
            #"{"log": {"format": "xml"}}"#,
            ":1: log.format is not valid: logfmt or json (found: \"xml\")"
        ),
        (#"{"http": null}"#, ":1: there is no setting http"),
        // A secret is not repeated.
        (
            #"{"webhooks": {"url": "https://a.org", "secret": "short"}}"#,
            ":1: webhooks.secret is not valid: at least 32 bytes that the receiver has too"
        ),
        (
            "{\"http\": {\n\"port\": 1,\n}}",
            " cannot be read: line 3: there is a comma before the closing brace"
        ),
        (
            "{\"http\": {\"host\": \"a\"\n\"port\": 1}}",
            " cannot be read: line 2: a comma or a closing brace is missing before this"
        ),
        (
            "{\n// ports\n\"http\": {}}",
            " cannot be read: line 2: a name in double quotes is expected, not '/'"
        ),
        ("{'http': {}}", " cannot be read: line 1: a name in double quotes is expected, not '''"),
        ("{\"http\" {}}", " cannot be read: line 1: a colon is missing behind \"http\""),
        (
            "{\"http\": {\"host\": localhost}}",
            " cannot be read: line 1: this is neither a number, true nor false; a text needs double quotes"
        ),
        (
            "{\"http\": {\"host\": \"a\n\"}}",
            " cannot be read: line 1: the closing quote is missing"
        ),
        (
            "{\"pages\": {\"embedders\": [\"*\",]}}",
            " cannot be read: line 1: there is a comma before the closing bracket"
        ),
        (
            "{\"pages\": {\"embedders\": [\"a\" \"b\"]}}",
            " cannot be read: line 1: a comma or a closing bracket is missing before this"
        ),
        (
            "{\"http\": {}",
            " cannot be read: line 1: a comma or a closing brace is missing before this"
        ),
        ("{\"http\": ", " cannot be read: line 1: the text ends where a value is expected"),
        ("{}\n}", " cannot be read: line 2: nothing may follow the closing brace, but '}'"),
        ("[]", " cannot be read: it is not a JSON object"),
        (
            "{\"http\": {\"port\": 1,\n\"port\": 2}}",
            " cannot be read: line 2: http.port is there a second time"
        ),
        (
            "http.port = 80",
            " cannot be read: line 1: this is neither a number, true nor false; a text needs double quotes"
        ),
    ]

    /// Several in one file are told at once, and only those: not what follows from them.
    private static let several: [(file: String, words: String)] = [
        (
            """
            {"http": {"prot": 1},
            "udp": {"port": "abc"}}
            """,
            """
            :1: there is no setting http.prot; did you mean http.port?
            FILE:2: udp.port must be a whole number, not "abc"
            """
        ),
        (
            """
            {"http": {"port": 70000},
            "stream": {"playlist": "vod",
            "maximum": 0}}
            """,
            """
            :1: http.port is not valid: 0 to 65535 (found: 70000)
            FILE:2: stream.playlist is not valid: event or live (found: "vod")
            FILE:3: stream.maximum is not valid: 1 to 1000 (found: 0)
            """
        ),
        (
            """
            {"recordings": {"store": {"bucket": "abc", "accessKeyID": "i",
            "secretAccessKey": "s", "addressing": "dns", "partMebibytes": 4}}}
            """,
            """
            :2: recordings.store.addressing is not valid: path or host (found: "dns")
            FILE:2: recordings.store.partMebibytes is not valid: 5 to 5120 (found: 4)
            """
        ),
        (
            #"{"recordings": {"store": {"region": "x", "prefix": "a", "keepLocal": true}}}"#,
            """
            :1: recordings.store.region is not valid: recordings.store.bucket is missing \
            (found: "x")
            """
        ),
        (
            #"{"webhooks": {"url": "https://a.org", "scret": "x"}}"#,
            ":1: there is no setting webhooks.scret; did you mean webhooks.secret?"
        ),
        (
            #"{"http": {"host": "0.0.0.0"}, "auth": {"accessKey": "k", "secret": "short"}}"#,
            ":1: auth.secret is not valid: HS256 needs at least 32 bytes"
        ),
        (
            #"{"openvidu": {"secret": "short", "webhook": {"url": "http://a.example/"}}}"#,
            ":1: openvidu.secret is not valid: at least 8 bytes"
        ),
        (
            #"{"http": {"certificateFile": "c.pem"}}"#,
            """
            :1: http.certificateFile is not valid: certificateFile and privateKeyFile must be \
            given together (found: "c.pem")
            """
        ),
        (
            #"{"stream": {"layout": {"nmae": "grid", "fitt": "crop"}}}"#,
            """
            :1: stream.layout is not valid: layout.fitt is not known; did you mean fit?; \
            layout.nmae is not known; did you mean name? \
            (found: {"nmae": "grid", "fitt": "crop"})
            """
        ),
        (
            #"{"jitsi": {"deployments": {"meet.example": {"usr": "x", "pasword": "y"}}}}"#,
            """
            :1: jitsi.deployments is not valid: meet.example: pasword is not known; \
            did you mean password?; meet.example: usr is not known; did you mean user?
            """
        ),
        (
            """
            {"a": 1, "a": 2,
            "b": 1, "b": 2}
            """,
            " cannot be read: line 1: a is there a second time; line 2: b is there a second time"
        ),
        (
            #"{"http": {"host": "0.0.0.0"}}"#,
            """
            :1: auth.accessKey and auth.secret must be set: the built-in development key is \
            only accepted while http.host is a loopback address; choose a key, and make a secret \
            with `openssl rand -hex 32`, or set http.host to 127.0.0.1 (found: "0.0.0.0")
            """
        ),
        (
            #"{"http": {"publicURL": "https://a.org"}}"#,
            """
            :1: auth.accessKey and auth.secret must be set: the built-in development key is \
            only accepted while http.publicURL, where it is set, names a loopback address; \
            choose a key, and make a secret with `openssl rand -hex 32` \
            (found: "https://a.org")
            """
        ),
    ]

    @Test(arguments: mistakes + several)
    func aMistakeInTheFileIsNamedWithItsPlace(file: String, words: String) throws {
        let scratch = try Scratch()
        let path = try scratch.write(file.utf8, to: "s.json")
        let input = SettingsInput(file: path, environment: [:])
        let error = #expect(throws: SettingsError.self) { try Settings(input) }
        let said = "\(input.explained(try #require(error)))"
        #expect(said.replacingOccurrences(of: path, with: "FILE") == "FILE" + words)
    }

    private static let variables: [([String: String], String)] = [
        (
            ["ROOMCAST_HTTP_PORT": "80a"],
            "ROOMCAST_HTTP_PORT: http.port must be a whole number, not 80a"
        ),
        (
            ["ROOMCAST_STREAM_LOW_LATENCY": "on"],
            "ROOMCAST_STREAM_LOW_LATENCY: stream.lowLatency must be true or false, not on"
        ),
        (
            ["ROOMCAST_UDP_PORT": "99999"],
            "ROOMCAST_UDP_PORT: udp.port is not valid: 0 to 65535 (found: 99999)"
        ),
        (
            ["ROOMCAST_AUTH_SECRET": "a", "ROOMCAST_AUTH_ACCESS_KEY": "b"],
            "ROOMCAST_AUTH_SECRET: auth.secret is not valid: HS256 needs at least 32 bytes"
        ),
    ]

    @Test func thereAreFortyOfThem() {
        #expect(Self.mistakes.count + Self.several.count + Self.variables.count >= 40)
    }

    @Test func faultsAreFewHoweverManyThereAre() throws {
        func said(_ file: String) throws -> [Substring] {
            let scratch = try Scratch()
            let input = SettingsInput(
                file: try scratch.write(file.utf8, to: "s.json"), environment: [:])
            let error = #expect(throws: SettingsError.self) { try Settings(input) }
            return "\(input.explained(try #require(error)))".split(separator: "\n")
        }
        let names = (0..<5000).map { "\"name\($0)\": 1" }.joined(separator: ",")
        let unknown = try said("{\(names)}")
        #expect(unknown.count == 21)
        #expect(unknown.last?.hasSuffix(": there are 4980 more settings like these") == true)
        let wrong = SettingKey.allCases.filter { $0.rawValue.hasPrefix("rooms.") }
            .map { "\"\($0.rawValue.dropFirst(6))\": []" }
        let others = SettingKey.allCases.filter { $0.rawValue.hasPrefix("customView.") }
            .map { "\"\($0.rawValue.dropFirst(11))\": 1.5" }
        #expect(wrong.count + others.count > 20)
        let types = try said(
            "{\"rooms\": {\(wrong.joined(separator: ","))}, "
                + "\"customView\": {\(others.joined(separator: ","))}}")
        #expect(types.count == 20)
    }

    @Test func aFileThatIsNotThereIsNamedWithItsNeighbour() throws {
        let scratch = try Scratch()
        let path = try scratch.write("{}".utf8, to: "roomcast.json")
        try scratch.write("{}".utf8, to: "policy.json")
        let near = String(path.dropLast(2))
        for (missing, words) in [
            (near, "; did you mean roomcast.json?"), ("\(scratch.path)/other.yaml", ""),
            ("/nowhere/roomcast.json", ""),
        ] {
            let input = SettingsInput(file: missing, environment: [:])
            let error = #expect(throws: SettingsError.self) { try Settings(input) }
            #expect(
                "\(input.explained(try #require(error)))"
                    == "\(missing) cannot be read: No such file or directory\(words)")
        }
    }

    @Test func theOptionThatNeedsAKeyIsNamed() throws {
        var input = SettingsInput(environment: [:])
        input.give(host: "0.0.0.0", port: nil, udpPort: nil, directory: nil)
        let error = #expect(throws: SettingsError.self) { try Settings(input) }
        let said = "\(input.explained(try #require(error)))"
        #expect(said.hasPrefix("--host: auth.accessKey and auth.secret must be set: "))
        #expect(said.hasSuffix("or set http.host to 127.0.0.1 (found: 0.0.0.0)"))
    }

    /// What is wrong is not looked at, everything else is.
    @Test func aCheckGoesOnPastWrongSettings() throws {
        let scratch = try Scratch()
        let file = #"{"http": {"port": "a", "prot": 1}, "stream": {"playlist": "vod"}}"#
        let path = try scratch.write(file.utf8, to: "s.json")
        var input = SettingsInput(file: path, environment: [:])
        input.give(host: nil, port: nil, udpPort: 0, directory: scratch.path)
        var lines = ServerCheck(input, now: 0).lines()
        #expect(
            lines.filter { $0.verdict == .wrong }.map(\.subject) == [
                "settings", "settings", "settings",
            ])
        let http = lines.first { $0.subject == "http" }
        #expect(http == CheckLine.note("http", "not looked at, since http.port is not known"))
        for subject in ["access", "media", "streams", "recordings", "codecs", "fonts"] {
            #expect(
                lines.contains { $0.subject == subject && !$0.text.hasPrefix("not looked at") })
        }
        input.file = try scratch.write(
            #"{"http": {"publicURL": "a.org"}}"#.utf8, to: "url.json")
        lines = ServerCheck(input, now: 0).lines()
        let certificate = lines.first { $0.subject == "certificate" }
        #expect(certificate?.text == "not looked at, since http.publicURL is not known")
        input.file = "\(path)n"
        lines = ServerCheck(input, now: 0).lines()
        #expect(lines.first?.text.hasSuffix("did you mean s.json?") == true)
        #expect(lines.contains { $0.subject == "codecs" && $0.verdict == .ok })
        #expect(lines.contains { $0.subject == "streams" && $0.verdict != .wrong })
    }

    @Test(arguments: variables)
    func aMistakeInAVariableIsNamedByIt(environment: [String: String], words: String) throws {
        let input = SettingsInput(environment: environment)
        let error = #expect(throws: SettingsError.self) { try Settings(input) }
        #expect("\(input.explained(try #require(error)))" == words)
    }

    @Test func optionsWinOverVariablesAndTheseOverTheFile() throws {
        let scratch = try Scratch()
        let file = #"{"http": {"host": "127.0.0.2", "port": 1}, "udp": {"port": 4}}"#
        let path = try scratch.write(file.utf8, to: "s.json")
        var input = SettingsInput(
            file: path,
            environment: ["ROOMCAST_HTTP_HOST": "127.0.0.3", "ROOMCAST_HTTP_PORT": "2"])
        input.give(host: nil, port: 3, udpPort: nil, directory: "/d")
        let settings = try Settings(input)
        #expect(settings.http.host == "127.0.0.3")
        #expect(settings.http.port == 3 && settings.udp.port == 4)
        #expect(settings.stream.outputDirectory == "/d/streams")
        #expect(settings.stream.recordings.directory == "/d/recordings")
        let rows = SettingsTable(input).rows.reduce(into: [:]) { $0[$1.name] = $1 }
        #expect(rows["http.host"]?.origin == "ROOMCAST_HTTP_HOST")
        #expect(rows["http.port"]?.origin == "--port")
        #expect(rows["udp.port"]?.origin == "\(path):1")
        #expect(rows["udp.port"]?.value == "4")
        #expect(rows["stream.playlist"]?.value == "event")
        #expect(rows["stream.playlist"]?.origin == nil)
    }

    @Test func anOptionThatIsWrongIsNamedByIt() throws {
        var input = SettingsInput(environment: [:])
        input.give(host: nil, port: 70_000, udpPort: nil, directory: nil)
        let error = #expect(throws: SettingsError.self) { try Settings(input) }
        #expect(
            "\(input.explained(try #require(error)))"
                == "--port: http.port is not valid: 0 to 65535 (found: 70000)")
    }

    @Test func secretsAreNotShown() throws {
        let secret = String(repeating: "s3cret", count: 6)
        let input = SettingsInput(
            environment: ["ROOMCAST_AUTH_SECRET": secret, "ROOMCAST_AUTH_ACCESS_KEY": "mine"])
        let table = SettingsTable(input)
        let lines = table.lines(onlyGiven: true)
        #expect(lines.count == 2)
        #expect(lines.contains { $0.hasPrefix("auth.secret") && $0.contains("(secret)") })
        #expect(!"\(lines)\(table.rows)".contains(secret))
    }

    /// Whoever writes the default into the settings changes nothing.
    @Test func theDefaultsAreThoseThatThePeopleAreTold() throws {
        let needed = [
            "ROOMCAST_TURN_URLS": "turn:relay.example.org",
            "ROOMCAST_TURN_SECRET": String(repeating: "a", count: 20),
            "ROOMCAST_RECORDINGS_STORE_BUCKET": "bucket",
            "ROOMCAST_RECORDINGS_STORE_ACCESS_KEY_ID": "k",
            "ROOMCAST_RECORDINGS_STORE_SECRET_ACCESS_KEY": "s",
            "ROOMCAST_WEBHOOKS_URL": "https://c.org",
            "ROOMCAST_WEBHOOKS_SECRET": String(repeating: "d", count: 32),
        ]
        let plain = try Settings(SettingsInput(environment: needed))
        for key in SettingKey.allCases where [.integer, .number, .flag].contains(key.kind) {
            // In words, since it depends on the machine or on another setting.
            let words: Set<SettingKey> = [
                .udpThreads, .tcpPort, .metricsPort, .pagesOpenTokens, .pagesListRooms,
            ]
            if words.contains(key) { continue }
            let given = try Settings(
                SettingsInput(
                    environment: needed.merging([key.variable: key.defaultText]) { $1 }))
            #expect(given == plain, "\(key.rawValue) = \(key.defaultText)")
        }
    }

    @Test func theTableOfTheDocumentsHasTheSameDefaults() throws {
        let document = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../docs/CONFIGURATION.md"), encoding: .utf8)
        for key in SettingKey.allCases {
            let row = document.split(separator: "\n").first {
                $0.hasPrefix("| [`\(key.rawValue)`]")
            }
            let columns = try #require(row, "\(key.rawValue)").split(separator: "|")
            #expect(columns[1].contains("`\(key.variable)`"))
            let told = columns[3].replacing("`", with: "").trimmingCharacters(in: .whitespaces)
            #expect(told == key.defaultText, "\(key.rawValue)")
        }
    }

    @Test func anUnknownVariableIsNamedWithTheNearestOne() {
        #expect(
            SettingKey.words(forUnknown: "ROOMCAST_HTTP_PROT")
                == "ROOMCAST_HTTP_PROT is no setting; did you mean ROOMCAST_HTTP_PORT?")
    }

    /// Each beginning of a file, and each byte of it replaced, ends; what is no JSON has a fault.
    @Test func theScannerEndsWithEachText() {
        let text = Array(#"{"a": {"b": [1, {"c": "\"x"}, null], "d": true}, "e": -1.5e3}"#.utf8)
        #expect(JSONLines(text).fault == nil)
        #expect(JSONLines(text).places["a.b"]?.text == #"[1, {"c": "\"x"}, null]"#)
        #expect(JSONLines(text).places["a.c"] == nil && JSONLines(text).places["a.d"]?.line == 1)
        for count in 0..<text.count { #expect(JSONLines(text.prefix(count)).fault != nil) }
        for place in text.indices {
            for byte in [0, 0x22, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0xFF] as [UInt8] {
                var changed = text
                changed[place] = byte
                _ = JSONLines(changed)
            }
        }
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        #expect(JSONLines(deep).fault?.reason == "the nesting is too deep")
    }
}
