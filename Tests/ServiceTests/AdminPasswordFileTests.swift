import CDispatch
import Digests
import Foundation
import Glibc
import Logging
import MediaKernel
import Testing
import Tokens
import Workbench

@testable import ControlAPI
@testable import Service

@Suite struct AdminPasswordFileTests {
    @Test func whatIsWrittenIsReadAndNobodyElseMay() throws {
        let scratch = try Scratch()
        let file = AdminPasswordFile(path: "\(scratch.path)/admin-password")
        #expect(file.read() == .notSet)
        let cost = try #require(Scrypt(exponent: 4))
        for word in ["the first one", "the second one"] {
            let hash = try #require(PasswordHash(password: word, cost: cost))
            try file.write(hash)
            #expect(file.read() == .set(hash))
        }
        var status = stat()
        #expect(stat(file.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["admin-password"])
    }

    @Test(arguments: ["", "secret", String(repeating: "$", count: 100_000)])
    func anythingElseIsUnusable(text: String) throws {
        let scratch = try Scratch()
        try scratch.write(text.utf8, to: "admin-password")
        #expect(AdminPasswordFile(path: "\(scratch.path)/admin-password").read() == .unusable)
    }

    @Test func aDirectoryThatIsMissingIsNamed() throws {
        let cost = try #require(Scrypt(exponent: 4))
        let hash = try #require(PasswordHash(password: "a", cost: cost))
        let error = #expect(throws: AdminPasswordFile.SystemError.self) {
            try AdminPasswordFile(path: "/nowhere/admin-password").write(hash)
        }
        #expect(error?.description.contains("/nowhere") == true)
    }

    @Test func theLogsLinesAreKeptForThePage() throws {
        let ring = LogRing()
        var handler = LineLogHandler(
            label: "roomcast", level: LogLevel(.info), format: .json, copy: ring.take,
            time: { UnixTime(seconds: 1) }, write: { _ in })
        handler[metadataKey: "room"] = "demo"
        let logger = Logger(label: "roomcast") { _ in handler }
        logger.notice("bot started", metadata: ["stream": "s1"])
        let line = try #require(ring.lines(LogRing.Query()).lines.first)
        #expect(line.message == "bot started" && line.level == .notice)
        #expect(line.fields.map { "\($0.name)=\($0.value)" } == ["room=demo", "stream=s1"])
    }

    @Test func thePageIsToldNoSecretsOfTheSettings() {
        let input = SettingsInput(
            file: nil,
            environment: [
                "ROOMCAST_AUTH_ACCESS_KEY": "key", "ROOMCAST_AUTH_SECRET": "very-secret-indeed",
                "ROOMCAST_HTTP_PORT": "9000",
            ])
        let rows = SettingsTable(input).inForce
        #expect(!rows.contains { $0.given.value?.contains("very-secret") == true })
        #expect(
            rows.contains(
                SettingInForce(
                    name: "auth.secret", value: nil, origin: "ROOMCAST_AUTH_SECRET")))
        #expect(
            rows.contains(
                SettingInForce(name: "http.port", value: "9000", origin: "ROOMCAST_HTTP_PORT")))
        #expect(rows.count == SettingKey.allCases.count)
    }
}
