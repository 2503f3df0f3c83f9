import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import HundredMSTerms
import MediaKernel
import NIOCore
import Streams
import Synchronization
import Testing
import Tokens
import Workbench

@testable import ControlAPI

@Suite struct SignallingRouteTests {
    @Test func initTradesATokenForTheSocketsAddress() async throws {
        let world = try await TestWorld()
        let token = try await world.roomToken()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/init?peer_id=11111111-2222-4333-8444-555555555555&user_agent_v2=os%3Aweb",
                method: .get, headers: [.authorization: "Bearer \(token)"])
            #expect(response.status == .ok)
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            let object = try TestJSON.object(response)
            #expect(object["endpoint"] as? String == "ws://localhost/ws?room=demo")
            let ice = (object["rtcConfiguration"] as? [String: Any])?["ice_servers"]
            #expect(
                (ice as? [[String: Any]])?.first?["urls"] as? [String] == [
                    "stun:s.example.test"
                ])
            let config = try #require(object["config"] as? [String: Any])
            #expect(config["enabledFlags"] as? [String] == ["onDemandTracks"])
            #expect(config["vb"] != nil)
        }
    }

    @Test func whoPreviewsTestsTheNetworkAgainstThisServer() async throws {
        let world = try await TestWorld()
        let token = try await world.roomToken()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/init", method: .get, headers: [.authorization: "Bearer \(token)"])
            let config = try #require(
                try TestJSON.object(response)["config"] as? [String: Any])
            let health = try #require(config["networkHealth"] as? [String: Any])
            #expect(health["url"] as? String == "http://localhost/network-test")
            #expect(health["timeout"] as? Int == 10_000)
            let scores = try #require(health["scoreMap"] as? [String: [String: Int]])
            #expect(scores.keys.sorted() == ["0", "1", "2", "3", "4", "5"])
            // As in the client's parser, each rate has a score and no two overlap.
            for score in 0..<5 {
                #expect(scores["\(score)"]?["high"] == scores["\(score + 1)"]?["low"])
            }
            #expect(scores["5"]?["high"] == nil)
            for _ in 0..<(NetworkTest.downloadsMaximum + 1) {
                let test = try await client.execute(
                    uri: "/network-test?1720000000000", method: .get)
                #expect(test.status == .ok && test.body.readableBytes == 1 << 20)
                #expect(test.headers[.accessControlAllowOrigin] == "*")
                #expect(test.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test func soManyTestTheNetworkAtATime() {
        let test = NetworkTest()
        var answers = (0..<NetworkTest.downloadsMaximum).map { _ in test.respond(to: nil) }
        #expect(answers.allSatisfy { $0.status == .ok })
        #expect(test.respond(to: nil).status == .serviceUnavailable)
        answers.removeLast()
        #expect(test.respond(to: nil).status == .ok)
    }

    @Test func oneAddressTestsTheNetworkAFewTimesAtATime() {
        let test = NetworkTest()
        let (one, other): ([UInt8], [UInt8]) = ([192, 0, 2, 1], [192, 0, 2, 2])
        var answers = (0..<NetworkTest.downloadsPerAddressMaximum).map { _ in
            test.respond(to: one)
        }
        #expect(answers.allSatisfy { $0.status == .ok })
        #expect(test.respond(to: one).status == .serviceUnavailable)
        #expect(test.respond(to: other).status == .ok)
        answers.removeLast()
        #expect(test.respond(to: one).status == .ok)
    }

    @Test func whoTestsTheNetworkFromThisMachineIsCountedOnlyWhereAProxyNamesIt() throws {
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        let named: HTTPFields = [name: "192.0.2.9"]
        let near = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let far = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
        #expect(NetworkTest.caller(of: named, from: near) == [192, 0, 2, 9])
        #expect(NetworkTest.caller(of: named, from: far) == [192, 0, 2, 1])
        #expect(NetworkTest.caller(of: [:], from: far) == [192, 0, 2, 1])
        #expect(NetworkTest.caller(of: [:], from: near) == nil)
        #expect(NetworkTest.caller(of: [:], from: nil) == nil)
    }

    @Test(arguments: [
        ("https://live.example.org/", "wss://live.example.org/ws?room=demo"),
        ("http://10.0.0.1:9000", "ws://10.0.0.1:9000/ws?room=demo"),
    ])
    func thePublicNameOfTheServerWins(base: String, endpoint: String) async throws {
        var world = try await TestWorld()
        world.configuration.publicBaseURL = base
        let token = try await world.roomToken()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/init", method: .get, headers: [.authorization: "Bearer \(token)"])
            #expect(try TestJSON.object(response)["endpoint"] as? String == endpoint)
        }
    }

    @Test func aRefusedInitCarriesANumberOf100msAndTheReason() async throws {
        let world = try await TestWorld()
        let management = try await world.managementHeaders()
        let token = try await world.roomToken()
        try await world.routes { client in
            for (headers, code, message) in [
                (HTTPFields(), 40100, "token is missing"),
                (management, 40100, "token type is management, this endpoint needs app"),
                ([.authorization: "Bearer \(token.dropLast(3))"], 40109, "signature is invalid"),
            ] {
                let response = try await client.execute(
                    uri: "/init?peer_id=p", method: .get, headers: headers)
                #expect(response.status == .unauthorized)
                #expect(response.headers[.accessControlAllowOrigin] == "*")
                let error = try TestJSON.decode(APIError.Body.self, response)
                #expect(error == .init(code: code, message: message, details: []))
            }
            let bad = try await client.execute(
                uri: "/init?peer_id=a%2Fb", method: .get,
                headers: [.authorization: "Bearer \(token)"])
            #expect(bad.status == .badRequest)
        }
    }

    @Test(arguments: [
        ("p" as String?, "x", 200), ("p", "y", 401), ("q", "x", 401), (nil, "x", 401),
    ])
    func anExpiredTokenServesThePeerThatIsInTheRoomWithIt(
        peer: String?, tokenID: String, status: Int
    ) async throws {
        let world = try await TestWorld()
        world.gateway.state.withLock { $0.present = ["p": "x"] }
        let issued = UnixTime(seconds: TestWorld.now.seconds - 3600)
        let token = TestToken.make(
            TestToken.room(at: issued, changing: "jti", to: "\"\(tokenID)\""),
            secret: TestToken.secret)
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/init" + (peer.map { "?peer_id=\($0)" } ?? ""), method: .get,
                headers: [.authorization: "Bearer \(token)"])
            #expect(response.status.code == status)
            if status == 401 {
                let error = try TestJSON.refusal(response)
                #expect(error.code == ErrorNumber.token.rawValue)
            }
            // With a good token only the upgrade is missing.
            let socket = try await client.execute(
                uri: "/ws?token=\(token)&peer=\(peer ?? "")", method: .get)
            #expect(socket.status.code == (status == 200 ? 426 : 401))
        }
    }

    @Test func aRoomThatDoesNotExistHas100msNumber() async throws {
        let world = try await TestWorld()
        let token = try await world.roomToken()
        world.gateway.state.withLock { $0.refusal = .unknownRoom("demo") }
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/init?peer_id=p", method: .get, headers: [.authorization: "Bearer \(token)"])
            // Web clients would take a 404 for a missing server.
            #expect(response.status == .badRequest)
            let error = try TestJSON.refusal(response)
            #expect(error.code == 40001 && error == APIError.unknownRoom("demo").body)
            #expect(response.headers[.accessControlAllowOrigin] == "*")
        }
    }

    @Test func aRoleThatThePolicyDoesNotHaveIsAFaultOfTheToken() async throws {
        let world = try await TestWorld()
        let token = try await world.roomToken()
        world.gateway.state.withLock { $0.refusal = .unknownRole("host") }
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/init?peer_id=p", method: .get, headers: [.authorization: "Bearer \(token)"])
            #expect(response.status == .unauthorized)
            let error = try TestJSON.refusal(response)
            #expect(error.code == 40108 && error == APIError.unknownRole("host").body)
        }
    }

    @Test func anAddressOfAnotherRoomThanTheTokensIsRefused() async throws {
        let world = try await TestWorld()
        let token = try await world.roomToken()
        try await world.routes { client in
            for (room, status, code) in [("demo", 426, 426), ("other", 400, 40002)] {
                let response = try await client.execute(
                    uri: "/ws?room=\(room)&peer=p&token=\(token)", method: .get)
                #expect(response.status.code == status)
                #expect(try TestJSON.decode(APIError.Body.self, response).code == code)
            }
        }
    }

    @Test func theBrowsersPreflightIsAnswered() async throws {
        try await TestWorld().routes { client in
            let response = try await client.execute(
                uri: "/init", method: .options,
                headers: [.origin: "https://app.example.org"])
            #expect(response.status == .noContent)
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            #expect(
                response.headers[.accessControlAllowHeaders]?.contains("authorization") == true)
        }
    }

    @Test func theSocketsPathExplainsItselfOverHTTP() async throws {
        let world = try await TestWorld()
        let token = try await world.roomToken()
        try await world.routes { client in
            let plain = try await client.execute(uri: "/ws?peer=p&token=\(token)", method: .get)
            #expect(plain.status == .upgradeRequired)
            #expect(plain.headers[.upgrade] == "websocket")
            let anonymous = try await client.execute(uri: "/ws?peer=p", method: .get)
            #expect(anonymous.status == .unauthorized)
            let nobody = try await client.execute(uri: "/ws?token=\(token)", method: .get)
            #expect(nobody.status == .badRequest)
            world.gateway.state.withLock { $0.refusal = .forbidden("the room is full") }
            let full = try await client.execute(uri: "/ws?peer=p&token=\(token)", method: .get)
            #expect(full.status == .forbidden)
            #expect(
                try TestJSON.decode(APIError.Body.self, full)
                    == .init(code: 403, message: "the room is full", details: []))
        }
    }
}

