import Catalogue
import ChildProcesses
import Foundation
import HLS
import HundredMSTerms
import MediaKernel
import RoomHost
import Rooms
import Stage
import Streams
import Testing

@testable import Service

/// Recordings without a live stream: the same bot and the same life, without viewers.
@Suite(.timeLimit(.minutes(5))) struct RoomRecordingsTests {
    private let request = LiveStreamRequest(
        kind: .recording, recording: RecordingOptions(singleFilePerLayer: true))

    private func start(_ world: StreamsWorld) async throws -> LiveStream {
        try await world.streams.start(room: "demo", request, startedBy: nil)[0]
    }

    @Test func itsMediaLieWhereNobodyIsServedAndItsFileWhere100msHasIt() async throws {
        try await StreamsWorld().run { world in
            let recording = try await start(world)
            #expect(recording.kind == .recording && recording.playback.url == "")
            let bot = try #require(await world.launcher.next())
            let directory = "\(world.directory)/demo/.\(recording.id)"
            #expect(bot.job.outputDirectory == directory)
            let file = try JSONDocument.decode(
                StreamFile.self,
                from: Data(contentsOf: URL(filePath: "\(directory)/\(StreamFile.name)")))
            #expect(file.stream.kind == .recording)
            #expect(file.stream.assetDirectory == "beam/demo/2025-10-09/1760000000")
            #expect(file.order?.layers == [.init(width: 1280, height: 720)])
            #expect(LiveStream(file.stream) == recording)
            let settings = try String(contentsOfFile: bot.job.configurationFile, encoding: .utf8)
            #expect(settings.contains(#""recorded":true"#))
        }
    }

    @Test func aRoomHasOneAtATimeBesideItsStreams() async throws {
        try await StreamsWorld {
            $0.limits.variantsPerRoom = 1
            $0.limits.streams = 2
        }.run { world in
            let live = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            let recording = try await start(world)
            #expect(recording.id != live.id)
            // A repeated start returns the same one, regardless of its layout.
            var other = request
            other.destination = ""
            other.resolution = .init(width: 640, height: 480)
            #expect(
                try await world.streams.start(room: "demo", other, startedBy: nil)
                    == [recording])
            await #expect(throws: LiveStreamError.tooManyStreams(running: 2, maximum: 2)) {
                try await world.streams.start(room: "other", request, startedBy: nil)
            }
            // Each is stopped by its own request.
            let stopped = try await world.streams.stop(
                room: "demo", kind: .recording, stoppedBy: nil)
            #expect(stopped.map(\.id) == [recording.id] && stopped[0].status == .stopping)
            #expect(try await world.streams.stream(live.id)?.status == .starting)
            #expect(try await world.streams.current(room: "demo", kind: .stream)?.id == live.id)
            #expect(
                try await world.streams.stop(room: "demo", kind: .recording, stoppedBy: nil)
                    == stopped)
        }
    }

    @Test func peersStartAndStopItAndStoppingNothingIsNoError() async throws {
        try await StreamsWorld().run { world in
            let room = StreamsInRoom(
                control: world.streams, chat: world.chat, authorities: ["h.test"])
            try await room.stopRecording(room: "demo", stoppedBy: "ann")
            let page = "https://h.test/rooms/demo"
            try await room.startRecording(
                room: "demo",
                RecordingRequest(meetingURL: page, resolution: .init(width: 640, height: 480)),
                startedBy: "ann", authority: "localhost:8080")
            try await room.startRecording(
                room: "demo", RecordingRequest(), startedBy: "ben", authority: "")
            let recording = try #require(
                try await world.streams.current(room: "demo", kind: .recording))
            #expect(recording.startedBy == "ann" && recording.plan.variant.meetingURL == page)
            let bot = try #require(await world.launcher.next())
            let path = "\(bot.job.outputDirectory)/\(StreamFile.name)"
            let file = try JSONDocument.decode(
                StreamFile.self, from: Data(contentsOf: URL(filePath: path)))
            #expect(file.order?.layers == [.init(width: 640, height: 480)])
            try await room.stopRecording(room: "demo", stoppedBy: "ben")
            let stopped = try await world.streams.stream(recording.id)
            #expect(stopped?.status == .stopping && stopped?.stoppedBy == "ben")
        }
    }

    /// Without a public address in its settings, a server has many names.
    @Test func aMeetingURLMayHaveTheNameByWhichThePeerCame() async throws {
        try await StreamsWorld().run { world in
            let room = StreamsInRoom(
                control: world.streams, chat: world.chat, authorities: ["localhost:8080"])
            let url = "http://192.0.2.7:8080/rooms/demo"
            let variants = [HLSVariantRequest(meetingURL: url)]
            for other in ["", "192.0.2.8:8080"] {
                await #expect(throws: LiveStreamingError.self, "\(other)") {
                    try await room.start(
                        room: "demo", variants: variants, recording: nil,
                        layout: nil, startedBy: "ann", authority: other)
                }
                await #expect(throws: LiveStreamingError.self, "\(other)") {
                    try await room.startRecording(
                        room: "demo", RecordingRequest(meetingURL: url), startedBy: "ann",
                        authority: other)
                }
            }
            try await room.start(
                room: "demo", variants: variants, recording: nil,
                layout: nil, startedBy: "ann", authority: "192.0.2.7:8080")
            try await room.startRecording(
                room: "demo", RecordingRequest(meetingURL: url), startedBy: "ann",
                authority: "192.0.2.7:8080")
            for kind in [LiveStream.Kind.stream, .recording] {
                let started = try await world.streams.current(room: "demo", kind: kind)
                #expect(started?.plan.variant.meetingURL == url)
            }
        }
    }

    @Test func whatPeersMayNotAskForIsSaid() async throws {
        try await StreamsWorld { $0.limits.streams = 1 }.run { world in
            let room = StreamsInRoom(control: world.streams, chat: world.chat, authorities: [])
            await #expect(
                throws: LiveStreamingError(
                    .invalid,
                    message: "resolution is not valid: width and height must be even, not 641x480")
            ) {
                try await room.startRecording(
                    room: "demo", RecordingRequest(resolution: .init(width: 641, height: 480)),
                    startedBy: "ann", authority: "")
            }
            try await room.startRecording(
                room: "demo", RecordingRequest(), startedBy: "ann", authority: "")
            await #expect(
                throws: LiveStreamingError(
                    .unavailable, message: "too many streams: too_many_streams: 1 of 1 are on air")
            ) {
                try await room.startRecording(
                    room: "other", RecordingRequest(), startedBy: "ann", authority: "")
            }
        }
    }

    @Test func variantsAreStoppedByTheirMetadataHoweverManyStreamsCameSince() async throws {
        try await StreamsWorld().run { world in
            let room = StreamsInRoom(control: world.streams, chat: world.chat, authorities: [])
            let request = LiveStreamRequest(
                variants: ["a", "b", ""].map { .init(metadata: $0) })
            let streams = try await world.streams.start(room: "demo", request, startedBy: nil)
            for number in 0..<PageLimit.range.upperBound {
                let newer = CatalogueStream(
                    id: StreamID("ffff\(1000 + number)"), room: "demo", status: .completed,
                    createdAt: world.clock.time, directory: "demo/\(number)",
                    details: CatalogueStream(streams[0], assetDirectory: nil).details)
                try await world.catalogue.save(newer)
            }
            func onAir() async throws -> [String] {
                var found: [String] = []
                for stream in streams {
                    let stream = try await world.streams.stream(stream.id)
                    if stream?.status == .starting {
                        found.append(stream?.plan.variant.metadata ?? "")
                    }
                }
                return found
            }
            func stop(_ metadata: [String?]) async throws {
                try await room.stop(
                    room: "demo",
                    variants: metadata.map { HLSVariantRequest(meetingURL: nil, metadata: $0) },
                    stoppedBy: "ann")
            }
            try await stop(["c"])
            #expect(try await onAir() == ["a", "b", ""])
            try await stop(["b", nil])
            #expect(try await onAir() == ["a"])
            try await stop([nil])
            #expect(try await onAir() == [])
        }
    }

    @Test func aRoomWithoutOneHasNothingToStop() async throws {
        try await StreamsWorld().run { world in
            _ = try await world.streams.start(room: "demo", LiveStreamRequest(), startedBy: nil)
            await #expect(throws: LiveStreamError.notFound("room demo never had a recording")) {
                try await world.streams.stop(room: "demo", kind: .recording, stoppedBy: nil)
            }
        }
    }

    @Test func listsTellStreamsAndRecordingsApart() async throws {
        try await StreamsWorld().run { world in
            let live = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            let recording = try await start(world)
            let all = LiveStreamRequest(recording: RecordingOptions(hlsVOD: true))
            let kept = try await world.streams.start(room: "b", all, startedBy: nil)[0]
            func ids(_ query: LiveStreamQuery) async throws -> [StreamID] {
                try await world.streams.streams(query).streams.map(\.id)
            }
            #expect(try await ids(LiveStreamQuery()) == [kept.id, live.id])
            #expect(try await ids(LiveStreamQuery(.recordings)) == [kept.id, recording.id])
            #expect(try await ids(LiveStreamQuery(.recordings, room: "demo")) == [recording.id])
        }
    }

    @Test func itIsToldOfAsABeam() async throws {
        try await StreamsWorld().run { world in
            let recording = try await start(world)
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            _ = try await world.streams.setRecording(stream: recording.id, isPaused: true)
            #expect(await bot.nextSignal() == .order(.recordingPaused(true)))
            _ = try await world.streams.stop(stream: recording.id, stoppedBy: nil)
            bot.exit(.finished(reason: "stop"))
            let finisher = try #require(await world.finishers.next())
            finisher.exit(.finished)
            #expect(await world.observer.ending()?.status == .completed)
            let page = try await world.catalogue.deliveries(
                DeliveryQuery(line: recording.id.rawValue))
            #expect(
                page.records.map(\.kind) == ["beam.stopped.success", "beam.started.success"])
        }
    }

    @Test func soundAloneIsOneFileWithoutAPicture() async throws {
        try await StreamsWorld().run { world in
            var request = request
            request.audio.only = true
            let id = try await world.streams.start(room: "demo", request, startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            #expect(bot.job.stream == id)
            let data = try Data(
                contentsOf: URL(filePath: "\(bot.job.outputDirectory)/\(StreamFile.name)"))
            let order = try JSONDocument.decode(StreamFile.self, from: data).order
            #expect(order?.layers == [.init(width: 0, height: 0)])
        }
    }

    @Test func theResolutionGivesTheBitrate() throws {
        let settings = StreamSettings()
        var request = request
        #expect(try settings.ladder(for: request).layers == [Ladder.standard.top])
        request.resolution = .init(width: 1920, height: 1080)
        let layer = try settings.ladder(for: request).top
        #expect(layer.width == 1920 && layer.height == 1080)
        #expect(layer.audioBitrate == Ladder.standard.top.audioBitrate)
        // 2.25 times the pixels.
        #expect((3_600_000...3_700_000).contains(layer.videoBitrate))
        request.resolution = .init(width: 640, height: 481)
        #expect {
            try settings.ladder(for: request)
        } throws: { error in
            if case LiveStreamError.invalidResolution = error { true } else { false }
        }
    }

    @Test func aRoomWithoutPicturesIsRecordedAsSound() async throws {
        try await StreamsWorld({ $0.automatic.recordsSoundAlone = true }).run { world in
            let recording = try await world.streams.start(
                room: "demo", LiveStreamRequest(kind: .recording, recording: .oneFile),
                startedBy: nil)[0]
            #expect(recording.plan.audio.only)
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            #expect(!stream.plan.audio.only)
        }
    }

    /// Once more than two are in the room, and until nobody is.
    @Test func thePresetOfGroupCallsSaysWhatIsMissing() throws {
        func settings(_ change: (inout RecordingDestination) -> Void) throws -> StreamSettings {
            var destination = RecordingDestination()
            destination.preset = .groupCall
            change(&destination)
            var settings = StreamSettings()
            settings.recordings.kept = .seconds(3600)
            try settings.read(
                try Policy(
                    validating: Policy.standard.roles,
                    recordingDestinations: ["calls": destination]))
            return settings
        }
        let preset = try settings { _ in }
        let starts = preset.autoStarts.map { "\($0.0) \($0.1.condition)" }
        #expect(starts == ["recording peers(3)"])
        let ladder = try preset.ladder(for: request)
        #expect(ladder.layers.count == 1 && ladder.top.width == 1280 && ladder.top.height == 720)
        #expect(
            preset.recordingDestinations.rules(for: "", preset.rules).emptyTimeout == .seconds(1))
        var wanted = request
        wanted.recording = .oneFile
        let twoWeeks: Int64 = 14 * 86_400
        #expect(preset.order(for: wanted, ladder: ladder)?.keptSeconds == twoWeeks)
        // Streams of the room are kept as usual.
        var stream = LiveStreamRequest()
        stream.recording = .oneFile
        #expect(preset.order(for: stream, ladder: ladder)?.keptSeconds == 3600)
        // Its own values come first.
        let own = try settings { destination in
            (destination.width, destination.height) = (640, 360)
            destination.keptSeconds = 60
            destination.autoStart = false
            destination.autoStopTimeout = 30
        }
        #expect(own.autoStarts.isEmpty)
        #expect(try own.ladder(for: request).top.height == 360)
        #expect(own.order(for: wanted, ladder: ladder)?.keptSeconds == 60)
        #expect(own.recordingDestinations.rules(for: "", own.rules).emptyTimeout == .seconds(30))
        #expect(
            refusedSetting {
                try settings { $0.keptSeconds = 0 }
            } == "policy.file")
    }

    @Test func aDestinationOfThePolicySaysHowRecordingsAreMade() throws {
        var settings = StreamSettings()
        var destination = RecordingDestination(width: 1080, height: 1920)
        destination.maxDuration = 1800
        destination.layout = .object(["name": .string("single")])
        let policy = try Policy(
            validating: Policy.standard.roles, recordingDestinations: ["tall": destination])
        try settings.read(policy)
        let ladder = try settings.ladder(for: request)
        #expect(ladder.layers.count == 1 && ladder.top.height == 1920)
        #expect(try settings.layout(for: request).name == .single)
        #expect(
            settings.recordingDestinations.rules(for: "", settings.rules).durationMaximum
                == .seconds(1800))
        // Streams are not affected.
        #expect(try settings.layout(for: LiveStreamRequest()).name == .grid)
        for (width, height) in [(Int.max, Int.max), (-1, 2), (641, 480)] {
            let wrong = try Policy(
                validating: Policy.standard.roles,
                recordingDestinations: ["x": .init(width: width, height: height)])
            #expect(
                refusedSetting {
                    try settings.read(wrong)
                } == "policy.file")
        }
    }
}
