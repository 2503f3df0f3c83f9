import Testing
import Workbench
import XML

@testable import Jitsi

@Suite struct SourceTests {
    private func list(_ inside: String) throws -> SourceList {
        try JingleMessage(Offers.jingle("source-add", inside)).sources
    }

    private func list(json owners: String...) throws -> SourceList {
        try list(Offers.json(owners))
    }

    private func name(_ owner: String, _ kind: Character, _ number: Int = 0) -> SourceName {
        SourceName(owner: owner, isVideo: kind == "v", number: number)
    }

    @Test func namesAreOfTheirOwners() {
        #expect(SourceName("a-v0", owner: "a") == name("a", "v"))
        #expect(SourceName("a-b-a12", owner: "a-b") == name("a-b", "a", 12))
        #expect(SourceName("a-v0", owner: "a")?.description == "a-v0")
        for (text, owner) in [
            ("a-v0", "b"), ("a-v0", ""), ("ab-v0", "a"), ("a-v", "a"), ("a-x0", "a"), ("a", "a"),
            ("a-v00000", "a"), ("a-v-1", "a"), ("a-a0.hi", "a"), ("a-v٣", "a"), ("", ""),
            (String(repeating: "a", count: 300) + "-v0", String(repeating: "a", count: 300)),
        ] { #expect(SourceName(text, owner: owner) == nil, "\(text)") }
    }

    @Test func compactJSONIsRead() throws {
        let list = try list(json: Offers.bridge, Offers.ann, Offers.ben)
        #expect(
            list.sources == [
                ConferenceSource(name: name("0000000a", "v"), ssrc: 11, repairSSRC: 12),
                ConferenceSource(name: name("0000000a", "a"), ssrc: 13),
                ConferenceSource(name: name("0000000b", "v", 1), ssrc: 21, isScreen: true),
                ConferenceSource(name: name("0000000b", "a"), ssrc: 23),
            ])
        #expect(list.rejected == 0)
    }

