internal import ICE
internal import SDP
internal import XML
internal import XMPP

/// What we say in a session that the focus has begun. We are its responder, and send nothing.
struct JingleReply: Hashable {
    let session: String
    let initiator: String?
    let responder: JID

    /// How a description is accepted.
    enum Acceptance: String, Hashable {
        case session = "session-accept"
        /// The session goes on with the bridge's other transport, and with ours.
        case transport = "transport-accept"
    }

    /// Accepts a session with our transport and the codecs that we decode.
    ///
    /// - Parameters:
    ///   - offer: the contents of `session-initiate`.
    ///   - answer: our description of the same sections, by their names.
    ///   - capabilities: the codecs.
    func accept(
        _ offer: [JingleContent], by answer: SessionDescription, _ capabilities: [CodecCapability],
        as acceptance: Acceptance = .session
    ) -> XMLElement {
        let contents = offer.map { content in
            self.content(content, by: answer, capabilities)
        }
        let bundle = XMLElement(
            "group", JitsiNamespaces.grouping, ["semantics": "BUNDLE"],
            offer.map { XMLElement("content", JitsiNamespaces.grouping, ["name": $0.name]) })
        return jingle(acceptance.rawValue, contents + [bundle])
    }

    /// Tells our credentials of a restart of ICE, without which the bridge's checks are not ours.
    /// All contents have one transport.
    func restart(
        _ content: JingleContent, by answer: SessionDescription, generation: Int?
    ) -> XMLElement {
        var transport = JingleTransport(of: answer)
        transport.generation = generation
        return jingle(
            "transport-info",
            [
                XMLElement(
                    "content", JitsiNamespaces.jingle,
                    ["creator": "initiator", "name": content.name], [transport.element])
            ])
    }

    private func content(
        _ offered: JingleContent, by answer: SessionDescription, _ capabilities: [CodecCapability]
    ) -> XMLElement {
        let section = answer.section(mid: offered.name)
        var transport = JingleTransport(of: answer)
        transport.sctpPort = offered.transport?.sctpPort.flatMap { _ in section?.sctp.port }
        guard let description = offered.description, offered.kind != .application else {
            return XMLElement(
                "content", JitsiNamespaces.jingle,
                ["creator": "initiator", "name": offered.name, "senders": "both"],
                [transport.element])
        }
        let known = negotiate(
            offered: MediaSection(
                kind: offered.kind, rtp: RTPDescription(codecs: description.codecs)),
            capabilities: capabilities)
        var children = known.flatMap(\.descriptions).map(\.jingle)
        children += (section?.rtp.headerExtensions ?? []).map(\.jingle)
        if description.allowsMixedExtensions {
            children.append(
                XMLElement("extmap-allow-mixed", JitsiNamespaces.headerExtensions))
        }
        children.append(XMLElement("rtcp-mux", JitsiNamespaces.rtp))
        return XMLElement(
            "content", JitsiNamespaces.jingle,
            ["creator": "initiator", "name": offered.name, "senders": "initiator"],
            [
                XMLElement(
                    "description", JitsiNamespaces.rtp, ["media": offered.kind.name], children),
                transport.element,
            ])
    }

    /// Ends the session.
    ///
    /// - Parameters:
    ///   - bridgeSession: the session at the bridge. Jicofo ignores the end of one that is over.
    ///   - restarts: whether to ask for another session at once.
    func terminate(
        _ reason: JingleReason, bridgeSession: String?, restarts: Bool
    ) -> XMLElement {
        let bridge = bridgeSession.map {
            XMLElement(
                "bridge-session", JitsiNamespaces.focus,
                ["id": $0, "restart": restarts ? "true" : nil])
        }
        return jingle("session-terminate", [reason.element] + (bridge.map { [$0] } ?? []))
    }

    private func jingle(_ action: String, _ children: [XMLElement]) -> XMLElement {
        XMLElement(
            "jingle", JitsiNamespaces.jingle,
            [
                "action": action, "sid": session, "initiator": initiator,
                "responder": responder.description,
            ], children)
    }
}

extension JingleTransport {
    /// Our side of the transport, which the first section of the bundle describes. RFC 9143
    /// sect. 7.2.
    init(of answer: SessionDescription) {
        self.init()
        let tag = answer.bundledMIDs.first
        guard let section = answer.media.first(where: { $0.mid == tag }) else { return }
        usernameFragment = section.ice.usernameFragment
        password = section.ice.password
        fingerprints = section.dtls.fingerprints
        setup = section.dtls.setup
        candidates = section.ice.candidates.prefix(JitsiLimits.candidates)
            .compactMap { try? ICECandidate(parsing: $0) }
    }
}
