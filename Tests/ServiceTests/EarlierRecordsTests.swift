import Catalogue
import Foundation
import HLS
import MediaKernel
import Rooms
import Streams
import Testing

@testable import Service

/// Records written by an earlier version (`Earlier/README.md`).
@Suite(.timeLimit(.minutes(5))) struct EarlierRecordsTests {
    private static let completed: StreamID = "01a219fb6d3f0000fe17eccd"
    private static let early: StreamID = "01a219fb8434000050bbe3d1"
    private static let failed: StreamID = "01a219fb85130000bb04079b"
    private static let recording: StreamID = "01a219fb8e200000070a9905"
    private static let running: StreamID = "01a219fb8e310000b04982ff"
    private static let stopping: StreamID = "01a219fb8e410000ed6d293e"

    private static let death = StreamEnd.failed(
        StreamFailure(.unknown, "the bot died 6 times, at last: failed: signal 9 from outside"))

    /// - Parameter hasCatalogue: false if it was lost.
    private func world(hasCatalogue: Bool = true) async throws -> StreamsWorld {
        let earlier = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Earlier")
        return try await StreamsWorld(into: { directory in
            let files = FileManager.default
            for room in try files.contentsOfDirectory(atPath: "\(earlier.path)/streams") {
                try files.copyItem(
                    atPath: "\(earlier.path)/streams/\(room)", toPath: "\(directory)/\(room)")
            }
            try files.copyItem(
                atPath: "\(earlier.path)/recordings", toPath: "\(directory)/recordings")
            let name = "catalogue.sqlite"
            try files.moveItem(
                atPath: "\(directory)/recordings/\(name)", toPath: "\(directory)/\(name)")
            if !hasCatalogue { try files.removeItem(atPath: "\(directory)/\(name)") }
        })
    }

    @Test func rowsKeepTheirMeaning() async throws {
        let world = try await world()
        let catalogue = world.catalogue
        func row(_ id: StreamID) async throws -> CatalogueStream {
            try #require(try await catalogue.stream(id))
        }
        #expect(try await row(Self.completed).status == .completed)
        #expect(try await row(Self.completed).end == .stopped)
        #expect(try await row(Self.early).end == .stopped)
        #expect(try await row(Self.failed).end == Self.death)
        #expect(try await row(Self.recording).kind == .recording)
        #expect(try await row(Self.running).end == nil)
        #expect(try await row(Self.stopping).end == .stopped)

        let stream = try #require(LiveStream(try await row(Self.running)))
        #expect(stream.plan.audio.roles == ["host"] && stream.status == .running)
        #expect(
            stream.plan.recording == LiveStreamRecording(hlsVOD: true, singleFilePerLayer: true))
        #expect(stream.origin.roomName == "other" && stream.plan.playlist == .event)
        #expect(try #require(LiveStream(try await row(Self.failed))).health.deaths.count == 6)

        let assets = try await catalogue.assets(of: [Self.completed])[Self.completed] ?? []
        #expect(assets.map(\.kind) == [.roomComposite, .roomVOD])
        #expect(assets[0].size == .init(width: 256, height: 144))
        #expect(assets[0].thumbnails?.thumbnails.count == 1)

        let room = try #require(try await catalogue.rooms(RoomQuery(name: "standup")).records.first)
        #expect(room.description == "a room of before" && room.isEnabled)
        #expect(try await !catalogue.roomCodes(RoomCodeQuery(room: room.id)).records.isEmpty)
        #expect(try await catalogue.openSessions().count == 3)
        #expect(try await catalogue.pendingDeliveries(limit: 100).count == 14)
    }

    @Test(arguments: [true, false])
    func whatWasLeftComesToItsEnd(hasCatalogue: Bool) async throws {
        let world = try await world(hasCatalogue: hasCatalogue)
        try await world.streams.recover()
        let unfinished = [Self.recording, Self.running, Self.stopping]
        #expect(try await world.catalogue.unfinishedStreams().map(\.id) == unfinished)
        try await world.run { world in
            for id in unfinished {
                await world.tick()
                let finisher = try #require(await world.finishers.next())
                #expect(finisher.job.stream == id)
                finisher.exit(.finished)
                try await until {
                    await world.tick()
                    return try await world.catalogue.stream(id)?.status.isFinal == true
                }
            }
        }
        for (id, end) in [
            (Self.completed, .stopped), (Self.early, .stopped), (Self.failed, Self.death),
            (Self.recording, .failed(.serverRestarted)), (Self.running, .failed(.serverRestarted)),
            (Self.stopping, .stopped),
        ] as [(StreamID, StreamEnd)] {
            let row = try #require(try await world.catalogue.stream(id))
            #expect(row.end == end && row.status == end.status, "\(id)")
        }
    }
}
