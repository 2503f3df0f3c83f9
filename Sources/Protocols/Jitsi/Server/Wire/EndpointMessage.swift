internal import MediaKernel

/// What a member says on the bridge's channel: jitsi-videobridge's `BridgeChannelMessage`.
enum EndpointMessage: Hashable {
    case hello
    case constraints(ReceiverWishes)
    /// For one endpoint, or for all others: the whole message.
    case text(to: String, [String: JSONValue])
    /// How its connection is, for those who see it: the whole message.
    case statistics([String: JSONValue])
    /// Such as what a sender does without, of which nobody has any use.
    case other

    private static let namesMaximum = 512

    init(_ text: String) throws(JitsiFault) {
        let members = try JitsiJSON.members(
            text, JitsiLimits.bridgeJSON, bytes: JitsiLimits.bridgeBytes, of: "the message")
        switch members["colibriClass"]?.text {
        case "ClientHello": self = .hello
        case "ReceiverVideoConstraints": self = .constraints(try Self.wishes(members))
        case "LastNChangedEvent":
            self = .constraints(ReceiverWishes(lastN: members["lastN"]?.number()))
        case "EndpointMessage":
            let to = members["to"]?.text ?? ""
            guard to.utf8.count <= JitsiLimits.textBytes else { throw .malformed("to") }
            self = .text(to: to, members)
        case "EndpointStats": self = .statistics(members)
        case nil: throw .missing("colibriClass")
        default: self = .other
        }
    }

    private static func wishes(
        _ members: [String: JSONValue]
    ) throws(JitsiFault) -> ReceiverWishes {
        var wishes = ReceiverWishes(lastN: members["lastN"]?.number())
        wishes.standardHeight = height(members["defaultConstraints"])
        if let constraints = members["constraints"]?.members {
            guard constraints.count <= namesMaximum else {
                throw .tooMany("constraints", maximum: namesMaximum)
            }
            wishes.heights = constraints.compactMapValues(height)
        }
        wishes.onStage = try names(members["onStageSources"])
        wishes.selected = try names(members["selectedSources"])
        return wishes
    }

    private static func height(_ value: JSONValue?) -> Int? {
        value?.members?["maxHeight"]?.number()
    }

    private static func names(_ value: JSONValue?) throws(JitsiFault) -> [String]? {
        guard let items = value?.items else { return nil }
        guard items.count <= namesMaximum else { throw .tooMany("names", maximum: namesMaximum) }
        return items.compactMap(\.text)
    }
}

/// Which videos a member wants, and how large. What a message leaves out stays as it was.
struct ReceiverWishes: Hashable {
    /// How many; -1 for all.
    var lastN: Int?
    /// In pixels: of videos that are not named.
    var standardHeight: Int?
    /// By the names of sources; 0 for none.
    var heights: [String: Int]?
    /// The most important ones first.
    var onStage: [String]?
    var selected: [String]?

    mutating func take(_ newer: ReceiverWishes) {
        lastN = newer.lastN ?? lastN
        standardHeight = newer.standardHeight ?? standardHeight
        heights = newer.heights ?? heights
        onStage = newer.onStage ?? onStage
        selected = newer.selected ?? selected
    }

    /// The best layer of each video.
    ///
    /// - Parameter speakers: those who have spoken last, the newest first.
    func layers(
        of sources: [ConferenceSource], speakers: [String]
    ) -> [SourceName: LayerPreference] {
        func height(_ source: ConferenceSource) -> Int {
            heights?["\(source.name)"] ?? standardHeight ?? .max
        }
        let first = Dictionary(
            ((onStage ?? []) + (selected ?? [])).enumerated().map { ($1, $0) }
        ) { first, _ in first }
        let videos = sources.filter(\.isVideo)
        let wanted = videos.filter { height($0) > 0 }.enumerated().map { index, source in
            (
                source: source, named: first["\(source.name)"] ?? .max,
                spoken: speakers.firstIndex(of: source.owner) ?? speakers.count, index: index
            )
        }.sorted { ($0.named, $0.spoken, $0.index) < ($1.named, $1.spoken, $1.index) }
            .map(\.source)
        let count = lastN.map { $0 < 0 ? Int.max : $0 } ?? .max
        var layers = Dictionary(
            videos.map { ($0.name, LayerPreference.none) }
        ) { first, _ in first }
        for source in wanted.prefix(count) {
            layers[source.name] = source.isScreen ? .high : Self.layer(height(source))
        }
        return layers
    }

    /// Cameras send 720 lines, a half and a quarter of them.
    private static func layer(_ height: Int) -> LayerPreference {
        switch height {
        case ..<270: .low
        case ..<540: .medium
        default: .high
        }
    }
}

/// What the bridge says to a member.
enum BridgeWord {
    static func hello(version: String) -> String {
        JitsiJSON.text(["colibriClass": "ServerHello", "version": .string(version)])
    }

    /// - Parameter speakers: the newest first.
    static func speaker(_ speakers: [String], isSilence: Bool) -> String {
        JitsiJSON.text([
            "colibriClass": "DominantSpeakerEndpointChangeEvent",
            "dominantSpeakerEndpoint": .string(speakers.first ?? ""),
            "previousSpeakers": .array(speakers.dropFirst().map(JSONValue.string)),
            "silence": .bool(isSilence),
        ])
    }

    /// - Parameter sources: the names of all videos that a member is sent.
    static func forwarded(_ sources: [String]) -> String {
        JitsiJSON.text([
            "colibriClass": "ForwardedSources",
            "forwardedSources": .array(sources.map(JSONValue.string)),
        ])
    }

    /// A member's message for others. It says who sends it, but the bridge knows.
    static func passed(_ message: [String: JSONValue], from sender: String) -> String {
        JitsiJSON.text(message.merging(["from": .string(sender)]) { $1 })
    }
}
