import MediaKernel
import Testing

@Suite struct NearestNamesTests {
    private let names = NearestNames(["http.port", "http.host", "udp.port"])

    @Test func namesThatWereMeant() {
        #expect(names.of("http.prot") == ["http.port"])
        #expect(names.of("HTTP_PORT") == ["http.port"])
        #expect(names.of("host") == ["http.host"])
        #expect(names.of("port") == ["http.port", "udp.port"])
        #expect(names.of("") == [] && names.of("weather") == [])
        #expect(names.of(String(repeating: "x", count: 1000)) == [])
    }

    @Test func theQuestionNamesThemAll() {
        #expect(names.question(after: "http.prot") == "; did you mean http.port?")
        #expect(names.question(after: "port") == "; did you mean http.port or udp.port?")
        #expect(names.question(after: "weather") == "")
    }

    @Test func aMisspellingResemblesANameAndAnotherNameDoesNot() {
        #expect(NearestNames(["roles"]).resembles("role"))
        #expect(NearestNames(["publishParams"]).resembles("publish_param"))
        #expect(!NearestNames(["roles"]).resembles("rule"))
        #expect(!NearestNames(["roles"]).resembles("r"))
        #expect(!names.resembles(String(repeating: "x", count: 1000)))
    }
}
