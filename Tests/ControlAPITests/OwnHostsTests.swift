import HTTPTypes
import HummingbirdTesting
import MediaKernel
import NIOCore
import Testing

@testable import ControlAPI

@Suite(.timeLimit(.minutes(5))) struct OwnHostsTests {
    private let hosts = OwnHosts(publicURL: "http://Dev.LocalHost.test:9000")

    @Test(arguments: [
        "localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1:8080", "127.9.9.9", "[::1]:8080",
        "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]:80", "dev.localhost.test", "dev.localhost.test:1",
    ])
    func namesOfThisMachineAreOurs(authority: String) {
        #expect(hosts.include(authority))
    }

    @Test(arguments: [
        "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
        "127.0.0.1.evil.example:8080", "evil.example@127.0.0.2x", "192.168.1.1:8080", "0.0.0.0",
        "[::]", "169.254.1.1", "", ":8080", "[::1", "localhost.", "2130706433", "127.1",
        "localhost.test",
    ])
    func othersAreNot(authority: String) {
        #expect(!hosts.include(authority))
    }

    @Test func whereOnlyOneMachineMayCallOthersAreMisdirected() async throws {
        var world = try await TestWorld()
        world.configuration.servesOwnHostsOnly = true
        world.configuration.handsOutTokens = true
        let path = "/ws?peer=p1&token=\(try await world.roomToken())"
        try await world.live { client in
            for (host, status) in [
                ("127.0.0.1", 200), ("localhost:1", 200), ("rooms.test:8443", 421),
            ] {
                for target in ["/health", "/api/rooms", "/", "/api/config"] {
                    try await RawClient.connect(port: client.port ?? 0) { client in
                        try await client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                        #expect(try await client.response().hasPrefix("HTTP/1.1 \(status) "))
                    }
                }
            }
            for target in ["/nowhere", "/hls/demo/s1/master.m3u8", "/v2/rooms", "/init"] {
                try await RawClient.connect(port: client.port ?? 0) { client in
                    try await client.send("GET \(target) HTTP/1.1\r\nHost: evil.example\r\n\r\n")
                    #expect(try await client.response().hasPrefix("HTTP/1.1 421 "))
                }
            }
            // The handshake's host is rooms.test.
            try await RawClient.connect(port: client.port ?? 0) { client in
                let answer = try await client.upgrade(path)
                #expect(answer.hasPrefix("HTTP/1.1 421 "))
            }
            try await RawClient.connect(port: client.port ?? 0) { client in
                try await client.send(
                    RawClient.handshake(path).replacing("rooms.test:8443", with: "localhost"))
                #expect(try await client.response().hasPrefix("HTTP/1.1 101 "))
            }
        }
    }

    @Test func withAKeyOfItsOwnAServerHasAnyName() async throws {
        try await TestWorld().live { client in
            try await RawClient.connect(port: client.port ?? 0) { client in
                try await client.send("GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n")
                #expect(try await client.response().hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func theListOfRoomsIsForWhoHasATokenUnlessItIsForAll() async throws {
        var world = try await TestWorld()
        for isListed in [true, false] {
            world.configuration.listsRooms = isListed
            let headers = try await world.managementHeaders()
            try await world.routes { client in
                let open = try await client.execute(uri: "/api/rooms", method: .get)
                #expect(open.status == (isListed ? .ok : .unauthorized))
                #expect(String(buffer: open.body).contains("demo") == isListed)
                let shown = try await client.execute(
                    uri: "/api/rooms", method: .get, headers: headers)
                #expect(String(buffer: shown.body).contains("demo"))
                let stream = try await client.execute(uri: "/api/rooms/demo/stream", method: .get)
                #expect(stream.status == .ok, "who knows a room may watch it")
                let told = try TestJSON.object(
                    try await client.execute(uri: "/api/config", method: .get))
                #expect(told["lists_rooms"] as? Bool == isListed)
            }
        }
    }
}
