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

    @Test(arguments: mistakes)
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