@Suite struct PageRouteTests {
    @Test func thePagesComeWithTheirPolicy() async throws {
        var world = try await TestWorld()
        world.configuration.hlsScriptURL = "https://cdn.example.org/hls.js"
        world.configuration.mediaURLs = ["https://media.example.org/a", "http://store:9000"]
        world.configuration.imageSources = ["https://*.example.org", "http://pics:8000"]
        try await world.routes { client in
            for (uri, name) in [
                ("/", "index.html"), ("/rooms/demo", "room.html"), ("/watch/demo", "watch.html"),
            ] {
                let response = try await client.execute(uri: uri, method: .get)
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == "text/html; charset=utf-8")
                #expect(String(buffer: response.body).contains(name))
                let policy = try #require(response.headers[.contentSecurityPolicy])
                #expect(policy.contains("script-src 'self' https://cdn.example.org;"))
                let media = "https://media.example.org http://store:9000;"
                #expect(policy.contains("media-src 'self' blob: \(media)"))
                #expect(policy.contains("connect-src 'self' ws: wss: \(media)"))
                let images = "https://*.example.org http://pics:8000;"
                #expect(policy.contains("img-src 'self' data: blob: \(images)"))
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe"))
                let tag = try #require(response.headers[.eTag])
                let again = try await client.execute(
                    uri: uri, method: .get, headers: [.ifNoneMatch: tag])
                #expect(again.status == .notModified)
            }
            let script = try await client.execute(uri: "/assets/room/room.js", method: .get)
            #expect(script.headers[.contentType] == "text/javascript; charset=utf-8")
            #expect(script.headers[.xContentTypeOptions] == "nosniff")
        }
    }

    /// A page under another name, such as that of a machine behind its proxy, plays streams from
    /// the public address.
    @Test func aPublicAddressIsKeptAndPagesMayPlayFromIt() async throws {
        var world = try await TestWorld()
        world.configuration.publicBaseURL = "https://live.example.org/"
        let url = "https://live.example.org/hls/demo/s/master.m3u8"
        _ = try await world.control.start(room: "demo", LiveStreamRequest(), startedBy: nil)
        world.control.state.withLock { $0.streams[0].playback.url = url }
        try await world.routes { client in
            let live = try TestJSON.object(
                try await client.execute(uri: "/api/rooms/demo/stream", method: .get))
            #expect(live["url"] as? String == url)
            let rooms = try await client.execute(uri: "/api/rooms", method: .get)
            #expect(String(buffer: rooms.body).contains(#""url":"\#(url)""#))
            let page = try await client.execute(uri: "/watch/demo", method: .get)
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.contains("media-src 'self' blob: https://live.example.org;"))
            #expect(policy.contains("connect-src 'self' ws: wss: https://live.example.org;"))
        }
    }

    @Test(arguments: [
        (["*"], "*"), ([], "'none'"),
        (
            ["https://a.example", "https://*.b.example:8443"],
            "https://a.example https://*.b.example:8443"
        ),
    ])
    func theEmbeddedPlayerMayBeFramedWhereTheOperatorSays(
        embedders: [String], ancestors: String
    ) async throws {
        var world = try await TestWorld()
        world.configuration.embedders = embedders
        try await world.routes { client in
            let page = try await client.execute(uri: "/embed/demo", method: .get)
            #expect(page.status == .ok && String(buffer: page.body).contains("embed.html"))
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.hasSuffix("; frame-ancestors \(ancestors)"))
            #expect(policy.contains("script-src 'self';") && policy.contains("style-src 'self';"))
            let watch = try await client.execute(uri: "/watch/demo", method: .get)
            #expect(
                watch.headers[.contentSecurityPolicy]?.hasSuffix("; frame-ancestors 'none'")
                    == true)
            let none = try await client.execute(uri: "/embed/a%20b", method: .get)
            #expect(none.status == .notFound)
        }
    }

    @Test(arguments: [
        (StreamContainer.transportStream, nil), (.both, "http://h/hls/demo/s/cmaf.m3u8"),
        (.fragments, "http://h/hls/demo/s/master.m3u8"),
    ])
    func thePagesLearnWhereFragmentsAre(container: StreamContainer, url: String?) async throws {
        let world = try await TestWorld()
        _ = try await world.control.start(room: "demo", LiveStreamRequest(), startedBy: nil)
        world.control.state.withLock {
            $0.streams[0].plan.container = container
            $0.streams[0].playback.url = "http://h/hls/demo/s/master.m3u8"
        }
        try await world.routes { client in
            for parts in [nil, 10] {
                world.control.state.withLock { $0.streams[0].plan.partFrames = parts }
                let live = try TestJSON.object(
                    try await client.execute(uri: "/api/rooms/demo/stream", method: .get))
                #expect(live["cmaf_url"] as? String == url)
                #expect(live["low_latency"] as? Bool == (parts != nil))
            }
        }
    }

    @Test(arguments: [
        "/rooms/a%2Fb", "/rooms/", "/watch/..", "/assets/../index.html", "/assets/%2e%2e/x.js",
        "/assets/missing.js", "/assets/", "/nothing", "/v2/nothing", "/index.html",
    ])
    func whatDoesNotExistIsNotFoundInJSON(uri: String) async throws {
        try await TestWorld().routes { client in
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .notFound)
            #expect(try TestJSON.decode(APIError.Body.self, response).code == 404)
        }
    }

    @Test func thePagesLearnWhatIsOnAir() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let idle = try await client.execute(uri: "/api/rooms/demo/stream", method: .get)
            #expect(
                String(buffer: idle.body)
                    == #"{"bot_restarts":0,"cmaf_url":null,"degradation":null,"id":null,"#
                    + #""low_latency":false,"started_at":null,"state":"none","url":null}"#)
            let empty = try await client.execute(uri: "/api/rooms", method: .get)
            #expect(
                String(buffer: empty.body)
                    == #"[{"hls":{"state":"none","url":null},"id":"demo","name":"Demo","#
                    + #""peer_count":2}]"#)
            _ = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers)
            let live = try TestJSON.object(
                try await client.execute(uri: "/api/rooms/demo/stream", method: .get))
            #expect(live["state"] as? String == "starting")
            #expect(live["url"] as? String == "http://h/hls/demo/stream-1/master.m3u8")
            // The server's own name is replaced by the page's, `localhost` in these tests.
            for host in ["127.0.0.1:0", "LOCALHOST:0"] {
                world.control.state.withLock {
                    $0.streams[0].playback.url = "http://\(host)/hls/demo/s/master.m3u8"
                }
                let own = try TestJSON.object(
                    try await client.execute(uri: "/api/rooms/demo/stream", method: .get))
                #expect(own["url"] as? String == "http://localhost/hls/demo/s/master.m3u8")
            }
            let health = try await client.execute(uri: "/health", method: .get)
            #expect(
                String(buffer: health.body)
                    == #"{"status":"ok","version":"\#(Version.current)"}"#)
        }
    }

    @Test func roomTokensAreHandedOutOnlyWhenAllowed() async throws {
        try await TestWorld().routes { client in
            let refused = try await client.execute(
                uri: "/api/rooms/demo/token", method: .post,
                headers: [.contentType: "application/json"], body: ByteBuffer(string: "{}"))
            #expect(refused.status == .forbidden)
            let configuration = try await client.execute(uri: "/api/config", method: .get)
            #expect(
                String(buffer: configuration.body)
                    == #"{"hls_js_url":null,"image_sources":[],"invitations":[],"lists_rooms":true,"#
                    + #""open_tokens":false,"roles":[]}"#)
        }
        var world = try await TestWorld()
        world.configuration.handsOutTokens = true
        world.configuration.hlsScriptURL = "/assets/hls.js"
        let authority = world.authority
        try await world.routes { client in
            func token(_ body: String, _ type: String = "application/json") async throws
                -> TestResponse
            {
                try await client.execute(
                    uri: "/api/rooms/demo/token", method: .post, headers: [.contentType: type],
                    body: ByteBuffer(string: body))
            }
            let given = try TestJSON.object(
                try await token(#"{"role":"host","user_id":"ann"}"#))
            let claims = try await authority.verifyRoomToken(
                given["token"] as? String ?? "", at: TestWorld.now)
            #expect(claims.room == "demo")
            #expect(claims.role == "host")
            #expect(claims.user == "ann")
            #expect(try await token(#"{"role":"__internal_recorder"}"#).status == .badRequest)
            #expect(try await token(#"{"user_id":""}"#).status == .badRequest)
            #expect(try await token("{}", "text/plain").status == .badRequest)
            #expect(try await token("{}").status == .ok)
            let configuration = try await client.execute(uri: "/api/config", method: .get)
            #expect(
                String(buffer: configuration.body)
                    == #"{"hls_js_url":"/assets/hls.js","image_sources":[],"invitations":[],"#
                    + #""lists_rooms":true,"open_tokens":true,"roles":["guest","host"]}"#)
        }
    }
}
