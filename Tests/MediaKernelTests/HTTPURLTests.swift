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
        "", "h", "//h", "/a", "http:", "http://", "https:///a", "http://?a", "http:/h", "ftp://h",
        " http://h", "httpx://h",
    ])
    func whatNamesNoHostIsNone(_ text: String) {
        #expect(HTTPURL(text) == nil)
    }
}
