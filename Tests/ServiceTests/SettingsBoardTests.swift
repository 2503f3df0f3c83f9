import ControlAPI
import Testing

@testable import Service

@Suite struct SettingsBoardTests {
    private static func given(_ port: String, _ level: String, line: Int = 1) -> [SettingInForce] {
        [
            SettingInForce(name: "http.port", value: port, origin: "a.json:\(line)"),
            SettingInForce(name: "log.level", value: level, origin: "a.json:\(line + 1)"),
        ]
    }

    private let board = SettingsBoard(Self.given("8080", "info"))

    @Test func whatARunningServerTakesIsInForce() {
        board.take(Self.given("8080", "debug", line: 4), waiting: [])
        #expect(board.shown == SettingsShown(data: Self.given("8080", "debug", line: 4)))
    }

    @Test func otherSettingsStayUntilARestart() {
        for port in ["80", "81"] {
            board.take(Self.given(port, "debug"), waiting: ["http.port"])
            #expect(board.shown.data[0].given == .init(value: "8080", origin: "a.json:1"))
            #expect(board.shown.data[0].afterRestart == .init(value: port, origin: "a.json:1"))
            #expect(board.shown.data[1].given.value == "debug")
        }
        // As it was again: nothing waits.
        board.take(Self.given("8080", "info"), waiting: [])
        #expect(board.shown == SettingsShown(data: Self.given("8080", "info")))
    }

    @Test func mistakesAreToldUntilTheyAreMended() {
        board.refuse("a.json:1: wrong")
        #expect(board.shown.fault == "a.json:1: wrong")
        #expect(board.shown.data == Self.given("8080", "info"))
        board.take(Self.given("8080", "info"), waiting: [])
        #expect(board.shown.fault == nil)
    }
}
