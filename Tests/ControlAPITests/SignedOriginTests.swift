import HTTPTypes
import HummingbirdTesting
import MediaKernel
import NIOCore
import Signing
import Testing

@testable import ControlAPI

/// Streams with signed addresses are in hidden directories.
@Suite struct SignedOriginTests {
    private static let files = ["master.m3u8", "stream_0/index.m3u8", "stream_0/segment_000001.ts"]

    private func world() async throws -> TestWorld {
        let world = try await TestWorld()
        for file in Self.files { try world.write("demo/.s2/\(file)", "signed".utf8) }
        for file in Self.files { try world.write("demo/s1/\(file)", "open".utf8) }
        return world
    }

    @Test func oneSignatureCoversPlaylistsAndSegments() async throws {
        let world = try await world()
        try await world.routes { client in
            for file in Self.files {
                for method in [HTTPRequest.Method.get, .head] {
                    let answer = try await client.execute(
                        uri: "\(world.playback(of: "s2"))/\(file)", method: method)
                    #expect(answer.status == .ok)
                    #expect(answer.headers[.accessControlAllowOrigin] == "*")
                    #expect(
                        answer.headers[.cacheControl]
                            == (file.hasSuffix(".ts") ? "private, max-age=60" : "private, no-cache")
                    )
                }
            }
        }
    }

    @Test func withoutOneThatHoldsNothingIsServed() async throws {
        let world = try await world()
        let good = world.playback(of: "s2")
        let parts = good.split(separator: ".").map(String.init)
        try await world.routes { client in
            for (path, status) in [
                ("/hls/demo/s2", 404), ("/hls/demo/.s2", 404), ("/hls/demo/%2Es2", 404),
                (world.playback(of: "s2", for: 0), 403), (world.playback(of: "s2", for: -60), 403),
                (good + "A", 403), ("\(good.dropLast(4))AAAA", 403),
                ("\(parts[0]).9000000000.\(parts[2])", 403), ("\(parts[0]).\(parts[2])", 404),
                // Valid signatures of another stream, of another room, and for another purpose.
                (good.replacing("/s2.", with: "/s1."), 403), (world.playback(of: "s3"), 404),
                (world.playback(of: "s2", in: "other"), 404),
                (
                    "/hls/demo/" + world.link(to: "s2").dropFirst("/recordings/".count), 403
                ),
                // A signature for an open stream leads to its hidden directory, which does not
                // exist.
                (world.playback(of: "s1"), 404),
            ] as [(String, Int)] {
                for file in Self.files {
                    let answer = try await client.execute(uri: "\(path)/\(file)", method: .get)
                    #expect(answer.status.code == status, "\(path)")
                    #expect(!String(buffer: answer.body).contains("signed\n"))
                    #expect(answer.headers[.accessControlAllowOrigin] == "*")
                }
            }
            let late = try await client.execute(
                uri: "\(world.playback(of: "s2", for: 0))/master.m3u8", method: .get)
            #expect(String(buffer: late.body).contains("it was valid until 2025-10-09T08:53:20"))
        }
    }
}
