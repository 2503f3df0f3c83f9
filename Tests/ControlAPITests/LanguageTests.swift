import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import Workbench

@testable import ControlAPI

/// Which language a reader gets, and what of a page is in it.
@Suite struct LanguageTests {
    @Test(arguments: [
        ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("DE-ch", "de"), ("fr, es;q=0.5", "es"),
        ("en-US,en;q=0.9,de;q=0.8", "en"), ("es;q=0.2, de;q=0.7", "de"),
        ("de;q=0.5, es;q=0.5", "de"),
        ("pt-BR", "pt-br"), ("pt", nil), ("fr", nil), ("", nil), ("*", nil), ("*, de;q=0.5", nil),
        ("de-AT, de;q=0", nil), ("de-AT, de;q=0, es;q=0.5", "es"),
        ("fr, *;q=0.1", nil), ("de;q=0", nil), ("de;q=0.000, es", "es"), ("de;q=1.000", "de"),
        (" de ; q=0.5 , es;\tq=0.6 ", "es"), (",,de,,", "de"),
        // Malformed ranges count for nothing.
        ("de;q=2, es", "es"), ("de;q=-1", nil), ("de;q=0.1234, es;q=0.1", "es"), ("de;q=x", nil),
        ("de;q=", nil), ("d\u{e9}, es", "es"), ("../../de", nil), ("de;level=1", nil),
        ("-de-", nil), ("de--x", "de"),
    ])
    func theReadersLanguageIsChosen(header: String, language: String?) {
        let languages = ["de", "en", "es", "pt-br"]
        #expect(AcceptedLanguages(header).choice(among: languages) == language, "\(header)")
    }

    @Test func hostileHeadersCostLittle() {
        for piece in ["a,", "de-", ";", "q=0.1,", "*,", "\u{0},", ", "] {
            let header = String(repeating: piece, count: 1 << 20)
            #expect(AcceptedLanguages(header).ranges.count <= AcceptedLanguages.rangesMaximum)
        }
        let late = String(repeating: "x,", count: AcceptedLanguages.rangesMaximum) + "de"
        #expect(AcceptedLanguages(late).choice(among: ["de"]) == nil)
    }

    private func texts(_ entries: [String: String]) throws -> Texts {
        try Texts(language: "de", file: Array(JSONEncoder().encode(entries)))
    }

    @Test func aPageIsTranslated() throws {
        let page = """
            <!doctype html>
            <html lang="en"><head><title>Hello</title><meta name="x" content="Hello">
            <meta name="description" content="Hello">
              </head><body><!-- Hello -->
            <p title="Hello" data-x="Hello">  Run <code>x</code>
              now.<br>Bye <b>Hello</b> Other
            </p><pre>Hello</pre><i data-context="sea">Hello</i></body></html>
            """
        let made = PageTranslation(
            try texts([
                "Hello": "Hall\u{f6} \"&",
                "Run <code>x</code> now.<br>Bye": "Los <code>x</code><b>",
                "sea|Hello": "Ahoi",
            ])
        ).translated(Array(page.utf8))
        #expect(
            String(decoding: made, as: UTF8.self) == """
                <!doctype html>
                <html lang="de"><head><title>Hallö &quot;&amp;</title><meta name="x" content="Hello">
                <meta name="description" content="Hallö &quot;&amp;">
                    <link rel="preload" href="/assets/texts/de.json" as="fetch" crossorigin>
                  </head><body><!-- Hello -->
                <p title="Hallö &quot;&amp;" data-x="Hello">  Los <code>x</code>&lt;b&gt; \
                <b>Hallö &quot;&amp;</b> Other
                </p><pre>Hello</pre><i data-context="sea">Ahoi</i></body></html>
                """)
    }

    @Test func aPageThatEndsAnywhereStaysAPage() throws {
        let translation = PageTranslation(try texts(["a": "b"]))
        let page = Array("<html lang=\"en\"><p title=\"a\">a</p><!-- a --><pre>a</pre></html>".utf8)
        for end in page.indices {
            #expect(!translation.translated(Array(page[..<end])).isEmpty || end == 0)
        }
    }

    @Test func valuesAreFilledInOnce() throws {
        let texts = try texts(["{a} of {b}": "{b}: {a} {c} {"])
        #expect(texts("{a} of {b}", ["a": "{b}", "b": "{a}"]) == "{a}: {b} {c} {")
        #expect(texts("{a}!", ["a": "x"]) == "x!")
        #expect(Texts.english("{a}{a}", ["a": "x"]) == "xx")
    }

    @Test func pagesAndErrorsAreInTheReadersLanguage() async throws {
        let world = try await TestWorld()
        let page = "<!doctype html><html lang=\"en\"><head>\n  </head><p>Hello</p></html>"
        try world.scratch.write(page.utf8, to: "web/index.html")
        let german = #"{"Hello": "Hallo", "There is nothing here": "Hier ist nichts"}"#
        try world.scratch.write(german.utf8, to: "web/assets/texts/de.json")
        try await world.routes { client in
            func get(_ path: String, _ language: String?, tag: String? = nil) async throws
                -> TestResponse
            {
                var headers: HTTPFields = [.accept: "text/html"]
                headers[.acceptLanguage] = language
                headers[.ifNoneMatch] = tag
                return try await client.execute(uri: path, method: .get, headers: headers)
            }
            let plain = try await get("/", nil)
            #expect(String(buffer: plain.body) == page)
            let english = try await get("/", "en-US,en;q=0.9,de;q=0.8")
            #expect(english.headers[.eTag] == plain.headers[.eTag])
            let translated = try await get("/", "de-DE")
            #expect(String(buffer: translated.body).contains("<html lang=\"de\">"))
            #expect(String(buffer: translated.body).contains("<p>Hallo</p>"))
            #expect(translated.headers[.contentLanguage] == "de")
            #expect(translated.headers[.eTag] != plain.headers[.eTag])
            let tag = translated.headers[.eTag]
            for answer in [plain, translated, try await get("/", "de", tag: tag)] {
                #expect(answer.headers[.vary] == "Accept-Language")
            }
            #expect(try await get("/", "de", tag: tag).status == .notModified)
            #expect(try await get("/", "en", tag: tag).status == .ok)
            let lost = try await get("/nowhere", "de")
            #expect(lost.headers[.vary] == "Accept, Accept-Language")
            #expect(lost.headers[.contentLanguage] == "de")
            let text = String(buffer: lost.body)
            #expect(
                text.contains("<html lang=\"de\">") && text.contains("<h1>Hier ist nichts</h1>"))
            #expect(text.contains("<p class=\"quiet\" lang=\"en\">404"))
            let other = String(buffer: try await get("/nowhere", "fr").body)
            #expect(
                other.contains("<html lang=\"en\">") && other.contains("<p class=\"quiet\">404"))
        }
    }

    @Test(arguments: [("de", "[]"), ("de", "{"), ("xx yy", "{}"), ("en", "{}"), ("_", "{}")])
    func badFilesAreNamed(name: String, content: String) async throws {
        let world = try await TestWorld()
        try world.scratch.write(content.utf8, to: "web/assets/texts/\(name).json")
        #expect(throws: HTTPServiceError.self) { _ = try world.service }
    }
}
