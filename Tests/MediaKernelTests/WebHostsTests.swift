import MediaKernel
import Testing

@Suite struct WebHostsTests {
    @Test func onlyListedHostsAreAllowed() throws {
        let hosts = try #require(
            WebHosts(["example.com", "*.cdn.example.org", "127.0.0.1:8080", "pics.net:444"]))
        let allowed = [
            "https://example.com/a.png", "HTTPS://EXAMPLE.COM", "https://a.cdn.example.org/x?y=1",
            "https://a.b.cdn.example.org/", "https://127.0.0.1:8080/a", "https://pics.net:444/#f",
            "https://example.com:443/a.png",
        ]
        for text in allowed { #expect(hosts.allowed(text) != nil, "\(text)") }
        let refused = [
            "http://example.com/a.png", "https://example.com:8443/",
            "https://example.com.evil.net/",
            "https://evil.net/?https://example.com/", "https://cdn.example.org/",
            "https://evilcdn.example.org/", "https://127.0.0.1/", "https://pics.net/",
            "https://user@example.com/", "https://example.com@evil.net/",
            "https://evil.net\\@example.com/", "https://example.com\t.evil.net/",
            "https://example.com\u{2F0F}/", "https://еxample.com/", "https:///a", "https://",
            "ftp://example.com/", "//example.com/", "example.com", "https://example.com:/",
            "https://example.com:+443/", "https://example.com:99999/", "https://[::1]/",
            "https://.example.com/", "",
        ]
        for text in refused { #expect(hosts.allowed(text) == nil, "\(text)") }
    }

    @Test func plainHTTPMustBeAllowed() throws {
        let hosts = try #require(WebHosts(["127.0.0.1:8080"], allowsHTTP: true))
        #expect(hosts.allowed("http://127.0.0.1:8080/a.png") != nil)
        let named = try #require(WebHosts(["example.com:80"], allowsHTTP: true))
        #expect(named.allowed("http://example.com/") != nil)
        #expect(named.allowed("https://example.com/") == nil)
        #expect(WebHosts().allowed("https://example.com/") == nil)
    }

    @Test(arguments: [
        (false, ["https://example.com", "https://*.a.org:8443"]),
        (
            true,
            [
                "https://example.com", "http://example.com:443", "https://*.a.org:8443",
                "http://*.a.org:8443",
            ]
        ),
    ])
    func theyAreSourcesOfAPolicy(allowsHTTP: Bool, sources: [String]) throws {
        let hosts = try #require(
            WebHosts(["Example.com:443", "*.a.org:8443"], allowsHTTP: allowsHTTP))
        #expect(hosts.sources == sources)
        #expect(WebHosts(["example.com"])?.sources == ["https://example.com"])
        #expect(WebHosts().sources == [])
    }

    @Test func entriesMustBeHosts() {
        for entry in ["", "https://example.com", "example.com/", "a b", "*", "*.", "a@b", "a:b"] {
            #expect(WebHosts([entry]) == nil, "\(entry)")
        }
    }
}
