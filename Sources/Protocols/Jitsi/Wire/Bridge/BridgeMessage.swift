internal import MediaKernel

/// What a bridge says on its channel, a JSON object each: jitsi-videobridge's
/// `BridgeChannelMessage`. Most of it shows in the media themselves, or is meant for clients that
/// send, or that ask for SSRC rewriting.
enum BridgeMessage: Hashable {
    /// Who speaks, or has spoken last if it is silent now.
    case speaker(String, isSilence: Bool)
    /// A member's message, to us alone or to all. It says who sends it, but the bridge makes that.
    case endpointMessage(from: String, isPrivate: Bool, JSONValue)
    /// One that does not concern us.
    case other(String)

    init(_ text: String) throws(JitsiFault) {
        let members = try JitsiJSON.members(
            text, JitsiLimits.bridgeJSON, bytes: JitsiLimits.bridgeBytes, of: "the bridge's message"
        )
        let type = try Self.text("colibriClass", members)
        do throws(JitsiFault) {
            self = try Self.read(type, members)
        } catch {
            throw .malformed("\(String(type.prefix(64))) (\(error))")
        }
    }

    private static func read(
        _ type: String, _ members: [String: JSONValue]
    ) throws(JitsiFault) -> BridgeMessage {
        switch type {
        case "DominantSpeakerEndpointChangeEvent":
            .speaker(
                try text("dominantSpeakerEndpoint", members),
                isSilence: members["silence"]?.flag ?? false)
        case "EndpointMessage":
            .endpointMessage(
                from: try text("from", members), isPrivate: members["to"]?.text?.isEmpty == false,
                payload(members))
        default: .other(String(type.prefix(64)))
        }
    }

    private static func text(
        _ name: String, _ members: [String: JSONValue]
    ) throws(JitsiFault) -> String {
        guard let text = members[name]?.text, text.utf8.count <= JitsiLimits.textBytes else {
            throw .missing(name)
        }
        return text
    }

    /// One member, or all but the envelope's where it is not there.
    private static func payload(_ members: [String: JSONValue]) -> JSONValue {
        members["msgPayload"]
            ?? .object(members.filter { !["colibriClass", "from", "to"].contains($0.key) })
    }
}
