import MediaKernel
import Testing
import Workbench

@testable import XML

@Suite struct XMLStreamReaderTests {
    static let stream = """
        <?xml version='1.0' encoding='utf-8'?><stream:stream xmlns='jabber:client' \
        xmlns:stream="http://etherx.jabber.org/streams" id='1' xml:lang='en'> \
        <stream:features><bind xmlns='urn:b'/></stream:features>
        <message to='a@b/ü'><body>1 &lt; 2 &amp; &#x1F600;&#65;<![CDATA[<raw> & ]]]>end</body>\
        <x:y xmlns:x='urn:x' x:z='&apos;"' z='\t>'/></message></stream:stream>
        """

    private func events(
        _ pieces: [[UInt8]], _ limits: XMLLimits = XMLLimits()
    ) throws(XMLFault) -> [XMLStreamReader.Event] {
        var reader = XMLStreamReader(limits: limits)
        var events: [XMLStreamReader.Event] = []
        for piece in pieces {
            reader.append(piece)
            while let event = try reader.event() { events.append(event) }
        }
        return events
    }

    private func result(_ pieces: [[UInt8]]) -> Result<[XMLStreamReader.Event], XMLFault> {
        do throws(XMLFault) { return .success(try events(pieces)) } catch { return .failure(error) }
    }

