import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Streams
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct CaptionRouteTests {
    private static let uri = "/v2/live-streams/stream-1/captions"

    @Test func theyAreTakenAndAnsweredWithTheStream() async throws {
        try await TestWorld.withStream { world, client, headers in
            let now = TestWorld.now.milliseconds
            let answer = try await client.execute(
                uri: Self.uri, method: .post, headers: headers,
                body: ByteBuffer(
                    string: #"""
                        {"language":"en","captions":[
                        {"text":"a","start":\#(now - 5),"end":\#(now + 5),"speaker":"Ann",
                         "peer_id":"p1"},
                        {"text":"b","start":-1500,"end":-500},{"text":"cc"}]}
                        """#))
            #expect(answer.status == .ok)
            #expect(try TestJSON.object(answer)["id"] as? String == "stream-1")
            let (taken, language) = world.control.state.withLock {
                ($0.captions, $0.captionLanguage)
            }
            #expect(language == "en")
            #expect(
                taken == [
                    CaptionRequest(
                        text: "a", start: now - 5, end: now + 5, speaker: "Ann", peer: "p1"),
                    CaptionRequest(text: "b", start: now - 1500, end: now - 500),
                    CaptionRequest(text: "cc", start: now, end: now + 1120),
                ])
            let unauthorized = try await client.execute(uri: Self.uri, method: .post)
            #expect(unauthorized.status == .unauthorized)
        }
    }

    @Test(arguments: [
        (#"{"captions":1}"#, "malformed body", "captions is not of type array"),
        (#"{"captions":[{}]}"#, "malformed body", "captions.[0].text is missing"),
        (
            #"{"captions":[{"text":"a","starts":1}]}"#, "malformed body",
            "captions[0].starts is not known; did you mean start?"
        ),
        (#"{"captions":[]}"#, "captions are not valid", "captions are 1 to 100 in one request"),
        (
            #"{"captions":[{"text":"a"},{"text":" \n"}]}"#, "captions are not valid",
            "captions[1].text must have 1 to 500 characters"
        ),
        (
            #"{"captions":[{"text":"a","speaker":"\#(String(repeating: "ü", count: 129))"}]}"#,
            "captions are not valid", "captions[0].speaker must have at most 128 characters"
        ),
        (
            #"{"captions":[{"text":"a","start":1000000000000}]}"#, "captions are not valid",
            "captions[0].start must lie within the last day or the next hour, in milliseconds"
        ),
        (
            #"{"captions":[{"text":"a","start":3600001}]}"#, "captions are not valid",
            "captions[0].start must lie within the last day or the next hour, in milliseconds"
        ),
        (
            #"{"captions":[{"text":"a","start":9223372036854775807}]}"#, "captions are not valid",
            "captions[0].start must lie within the last day or the next hour, in milliseconds"
        ),
        (
            #"{"captions":[{"text":"a","start":0,"end":0}]}"#, "captions are not valid",
            "captions[0].end must be after start, by at most 60000 ms"
        ),
        (
            #"{"captions":[{"text":"a","start":0,"end":60001}]}"#, "captions are not valid",
            "captions[0].end must be after start, by at most 60000 ms"
        ),
    ])
    func whatIsWrongIsNamed(body: String, message: String, detail: String) async throws {
        try await TestWorld.withStream { world, client, headers in
            let answer = try await client.execute(
                uri: Self.uri, method: .post, headers: headers, body: ByteBuffer(string: body))
            #expect(
                try TestJSON.decode(APIError.Body.self, answer)
                    == .init(code: 400, message: message, details: [detail]))
            #expect(world.control.state.withLock { $0.captions }.isEmpty)
        }
    }

    @Test(arguments: [
        (LiveStreamError.notRunning("stream-1"), 409),
        (.tooManyCaptions("stream-1", maximum: 5), 409), (.tooFast(perSecond: 10), 429),
        (.invalidCaption("language is one of en, de"), 400),
    ])
    func refusalsHaveTheirStatus(error: LiveStreamError, code: Int) async throws {
        try await TestWorld.withStream { world, client, headers in
            world.control.state.withLock { $0.failure = error }
            let answer = try await client.execute(
                uri: Self.uri, method: .post, headers: headers,
                body: ByteBuffer(string: #"{"captions":[{"text":"a"}]}"#))
            let body = try TestJSON.refusal(answer)
            #expect(body.code == code && body == APIError(error).body)
        }
    }

    @Test(
        arguments: [
            (#"[{"code":"en","name":"English"},{"code":"pt-BR"}]"#, nil),
            ("[]", nil),
            (#"[{"code":"e"}]"#, "a language's code is like en or pt-BR"),
            (#"[{"code":"../x"}]"#, "a language's code is like en or pt-BR"),
            (#"[{"code":"en-"}]"#, "a language's code is like en or pt-BR"),
            (
                #"[{"code":"en","name":"a\"b"}]"#,
                "a language's name has 1 to 64 characters, without quotation marks and line breaks"
            ),
            (
                #"[{"code":"en","name":"a"},{"code":"EN","name":"b"}]"#,
                "each language has another code and another name"
            ),
            (
                #"[{"code":"en","name":"a"},{"code":"de","name":"a"}]"#,
                "each language has another code and another name"
            ),
            (
                "["
                    + (0..<9).map { #"{"code":"e\#("abcdefghi".dropFirst($0).prefix(1))"}"# }
                    .joined(separator: ",") + "]", "at most 8 languages"
            ),
        ] as [(String, String?)])
    func theLanguagesOfAStartAreChecked(languages: String, fault: String?) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(string: #"{"captions":{"languages":\#(languages)}}"#))
            if let fault {
                #expect(
                    try TestJSON.decode(APIError.Body.self, answer)
                        == .init(code: 400, message: "captions are not valid", details: [fault]))
            } else {
                #expect(answer.status == .ok)
                let captions = world.control.state.withLock { $0.requests.last?.captions }
                #expect(captions != nil)
            }
        }
    }
}
