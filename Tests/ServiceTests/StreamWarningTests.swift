import Foundation
import MediaKernel
import Streams
import Synchronization
import Testing

@testable import Service

/// Probable mistakes in a start request are reported, and the stream starts.
@Suite(.timeLimit(.minutes(5))) struct StreamWarningTests {
    private func warnings(
        _ world: StreamsWorld, _ request: LiveStreamRequest
    ) async throws -> [String] {
        let streams = try await world.streams.start(room: "demo", request, startedBy: nil)
        return try #require(streams.first).warnings
    }

    @Test func aRoomThatNobodyEverMadeIsWarnedOf() async throws {
        try await StreamsWorld().run { world in
            world.observer.scene.withLock { $0.isKnown = false }
            let told = try await warnings(world, LiveStreamRequest())
            #expect(told.count == 1 && told[0].hasPrefix("room demo does not exist"))
            // Once on air the warning is not repeated, and it is not stored with the stream.
            #expect(try await warnings(world, LiveStreamRequest()) == [])
            let page = try await world.streams.streams(LiveStreamQuery())
            #expect(page.streams.count == 1 && page.streams[0].warnings == [])
        }
    }

    @Test func rolesThatThePolicyDoesNotHaveAreWarnedOf() async throws {
        try await StreamsWorld().run { world in
            world.observer.scene.withLock { $0.roles = ["guest", "host"] }
            let request = LiveStreamRequest(
                audio: LiveStreamAudio(roles: ["host", "speeker"]),
                layout: .object([
                    "roles": .array([.string("guest"), .string("stage")]),
                    "focus": .object(["role": .string("hots")]),
                ]))
            let told = try await warnings(world, request)
            #expect(
                told == [
                    "audio.roles names 'speeker', which the room's policy does not have; "
                        + "its roles are guest, host",
                    "layout names 'hots', 'stage', which the room's policy does not have; "
                        + "its roles are guest, host",
                ])
            let stream = try #require(
                try await world.streams.streams(LiveStreamQuery()).streams.first)
            let changed = try await world.streams.update(
                stream: stream.id, LiveStreamChange(roles: .only(["nobody"])))
            #expect(changed.warnings.count == 1 && changed.warnings[0].contains("'nobody'"))
            let again = try await world.streams.update(
                stream: stream.id, LiveStreamChange(roles: .only(["host"])))
            #expect(again.warnings == [])
        }
    }

    @Test func picturesThatAreNotKeptAreWarnedOf() async throws {
        try await StreamsWorld().run { world in
            let names = ["0", "1"].map { String(repeating: $0, count: 32) }
            let directory = UploadedPicture.directory(in: world.directory)
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            let kept = "\(directory)/\(names[0])"
            try Data().write(to: URL(fileURLWithPath: kept))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: kept)
            func watermark(_ name: String) -> JSONValue {
                .object(["watermark": .object(["image": .string("picture:\(name)")])])
            }
            #expect(
                try await warnings(world, LiveStreamRequest(layout: watermark(names[0]))) == [])
            // It is the newest now.
            let date = try FileManager.default.attributesOfItem(atPath: kept)[.modificationDate]
            #expect(try #require(date as? Date).timeIntervalSince1970 > 0)
            let stream = try #require(
                try await world.streams.streams(LiveStreamQuery()).streams.first)
            #expect(await world.streams.picturesInUse.map(\.name) == [names[0]])
            let changed = try await world.streams.update(
                stream: stream.id, LiveStreamChange(layout: watermark(names[1])))
            #expect(changed.warnings.count == 1)
            #expect(changed.warnings[0].hasPrefix("layout names picture:\(names[1]), which"))
            #expect(await world.streams.picturesInUse.map(\.name) == [names[1]])
        }
    }

    @Test func aSecondRecorderIsWarnedOf() async throws {
        try await StreamsWorld().run { world in
            #expect(try await warnings(world, LiveStreamRequest()) == [])
            let first = try #require(
                try await world.streams.streams(LiveStreamQuery()).streams.first)
            let other = LiveStreamRequest(variants: [LiveStreamVariant(metadata: "b")])
            let told = try await warnings(world, other)
            #expect(told.count == 1)
            #expect(told[0].contains("as stream \(first.id) with no metadata"))
            #expect(told[0].contains("one more recorder"))
            // A repeated request starts none.
            #expect(try await warnings(world, other) == [])
        }
    }

    @Test func anotherDestinationIsWarnedOf() async throws {
        try await StreamsWorld().run { world in
            #expect(try await warnings(world, LiveStreamRequest()) == [])
            // A room without destinations takes every name.
            let other = LiveStreamRequest(destination: "archvie")
            let told = try await warnings(world, other)
            try #require(told.count == 2)
            #expect(told[0].hasPrefix("destination 'archvie' sets nothing: the room's policy"))
            #expect(told[1].contains("with destination 'default': one more recorder"))
            #expect(try await warnings(world, other) == [])
        }
    }

    @Test func whatChangesNothingIsWarnedOf() async throws {
        try await StreamsWorld().run { world in
            #expect(try await warnings(world, LiveStreamRequest()) == [])
            let request = LiveStreamRequest(
                layout: .object(["name": .string("speaker")]))
            let told = try await warnings(world, request)
            #expect(told.count == 1 && told[0].contains("layout of this request changed nothing"))
        }
    }
}
