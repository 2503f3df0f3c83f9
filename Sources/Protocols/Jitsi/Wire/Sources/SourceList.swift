internal import MediaKernel
internal import XML

/// The sources that one description of a session names, in XML (XEP-0339 with Jitsi's `ssrc-info`)
/// or in Jitsi's compact JSON. Both say the same, and jicofo writes the one that a client's features
/// ask for.
struct SourceList: Hashable {
    /// What the bridge sends for its own purposes has this owner.
    static let bridge = "jvb"

    /// At most one of each name, in the order of the description.
    private(set) var sources: [ConferenceSource] = []
    /// Sources that are not what they claim to be, and were left out.
    private(set) var rejected = 0

    init() {}

    init(of jingle: XMLElement, _ contents: [XMLElement]) throws(JitsiFault) {
        (sources, rejected) = try SourceListing(of: jingle, contents).resolved()
    }
}

/// SSRCs and their groups as they are written, before it is known what belongs together.
struct SourceListing {
    private struct Entry {
        let ssrc: UInt32
        let owner: String
        let name: String?
        let isVideo: Bool
        let isScreen: Bool
    }

    private enum Semantics {
        /// A stream and the one that repairs it.
        case repair
        /// The layers of a video, best last. The bridge forwards all under the SSRC of the first.
        case layers
    }

    private struct Group {
        let semantics: Semantics
        let ssrcs: [UInt32]
    }

    private var entries: [Entry] = []
    private var groups: [Group] = []

    init() {}

    init(of jingle: XMLElement, _ contents: [XMLElement]) throws(JitsiFault) {
        for content in contents { try read(content) }
        for message in jingle.elements where message.isNamed("json-message", JitsiNamespaces.meet) {
            try read(json: message.text)
        }
    }

    // MARK: XML

    /// The sources of one content. Jicofo writes them into its description.
    mutating func read(_ content: XMLElement) throws(JitsiFault) {
        let description = content.child("description", JitsiNamespaces.rtp)
        let isVideo = (description?["media"] ?? content["name"]) == "video"
        for element in content.elements + (description?.elements ?? [])
        where element.namespace == JitsiNamespaces.sources {
            switch element.name {
            case "source":
                try add(
                    Entry(
                        ssrc: try element.number("ssrc", in: 1...UInt32.max),
                        owner: Self.owner(of: element), name: element["name"], isVideo: isVideo,
                        isScreen: element["videoType"] == "desktop"))
            case "ssrc-group":
                // Other semantics, such as those of error correction, do not concern us.
                guard let semantics = Self.semantics(element["semantics"]?.lowercased()) else {
                    continue
                }
                var ssrcs: [UInt32] = []
                for member in element.elements where member.name == "source" {
                    ssrcs.append(try member.number("ssrc", in: 1...UInt32.max))
                }
                try add(semantics, ssrcs)
            default: break
            }
        }
    }

    /// An address in the room, or its nick alone.
    private static func owner(of element: XMLElement) -> String {
        let text = element.child("ssrc-info", JitsiNamespaces.meet)?["owner"] ?? ""
        return text.split(separator: "/", maxSplits: 1).last.map(String.init) ?? ""
    }

    private static func semantics(_ word: String?) -> Semantics? {
        switch word {
        case "fid", "f": .repair
        case "sim", "s": .layers
        default: nil
        }
    }

    // MARK: JSON

    /// `{"sources": {owner: [videos, groups of videos, audios, groups of audios]}}`; empty lists at
    /// the end may be missing.
    mutating func read(json: String) throws(JitsiFault) {
        let root = try JitsiJSON.members(
            json, JitsiLimits.sourcesJSON, bytes: JitsiLimits.sourcesJSONBytes, of: "json-message")
        // Other messages may have other members.
        guard let value = root["sources"] else { return }
        guard let owners = value.members else { throw .malformed("sources") }
        for (owner, lists) in owners.sorted(by: { $0.key < $1.key }) {
            guard let lists = lists.items else { throw .malformed("sources of an owner") }
            for (index, list) in lists.prefix(4).enumerated() {
                guard let items = list.items else { throw .malformed("a list of sources") }
                for item in items {
                    if index.isMultiple(of: 2) {
                        try read(source: item, of: owner, isVideo: index == 0)
                    } else {
                        try read(group: item)
                    }
                }
            }
        }
    }

    private mutating func read(
        source: JSONValue, of owner: String, isVideo: Bool
    ) throws(JitsiFault) {
        guard let members = source.members, let ssrc = members["s"]?.number(UInt32.self), ssrc > 0
        else { throw .malformed("a source") }
        try add(
            Entry(
                ssrc: ssrc, owner: owner, name: members["n"]?.text, isVideo: isVideo,
                isScreen: members["v"]?.text == "d"))
    }

