internal import ICE
internal import PeerConnection
internal import SDP
internal import XML

/// A member's session as descriptions for the connection that the room's media has for it: the other
/// half of ``SectionPlan``.
///
/// Jingle and SDP differ in what they describe: the session has two contents with media, each with
/// any number of streams that come and go, and a connection has a section for each track. The room
/// offers sections in which it may send, and the data channel; these become the contents that the
/// member is offered. What the member accepts is the answer to all of them. After that, what it sends
/// is offered to the room in its name, in sections behind those:
///
///     0, 1, 2, …     recvonly   what the member may be sent; a track may take any that is free
///     the next       the data channel
///     m1, m2, …      sendonly   a source each, its track named as the source
///
/// Packets carry no mid: each stream is found by its SSRC. Sections keep their places for ever (RFC
/// 3264 sect. 8): that of a source that is gone is rejected, and taken by a later one.
struct LegPlan {
    /// How many sounds and videos one member can be sent at a time.
    static let receivedMaximum = 48
    static let sections: [MediaSection.Kind] =
        Array(repeating: .audio, count: receivedMaximum)
        + Array(repeating: .video, count: receivedMaximum) + [.application]
    /// What members are offered to send and receive, best first. Of what a member sends, a room knows
    /// one codec, before the first packet: so there is little choice.
    private static let codecs: Set<String> = ["opus", "vp8", "h264"]
    private static let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"

    private struct Slot {
        var mid: String
        let isVideo: Bool
        var source: SentSource?
    }

    /// The room's.
    private let offer: SessionDescription
    /// Our sections as the member has accepted them; empty before that.
    private var accepted: [MediaSection] = []
    private var transport = JingleTransport()
    /// Of what the member sends, by kind.
    private var sentCodecs: [MediaSection.Kind: [CodecDescription]] = [:]
    private var extensions: [MediaSection.Kind: [HeaderExtension]] = [:]
    private var slots: [Slot] = []
    private var madeMIDs = 0
    private var version: UInt64 = 0

    init(_ offer: SessionDescription) { self.offer = offer }

    var isAccepted: Bool { !accepted.isEmpty }

    // MARK: To the member

    /// The contents of the session, for a member of those abilities.
    ///
    /// - Parameter socket: the address of its channel by WebSocket; nil for none.
    func contents(for features: ClientFeatures, socket: String? = nil) -> [XMLElement] {
        var transport = JingleTransport(of: offer)
        transport.sockets = socket.map { [$0] } ?? []
        var contents: [XMLElement] = []
        for (kind, isWanted) in [
            (MediaSection.Kind.audio, features.hasAudio), (.video, features.hasVideo),
        ] where isWanted {
            guard let section = section(kind) else { continue }
            contents.append(content(kind.name, [description(of: section)], transport))
        }
        if features.hasChannel, let section = section(.application) {
            transport.sctpPort = section.sctp.port ?? 5000
            let media = XMLElement("description", JitsiNamespaces.rtp, ["media": "application"])
            contents.append(content("data", [media], transport))
        }
        return contents
    }

    private func section(_ kind: MediaSection.Kind) -> MediaSection? {
        offer.media.first { $0.kind == kind && !$0.isRejected }
    }

    private func content(
        _ name: String, _ children: [XMLElement], _ transport: JingleTransport
    ) -> XMLElement {
        XMLElement(
            "content", JitsiNamespaces.jingle,
            ["creator": "initiator", "name": name, "senders": "both"],
            children + [transport.element])
    }

    private func description(of section: MediaSection) -> XMLElement {
        let codecs = Self.offered(section.rtp.codecs).map(\.jingle)
        let extensions = section.rtp.headerExtensions.filter { $0.uri != Self.mid }.map(\.jingle)
        return XMLElement(
            "description", JitsiNamespaces.rtp, ["media": section.kind.name],
            codecs + extensions + [XMLElement("rtcp-mux", JitsiNamespaces.rtp)])
    }

    private static func offered(_ all: [CodecDescription]) -> [CodecDescription] {
        var kept = all.filter { codec in
            codecs.contains(codec.name.lowercased())
                && !(codec.isNamed("H264") && codec.parameters["packetization-mode"] != "1")
        }
        let repaired = Set(kept.filter { !$0.isNamed("opus") }.map(\.payloadType))
        kept += all.filter { $0.associatedPayloadType.map(repaired.contains) ?? false }
        return kept
    }

    // MARK: From the member

    /// The answer to the room's offer that follows from a `session-accept`.
    ///
    /// - Parameter preferred: the names of video codecs, the member's favourite first.
    mutating func accept(
        _ contents: [JingleContent], preferring preferred: [String]
    ) throws(JitsiFault) -> SessionDescription {
        guard let transport = contents.lazy.compactMap(\.transport).first(where: \.isComplete)
        else { throw .missing("transport of the member") }
        self.transport = transport
        for content in contents {
            guard let description = content.description, let own = section(content.kind) else {
                continue
            }
            let codecs = description.codecs.filter { codec in
                own.rtp.codecs.contains {
                    $0.payloadType == codec.payloadType && $0.isNamed(codec.name)
                }
            }
            guard !codecs.isEmpty else { continue }
            sentCodecs[content.kind] = codecs
            let known = own.rtp.headerExtensions.filter { $0.uri != Self.mid }
            extensions[content.kind] = description.headerExtensions.filter { entry in
                known.contains { $0.uri == entry.uri && $0.id == entry.id }
            }
        }
        let channel = contents.first { $0.kind == .application }?.transport
        accepted = offer.media.map { own in
            switch own.kind {
            case .audio, .video:
                guard let codecs = sentCodecs[own.kind] else { return .rejection(of: own) }
                return section(own.kind, own.mid, .receiveOnly, codecs, setup: .active)
            case .application, .other:
                guard own.kind == .application, let channel else { return .rejection(of: own) }
                var data = section(own.kind, own.mid, .sendReceive, [], setup: .active)
                data.sctp = SCTPDescription(
                    port: channel.sctpPort ?? 5000, maxMessageSize: 65_536)
                return data
            }
        }
        guard accepted.contains(where: { !$0.isRejected }) else {
            accepted = []
            throw .missing("content that was offered")
        }
        if let codecs = sentCodecs[.video] {
            sentCodecs[.video] = Self.sent(codecs, preferred)
        }
        return description(accepted)
    }

