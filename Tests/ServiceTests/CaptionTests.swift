import ChildProcesses
import ControlAPI
import Foundation
import HLS
import MediaKernel
import Recording
import Rooms
import Stage
import Streams
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct CaptionTests {
    private func running(
        _ world: StreamsWorld, _ codes: [String] = ["en", "de"]
    ) async throws -> (StreamID, BotDouble) {
        var request = LiveStreamRequest()
        request.captions = StreamCaptions(languages: codes.map { CaptionLanguage(code: $0) })
        return try await world.running(request)
    }

    private func log(_ world: StreamsWorld, _ id: StreamID) throws -> [Caption] {
        try CaptionLog.read(in: "\(world.directory)/demo/\(id)")
    }

    private func said(_ text: String, _ world: StreamsWorld, ago: Int64 = 0) -> CaptionRequest {
        let now = world.clock.time.milliseconds
        return CaptionRequest(
            text: text, start: now - ago, end: now - ago + 1000, speaker: "Ann", peer: "p1")
    }

    @Test func theyAreWrittenDownInOrder() async throws {
        try await StreamsWorld().run { world in
            let (id, _) = try await running(world)
            let now = world.clock.time.milliseconds
            let stream = try await world.streams.addCaptions(
                [said("a", world), said("b", world)], language: "EN", to: id, addedBy: nil)
            #expect(stream.id == id)
            _ = try await world.streams.addCaptions(
                [said("c", world)], language: "de", to: id, addedBy: nil)
            let expected = [("a", "en"), ("b", "en"), ("c", "de")].enumerated().map {
                Caption(
                    number: $0 + 1, language: $1.1, start: now, end: now + 1000, speaker: "Ann",
                    peer: "p1", text: $1.0)
            }
            #expect(try log(world, id) == expected)
        }
    }

    @Test func whatComesWhileABotIsReplacedIsWrittenDownForTheNextOne() async throws {
        try await StreamsWorld().run { world in
            let (id, bot) = try await running(world)
            try await world.end(bot, .failed(reason: "crashed"))
            _ = try await world.streams.addCaptions(
                [said("b", world)], language: "en", to: id, addedBy: nil)
            #expect(try log(world, id).map(\.text) == ["b"])
        }
    }

    @Test func anUnknownLanguageIsAnsweredWithTheKnownOnes() async throws {
        try await StreamsWorld().run { world in
            let (id, _) = try await running(world)
            let one = [said("a", world)]
            for code in ["fr", nil] {
                await #expect(throws: LiveStreamError.invalidCaption("language is one of en, de")) {
                    try await world.streams.addCaptions(one, language: code, to: id, addedBy: nil)
                }
            }
        }
    }

    @Test func theOnlyLanguageNeedsNoName() async throws {
        try await StreamsWorld().run { world in
            let (id, _) = try await running(world, ["en"])
            _ = try await world.streams.addCaptions(
                [said("a", world)], language: nil, to: id, addedBy: nil)
            #expect(try log(world, id).map(\.language) == ["en"])
        }
    }

    @Test func aStreamWithoutCaptionsAndOneThatIsOverTakeNone() async throws {
        try await StreamsWorld().run { world in
            let one = [said("a", world)]
            await #expect(throws: LiveStreamError.notFound("stream x")) {
                try await world.streams.addCaptions(one, language: "en", to: "x", addedBy: nil)
            }
            let (without, _) = try await running(world, [])
            await #expect(
                throws: LiveStreamError.invalidCaption(
                    "stream \(without) was started without captions")
            ) {
                try await world.streams.addCaptions(one, language: "en", to: without, addedBy: nil)
            }
            _ = try await world.streams.stop(stream: without, stoppedBy: nil)
        }
        try await StreamsWorld().run { world in
            let (id, _) = try await running(world)
            let one = [said("a", world)]
            let early = [said("a", world, ago: 600_000)]
            await #expect(throws: LiveStreamError.self) {
                try await world.streams.addCaptions(early, language: "en", to: id, addedBy: nil)
            }
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            await #expect(throws: LiveStreamError.notRunning(id)) {
                try await world.streams.addCaptions(one, language: "en", to: id, addedBy: nil)
            }
            #expect(try log(world, id).isEmpty)
        }
    }

    @Test func theyAreBoundedInRateAndInAll() async throws {
        try await StreamsWorld().run { world in
            let (id, _) = try await running(world)
            let burst = (0..<Limits.captionsBurst).map { said("\($0)", world) }
            _ = try await world.streams.addCaptions(burst, language: "en", to: id, addedBy: nil)
            await #expect(throws: LiveStreamError.tooFast(perSecond: Limits.captionsPerSecond)) {
                try await world.streams.addCaptions(
                    [burst[0]], language: "en", to: id, addedBy: nil)
            }
            let many = [CaptionRequest](repeating: burst[0], count: Caption.perStreamMaximum)
            await #expect(
                throws: LiveStreamError.tooManyCaptions(id, maximum: Caption.perStreamMaximum)
            ) { try await world.streams.addCaptions(many, language: "en", to: id, addedBy: nil) }
        }
    }

    @Test func aStartHasItsOwnLanguagesOrItsDestinationsOrTheServers() async throws {
        var main = HLSDestination()
        main.captions = .object(["languages": .array([.object(["code": "de"])])])
        let destinations = try StreamDestinations(
            ["main": main, "plain": HLSDestination()], standard: .standard, playlist: .event,
            layout: Layout(), pictures: WebHosts())
        let server = StreamCaptions(languages: [CaptionLanguage(code: "en")])
        try await StreamsWorld {
            $0.destinations = destinations
            $0.captions.standard = server
        }.run { world in
            for (room, destination, own, codes) in [
                ("r1", "main", nil, ["de"]), ("r2", "plain", nil, ["en"]),
                ("r3", "main", [], []), ("r4", "plain", ["fr"], ["fr"]),
            ] as [(RoomID, String, [String]?, [String])] {
                var request = LiveStreamRequest(destination: destination)
                request.captions = own.map { codes in
                    StreamCaptions(languages: codes.map { CaptionLanguage(code: $0) })
                }
                let stream = try await world.streams.start(
                    room: room, request, startedBy: nil)[0]
                #expect(stream.plan.captions.languages.map(\.code) == codes)
                _ = try await world.streams.stop(stream: stream.id, stoppedBy: nil)
            }
        }
        for wrong in [
            JSONValue.string("en"), .object(["languages": .array([.object(["code": "e"])])]),
        ] {
            main.captions = wrong
            #expect(
                refusedSetting {
                    try StreamDestinations(
                        ["main": main], standard: .standard, playlist: .event, layout: Layout(),
                        pictures: WebHosts())
                } == "policy.file")
        }
    }

    /// Captions are not in the copies of live streams, so their master playlists do not name them.
    @Test func aCopiedMasterHasNoCaptions() throws {
        var master = MasterPlaylist(variants: [
            .init(uri: "stream_0/stream.m3u8", bandwidth: 1, codecs: "mp4a.40.2")
        ])
        let plain = Array(master.rendered().utf8)
        #expect(try LiveCopy.withoutCaptions(plain) == plain)
        master.subtitles = [
            SubtitleRendition(language: "en", name: "English", uri: "captions_en/stream.m3u8")
        ]
        #expect(try LiveCopy.withoutCaptions(Array(master.rendered().utf8)) == plain)
    }

    @Test func aRunningStreamWithoutTheLanguageIsNotTheWantedOne() async throws {
        try await StreamsWorld().run { world in
            let (id, _) = try await running(world, ["en"])
            var request = LiveStreamRequest()
            request.captions = StreamCaptions(languages: [CaptionLanguage(code: "fr")])
            await #expect(
                throws: LiveStreamError.runsOtherwise(id, "without captions in fr")
            ) { try await world.streams.start(room: "demo", request, startedBy: nil) }
        }
    }
}
