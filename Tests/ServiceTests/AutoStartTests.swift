import ChildProcesses
import ControlAPI
import Foundation
import HLS
import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Stage
import Streams
import Synchronization
import Testing

@testable import Service

/// When rooms go on and off air automatically.
@Suite(.timeLimit(.minutes(5))) struct AutoStartTests {
    private static func room(_ peers: Int, _ publishers: Int) -> RoomOccupancy {
        RoomOccupancy(peers: peers, publishers: publishers)
    }

    private enum Fact {
        case seen(Int, Int, starts: Bool)
        case stopped
        case refused
        case postponed
    }

    private static let stories: [(AutoStart, [Fact])] = [
        (.never, [.seen(0, 0, starts: false), .seen(9, 9, starts: false)]),
        // As soon as a peer is there, and once.
        (
            .roomOpens,
            [
                .seen(0, 0, starts: false), .seen(1, 0, starts: true), .seen(2, 2, starts: false),
                .seen(0, 0, starts: false), .seen(1, 0, starts: true),
            ]
        ),
        // With the second publisher, and again when there are two again.
        (
            .publishers(2),
            [
                .seen(5, 1, starts: false), .seen(5, 2, starts: true), .seen(5, 3, starts: false),
                .seen(5, 1, starts: false), .seen(5, 2, starts: true),
            ]
        ),
        // With the third peer, whether or not anybody publishes.
        (
            .peers(3),
            [
                .seen(2, 2, starts: false), .seen(3, 0, starts: true), .seen(4, 0, starts: false),
                .seen(1, 0, starts: false), .seen(3, 0, starts: true),
            ]
        ),
        // A stream stopped by a request stays off until the room was empty.
        (
            .publishers(1),
            [
                .seen(2, 1, starts: true), .stopped, .seen(2, 0, starts: false),
                .seen(2, 1, starts: false), .seen(0, 0, starts: false), .seen(1, 1, starts: true),
            ]
        ),
        // A refused start is retried.
        (
            .roomOpens,
            [
                .seen(1, 0, starts: true), .refused, .seen(1, 0, starts: true),
                .seen(1, 0, starts: false),
            ]
        ),
        // So is one for which another stream is in the way, unless that is stopped.
        (
            .roomOpens,
            [
                .seen(1, 0, starts: true), .postponed, .seen(1, 0, starts: true), .stopped,
                .postponed, .seen(1, 0, starts: false),
            ]
        ),
        // A stop that comes before the refusal is known counts.
        (.roomOpens, [.seen(1, 0, starts: true), .stopped, .refused, .seen(1, 0, starts: false)]),
    ]

    @Test(arguments: stories.indices)
    func aRoomGoesOnAirWhenItsConditionIsMetAnew(_ index: Int) {
        let (condition, facts) = Self.stories[index]
        var starter = AutoStarter(condition)
        for (step, fact) in facts.enumerated() {
            switch fact {
            case .seen(let peers, let publishers, let starts):
                #expect(starter.seen(Self.room(peers, publishers)) == starts, "step \(step)")
            case .stopped: starter.stopped()
            case .refused: starter.refused()
            case .postponed:
                starter.postponed()
                #expect(!starter.isRefused, "a refusal is still news")
            }
        }
    }

    @Test func conditionsAreReadAsTheyAreDocumented() {
        #expect(AutoStart("off") == .never && AutoStart("room") == .roomOpens)
        #expect(AutoStart("publishers:3") == .publishers(3))
        #expect(AutoStart("peers:3") == .peers(3))
        for text in [
            "", "on", "peers:0", "people:2", "publishers", "publishers:", "publishers:0",
            "publishers:2:3",
        ] {
            #expect(AutoStart(text) == nil, "\(text)")
        }
    }

    /// Which of the configured limits ends a stream, and when.
    private struct Limits {
        var empty: Int?
        var idle: Int?
        var longest: Int?
        /// The times, in seconds, at which the last peer left and the last one stopped publishing.
        var emptied: Int?
        var idled: Int?
        var endsAt: Int?
        var end = StreamEnd.stopped
    }

    private static let endings: [Limits] = [
        Limits(emptied: 10, idled: 10),
        Limits(empty: 60, emptied: 10, idled: 10, endsAt: 70, end: .lastPeerLeft),
        Limits(idle: 60, idled: 10, endsAt: 70, end: .nothingPublished),
        Limits(empty: 20, idle: 60, idled: 10, endsAt: 70, end: .nothingPublished),
        Limits(
            empty: 60, idle: 60, emptied: 10, idled: 10, endsAt: 70, end: .lastPeerLeft),
        Limits(
            empty: 90, idle: 60, emptied: 10, idled: 10, endsAt: 70, end: .nothingPublished),
        Limits(longest: 100, endsAt: 102, end: .durationReached),
        Limits(idle: 200, longest: 100, idled: 10, endsAt: 102, end: .durationReached),
    ]

    @Test(arguments: endings.indices)
    func theFirstLimitThatIsReachedEndsTheStream(_ index: Int) {
        let limits = Self.endings[index]
        func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }
        var rules = StreamRules(emptyTimeout: limits.empty.map { .seconds($0) })
        rules.idleTimeout = limits.idle.map { .seconds($0) }
        rules.durationMaximum = limits.longest.map { .seconds($0) }
        rules.segmentTimeout = .seconds(1000)
        var machine = StreamMachine(rules: rules, isEmpty: false, at: .zero)
        _ = machine.timePassed(at: .zero)
        _ = machine.botRunning(at: at(2))
        if let emptied = limits.emptied { machine.roomEmptied(at: at(emptied)) }
        if let idled = limits.idled { machine.publishingEnded(at: at(idled)) }
        #expect(machine.nextDeadline == at(limits.endsAt ?? 1002))
        guard let time = limits.endsAt else { return }
        #expect(machine.timePassed(at: at(time - 1)) == nil)
        #expect(
            machine.timePassed(at: at(time))
                == .stop(.stopping(limits.end, asksBot: true)))
    }

    @Test func whoPublishesAgainKeepsTheStream() {
        var rules = StreamRules()
        rules.idleTimeout = .seconds(60)
        rules.segmentTimeout = .seconds(1000)
        var machine = StreamMachine(rules: rules, isEmpty: true, isIdle: true, at: .zero)
        _ = machine.timePassed(at: .zero)
        _ = machine.botRunning(at: .zero + .seconds(2))
        #expect(machine.nextDeadline == .zero + .seconds(60))
        machine.publishingBegan()
        #expect(machine.nextDeadline == .zero + .seconds(1002))
        machine.publishingEnded(at: .zero + .seconds(100))
        machine.publishingEnded(at: .zero + .seconds(150))
        #expect(machine.nextDeadline == .zero + .seconds(160))
    }

    private func destinations(_ text: String) throws -> StreamDestinations {
        let json = """
            {"roles": {"host": {"publishParams": {"allowed": ["audio"]}}},
             "destinations": {"hlsDestinations": \(text)}}
            """
        return try StreamDestinations(
            try PolicyFile.policy(fromJSON: json).hlsDestinations, standard: .standard,
            playlist: .event, layout: Layout(), pictures: WebHosts())
    }

    @Test func destinationsSayWhatStartsByItselfAndTheSettingsStandInForThem() throws {
        var settings = StreamSettings()
        settings.automatic.streams = .roomOpens
        settings.automatic.streamRecording = RecordingOptions(hlsVOD: true)
        typealias Wish = StreamDestinations.AutoStartOptions
        let standard = Wish(
            destination: "", condition: .roomOpens, recording: settings.automatic.streamRecording)
        #expect(
            StreamDestinations().autoStarts(
                settings.automatic.streams, keeping: settings.automatic.streamRecording) == [
                    standard
                ])
        // Thumbnails alone do not request a recording.
        for recording in ["", #", "recording": {"thumbnails": {"width": 640}}"#] {
            let only = #"{"only": {"autoStart": "publishers:2"\#(recording)}}"#
            #expect(
                try destinations(only).autoStarts(
                    settings.automatic.streams, keeping: settings.automatic.streamRecording) == [
                        Wish(
                            destination: "", condition: .publishers(2),
                            recording: settings.automatic.streamRecording)
                    ])
        }
        let two = try destinations(
            """
            {"default": {"autoStart": "off"},
             "archive": {"autoStart": "room", "idleTimeout": 90,
                         "recording": {"singleFilePerLayer": true}}}
            """)
        #expect(
            two.autoStarts(
                settings.automatic.streams, keeping: settings.automatic.streamRecording) == [
                    Wish(
                        destination: "archive", condition: .roomOpens,
                        recording: RecordingOptions(singleFilePerLayer: true))
                ])
        #expect(two.rules(for: "archive", StreamRules()).idleTimeout == .seconds(90))
        #expect(
            refusedSetting {
                try destinations(#"{"x": {"autoStart": "yes"}}"#)
            } == "policy.file")
    }

    @Test func aRoomIsRecordedByItselfUntilSomebodyStopsIt() async throws {
        try await StreamsWorld { $0.automatic.recordings = .roomOpens }.run { world in
            await world.seen("demo", Self.room(0, 0))
            await world.seen("demo", Self.room(1, 0))
            let bot = try #require(await world.launcher.next())
            let stream = try #require(try await world.streams.stream(bot.job.stream))
            #expect(stream.kind == .recording && stream.plan.recording?.singleFilePerLayer == true)
            _ = try await world.streams.stop(room: "demo", kind: .recording, stoppedBy: nil)
            bot.exit(.finished(reason: "stop"))
            #expect(await world.observer.ending()?.id == stream.id)
            await world.seen("demo", Self.room(2, 2))
            #expect(
                try await world.streams.streams(LiveStreamQuery(.recordings)).streams.count <= 1)
            #expect(try await world.streams.streams(LiveStreamQuery()).streams == [])
        }
    }

    @Test func aRoomIsOnAirWithItsSecondPublisherUntilSomebodyStopsIt() async throws {
        try await StreamsWorld { settings in
            settings.automatic.streams = .publishers(2)
            settings.automatic.streamRecording = RecordingOptions(singleFilePerLayer: true)
        }.run { world in
            await world.seen("demo", Self.room(3, 1))
            #expect(try await world.streams.current(room: "demo", kind: .stream) == nil)
            await world.seen("demo", Self.room(3, 2))
            await world.seen("demo", Self.room(3, 3))
            let bot = try #require(await world.launcher.next())
            let stream = try #require(try await world.streams.stream(bot.job.stream))
            #expect(stream.startedBy == "" && stream.plan.recording?.singleFilePerLayer == true)
            _ = try await world.streams.stop(room: "demo", kind: .stream, stoppedBy: "ann")
            bot.exit(.finished(reason: "stop"))
            #expect(await world.observer.ending()?.id == stream.id)
            for publishers in [2, 1, 2] {
                await world.seen("demo", Self.room(3, publishers))
            }
            #expect(try await world.streams.streams(LiveStreamQuery()).streams.count == 1)
            await world.seen("demo", Self.room(0, 0))
            await world.seen("demo", Self.room(2, 2))
            #expect(await world.launcher.next() != nil)
        }
    }

    @Test func theDefaultDestinationIsTheSameByItsNameAndWithoutOne() async throws {
        try await StreamsWorld { $0.automatic.streams = .roomOpens }.run { world in
            let named = LiveStreamRequest(destination: "default")
            let first = try await world.streams.start(room: "demo", named, startedBy: nil)[0]
            #expect(first.plan.destination == "default")
            let second = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            #expect(second.map(\.id) == [first.id])
            // It is the one that would start by itself, and is not wanted back.
            await world.seen("demo", Self.room(1, 0))
            let bot = try #require(await world.launcher.next())
            _ = try await world.streams.stop(room: "demo", kind: .stream, stoppedBy: "ann")
            bot.exit(.finished(reason: "stop"))
            #expect(await world.observer.ending()?.id == first.id)
            await world.seen("demo", Self.room(1, 1))
            #expect(try await world.streams.streams(LiveStreamQuery()).streams.count == 1)
        }
    }

    @Test func oneThatSomebodyStartedWithoutItsRecordingIsLeftAsItIs() async throws {
        try await StreamsWorld { settings in
            settings.automatic.streams = .roomOpens
            settings.automatic.streamRecording = RecordingOptions(hlsVOD: true)
        }.run { world in
            let stream = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0]
            for _ in 0..<2 { await world.seen("demo", Self.room(1, 0)) }
            let found = try await world.streams.streams(LiveStreamQuery()).streams
            #expect(found.map(\.id) == [stream.id])
            #expect(await world.streams.book.counts.refused == 0)
        }
    }

    @Test func aStreamOfItsNameThatIsStoppedIsNotWantedBack() async throws {
        try await StreamsWorld { $0.automatic.streams = .publishers(1) }.run { world in
            await world.seen("demo", Self.room(1, 1))
            let bot = try #require(await world.launcher.next())
            await world.seen("demo", Self.room(1, 0))
            bot.exit(.finished(reason: "stop"))
            #expect(await world.observer.ending() != nil)
            let named = LiveStreamRequest(destination: "default")
            _ = try await world.streams.start(room: "demo", named, startedBy: nil)
            let second = try #require(await world.launcher.next())
            _ = try await world.streams.stop(room: "demo", kind: .stream, stoppedBy: "ann")
            second.exit(.finished(reason: "stop"))
            #expect(await world.observer.ending() != nil)
            await world.seen("demo", Self.room(1, 1))
            #expect(try await world.streams.streams(LiveStreamQuery()).streams.count == 2)
        }
    }

    @Test func aRoomsOwnSettingsSayHowItStreamsAndWhenByItself() async throws {
        try await StreamsWorld().run { world in
            var settings = await world.streams.settings
            settings.automatic.streams = .roomOpens
            settings.ladder = try Ladder(validating: [
                Layer(width: 640, height: 360, videoBitrate: 500_000, audioBitrate: 64_000)
            ])
            settings.layout = Layout(name: .speaker)
            settings.rules.durationMaximum = .seconds(10)
            world.observer.settings.withLock { [settings] in $0["own"] = settings }
            for room in ["own", "other", ObserverDouble.unknownRoom] as [RoomID] {
                await world.seen(room, Self.room(1, 1))
            }
            let bot = try #require(await world.launcher.next())
            let file = try String(contentsOfFile: bot.job.configurationFile, encoding: .utf8)
            #expect(file.contains(#""width":640"#) && !file.contains(#""width":1280"#))
            let stream = try #require(try await world.streams.stream(bot.job.stream))
            #expect(stream.room == "own" && stream.plan.layout == settings.layout)
            #expect(try await world.streams.current(room: "other", kind: .stream) == nil)
            let other = try await world.streams.start(
                room: "other", LiveStreamRequest(), startedBy: nil)
            #expect(other[0].plan.layout == Layout())
            await #expect(throws: LiveStreamError.unknownPolicy("why")) {
                try await world.streams.start(
                    room: ObserverDouble.unknownRoom, LiveStreamRequest(), startedBy: nil)
            }
            // Its rules apply to the room too.
            await bot.say(.running(firstSegmentMilliseconds: 1))
            world.clock.advance(.seconds(11))
            await world.tick()
            #expect(try await world.streams.stream(stream.id)?.status == .stopping)
        }
    }

    @Test func aStreamThatIsRefusedStartsWhenThereIsPlace() async throws {
        try await StreamsWorld { settings in
            settings.automatic.streams = .roomOpens
            settings.limits.streams = 1
        }.run { world in
            await world.seen("first", Self.room(1, 0))
            let bot = try #require(await world.launcher.next())
            // Tried again each time, and counted once.
            for _ in 0..<3 { await world.seen("second", Self.room(1, 0)) }
            #expect(try await world.streams.current(room: "second", kind: .stream) == nil)
            #expect(await world.streams.book.counts.refused == 1)
            bot.exit(.failed(reason: "x"))
            _ = try await world.streams.stop(room: "first", kind: .stream, stoppedBy: nil)
            _ = await world.observer.ending()
            await world.seen("second", Self.room(1, 0))
            #expect(
                try await world.streams.current(room: "second", kind: .stream)?.status == .starting)
        }
    }
}
