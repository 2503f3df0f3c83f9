internal import MediaKernel
internal import XML

/// What the focus says in its session with a member.
struct JingleOrder: Hashable {
    let session: String
    let initiator: String
    /// Whether the member reads sources in JSON.
    let isJSON: Bool

    /// Begins the session, without sources: a member is told of them when its connection is there.
    ///
    /// - Parameters:
    ///   - contents: see ``LegPlan/contents``.
    ///   - bridgeSession: a name for the session at the bridge, which clients repeat.
    func initiate(_ contents: [XMLElement], bridgeSession: String) -> XMLElement {
        let bundle = XMLElement(
            "group", JitsiNamespaces.grouping, ["semantics": "BUNDLE"],
            contents.map {
                XMLElement("content", JitsiNamespaces.grouping, ["name": $0["name"]])
            })
        let bridge = XMLElement("bridge-session", JitsiNamespaces.focus, ["id": bridgeSession])
        let sources = isJSON ? [Self.message([])] : []
        return jingle("session-initiate", contents + sources + [bundle, bridge])
    }

    func add(_ sources: [ToldSource]) -> XMLElement { jingle("source-add", named(sources)) }

    func remove(_ sources: [ToldSource]) -> XMLElement { jingle("source-remove", named(sources)) }

    func terminate(_ reason: JingleReason) -> XMLElement {
        jingle("session-terminate", [reason.element])
    }

    private func jingle(_ action: String, _ children: [XMLElement]) -> XMLElement {
        XMLElement(
            "jingle", JitsiNamespaces.jingle,
            ["action": action, "sid": session, "initiator": initiator], children)
    }

    // MARK: Sources

    private func named(_ sources: [ToldSource]) -> [XMLElement] {
        if isJSON { return [Self.message(sources)] }
        return ["audio", "video"].compactMap { kind in
            let content = XMLElement(
                "content", JitsiNamespaces.jingle, ["creator": "initiator", "name": kind],
                [XMLElement("description", JitsiNamespaces.rtp, ["media": kind])])
            let filled = Self.add(sources, to: content)
            return filled == content ? nil : filled
        }
    }

    /// In XML: XEP-0339 with Jitsi's `ssrc-info`.
    private static func add(_ sources: [ToldSource], to content: XMLElement) -> XMLElement {
        let isVideo = content["name"] == "video"
        let ours = sources.filter { $0.source.isVideo == isVideo }
        guard content["name"] != "data", !ours.isEmpty else { return content }
        var content = content
        content.children = content.children.map { node in
            guard case .element(var element) = node, element.name == "description" else {
                return node
            }
            element.children += ours.flatMap(streams).map(XMLElement.Node.element)
            element.children += ours.compactMap(group).map(XMLElement.Node.element)
            return .element(element)
        }
        return content
    }

    private static func streams(of told: ToldSource) -> [XMLElement] {
        let source = told.source
        return told.streams.map { ssrc in
            XMLElement(
                "source", JitsiNamespaces.sources,
                [
                    "ssrc": "\(ssrc)", "name": "\(source.name)",
                    "videoType": source.isVideo ? source.isScreen ? "desktop" : "camera" : nil,
                ],
                [
                    XMLElement("ssrc-info", JitsiNamespaces.meet, ["owner": source.owner]),
                    XMLElement(
                        "parameter", JitsiNamespaces.sources, ["name": "msid", "value": told.msid]),
                ])
        }
    }

    private static func group(of told: ToldSource) -> XMLElement? {
        guard told.streams.count == 2 else { return nil }
        return XMLElement(
            "ssrc-group", JitsiNamespaces.sources, ["semantics": "FID"],
            told.streams.map {
                XMLElement("source", JitsiNamespaces.sources, ["ssrc": "\($0)"])
            })
    }

    /// In jicofo's compact JSON: for each owner its videos, their groups, and its sounds.
    private static func message(_ sources: [ToldSource]) -> XMLElement {
        var owners: [String: (videos: [JSONValue], groups: [JSONValue], sounds: [JSONValue])] = [:]
        for told in sources {
            let source = told.source
            let streams = told.streams.map { ssrc in
                var stream: [String: JSONValue] = [
                    "s": .integer(Int64(ssrc)), "n": .string("\(source.name)"),
                    "m": .string(told.msid),
                ]
                if source.isScreen { stream["v"] = "d" }
                return JSONValue.object(stream)
            }
            if source.isVideo {
                owners[source.owner, default: ([], [], [])].videos += streams
            } else {
                owners[source.owner, default: ([], [], [])].sounds += streams
            }
            guard told.streams.count == 2 else { continue }
            owners[source.owner]?.groups.append(
                .array(["f"] + told.streams.map { JSONValue.integer(Int64($0)) }))
        }
        let lists = owners.mapValues { owner in
            JSONValue.array([.array(owner.videos), .array(owner.groups), .array(owner.sounds)])
        }
        return XMLElement(
            "json-message", JitsiNamespaces.meet, text: JitsiJSON.text(["sources": .object(lists)]))
    }
}
