import MediaKernel
import Testing

@testable import WebPage

/// What a page says, on its way to logs and reasons.
@Suite struct PageReaderTests {
    private func reader(_ url: String = "https://x.org/board?key=secret#top") throws -> PageReader {
        PageReader(page: try #require(WebAddress(url)), frame: "F")
    }

    private func said(_ text: String, _ kind: String = "log") -> JSONValue {
        .object([
            "type": .string(kind),
            "args": .array([.object(["type": "string", "value": .string(text)])]),
        ])
    }

    @Test func thePagesQueryIsShownToNobody() throws {
        var reader = try reader()
        let entry = JSONValue.object([
            "entry": .object([
                "level": "error", "url": "https://x.org/board?key=secret",
                "text": "Mixed Content at 'https://x.org/board?key=secret&skip_preview=true'",
            ])
        ])
        let shown = "Mixed Content at 'https://x.org/board?…&skip_preview=true' https://x.org/board"
        #expect(
            reader.signs(of: "Log.entryAdded", entry)
                == [.line(kind: "error", shown, .complained(shown))])
        let words = "at https://x.org/board?…"
        #expect(
            reader.signs(
                of: "Runtime.consoleAPICalled", said("at https://x.org/board?key=secret", "error"))
                == [.line(kind: "error", words, .complained(words))])
    }

    /// Where the reading ends, a query may be cut in two, and its half is not recognized any more.
    @Test func theQueryIsHiddenWhereReadingEnds() throws {
        var reader = try reader()
        for shift in 0..<11 {
            let words =
                String(repeating: "?key=secret", count: 5957) + String(repeating: "-", count: shift)
                + "?key=secret"
            let signs = reader.signs(of: "Runtime.consoleAPICalled", said(words))
            let shown = signs.map { "\($0)" }.joined()
            #expect(!signs.isEmpty && !shown.contains("?k"))
        }
    }

    @Test func aLineHasNoOrdersToATerminalAndNoSecondLine() throws {
        var reader = try reader()
        let signs = reader.signs(
            of: "Runtime.consoleAPICalled", said("a\u{1b}[31mb\r\nc\u{2028}d\u{202e}e\u{85}f\u{0}"))
        let shown = "a [31mb  c d e f "
        #expect(signs == [.line(kind: "log", shown, .said(shown))])
    }

    @Test func wordsAreCutByBytesSinceOneCharacterMayHaveAMillion() {
        let tower = "a" + String(repeating: "\u{301}", count: 1 << 20)
        #expect(tower.count == 1)
        #expect(PageWords.line(tower, bytesMaximum: 5) == "a\u{301}\u{301}")
        #expect(PageWords.line("häh", bytesMaximum: 2) == "h")
        var watch = PageWatch(rules: PageWatch.Rules(), at: .zero)
        _ = watch.handle(.complained(tower), at: .zero)
        _ = watch.handle(.refused(tower), at: .zero)
        guard case .fail(let reason) = watch.handle(.unreachable("net::ERR_CERT"), at: .zero)
        else {
            Issue.record("a certificate that is not valid is final")
            return
        }
        #expect(reason.utf8.count < 1000)
    }

    @Test func onlyTheMainFramesDocumentIsThePage() throws {
        var reader = try reader()
        func navigated(_ frame: String, _ url: String) -> JSONValue {
            .object([
                "frame": .object(["id": .string(frame), "url": .string(url), "loaderId": "L"])
            ])
        }
        func lifecycle(_ name: String, _ loader: String) -> JSONValue {
            .object([
                "frameId": "F", "name": .string(name), "loaderId": .string(loader),
            ])
        }
        #expect(reader.signs(of: "Page.frameNavigated", navigated("G", "https://y.org/")).isEmpty)
        #expect(
            reader.signs(of: "Page.frameNavigated", navigated("F", SenderPage.stageURL)).isEmpty)
        #expect(reader.signs(of: "Page.lifecycleEvent", lifecycle("firstPaint", "L")).isEmpty)
        #expect(
            reader.signs(of: "Page.frameNavigated", navigated("F", "https://x.org/"))
                == [.fact(.committed)])
        #expect(
            reader.signs(of: "Page.lifecycleEvent", lifecycle("firstPaint", "L"))
                == [.fact(.painted)])
        #expect(reader.signs(of: "Page.lifecycleEvent", lifecycle("firstPaint", "M")).isEmpty)
    }
}

/// Who may send datagrams.
@Suite struct BrowserPreferencesTests {
    @Test func onlyOurDocumentAndListedHostsHaveDatagrams() throws {
        let hosts = try #require(
            WebHosts(["Meet.example.org", "*.example.net:8443", "10.0.0.1:81"], allowsHTTP: true))
        let text = BrowserPreferences.bytes(hosts: hosts)
        let web = try #require(try JSONDocument.decode(JSONValue.self, from: text)["webrtc"])
        #expect(web["ip_handling_policy"] == "disable_non_proxied_udp")
        let rules = (web["ip_handling_url"]?.list ?? []).compactMap { rule in
            rule["url"]?.text.map { "\($0) \(rule["handling"]?.text ?? "")" }
        }
        #expect(
            rules == [
                "https://roomcast.invalid default",
                "https://meet.example.org:443 default", "http://meet.example.org:80 default",
                "https://10.0.0.1:81 default", "http://10.0.0.1:81 default",
                "https://example.net:8443 disable_non_proxied_udp",
                "http://example.net:8443 disable_non_proxied_udp",
                "https://[*.]example.net:8443 default", "http://[*.]example.net:8443 default",
            ])
    }
}
