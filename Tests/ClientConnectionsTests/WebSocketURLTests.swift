import Testing

@testable import ClientConnections

@Suite struct WebSocketURLTests {
    @Test func partsAreTakenAsTheyAre() throws {
        let url = try #require(WebSocketURL("ws://rooms.example:8080/ws", adding: [("a", "b")]))
        #expect(url.host == "rooms.example" && url.port == 8080 && !url.isSecure)
        #expect(url.target == "/ws?a=b")
        #expect(url.authority == "rooms.example:8080")
    }

    @Test func portsFollowFromTheSchemeAndAreThenNotNamed() throws {
        let plain = try #require(WebSocketURL("ws://h", adding: [("a", "b")]))
        #expect(plain.port == 80 && plain.authority == "h" && plain.target == "/?a=b")
        let secure = try #require(WebSocketURL("WSS://h/x", adding: [("a", "b")]))
        #expect(secure.port == 443 && secure.authority == "h" && secure.isSecure)
        let crossed = try #require(WebSocketURL("ws://h:443", adding: [("a", "b")]))
        #expect(crossed.authority == "h:443")
    }

    @Test func whatIsAddedIsEncodedAndWhatWasThereIsKept() throws {
        let url = try #require(
            WebSocketURL(
                "wss://h/ws?room=r%20one&x=1",
                adding: [("token", "a+b/c=d&e"), ("peer", "grüße #1")]))
        #expect(
            url.target
                == "/ws?room=r%20one&x=1&token=a%2Bb/c%3Dd%26e&peer=gr%C3%BC%C3%9Fe%20%231")
    }

    @Test func withoutAQueryThereIsNoQuestionMark() throws {
        #expect(try #require(WebSocketURL("ws://h/ws", adding: [])).target == "/ws")
    }

    @Test func addressesAreNoNames() throws {
        let six = try #require(WebSocketURL("wss://[2001:db8::1]:9000/ws", adding: [("a", "b")]))
        #expect(six.host == "2001:db8::1" && six.port == 9000)
        #expect(six.authority == "[2001:db8::1]:9000")
        let four = try #require(WebSocketURL("wss://192.0.2.1/ws", adding: [("a", "b")]))
        #expect(four.host == "192.0.2.1")
    }

    @Test(arguments: ["", "ws:", "ws://", "http://h/ws", "h:80/ws", "//h/ws", "ws://h:port/"])
    func whatIsNoWebSocketURLIsNil(text: String) {
        #expect(WebSocketURL(text, adding: [("a", "b")]) == nil)
    }
}
