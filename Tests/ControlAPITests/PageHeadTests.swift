import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import Streams
import Synchronization
import Testing
import Workbench

@testable import ControlAPI

/// What programs that show links are told of the pages.
@Suite struct PageHeadTests {
    private static let nasty = "\"><script>alert(1)</script>"

    private func head(_ text: String) -> PageHead {
        PageHead(
            title: text, description: text, url: "https://h/\(text)",
            picture: PageHead.Picture(url: "https://h/\(text).png", description: text))
    }

    @Test(arguments: [
        nasty, "'/onload=", "</title><img>", "&amp;quot;", "a\u{0}b",
        // Each is one character together with its accent.
        "\"\u{301} onload=x \"\u{301}", "<\u{338}script>",
    ])
    func foreignTextStaysText(text: String) {
        let page = Array("<html><head>\n    <title>Room</title>\n  </head><body></body>".utf8)
        let made = String(decoding: head(text).put(into: page), as: UTF8.self)
        let scalars = Array(made.unicodeScalars)
        // All quotation marks are our own: each tag has an even number of them, and no text ends one.
        for line in made.split(separator: "\n") where line.contains("<meta") {
            let marks = line.unicodeScalars.filter { $0 == "\"" }.count
            #expect(marks == 4, "\(line)")
            #expect(line.unicodeScalars.filter { $0 == "<" }.count == 1, "\(line)")
        }
        #expect(!made.contains("<script>") && !made.contains("<img>"))
        #expect(scalars.filter { $0 == "<" }.count == 21, "those of the page and of 14 tags")
        #expect(!scalars.contains("\0"))
    }

    @Test func aPageWithoutAHeadStaysAsItIs() {
        #expect(head("x").put(into: Array("<p>".utf8)) == Array("<p>".utf8))
    }

    @Test func roomsAndStreamsSayWhatTheyAre() async throws {
        var world = try await TestWorld()
        world.configuration.publicBaseURL = "https://live.example.org/"
        for page in ["room.html", "watch.html", "embed.html"] {
            try world.scratch.write(
                "<head>\n    <title>x</title>\n  </head>".utf8, to: "web/\(page)")
        }
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            func text(_ path: String) async throws -> String {
                let answer = try await client.execute(uri: path, method: .get)
                #expect(answer.status == .ok)
                return String(buffer: answer.body)
            }
            let room = try await text("/rooms/xn--3e0bk47br7k")
            #expect(room.contains("<title>한국어 · Roomcast</title>"))
            #expect(room.contains(#"property="og:title" content="한국어""#))
            #expect(
                room.contains(#"og:url" content="https://live.example.org/rooms/xn--3e0bk47br7k""#))
            #expect(
                room.contains(
                    #"og:image" content="https://live.example.org/assets/common/card.png""#))
            #expect(try await text("/watch/demo").contains("as soon as the stream begins"))
            _ = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers)
            #expect(try await text("/watch/demo").contains("The stream is about to begin."))
            // The tags are a part of what caches compare.
            let first = try await client.execute(uri: "/rooms/a", method: .get)
            let second = try await client.execute(uri: "/rooms/b", method: .get)
            #expect(first.headers[.eTag] != second.headers[.eTag])
            let again = try await client.execute(
                uri: "/rooms/a", method: .get,
                headers: [.ifNoneMatch: first.headers[.eTag] ?? ""])
            #expect(again.status == .notModified)
        }
    }

    @Test func namesInAnyScriptLeadToTheirRooms() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            for (path, location) in [
                (
                    "/rooms/%ED%95%9C%EA%B5%AD%EC%96%B4?role=guest",
                    "/rooms/xn--3e0bk47br7k?role=guest"
                ),
                ("/watch/caf%C3%A9", "/watch/cafe"),
            ] {
                let answer = try await client.execute(uri: path, method: .get)
                #expect(answer.status == .temporaryRedirect)
                #expect(answer.headers[.location] == location)
            }
            for path in ["/rooms/a%20b", "/rooms/%F0%9F", "/watch/%E2%80%AE", "/embed/a.b"] {
                let answer = try await client.execute(uri: path, method: .get)
                #expect(answer.status == .notFound, "\(path)")
            }
        }
    }

    @Test func aClosedRoomIsExplained() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            for (refusal, status, title) in [
                (APIError.roomDisabled("demo"), 403, "This room is closed"),
                (.unknownRoom("demo"), 404, "There is no such room"),
                (.unavailable("rooms cannot be looked up"), 503, "Not right now"),
            ] as [(APIError, Int, String)] {
                world.gateway.state.withLock { $0.closing = refusal }
                let page = try await client.execute(
                    uri: "/rooms/demo", method: .get, headers: [.accept: "text/html"])
                #expect(page.status.code == status)
                #expect(String(buffer: page.body).contains("<h1>\(title)</h1>"))
                let program = try await client.execute(uri: "/rooms/demo", method: .get)
                #expect(try TestJSON.object(program)["code"] as? Int == status)
                // Whoever has a token, or watches the room for a stream, is told by the page.
                for query in ["auth_token=x", "view=grid"] {
                    let own = try await client.execute(uri: "/rooms/demo?\(query)", method: .get)
                    #expect(own.status == .ok)
                }
            }
        }
    }
}
