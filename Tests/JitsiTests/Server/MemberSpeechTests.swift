import MediaKernel
import Testing
import XML

@testable import Jitsi

/// What members say, in their sessions and on the bridge's channel.
@Suite struct MemberSpeechTests {
    private func sources(_ inside: String) throws -> [SentSource] {
        let text = """
            <jingle xmlns='urn:xmpp:jingle:1' action='source-add' sid='s'>\(inside)</jingle>
            """
        return try JingleRequest(XMLStreamReader.element(text), from: "ann").sources
    }

    private static let camera = SentSource(
        name: SourceName(owner: "ann", isVideo: true, number: 0), isScreen: false,
        layers: [.init(ssrc: 1, repairSSRC: 4), .init(ssrc: 2, repairSSRC: 5)])

    @Test func layersAndRepairsBelongTogetherInBothEncodings() throws {
        let json = try sources(
            """
            <json-message xmlns='http://jitsi.org/jitmeet'>{"sources":{"ann":[\
            [{"s":1,"n":"ann-v0","m":"x"},{"s":2,"n":"ann-v0"},{"s":4,"n":"ann-v0"},{"s":5,"n":"ann-v0"}],\
            [["s",1,2],["f",1,4],["f",2,5]]]}}</json-message>
            """)
        #expect(json == [Self.camera])
        let stream = { (ssrc: Int) in
            "<source xmlns='urn:xmpp:jingle:apps:rtp:ssma:0' ssrc='\(ssrc)' name='ann-v0'/>"
        }
        let group = { (words: String, ssrcs: [Int]) in
            "<ssrc-group xmlns='urn:xmpp:jingle:apps:rtp:ssma:0' semantics='\(words)'>"
                + ssrcs.map { "<source ssrc='\($0)'/>" }.joined() + "</ssrc-group>"
        }
        let xml = try sources(
            "<content name='video' creator='initiator'><description xmlns='urn:xmpp:jingle:apps:rtp:1' media='video'>"
                + [1, 2, 4, 5].map(stream).joined()
                + group("SIM", [1, 2]) + group("FID", [1, 4]) + group("FID", [2, 5])
                + "</description></content>")
        #expect(xml == [Self.camera])
    }

    @Test func aMemberSpeaksForItselfOnly() throws {
        #expect(throws: JitsiFault.malformed("the name of a source")) {
            try sources(
                #"<json-message xmlns='http://jitsi.org/jitmeet'>{"sources":{"ben":[[{"s":1,"n":"ben-v0"}]]}}</json-message>"#
            )
        }
        // Whoever it says that it is.
        let own = try sources(
            #"<json-message xmlns='http://jitsi.org/jitmeet'>{"sources":{"ben":[[{"s":1,"n":"ann-v0","v":"d"}]]}}</json-message>"#
        )
        #expect(own.map(\.name.owner) == ["ann"])
        #expect(own.map(\.isScreen) == [true])
    }

    @Test func aNameHasOneStream() throws {
        #expect(throws: JitsiFault.malformed("a source with several streams")) {
            try sources(
                #"<json-message xmlns='http://jitsi.org/jitmeet'>{"sources":{"ann":[[{"s":1,"n":"ann-v0"},{"s":2,"n":"ann-v0"}]]}}</json-message>"#
            )
        }
    }

    // MARK: The bridge

    @Test func messagesAreRead() throws {
        #expect(try EndpointMessage(#"{"colibriClass":"ClientHello"}"#) == .hello)
        #expect(
            try EndpointMessage(#"{"colibriClass":"EndpointStats","x":1}"#)
                == .statistics(["colibriClass": "EndpointStats", "x": .integer(1)]))
        #expect(try EndpointMessage(#"{"colibriClass":"VideoTypeMessage","x":1}"#) == .other)
        #expect(
            try EndpointMessage(#"{"colibriClass":"LastNChangedEvent","lastN":2}"#)
                == .constraints(ReceiverWishes(lastN: 2)))
        let text = #"{"colibriClass":"EndpointMessage","to":"ben","msgPayload":{"a":1}}"#
        guard case .text(to: "ben", let whole) = try EndpointMessage(text) else {
            Issue.record("no message")
            return
        }
        #expect(
            BridgeWord.passed(whole.merging(["from": "liar"]) { $1 }, from: "ann")
                == #"{"colibriClass":"EndpointMessage","from":"ann","msgPayload":{"a":1},"to":"ben"}"#
        )
        for bad in ["", "[]", "{}", #"{"colibriClass":1}"#, String(repeating: "[", count: 10_000)] {
            #expect(throws: JitsiFault.self) { try EndpointMessage(bad) }
        }
    }

    private func source(_ owner: String, _ number: Int = 0, isScreen: Bool = false)
        -> ConferenceSource
    {
        ConferenceSource(
            name: SourceName(owner: owner, isVideo: true, number: number), ssrc: 1,
            isScreen: isScreen)
    }

    private func layers(
        _ text: String, _ sources: [ConferenceSource], speakers: [String] = []
    ) throws -> [String: LayerPreference] {
        guard case .constraints(let wishes) = try EndpointMessage(text) else { return [:] }
        let layers = wishes.layers(of: sources, speakers: speakers)
        return Dictionary(uniqueKeysWithValues: layers.map { ("\($0.key)", $0.value) })
    }

    @Test func heightsAreLayers() throws {
        let text = """
            {"colibriClass":"ReceiverVideoConstraints","lastN":-1,"defaultConstraints":{"maxHeight":180},\
            "constraints":{"b-v0":{"maxHeight":720},"c-v0":{"maxHeight":360},"d-v0":{"maxHeight":0}}}
            """
        let all = [
            source("a"), source("b"), source("c"), source("d"), source("a", 1, isScreen: true),
        ]
        #expect(
            try layers(text, all) == [
                "a-v0": .low, "b-v0": .high, "c-v0": .medium, "d-v0": .none, "a-v1": .high,
            ])
    }

    @Test func lastNKeepsWhoIsOnStageAndThenWhoHasSpoken() throws {
        let text = """
            {"colibriClass":"ReceiverVideoConstraints","lastN":2,"onStageSources":["d-v0"]}
            """
        let all = ["a", "b", "c", "d"].map { source($0) }
        #expect(
            try layers(text, all, speakers: ["c", "b"]) == [
                "a-v0": .none, "b-v0": .none, "c-v0": .high, "d-v0": .high,
            ])
        #expect(
            try layers(#"{"colibriClass":"LastNChangedEvent","lastN":0}"#, all).values
                .allSatisfy { $0 == .none })
    }

    @Test func whatAMessageLeavesOutStays() {
        var wishes = ReceiverWishes(lastN: 3, heights: ["a-v0": 180])
        wishes.take(ReceiverWishes(standardHeight: 360))
        #expect(wishes == ReceiverWishes(lastN: 3, standardHeight: 360, heights: ["a-v0": 180]))
    }
}
