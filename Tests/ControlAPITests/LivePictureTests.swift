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

/// The picture beside links to a room's stream.
@Suite final class LivePictureTests: Sendable {
    private let world: TestWorld
    private let file: String
    private let now = Mutex(TestWorld.now)
    private let pauses = Mutex(0)

    init() async throws {
        world = try await TestWorld()
        file = "\(world.directory)/out/hall/s1/\(StreamPreview.fileName)"
    }

    private static func stream(_ change: (inout LiveStream) -> Void = { _ in }) -> LiveStream {
        var stream = LiveStream(
            id: "s1", room: "hall", session: nil, createdAt: TestWorld.now, startedBy: "")
        stream.status = .running
        change(&stream)
        return stream
    }

    /// - Parameter age: in seconds.
    private func write(_ text: String, age: Double = 0) throws {
        try world.write("hall/s1/\(StreamPreview.fileName)", text.utf8)
        let moment = Double(now.withLock { $0.milliseconds }) / 1000 - age
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: moment)], ofItemAtPath: file)
    }

    private func pictures(
        onPause: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> LivePictures {
        LivePictures(
            control: world.control, files: StreamFiles(root: "\(world.directory)/out"),
            clock: { [self] in now.withLock { $0 } },
            pause: { [self] in
                let count = pauses.withLock { pauses -> Int in
                    pauses += 1
                    return pauses
                }
                onPause(count)
            })
    }

    private func text(_ pictures: LivePictures) async -> String? {
        await pictures.picture(of: Self.stream()).map { String(decoding: $0, as: UTF8.self) }
    }

    private var wishes: Int { world.control.state.withLock { $0.previewed.count } }

    @Test func itIsMadeOnceAMinuteHoweverManyAsk() async throws {
        try write("old", age: 60)
        let pictures = pictures { [self] count in if count == 3 { try? write("one") } }
        let all = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { [self] in await text(pictures) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all == Array(repeating: "one", count: 50))
        #expect(wishes == 1)
        now.withLock { $0 = $0 + .seconds(59) }
        #expect(await text(pictures) == "one" && wishes == 1)
        now.withLock { $0 = $0 + .seconds(1) }
        try write("two")
        #expect(await text(pictures) == "two" && wishes == 2)
    }

    @Test func aBotThatMakesNoneIsAskedSeldom() async throws {
        let pictures = pictures()
        for _ in 0..<5 { #expect(await text(pictures) == nil) }
        #expect(wishes == 1 && pauses.withLock { $0 } == LivePictures.looksMaximum - 1)
        now.withLock { $0 = $0 + LivePictures.pauseAfterFailure }
        try write("now")
        #expect(await text(pictures) == "now")
    }

    @Test func whatNotAllMayWatchHasNone() async throws {
        try write("secret")
        let pictures = pictures()
        for stream in [
            Self.stream { $0.playback.isSigned = true }, Self.stream { $0.plan.audio.only = true },
            Self.stream { $0.status = .stopping }, Self.stream { $0.kind = .recording },
        ] {
            #expect(await pictures.picture(of: stream) == nil)
        }
        #expect(wishes == 0)
    }

    @Test func thePageNamesItAndWhoeverAsksGetsIt() async throws {
        try world.scratch.write(
            "<head>\n    <title>x</title>\n  </head>".utf8, to: "web/watch.html")
        try write("JPEG")
        try await world.routes { [self] client in
            func get(_ path: String) async throws -> TestResponse {
                try await client.execute(uri: path, method: .get)
            }
            let none = try await get("/watch/hall/picture.jpg")
            #expect(none.status == .found && none.headers[.location] == PageHeads.cardPath)
            #expect(String(buffer: try await get("/watch/hall").body).contains("card.png"))
            world.control.state.withLock { $0.streams = [Self.stream()] }
            let page = String(buffer: try await get("/watch/hall").body)
            #expect(page.contains("/watch/hall/picture.jpg?stream=s1\""))
            #expect(page.contains(#"og:image:width" content="480""#))
            let picture = try await get("/watch/hall/picture.jpg?stream=s1")
            #expect(picture.status == .ok && String(buffer: picture.body) == "JPEG")
            #expect(picture.headers[.contentType] == "image/jpeg")
            #expect(picture.headers[.cacheControl] == "public, max-age=60")
            world.control.state.withLock { $0.streams[0].playback.isSigned = true }
            #expect(String(buffer: try await get("/watch/hall").body).contains("card.png"))
            #expect(try await get("/watch/hall/picture.jpg").status == .found)
        }
    }
}
