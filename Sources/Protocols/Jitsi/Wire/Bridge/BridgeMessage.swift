internal import MediaKernel

/// What a bridge says on its channel, a JSON object each: jitsi-videobridge's
/// `BridgeChannelMessage`.
enum BridgeMessage: Hashable {
    /// A source and the stream that carries it now, with SSRC rewriting.
    struct Mapping: Hashable {
        let source: String
        let owner: String?
        let ssrc: UInt32
        /// Nil for audio.
        let repairSSRC: UInt32?
        let isScreen: Bool
        let mid: String?
    }

    case serverHello(version: String?)
    /// The endpoints that speak, the dominant one first.
    case speakers([String], isSilence: Bool)
    case connectivity(endpoint: String, isActive: Bool)
    /// The videos that the bridge sends us now.
    case forwardedSources([String])
    case senderConstraints(source: String, maximumHeight: Int)
    /// In bit/s.
    case bandwidth(Int64)
    /// A member's message, to us alone or to all. It says who sends it, but the bridge makes that.
    case endpointMessage(from: String, isPrivate: Bool, JSONValue)
    case endpointStatistics(from: String)
    case videoMapping([Mapping])
    case audioMapping([Mapping])
    case syntheticSource(String, isSending: Bool, timestamp: UInt32)
    /// One of a newer bridge.
    case other(String)

    init(_ text: String) throws(JitsiFault) {
        let members = try JitsiJSON.members(
            text, JitsiLimits.bridgeJSON, bytes: JitsiLimits.bridgeBytes, of: "the bridge's message"
        )
        let reader = BridgeMembers(members)
        let type = try reader.text("colibriClass")
        do throws(JitsiFault) {
            self = try Self.read(type, reader)
        } catch {
            throw .malformed("\(String(type.prefix(64))) (\(error))")
        }
    }

    private static func read(
        _ type: String, _ reader: BridgeMembers
    ) throws(JitsiFault) -> BridgeMessage {
        switch type {
        case "ServerHello": .serverHello(version: reader.optionalText("version"))
        case "DominantSpeakerEndpointChangeEvent":
            .speakers(
                [try reader.text("dominantSpeakerEndpoint")]
                    + (try reader.optionalTexts("previousSpeakers")),
                isSilence: reader.flag("silence") ?? false)
        case "EndpointConnectivityStatusChangeEvent":
            // A text in JSON.
            .connectivity(
                endpoint: try reader.text("endpoint"),
                isActive: reader.optionalText("active") == "true" || reader.flag("active") == true)
        case "ForwardedSources": .forwardedSources(try reader.optionalTexts("forwardedSources"))
        case "SenderSourceConstraints":
            .senderConstraints(
                source: try reader.text("sourceName"), maximumHeight: try reader.number("maxHeight")
            )
        case "ConnectionStats": .bandwidth(try reader.number("estimatedDownlinkBandwidth"))
        case "EndpointMessage":
            .endpointMessage(
                from: try reader.text("from"),
                isPrivate: reader.optionalText("to")?.isEmpty == false,
                reader.rest(without: ["colibriClass", "from", "to"], inside: "msgPayload"))
        case "EndpointStats": .endpointStatistics(from: try reader.text("from"))
        case "VideoSourcesMap": .videoMapping(try reader.mappings(isVideo: true))
        case "AudioSourcesMap": .audioMapping(try reader.mappings(isVideo: false))
        case "SyntheticSourceSendingChangeEvent":
            .syntheticSource(
                try reader.text("sourceName"), isSending: reader.flag("sending") ?? false,
                timestamp: try reader.number("timestamp"))
        default: .other(String(type.prefix(64)))
        }
    }
}

/// The members of a message.
private struct BridgeMembers {
    private let members: [String: JSONValue]

    init(_ members: [String: JSONValue]) { self.members = members }

    func optionalText(_ name: String) -> String? {
        members[name]?.text.flatMap { $0.utf8.count <= JitsiLimits.textBytes ? $0 : nil }
    }

    func text(_ name: String) throws(JitsiFault) -> String {
        guard let text = optionalText(name) else { throw .missing(name) }
        return text
    }

    func flag(_ name: String) -> Bool? { members[name]?.flag }

    func number<Number: FixedWidthInteger>(_ name: String) throws(JitsiFault) -> Number {
        guard let number = members[name]?.number(Number.self) else { throw .missing(name) }
        return number
    }

    /// Empty where it is missing or null.
    func optionalTexts(_ name: String) throws(JitsiFault) -> [String] {
        guard let member = members[name], member != .null else { return [] }
        guard let items = member.items, items.count <= JitsiLimits.bridgeNames else {
            throw .malformed(name)
        }
        var texts: [String] = []
        for item in items {
            guard let text = item.text, text.utf8.count <= JitsiLimits.textBytes else {
                throw .malformed(name)
            }
            texts.append(text)
        }
        return texts
    }

    /// One member, or all but these where it is not there.
    func rest(without names: Set<String>, inside name: String) -> JSONValue {
        members[name] ?? .object(members.filter { !names.contains($0.key) })
    }

    func mappings(isVideo: Bool) throws(JitsiFault) -> [BridgeMessage.Mapping] {
        guard let items = members["mappedSources"]?.items,
            items.count <= JitsiLimits.bridgeNames
        else { throw .malformed("mappedSources") }
        var mappings: [BridgeMessage.Mapping] = []
        for item in items {
            let reader = BridgeMembers(item.members ?? [:])
            mappings.append(
                BridgeMessage.Mapping(
                    source: try reader.text("source"), owner: reader.optionalText("owner"),
                    ssrc: try reader.number("ssrc"),
                    repairSSRC: isVideo ? try reader.number("rtx") : nil,
                    isScreen: reader.optionalText("videoType")?.lowercased() == "desktop",
                    mid: reader.optionalText("mid")))
        }
        return mappings
    }
}