    @Test func xmlSaysTheSame() throws {
        let xml = """
            <content name='video'><description xmlns='urn:xmpp:jingle:apps:rtp:1' media='video'>
            <source xmlns='urn:xmpp:jingle:apps:rtp:ssma:0' ssrc='11' name='0000000a-v0'>
            <parameter name='msid' value='a v'/>
            <ssrc-info xmlns='http://jitsi.org/jitmeet' owner='r@muc.example/0000000a'/></source>
            <source xmlns='urn:xmpp:jingle:apps:rtp:ssma:0' ssrc='12' name='0000000a-v0'>
            <ssrc-info xmlns='http://jitsi.org/jitmeet' owner='0000000a'/></source>
            <source xmlns='urn:xmpp:jingle:apps:rtp:ssma:0' ssrc='21' name='0000000b-v1'
            videoType='desktop'>
            <ssrc-info xmlns='http://jitsi.org/jitmeet' owner='0000000b'/></source>
            <ssrc-group xmlns='urn:xmpp:jingle:apps:rtp:ssma:0' semantics='FID'>
            <source ssrc='11'/><source ssrc='12'/></ssrc-group>
            <ssrc-group xmlns='urn:xmpp:jingle:apps:rtp:ssma:0' semantics='FEC-FR'/>
            </description></content>
            <content name='audio'><source xmlns='urn:xmpp:jingle:apps:rtp:ssma:0' ssrc='13'>
            <ssrc-info xmlns='http://jitsi.org/jitmeet' owner='0000000a'/></source></content>
            """
        let sources = try list(xml).sources
        #expect(
            sources == [
                ConferenceSource(name: name("0000000a", "v"), ssrc: 11, repairSSRC: 12),
                ConferenceSource(name: name("0000000b", "v", 1), ssrc: 21, isScreen: true),
                // Without a name, as servers of before 2022 write it.
                ConferenceSource(name: name("0000000a", "a"), ssrc: 13),
            ])
    }

    @Test func aVideoInLayersIsOneSource() throws {
        let list = try list(
            json: """
                "a":[[{"s":1,"n":"a-v0"},{"s":2,"n":"a-v0"},{"s":3,"n":"a-v0"},\
                {"s":4,"n":"a-v0"},{"s":5,"n":"a-v0"},{"s":6,"n":"a-v0"}],\
                [["s",1,2,3],["f",1,4],["f",2,5],["f",3,6]]]
                """)
        #expect(
            list.sources == [ConferenceSource(name: name("a", "v"), ssrc: 1, repairSSRC: 4)])
    }

    @Test func whatIsNotWhatItClaimsIsLeftOut() throws {
        // Another's name, another's kind, a voice of the server's, a stream of another's.
        let list = try list(
            json: #""a":[[{"s":1,"n":"b-v0"},{"s":2,"n":"a-a0"}],[],[{"s":3,"n":"a-a0.hi"}]]"#,
            #""b":[[{"s":7,"n":"b-v0"}],[],[{"s":7,"n":"b-a0"}]]"#)
        #expect(list.sources == [ConferenceSource(name: name("b", "v"), ssrc: 7)])
        #expect(list.rejected == 4)
        // The repair of one stream cannot be another's stream.
        let repairs = try self.list(
            json: #""a":[[{"s":1,"n":"a-v0"}],[["f",1,9]]]"#, #""b":[[{"s":9,"n":"b-v0"}]]"#)
        #expect(repairs.sources.map(\.repairSSRC) == [nil, nil])
        #expect(repairs.sources.map(\.ssrc) == [1, 9])
    }

    @Test(arguments: [
        "7", "[]", #""x""#, #"{"a":7}"#, #"{"a":[7]}"#, #"{"a":[[7]]}"#, #"{"a":[[{}]]}"#,
        #"{"a":[[{"s":0,"n":"a-v0"}]]}"#, #"{"a":[[{"s":4294967296,"n":"a-v0"}]]}"#,
        #"{"a":[[{"s":-1}]]}"#, #"{"a":[[{"s":"1"}]]}"#, #"{"a":[[],[7]]}"#,
        #"{"a":[[],[["f"]]]}"#, #"{"a":[[],[["f",1]]]}"#, #"{"a":[[],[["f",1,2,3]]]}"#,
        #"{"a":[[],[["s"]]]}"#, #"{"a":[[],[["f",1,"2"]]]}"#, #"{"a":[[],[[1,2]]]}"#,
        #"{"a":[[],[["s",1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]]}"#,
    ])
    func sourcesOfWrongTypesAreRefused(sources: String) {
        #expect(throws: JitsiFault.self) {
            try list(
                "<json-message xmlns='http://jitsi.org/jitmeet'>{\"sources\":"
                    + XMLElement.escaped(sources, inAttribute: false) + "}</json-message>")
        }
    }

    @Test func theyAreBounded() throws {
        func owner(_ count: Int) -> String {
            "\"a\":[[\((1...count).map { "{\"s\":\($0)}" }.joined(separator: ","))]]"
        }
        #expect(throws: JitsiFault.tooMany("sources", maximum: JitsiLimits.sources)) {
            var listing = SourceListing()
            try listing.read(json: "{\"sources\":{\(owner(JitsiLimits.sources + 1))}}")
        }
        var listing = SourceListing()
        try listing.read(json: "{\"sources\":{\(owner(JitsiLimits.sources))}}")
        let long = String(repeating: " ", count: JitsiLimits.sourcesJSONBytes)
        #expect(throws: JitsiFault.self) { try listing.read(json: "{}" + long) }
    }

    @Test func theCostIsLinear() throws {
        let growth = try Growth.of(200) { count in
            let owners = (0..<count).map { number in
                let (first, id) = (number * 10 + 1, "e\(number)")
                return """
                    "\(id)":[[{"s":\(first),"n":"\(id)-v0"},{"s":\(first + 1),"n":"\(id)-v0"}],\
                    [["f",\(first),\(first + 1)]],[{"s":\(first + 2),"n":"\(id)-a0"}]]
                    """
            }
            return "{\"sources\":{\(owners.joined(separator: ","))}}"
        } body: { json in
            var listing = SourceListing()
            try listing.read(json: json)
            _ = listing.resolved()
        }
        #expect(growth < Growth.tolerated)
    }

    // MARK: All of a conference

    @Test func aBookFollowsTheDescriptions() throws {
        var book = SourceBook()
        #expect(book.add(try list(json: Offers.ann)) == 0)
        #expect(book.add(try list(json: Offers.ben)) == 0)
        #expect(book.sources.map(\.ssrc) == [11, 13, 21, 23])
        // The same once more, with another stream for the camera.
        let other = Offers.ann.replacing("11", with: "31").replacing("12", with: "32")
        #expect(book.add(try list(json: other)) == 0)
        #expect(book.sources.map(\.ssrc) == [31, 13, 21, 23])
        // What ends is the stream of before.
        book.remove(try list(json: #""0000000a":[[{"s":11,"n":"0000000a-v0"}]]"#))
        #expect(book.sources.count == 4)
        book.remove(try list(json: #""0000000a":[[{"s":31,"n":"0000000a-v0"}]]"#))
        #expect(book.sources.map(\.ssrc) == [13, 21, 23])
        book.remove(owner: "0000000b")
        #expect(book.sources.map(\.ssrc) == [13])
        #expect(book[name("0000000a", "a")]?.ssrc == 13 && book[name("0000000a", "v")] == nil)
        // Its streams are free again.
        #expect(book.add(try list(json: Offers.ben)) == 0)
    }

    @Test func aStreamBelongsToOneSource() throws {
        var book = SourceBook()
        _ = book.add(try list(json: Offers.ann))
        #expect(
            book.add(try list(json: #""c":[[{"s":12,"n":"c-v0"}],[],[{"s":1,"n":"c-a0"}]]"#)) == 1)
        #expect(book.sources.map(\.ssrc) == [11, 13, 1])
    }
}
