import Testing

@testable import XML

@Suite struct XMLWriterTests {
    @Test func whatIsWrittenIsReadAsItWas() throws {
        var element = XMLElement(
            "a", "urn:a", ["b": "<'\">& \t\r\n", "none": nil], text: "]]> \r\n<&",
            [XMLElement("c", "urn:a"), XMLElement("c", "", text: "ü😀"), XMLElement("d", "urn:'d")])
        element.attributes.append(
            .init(name: "lang", namespace: XMLElement.xmlNamespace, value: "de"))
        element.attributes.append(.init(name: "x", namespace: "urn:&x", value: "1"))
        #expect(try XMLStreamReader.element(element.xml()) == element)
    }

    @Test func namespacesAreNamedWhereTheyChange() {
        let element = XMLElement("iq", "jabber:client", ["id": "1"], [XMLElement("q", "urn:q")])
        #expect(element.xml(in: "jabber:client") == "<iq id='1'><q xmlns='urn:q'/></iq>")
    }

    @Test func charactersThatXMLExcludesAreReplaced() throws {
        #expect(XMLElement("a", "", text: "\u{0}\u{FFFE}").xml() == "<a>\u{FFFD}\u{FFFD}</a>")
    }

    @Test func attributesAreSetAndRemoved() {
        var element = XMLElement("a", "")
        element["b"] = "1"
        element["b"] = "2"
        #expect(element.attributes.count == 1 && element["b"] == "2")
        element["b"] = nil
        #expect(element.attributes.isEmpty)
    }
}
