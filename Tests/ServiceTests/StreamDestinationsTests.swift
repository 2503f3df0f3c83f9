import HLS
import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Stage
import Streams
import Testing

@testable import Service

@Suite struct StreamDestinationsTests {
    private func ladders(
        _ destinations: String, playlist: PlaylistMode = .event
    ) throws -> StreamDestinations {
        let json = """
            {"roles": {"host": {"name": "host", "publishParams": {"allowed": ["audio"]}}},
             "destinations": {"hlsDestinations": \(destinations)}}
            """
        return try StreamDestinations(
            try PolicyFile.policy(fromJSON: json).hlsDestinations, standard: .standard,
            playlist: playlist, layout: Layout(), pictures: WebHosts())
    }

    @Test func aDestinationGivesItsLadderAndTheConfiguredOneFillsItsGaps() throws {
        let ladders = try ladders(
            #"{"main": {"layers": [{"width": 1080, "height": 720, "videoBitrate": 1100}, {}]}}"#)
        let ladder = try #require(ladders.ladder(for: "main"))
        #expect(ladder.layers[0].width == 1080)
        #expect(ladder.layers[0].videoBitrate == 1_100_000)
        #expect(ladder.layers[0].audioBitrate == Ladder.standard.layers[0].audioBitrate)
        let second = Ladder.standard.layers[1]
        #expect(ladder.layers[1].videoBitrate == second.videoBitrate)
        #expect(ladder.layers[1].audioBitrate == second.audioBitrate)
        // Without a name, the only destination applies.
        #expect(ladders.ladder(for: "") == ladder)
    }

    /// A layer with another aspect ratio than the first would distort everyone.
    @Test func sidesThatAreLeftOutFollowTheShapeOfTheFirstLayer() throws {
        let rows: [(layers: String, sizes: [[Int]])] = [
            ("{}, {}, {}", [[1280, 720], [854, 480], [640, 360]]),
            (#"{"width": 720, "height": 1280}, {}, {}"#, [[720, 1280], [480, 854], [360, 640]]),
            (#"{"width": 1080, "height": 720}, {}"#, [[1080, 720], [720, 480]]),
            (#"{"width": 720, "height": 720}, {}"#, [[720, 720], [480, 480]]),
            (#"{"width": 720, "height": 1280}, {"width": 480}"#, [[720, 1280], [480, 854]]),
            (#"{"width": 720, "height": 1280}, {"height": 640}"#, [[720, 1280], [360, 640]]),
            (#"{"width": 960}, {"height": 360}"#, [[960, 540], [640, 360]]),
            (#"{"height": 1080}"#, [[1920, 1080]]),
        ]
        for (layers, sizes) in rows {
            let ladder = try #require(
                try ladders(#"{"main": {"layers": [\#(layers)]}}"#).ladder(for: "main"))
            #expect(ladder.layers.map { [$0.width, $0.height] } == sizes, "\(layers)")
        }
        // The ladder refuses absurd numbers.
        for number in [0, -1, 1, Int.max, Int.min] {
            for side in ["width", "height"] {
                #expect(
                    refusedSetting {
                        try ladders(#"{"main": {"layers": [{"\#(side)": \#(number)}, {}]}}"#)
                    } == "policy.file")
            }
        }
    }

    @Test func aDestinationLimitsHowLongItsStreamsLast() throws {
        let destinations = try ladders(
            """
            {"short": {"maxDuration": 600, "autoStopTimeout": 30},
             "plain": {"maxDuration": 0, "autoStopTimeout": 0}}
            """)
        var configured = StreamRules(emptyTimeout: .seconds(300))
        configured.durationMaximum = .seconds(7200)
        let short = destinations.rules(for: "short", configured)
        #expect(short.durationMaximum == .seconds(600) && short.emptyTimeout == .seconds(30))
        #expect(destinations.rules(for: "plain", configured) == configured)
        let refusal = SettingsError.invalid(
            key: "policy.file",
            reason: "destination 'x': maxDuration is 0 to 2678400 seconds")
        #expect(throws: refusal) { try ladders(#"{"x": {"maxDuration": -1}}"#) }
    }

    @Test func withSeveralTheDefaultIsTheOneOfThatName() throws {
        let ladders = try ladders(
            """
            {"default": {"layers": [{"width": 640, "height": 360}]},
             "other": {"layers": [{"width": 1280, "height": 720}]}, "plain": {}}
            """)
        #expect(ladders.ladder(for: "")?.layers[0].width == 640)
        #expect(ladders.ladder(for: "plain") == nil)
        #expect(ladders.knows("plain"))
        #expect(!ladders.knows("nobody"))
    }

    @Test func whatARequestDoesNotSayOfItsRecordingTheDestinationDoes() throws {
        var settings = StreamSettings()
        settings.destinations = try ladders(
            #"{"main": {"recording": {"hlsVod": true}}, "plain": {}}"#)
        for (asked, destination, kept) in [
            (nil, "main", RecordingOptions(hlsVOD: true)), (nil, "plain", nil),
            (RecordingOptions(), "main", RecordingOptions(hlsVOD: true)),
            (RecordingOptions(hlsVOD: false), "main", RecordingOptions(hlsVOD: false)),
            (
                RecordingOptions(singleFilePerLayer: true), "main",
                RecordingOptions(hlsVOD: true, singleFilePerLayer: true)
            ),
            (
                RecordingOptions(singleFilePerLayer: true), "plain",
                RecordingOptions(singleFilePerLayer: true)
            ),
        ] as [(RecordingOptions?, String, RecordingOptions?)] {
            let request = LiveStreamRequest(recording: asked, destination: destination)
            #expect(settings.recording(for: request) == kept, "\(destination)")
        }
    }

    @Test func aDestinationSaysWhatItsPlaylistsShow() throws {
        let live = PlaylistMode.live(window: 9)
        for (fields, configured, expected) in [
            ("", .event, nil), ("", live, nil), (#""playlistType": "event""#, live, .event),
            (#""playlistType": "live""#, .event, .live(window: 6)),
            (#""playlistType": "live""#, live, live),
            (#""playlistType": "live", "numPlaylistSegments": 3"#, live, .live(window: 3)),
            (#""numPlaylistSegments": 150"#, live, .live(window: 150)),
            // 100ms' own sample has a number without a meaning.
            (#""playlistType": "event", "numPlaylistSegments": 12"#, live, .event),
            (#""numPlaylistSegments": 12"#, .event, nil),
            (#""playlistType": "", "numPlaylistSegments": 0"#, live, nil),
        ] as [(String, PlaylistMode, PlaylistMode?)] {
            let destinations = try ladders(#"{"main": {\#(fields)}}"#, playlist: configured)
            #expect(destinations.playlist(for: "main") == expected, "\(fields)")
        }
        for (fields, reason) in [
            (#""playlistType": "dvr""#, "playlistType is event or live"),
            (#""numPlaylistSegments": 2"#, "numPlaylistSegments is 3 to 150"),
            (#""numPlaylistSegments": 151"#, "numPlaylistSegments is 3 to 150"),
        ] {
            let refusal = SettingsError.invalid(
                key: "policy.file", reason: "destination 'x': \(reason)")
            #expect(throws: refusal) { try ladders(#"{"x": {\#(fields)}}"#) }
        }
    }

    @Test func layersThatAreNotStreamedCannotBeRecorded() throws {
        let layers = #""layers": [{"width": 1080, "height": 720, "videoBitrate": 1100}, {}]"#
        for recorded in ["[]", "[{}]", #"[{"width": 1080, "videoBitrate": 1100}]"#] {
            _ = try ladders(#"{"x": {\#(layers), "recording": {"layers": \#(recorded)}}}"#)
        }
        // Without its own layers it has the configured ones, which may change.
        _ = try ladders(#"{"x": {"recording": {"layers": [{"width": 1, "height": 7}]}}}"#)
        let refusal = SettingsError.invalid(
            key: "policy.file",
            reason: "destination 'x': recording.layers[1] is none of its layers")
        for recorded in [#"{"width": 700}"#, #"{"width": 1080, "videoBitrate": 1101}"#] {
            #expect(throws: refusal) {
                try ladders(#"{"x": {\#(layers), "recording": {"layers": [{}, \#(recorded)]}}}"#)
            }
        }
    }

    @Test func aLadderThatBreaksARuleIsRefusedByItsDestination() {
        #expect {
            try ladders(#"{"tiny": {"layers": [{"width": 100, "height": 50}]}}"#)
        } throws: { error in
            "\(error)".contains("destination 'tiny'")
        }
    }

    @Test func aDestinationGivesItsLayout() throws {
        let destinations = try ladders(#"{"main": {"layout": {"name": "speaker", "gap": 8}}}"#)
        let change = try #require(destinations.layout(for: ""))
        let layout = try Layout().changed(by: change, pictures: WebHosts())
        #expect(layout == Layout(name: .speaker, gap: 8))
    }

    @Test func aLayoutThatBreaksARuleIsRefusedByItsDestination() {
        for (layout, reason) in [
            (#"{"gap": -1}"#, "destination 'tiny': layout.gap must be"),
            (
                #"{"background": {"image": "https://a.org/b.png"}}"#,
                "layout.background.image must be on one of the hosts in pictures.hosts"
            ),
        ] {
            #expect {
                try ladders(#"{"tiny": {"layout": \#(layout)}}"#)
            } throws: { error in
                "\(error)".contains(reason)
            }
        }
    }

    @Test func withoutDestinationsAnyNameIsOnlyKept() {
        #expect(StreamDestinations().knows("archive"))
        #expect(StreamDestinations().ladder(for: "archive") == nil)
        #expect(StreamDestinations().layout(for: "") == nil)
    }
}
