internal import Digests
import Foundation
public import XML

/// What a program is and understands. XEP-0030, and XEP-0115 with SHA-1.
public struct Capabilities: Hashable, Sendable {
    public struct Identity: Hashable, Sendable {
        public var category: String
        /// Such as `bot` of the category `client`.
        public var type: String
        public var name: String

        public init(category: String, type: String, name: String) {
            self.category = category
            self.type = type
            self.name = name
        }
    }

    /// The program's address on the web.
    public let node: String
    public let identity: Identity
    /// Namespaces, and names that have the form of one. Each once, sorted by their bytes.
    public let features: [String]
    /// Proves the features: a hash (XEP-0115 sect. 5.1).
    public let version: String

    /// - Parameter features: those of the client itself, disco#info and pings, are added.
    public init(node: String, identity: Identity, features: [String]) {
        self.node = node
        self.identity = identity
        self.features = Set(features + [Namespaces.discoInfo, Namespaces.ping, Namespaces.caps])
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        version = Self.version(identity, self.features)
    }

    /// - Parameter features: sorted.
    static func version(_ identity: Identity, _ features: [String]) -> String {
        let lines = ["\(identity.category)/\(identity.type)//\(identity.name)"] + features
        let text = lines.map { "\($0)<" }.joined()
        return Data(Digest.sha1.hash(Array(text.utf8))).base64EncodedString()
    }

    /// Belongs in each presence.
    public var element: XMLElement {
        XMLElement(
            "c", Namespaces.caps, ["hash": "sha-1", "node": node, "ver": version])
    }

    /// The answer to disco#info. Only what our presence names can be asked for.
    func answer(_ request: Request) -> XMLElement {
        let asked = request.payload["node"]
        guard request.kind == .get, asked == nil || asked == "\(node)#\(version)" else {
            return request.refusal(StanzaError("item-not-found", .cancel))
        }
        let features = features.map { XMLElement("feature", Namespaces.discoInfo, ["var": $0]) }
        let identity = XMLElement(
            "identity", Namespaces.discoInfo,
            ["category": identity.category, "type": identity.type, "name": identity.name])
        return request.result(
            XMLElement("query", Namespaces.discoInfo, ["node": asked], [identity] + features))
    }
}
