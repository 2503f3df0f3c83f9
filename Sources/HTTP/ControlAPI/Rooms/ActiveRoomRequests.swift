import MediaKernel
import Rooms

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Requests to the control API about the peers of a room. An empty `peer_id` or `role` counts as
// missing, as in 100ms' own examples.

struct MessageRequestBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    var message: String
    var type: String?
    var peerID: String?
    /// 100ms' SDK for Node.js names the peer like this, and only here.
    var peerIDOfSDK: String?
    var role: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case message, type, role
        case peerID = "peer_id"
        case peerIDOfSDK = "peerId"
    }

    /// A peer takes precedence over a role.
    var audience: Audience {
        let peer = [peerID, peerIDOfSDK].compactMap { $0 }.first { !$0.isEmpty }
        if let peer { return .peer(PeerID(peer)) }
        if let role, !role.isEmpty { return .roles([role]) }
        return .everybody
    }

    /// The message in the room's form.
    var body: OpaqueJSON { OpaqueJSON(string: message) }
}

struct PeerRequestBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    var name: String?
    var role: String?
    var metadata: JSONValue?

    enum CodingKeys: String, CodingKey, CaseIterable { case name, role, metadata }

    /// Clients treat metadata as a string. 100ms' documents call it a string here and an object
    /// there, so an object is also accepted, as its JSON.
    var metadataText: String? {
        get throws {
            switch metadata {
            case nil, .null: return nil
            case .string(let text): return text
            case .object: return String(decoding: try JSON.data(metadata), as: UTF8.self)
            default: throw APIError.badRequest("malformed body", "metadata is not of type string")
            }
        }
    }
}

struct RemovalRequestBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    enum Subject {
        case peer(PeerID)
        case role(String)
    }

    var peerID: String?
    var role: String?
    var reason: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case role, reason
        case peerID = "peer_id"
    }

    /// A peer takes precedence over a role.
    var subject: Subject {
        get throws(APIError) {
            if let peerID, !peerID.isEmpty { return .peer(PeerID(peerID)) }
            if let role, !role.isEmpty { return .role(role) }
            throw .badRequest("peer_id or role is missing")
        }
    }
}

struct EndRequestBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    var reason: String?
    var lock: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable { case reason, lock }
}
