import Digests
import Foundation
import HTTPTypes
import HummingbirdTesting
import MediaKernel
import NIOCore
import Synchronization
import Testing

@testable import ControlAPI

/// Pictures that are uploaded for backgrounds and watermarks.
@Suite struct PictureRouteTests {
    /// The beginnings of files; nothing here looks further.
    private static let kinds: [(String, [UInt8])] = [
        ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]),
        ("image/jpeg", [0xFF, 0xD8, 0xFF, 0xE0]),
        ("image/webp", Array("RIFF    WEBPVP8 ".utf8)), ("image/gif", Array("GIF89a".utf8)),
    ]

    private func name(of file: [UInt8]) throws -> String {
        try #require(UploadedPicture(hash: Digest.sha256.hash(file))).name
    }

    @Test(arguments: kinds)
    func whatIsUploadedIsServed(type: String, file: [UInt8]) async throws {
        try await TestWorld.withStream { world, client, headers in
            let answer = try await client.execute(
                uri: "/v2/pictures", method: .post, headers: headers, body: ByteBuffer(bytes: file))
            #expect(answer.status == .created)
            let name = try name(of: file)
            #expect(try TestJSON.object(answer)["image"] as? String == "picture:\(name)")
            // Without a token: viewers of the stream see it too.
            let served = try await client.execute(uri: "/pictures/\(name)", method: .get)
            #expect(served.status == .ok && Array(buffer: served.body) == file)
            #expect(served.headers[.contentType] == type)
            #expect(served.headers[.xContentTypeOptions] == "nosniff")
            #expect(served.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
        }
    }

    @Test(arguments: [
        [], Array("hello".utf8), Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8),
        Array("RIFF    WAVE".utf8), [0x89, 0x50],
    ])
    func whatIsNoPictureIsRefused(file: [UInt8]) async throws {
        try await TestWorld.withStream { world, client, headers in
            let answer = try await client.execute(
                uri: "/v2/pictures", method: .post, headers: headers, body: ByteBuffer(bytes: file))
            #expect(answer.status == .unsupportedMediaType)
            #expect(try TestJSON.object(answer)["message"] as? String == "the file is no picture")
            let kept = try? FileManager.default.contentsOfDirectory(
                atPath: "\(world.directory)/out/.pictures")
            #expect(kept ?? [] == [])
        }
    }

    /// Although it is longer than other requests.
    @Test func anUploadMayBeRepeated() async throws {
        try await TestWorld.withStream { _, client, headers in
            var headers = headers
            headers[.idempotencyKey] = "1"
            let file = [0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 0, count: 1 << 20)
            for _ in 0..<2 {
                let answer = try await client.execute(
                    uri: "/v2/pictures", method: .post, headers: headers,
                    body: ByteBuffer(bytes: file))
                #expect(answer.status == .created)
            }
        }
    }

    @Test func aLargerFileIsRefused() async throws {
        try await TestWorld.withStream { _, client, headers in
            var file = [UInt8](repeating: 0, count: PictureFormat.bytesMaximum)
            file.replaceSubrange(0..<4, with: [0x89, 0x50, 0x4E, 0x47])
            let largest = try await client.execute(
                uri: "/v2/pictures", method: .post, headers: headers, body: ByteBuffer(bytes: file))
            #expect(largest.status == .created)
            let larger = try await client.execute(
                uri: "/v2/pictures", method: .post, headers: headers,
                body: ByteBuffer(bytes: file + [0]))
            #expect(larger.status == .contentTooLarge)
        }
    }

    @Test(arguments: [
        "0123", "0123456789abcdef0123456789ABCDEF", "..%2F..%2Fcatalogue.sqlite",
        "0123456789abcdef0123456789abcdef",
    ])
    func nothingElseIsServed(name: String) async throws {
        try await TestWorld.withStream { _, client, _ in
            let answer = try await client.execute(uri: "/pictures/\(name)", method: .get)
            #expect(answer.status == .notFound)
        }
    }

    @Test func aManagementTokenIsNeeded() async throws {
        try await TestWorld.withStream { _, client, _ in
            let answer = try await client.execute(
                uri: "/v2/pictures", method: .post, body: ByteBuffer(bytes: [0xFF, 0xD8, 0xFF]))
            #expect(answer.status == .unauthorized)
        }
    }

    @Test func noMoreThanSomeAreTakenAtATime() async throws {
        try await TestWorld.withStream { _, client, headers in
            // One a second is let through besides, so that a slow machine takes a few more.
            for _ in 0..<1000 {
                let answer = try await client.execute(
                    uri: "/v2/pictures", method: .post, headers: headers,
                    body: ByteBuffer(bytes: [0xFF, 0xD8, 0xFF]))
                if answer.status == .tooManyRequests { return }
                #expect(answer.status == .created)
            }
            Issue.record("all were taken")
        }
    }

    @Test func theOldestAreGivenUp() async throws {
        let world = try await TestWorld()
        let shelf = PictureShelf(root: "\(world.directory)/out", picturesMaximum: 2)
        let files = (UInt8(0)..<3).map { [0xFF, 0xD8, 0xFF, $0] }
        var kept: [UploadedPicture] = []
        // The first is uploaded again, and is newer than the second.
        for (second, file) in [files[0], files[1], files[0], files[2]].enumerated() {
            kept.append(try await shelf.put(file, at: TestWorld.now + .seconds(second)))
        }
        #expect(kept[0] == kept[2])
        #expect(try await shelf.content(of: kept[0]) == files[0])
        #expect(try await shelf.content(of: kept[1]) == nil)
        #expect(try await shelf.content(of: kept[3]) == files[2])
    }

    @Test func whatIsInUseIsKept() async throws {
        try await TestWorld.withStream { world, client, headers in
            let shelf = PictureShelf(root: "\(world.directory)/out")
            let old = try await shelf.put([0xFF, 0xD8, 0xFF, 0], at: UnixTime(nanoseconds: 0))
            let older = try await shelf.put([0xFF, 0xD8, 0xFF, 1], at: UnixTime(nanoseconds: 1))
            world.control.state.withLock { $0.picturesInUse = [old] }
            for number in 0..<UInt8(PictureShelf.picturesMaximum - 2) {
                _ = try await shelf.put([0xFF, 0xD8, 0xFF, 2, number], at: TestWorld.now)
            }
            #expect(try await shelf.content(of: older) != nil)
            let answer = try await client.execute(
                uri: "/v2/pictures", method: .post, headers: headers,
                body: ByteBuffer(bytes: [0x89, 0x50, 0x4E, 0x47]))
            #expect(answer.status == .created)
            #expect(try await shelf.content(of: old) != nil)
            #expect(try await shelf.content(of: older) == nil)
        }
    }

    @Test func aDirectoryThatCannotBeWrittenIsTold() async throws {
        try await TestWorld.withStream { world, client, headers in
            // In the way of the directory, whoever runs the test.
            try Data().write(to: URL(fileURLWithPath: "\(world.directory)/out/.pictures"))
            let answer = try await client.execute(
                uri: "/v2/pictures", method: .post, headers: headers,
                body: ByteBuffer(bytes: [0xFF, 0xD8, 0xFF]))
            #expect(answer.status == .serviceUnavailable)
            let message = try TestJSON.object(answer)["message"] as? String
            #expect(message == "the output directory cannot be used")
        }
    }
}
