import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import ControlAPI

@Suite struct ErrorPageTests {
    /// The header that Chromium, Firefox and Safari send when they open an address.
    private static let browser =
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

    @Test(arguments: ["/nowhere", "/watch/a%20b", "/hls/a/b/master.m3u8", "/v2/nothing"])
    func aPersonGetsAPageAndAProgramTheJSON(path: String) async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let person = try await client.execute(
                uri: path, method: .get, headers: [.accept: Self.browser])
            #expect(person.headers[.contentType] == "text/html; charset=utf-8")
            let text = String(buffer: person.body)
            #expect(text.contains("<h1>") && text.contains("href=\"/\""))
            for accept in [nil, "*/*", "application/json"] {
                let program = try await client.execute(
                    uri: path, method: .get, headers: accept.map { [.accept: $0] } ?? [:])
                #expect(program.status == person.status)
                #expect(try TestJSON.object(program)["code"] as? Int == program.status.code)
            }
            let form = try await client.execute(
                uri: path, method: .post, headers: [.accept: Self.browser])
            #expect(form.headers[.contentType]?.hasPrefix("application/json") == true)
        }
    }

    @Test func whatACallerSaidIsTextOnThePage() {
        let page = ErrorPage(
            error: APIError(.badRequest, "<script>alert(1)</script>", details: ["a & \"b\""]))
        #expect(ErrorPage.escaped("<b> & \"'") == "&lt;b&gt; &amp; &quot;&#39;")
        #expect(ErrorPage.escaped("\"\u{301}") == "&quot;\u{301}", "which is one character")
        #expect(page.answer.status == .badRequest)
        #expect(page.answer.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
    }
}