    private mutating func read(group: JSONValue) throws(JitsiFault) {
        guard let items = group.items, let word = items.first?.text else {
            throw .malformed("a group of sources")
        }
        var ssrcs: [UInt32] = []
        for item in items.dropFirst() {
            guard let ssrc = item.number(UInt32.self), ssrc > 0 else {
                throw .malformed("a group of sources")
            }
            ssrcs.append(ssrc)
        }
        if let semantics = Self.semantics(word) { try add(semantics, ssrcs) }
    }

    // MARK: Together

    private mutating func add(_ entry: Entry) throws(JitsiFault) {
        guard entries.count < JitsiLimits.sources else {
            throw .tooMany("sources", maximum: JitsiLimits.sources)
        }
        entries.append(entry)
    }

    private mutating func add(
        _ semantics: Semantics, _ ssrcs: [UInt32]
    ) throws(JitsiFault) {
        guard groups.count < JitsiLimits.sources else {
            throw .tooMany("groups of sources", maximum: JitsiLimits.sources)
        }
        let isWhole = semantics == .layers ? !ssrcs.isEmpty : ssrcs.count == 2
        guard isWhole, ssrcs.count <= JitsiLimits.groupMembers else {
            throw .malformed("a group of \(ssrcs.count) sources")
        }
        groups.append(Group(semantics: semantics, ssrcs: ssrcs))
    }

    /// One source for each name, with its repair. A name must be one of its owner's, and say the
    /// kind that the source has: the server passes on what members claim.
    consuming func resolved() -> ([ConferenceSource], rejected: Int) {
        var owners: [UInt32: String] = [:]
        for entry in entries { owners[entry.ssrc] = entry.owner }
        // What follows from the groups: all but the first layers, and repairs, are no sources.
        var repairs: [UInt32: UInt32] = [:]
        var secondary: Set<UInt32> = []
        for group in groups {
            let first = group.ssrcs[0]
            guard let owner = owners[first] else { continue }
            let others = group.ssrcs.dropFirst().filter { $0 != first && owners[$0] == owner }
            secondary.formUnion(others)
            if group.semantics == .repair, let repair = others.first { repairs[first] = repair }
        }
        var sources: [ConferenceSource] = []
        var rejected = 0
        var names: Set<SourceName> = []
        var taken: Set<UInt32> = []
        for entry in entries where entry.owner != SourceList.bridge {
            guard !secondary.contains(entry.ssrc) else { continue }
            guard let name = Self.name(of: entry), taken.insert(entry.ssrc).inserted else {
                rejected += 1
                continue
            }
            guard names.insert(name).inserted else { continue }
            let repair = repairs[entry.ssrc].flatMap { taken.insert($0).inserted ? $0 : nil }
            sources.append(
                ConferenceSource(
                    name: name, ssrc: entry.ssrc, repairSSRC: repair, isScreen: entry.isScreen))
        }
        return (sources, rejected)
    }

    /// What a member says that it sends: one source for each name, with all its layers. It can only
    /// speak for itself, so no owner is read.
    consuming func sent(by owner: String) throws(JitsiFault) -> [SentSource] {
        let known = Set(entries.map(\.ssrc))
        var layers: [UInt32: [UInt32]] = [:]
        var repairs: [UInt32: UInt32] = [:]
        var secondary: Set<UInt32> = []
        for group in groups where group.ssrcs.allSatisfy(known.contains) {
            secondary.formUnion(group.ssrcs.dropFirst())
            switch group.semantics {
            case .repair: repairs[group.ssrcs[0]] = group.ssrcs[1]
            case .layers: layers[group.ssrcs[0]] = group.ssrcs
            }
        }
        var sources: [SentSource] = []
        for entry in entries where !secondary.contains(entry.ssrc) {
            let name = entry.name ?? "\(owner)-\(entry.isVideo ? "v" : "a")0"
            guard let name = SourceName(name, owner: owner), name.isVideo == entry.isVideo else {
                throw .malformed("the name of a source")
            }
            guard !sources.contains(where: { $0.name == name }) else {
                throw .malformed("a source with several streams")
            }
            guard sources.count < JitsiLimits.memberSources else {
                throw .tooMany("sources of a member", maximum: JitsiLimits.memberSources)
            }
            sources.append(
                SentSource(
                    name: name, isScreen: entry.isScreen,
                    layers: (layers[entry.ssrc] ?? [entry.ssrc]).map {
                        SentSource.Layer(ssrc: $0, repairSSRC: repairs[$0])
                    }))
        }
        return sources
    }

    /// Servers of before 2022 know no names: there a member has one source of each kind.
    private static func name(of entry: Entry) -> SourceName? {
        guard let text = entry.name else {
            guard 1...256 ~= entry.owner.utf8.count else { return nil }
            return SourceName(owner: entry.owner, isVideo: entry.isVideo, number: 0)
        }
        guard let name = SourceName(text, owner: entry.owner), name.isVideo == entry.isVideo else {
            return nil
        }
        return name
    }
}
