import HLS
import Rooms
import Signalling
import Testing

@testable import Service

@Suite struct DestinationLaddersTests {
    private func ladders(_ destinations: String) throws -> DestinationLadders {
        let json = """
            {"roles": {"host": {"name": "host", "publishParams": {"allowed": ["audio"]}}},
             "destinations": {"hlsDestinations": \(destinations)}}
            """
        return try DestinationLadders(
            policy: try PolicyFile.policy(fromJSON: json), standard: .standard)
    }

    @Test func aDestinationGivesItsLadderAndTheConfiguredOneFillsItsGaps() throws {
        let ladders = try ladders(
            #"{"main": {"layers": [{"width": 1080, "height": 720, "videoBitrate": 1100}, {}]}}"#)
        let ladder = try #require(ladders.ladder(for: "main"))
        #expect(ladder.layers[0].width == 1080)
        #expect(ladder.layers[0].videoBitrate == 1_100_000)
        #expect(ladder.layers[0].audioBitrate == Ladder.standard.layers[0].audioBitrate)
        #expect(ladder.layers[1] == Ladder.standard.layers[1])
        // Who names none gets the only one there is.
        #expect(ladders.ladder(for: "") == ladder)
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

    @Test func aLadderThatBreaksARuleIsRefusedByItsDestination() {
        #expect {
            try ladders(#"{"tiny": {"layers": [{"width": 100, "height": 50}]}}"#)
        } throws: { error in
            "\(error)".contains("destination 'tiny'")
        }
    }

    @Test func withoutDestinationsAnyNameIsOnlyKept() {
        #expect(DestinationLadders().knows("archive"))
        #expect(DestinationLadders().ladder(for: "archive") == nil)
    }
}