    /// Of several codecs the one that the member will use: its favourite, and how it is repaired.
    private static func sent(
        _ codecs: [CodecDescription], _ preferred: [String]
    ) -> [CodecDescription] {
        let names = preferred + ["vp8", "h264"]
        let found = names.lazy.compactMap { name in codecs.first { $0.isNamed(name) } }.first
        guard let chosen = found else { return codecs }
        return [chosen] + codecs.filter { $0.associatedPayloadType == chosen.payloadType }
    }

    /// The offer to the room of exactly these sources.
    ///
    /// - Parameter sources: those of kinds that the session has get a place.
    mutating func offer(_ sources: [SentSource]) -> SessionDescription {
        arrange(sources)
        var media = accepted
        for index in media.indices where !media[index].isRejected {
            media[index].dtls.setup = .actpass
        }
        return description(media + slots.map(section(of:)))
    }

    private mutating func arrange(_ sources: [SentSource]) {
        var unplaced = sources.filter { sentCodecs[$0.name.isVideo ? .video : .audio] != nil }
        for index in slots.indices {
            let kept = unplaced.firstIndex { $0.name == slots[index].source?.name }
            slots[index].source = kept.map { unplaced.remove(at: $0) }
        }
        for source in unplaced {
            madeMIDs += 1
            let slot = Slot(mid: "m\(madeMIDs)", isVideo: source.name.isVideo, source: source)
            let free = slots.firstIndex { $0.source == nil && $0.isVideo == slot.isVideo }
            if let free {
                slots[free] = slot
            } else if accepted.count + slots.count < PeerConnection.sectionsMaximum {
                slots.append(slot)
            }
        }
    }

    private func section(of slot: Slot) -> MediaSection {
        let kind: MediaSection.Kind = slot.isVideo ? .video : .audio
        let codecs = sentCodecs[kind] ?? []
        guard let source = slot.source else {
            return .rejection(of: section(kind, slot.mid, .inactive, codecs, setup: .actpass))
        }
        var section = section(kind, slot.mid, .sendOnly, codecs, setup: .actpass)
        let msid = MediaStreamIdentifier(
            stream: source.name.owner, track: source.name.description)
        section.rtp.msids = [msid]
        section.rtp.sources = source.ssrcs.map { MediaSource(ssrc: $0) }
        if source.layers.count > 1 {
            section.rtp.sourceGroups = [
                SourceGroup(semantics: "SIM", ssrcs: source.layers.map(\.ssrc))
            ]
        }
        section.rtp.sourceGroups += source.layers.compactMap { layer in
            layer.repairSSRC.map { SourceGroup(semantics: "FID", ssrcs: [layer.ssrc, $0]) }
        }
        return section
    }

    private func section(
        _ kind: MediaSection.Kind, _ mid: String?, _ direction: MediaDirection,
        _ codecs: [CodecDescription], setup: DTLSSetup
    ) -> MediaSection {
        var section = MediaSection(kind: kind, mid: mid, direction: direction)
        section.ice.usernameFragment = transport.usernameFragment
        section.ice.password = transport.password
        section.dtls.fingerprints = transport.fingerprints
        section.dtls.setup = setup
        section.rtp.codecs = codecs
        section.rtp.headerExtensions = extensions[kind] ?? []
        return section
    }

    private mutating func description(_ media: [MediaSection]) -> SessionDescription {
        version += 1
        var description = SessionDescription(
            origin: Origin(sessionVersion: version), media: media)
        description.bundledMIDs = media.filter { !$0.isRejected }.compactMap(\.mid)
        return description
    }
}

/// What a member's client can do, as it answers XEP-0030.
struct ClientFeatures: Hashable {
    var hasAudio: Bool
    var hasVideo: Bool
    /// Whether it opens the bridge's channel by SCTP.
    var hasChannel: Bool
    /// Whether it reads sources in JSON.
    var readsJSON = false

    /// Of a client that does not answer, as jicofo has them.
    static let standard = ClientFeatures(hasAudio: true, hasVideo: true, hasChannel: true)

    init(hasAudio: Bool, hasVideo: Bool, hasChannel: Bool) {
        (self.hasAudio, self.hasVideo, self.hasChannel) = (hasAudio, hasVideo, hasChannel)
    }

    init(_ query: XMLElement) {
        let features = Set(
            query.elements.prefix(JitsiLimits.discoveredFeatures).compactMap { $0["var"] })
        hasAudio = features.contains("urn:xmpp:jingle:apps:rtp:audio")
        hasVideo = features.contains("urn:xmpp:jingle:apps:rtp:video")
        hasChannel = features.contains("urn:xmpp:jingle:transports:dtls-sctp:1")
        readsJSON = features.contains("http://jitsi.org/json-encoded-sources")
    }
}
