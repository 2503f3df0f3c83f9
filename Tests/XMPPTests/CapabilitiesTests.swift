import Testing
import XML

@testable import XMPP

@Suite struct CapabilitiesTests {
    private let capabilities = Capabilities(
        node: "https://n.example", identity: .init(category: "client", type: "bot", name: "N"),
        features: ["urn:b", "urn:B", "urn:b"])

    private func request(node: String?, _ type: String = "get") throws -> Request {
        let query = XMLElement(
            "query", "http://jabber.org/protocol/disco#info", ["node": node])
        return try #require(
            Request(XMLElement("iq", "jabber:client", ["id": "1", "type": type], [query])))
    }

    /// The example of XEP-0115 sect. 5.2.
    @Test func theVersionIsAsPrescribed() {
        let features = ["caps", "disco#info", "disco#items", "muc"].map {
            "http://jabber.org/protocol/\($0)"
        }
        let identity = Capabilities.Identity(category: "client", type: "pc", name: "Exodus 0.9.1")
        #expect(
            Capabilities.version(identity, features) == "QgayPKawpkPSDYmwT/WM94uAlu0=")
    }

    @Test func featuresAreThereOnceInTheOrderOfTheirBytes() {
        #expect(
            capabilities.features == [
                "http://jabber.org/protocol/caps", "http://jabber.org/protocol/disco#info",
                "urn:B", "urn:b", "urn:xmpp:ping",
            ])
    }

    @Test func onlyWhatIsShownIsAnswered() throws {
        for node in [nil, "https://n.example#\(capabilities.version)"] {
            let answer = capabilities.answer(try request(node: node))
            let query = try #require(answer.elements.first)
            #expect(answer["type"] == "result" && query["node"] == node)
            #expect(query.elements.dropFirst().map { $0["var"] } == capabilities.features)
        }
        for (node, type) in [("https://n.example#other", "get"), (nil, "set")] {
            let answer = capabilities.answer(try request(node: node, type))
            #expect(StanzaError(of: answer).condition == "item-not-found")
        }
    }
}
