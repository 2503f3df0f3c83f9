import MediaKernel
import Testing

@Suite struct HTTPURLTests {
    @Test func anAddressIsTakenApart() throws {
        let url = try #require(HTTPURL("HTTPS://Example.org:8443/a/b?c=/d#e"))
        #expect(url.isSecure)
        #expect(url.authority == "Example.org:8443")
        #expect(url.target == "/a/b?c=/d#e")
        #expect(url.path == "/a/b")
        #expect(url.origin == "https://Example.org:8443")
        #expect(url.description == "https://Example.org:8443/a/b?c=/d#e")
    }

    @Test(arguments: [
        ("http://h", "h", ""), ("http://[::1]:80", "[::1]:80", ""), ("http://h?a", "h", "?a"),
        ("http://h#a?b", "h", "#a?b"), ("http://u@h/", "u@h", "/"),
    ])
    func theHostEndsWhereSomethingElseBegins(_ text: String, _ authority: String, _ target: String)
        throws
    {
        let url = try #require(HTTPURL(text))
        #expect(!url.isSecure && url.authority == authority && url.target == target)
        #expect(url == HTTPURL(isSecure: false, authority: authority, target: target))
        #expect(url.description == text)
    }

    @Test(arguments: [
        ("Example.org:8443", "example.org"), ("[2001:DB8::1]:80", "2001:db8::1"), ("[::1]", "::1"),
        ("u:p@h:1", "h"), ("u@v@h", "h"), ("[::1", ""), ("u@", ""),
    ])
    func aHostIsNamedWithoutWhatIsAroundIt(authority: String, host: String) {
        #expect(HTTPURL("https://\(authority)/a@b:c")?.host == host)
    }

    @Test(arguments: [
        "h", "h.example.org", "h_1-2", "127.0.0.1:65535", "[::1]", "[2001:db8::1]:443", "u:p@h:1",
    ])
    func whereSomebodyMayBe(_ authority: String) {
        #expect(HTTPURL("https://\(authority)/a@b:c")?.canBeReached == true)
    }

    @Test(arguments: [
        "127.0.0.1:99999", "[::1]:70000", "h:0", "h:", "h:+1", "h:1x", "%5B%5D", "[]", "[::]x",
        "[::1",
        "-", "a b", "h%00", "ö.example", "u@", ":80",
    ])
    func whereNobodyCanBe(_ authority: String) {
        #expect(HTTPURL("https://\(authority)/")?.canBeReached == false)
    }

    @Test(arguments: [
        "", "h", "//h", "/a", "http:", "http://", "https:///a", "http://?a", "http:/h", "ftp://h",
        " http://h", "httpx://h",
    ])
    func whatNamesNoHostIsNone(_ text: String) {
        #expect(HTTPURL(text) == nil)
    }
}