    @Test func aStreamIsItsRootItsStanzasAndItsEnd() throws {
        let found = try events([Array(Self.stream.utf8)])
        #expect(found.count == 4)
        guard case .opened(let root) = found[0], case .stanza(let features) = found[1],
            case .stanza(let message) = found[2]
        else {
            Issue.record("\(found)")
            return
        }
        #expect(root.isNamed("stream", "http://etherx.jabber.org/streams") && root["id"] == "1")
        #expect(root.attributes.contains { $0.namespace == XMLElement.xmlNamespace })
        #expect(features.isNamed("features", "http://etherx.jabber.org/streams"))
        #expect(features.child("bind", "urn:b") != nil)
        #expect(message.isNamed("message", "jabber:client") && message["to"] == "a@b/ü")
        #expect(message.child("body", "jabber:client")?.text == "1 < 2 & 😀A<raw> & ]end")
        let child = try #require(message.child("y", "urn:x"))
        #expect(
            child.attributes == [
                .init(name: "z", namespace: "urn:x", value: "'\""), .init(name: "z", value: " >"),
            ])
        #expect(found[3] == .closed)
    }

    @Test func whereTheBytesAreCutDoesNotMatter() throws {
        let bytes = Array(Self.stream.utf8)
        let whole = try events([bytes])
        #expect(try events(bytes.map { [$0] }) == whole)
        for cut in bytes.indices {
            #expect(try events([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
    }

    @Test func aStreamThatIsCutOffHasTheEventsBeforeTheCut() throws {
        let bytes = Array(Self.stream.utf8)
        let whole = try events([bytes])
        for cut in bytes.indices {
            let found = try events([Array(bytes[..<cut])])
            #expect(found == Array(whole.prefix(found.count)) && found.count < whole.count)
        }
    }

    @Test func changedBytesAreReadOrRefused() throws {
        let bytes = Array(Self.stream.utf8)
        var random = SeededRandom(seed: 7)
        var refused = 0
        for _ in 0..<4000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: changed.indices, using: &random)
                changed[index] = UInt8.random(in: .min ... .max, using: &random)
            }
            // Neither a crash nor a difference between pieces and the whole.
            let whole = result([changed])
            let pieces = result(changed.map { [$0] })
            switch (whole, pieces) {
            case (.success(let one), .success(let other)): #expect(one == other)
            case (.failure(let one), .failure(let other)):
                #expect(one == other)
                refused += 1
            default: Issue.record("\(String(decoding: changed, as: UTF8.self))")
            }
        }
        #expect(refused > 1000)
    }

    @Test(arguments: [
        ("<!DOCTYPE a><a>", "restricted-xml"),
        ("<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c '&b;&b;'>]><a>&c;</a>", "restricted-xml"),
        ("<a><!-- c --></a>", "restricted-xml"), ("<a><?p i?></a>", "restricted-xml"),
        ("<a><?xml version='1.0'?></a>", "restricted-xml"), ("<?xmlp i?><a>", "restricted-xml"),
        (" <?xml version='1.0'?><a>", "restricted-xml"),
        ("<a><b>&c;</b></a>", "restricted-xml"), ("<a b='&c;'>", "restricted-xml"),
        ("<?xml version='1.0' encoding='UTF-16'?><a>", "unsupported-encoding"),
        ("<a>text", "bad-format"), ("<a><![CDATA[text]]>", "bad-format"), ("<a/>", "bad-format"),
        ("text", "not-well-formed"), ("\u{FEFF}<a>", "not-well-formed"),
        ("<a></b>", "not-well-formed"), ("</a>", "not-well-formed"), ("<>", "not-well-formed"),
        ("<a b>", "not-well-formed"), ("<a b=c>", "not-well-formed"),
        ("<a b='1'c='2'>", "not-well-formed"), ("<a b='1' b='2'>", "not-well-formed"),
        ("<a xmlns:x='u' xmlns:y='u' x:b='1' y:b='2'>", "not-well-formed"),
        ("<a b='<'>", "not-well-formed"), ("<a <b>", "not-well-formed"),
        ("<1>", "not-well-formed"), ("<a:b:c>", "not-well-formed"), ("<:a>", "not-well-formed"),
        ("<a><b>]]></b>", "not-well-formed"), ("<a><b>\u{1}</b>", "not-well-formed"),
        ("<a><b>&#0;</b>", "not-well-formed"), ("<a><b>&#xD800;</b>", "not-well-formed"),
        ("<a><b>&#x+1;</b>", "not-well-formed"), ("<a><b>&amp</b>", "not-well-formed"),
        ("<a><b>\u{FFFF}</b>", "not-well-formed"), ("<a></a>x", "not-well-formed"),
        ("<a xmlns:x=''>", "not-well-formed"), ("<a xmlns:xml='u'>", "not-well-formed"),
        ("<a xmlns:xmlns='u'>", "not-well-formed"),
        ("<x:a>", "bad-namespace-prefix"), ("<a x:b='1'>", "bad-namespace-prefix"),
    ])
    func whatRFC6120ExcludesIsRefusedByItsName(text: String, condition: String) {
        let fault = #expect(throws: XMLFault.self) { try events([Array(text.utf8)]) }
        #expect(fault?.condition == condition, "\(text)")
    }

    @Test func bytesThatAreNoUTF8AreRefused() {
        for bytes: [UInt8] in [[0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF]] {
            #expect(throws: XMLFault.notWellFormed("bytes that are not UTF-8")) {
                try events([Array("<a><b>".utf8) + bytes + Array("</b>".utf8)])
            }
        }
    }

    @Test func eachLimitHoldsExactly() throws {
        var limits = XMLLimits()
        limits.depth = 4
        limits.attributes = 3
        limits.nameBytes = 8
        limits.namespaces = 2
        limits.stanzaBytes = 40
        for (right, wrong) in [
            ("<a><b><c><d>", "<a><b><c><d><e>"), ("<a b='' c='' d=''>", "<a b='' c='' d='' e=''>"),
            ("<abcdefgh>", "<abcdefghi>"), ("<a:bcdefg xmlns:a='u'>", "<a:bcdefgh xmlns:a='u'>"),
            ("<a xmlns='u' xmlns:b='v'>", "<a xmlns='u' xmlns:b='v'><c xmlns='w'>"),
            (
                "<a><b>\(String(repeating: "x", count: 33))</b>",
                "<a><b>\(String(repeating: "x", count: 34))</b>"
            ),
        ] {
            _ = try events([Array(right.utf8)], limits)
            let fault = #expect(throws: XMLFault.self) { try events([Array(wrong.utf8)], limits) }
            #expect(fault?.condition == "policy-violation", "\(wrong)")
        }
        // What ended counts no more.
        let many = "<a>" + String(repeating: "<b xmlns='u'><c/></b>  ", count: 100)
        #expect(try events([Array(many.utf8)], limits).count == 101)
    }

    @Test func twiceTheBytesCostTwiceTheTime() throws {
        var limits = XMLLimits()
        limits.stanzaBytes = .max
        let kinds: [(String, String, String)] = [
            ("<a><b>", "text &amp; ", "</b>"), ("<a><b c='", "value&lt;>", "'/>"),
            ("<a>", "<b xmlns='u'><c/></b>", ""), ("<a><b>", "<![CDATA[x]]>y", "</b>"),
            ("<a><b>", "<c/>", "</b>"),
        ]
        for (head, piece, tail) in kinds {
            let growth = try Growth.of(500) { size in
                Array((head + String(repeating: piece, count: size) + tail).utf8).map { [$0] }
            } body: {
                _ = try events($0, limits)
            }
            #expect(growth < Growth.tolerated, "\(piece)")
        }
    }

    @Test func aDocumentIsOneElement() throws {
        #expect(try XMLStreamReader.element(" <a b='1'/> ") == XMLElement("a", "", ["b": "1"]))
        for text in ["", "<a>", "<a/><b/>", "<a/>x", "<a/><"] {
            #expect(throws: XMLFault.self) { try XMLStreamReader.element(text) }
        }
    }
}
