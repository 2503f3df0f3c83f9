internal import ICE
internal import PeerConnection
internal import SDP

/// The session with the bridge as an offer for a ``PeerConnection``.
///
/// Jingle and SDP differ in what they describe. The bridge's session has two contents with media,
/// audio and video, each with any number of streams that come and go; a connection has a section
/// for each track. So the contents become sections that carry the transport and the codecs but no
/// track, and after them each source has a section of its own, in which its stream and the one that
/// repairs it are announced:
///
///     audio, video   recvonly   named as the contents; the bridge sends nothing there
///     data                      if the bridge has SCTP
///     s1, s2, …      sendonly   a source each, its track named as the source
///
/// All are bundled on one transport. Packets carry no mid, since jicofo offers that extension only
/// to clients that ask for it, and each stream is found by its SSRC. The two first sections matter
/// for that as well: a stream that nobody has announced, such as the bridge's padding, could only
/// belong to the one section of its kind, if there was just one. Among several it is nobody's.
///
/// Sections keep their places for ever (RFC 3264 sect. 8). That of a source that is gone is
/// rejected, and taken by a later one of its kind under a new mid. Only the first description is
/// answered to the focus: how a client arranges sources is no concern of the bridge.
struct SectionPlan: Hashable {
    private struct Slot: Hashable {
        var mid: String
        let isVideo: Bool
        /// Nil once it is gone.
        var source: ConferenceSource?
    }

    private let contents: [JingleContent]
    private var transport: JingleTransport
    private var slots: [Slot] = []
    private var madeMIDs = 0
    private var version: UInt64 = 0

    /// - Parameter contents: of the focus' `session-initiate`.
    init(_ contents: [JingleContent]) throws(JitsiFault) {
        guard let transport = contents.lazy.compactMap(\.transport).first(where: \.isComplete)
        else {
            throw .missing("transport of the bridge")
        }
        guard Set(contents.map(\.name)).count == contents.count,
            contents.allSatisfy({ !$0.name.hasPrefix("s") })
        else { throw .malformed("names of contents") }
        let described = contents.filter { $0.kind == .application || $0.description != nil }
        guard described.contains(where: { $0.kind == .audio || $0.kind == .video }) else {
            throw .missing("content with media")
        }
        self.contents = described
        self.transport = transport
    }

    /// Takes what the bridge says of its transport later: other candidates, and other credentials,
    /// with which ICE begins anew. Everything else stays as it was: it would be another connection.
    ///
    /// - Returns: whether ICE begins anew.
    mutating func take(_ later: JingleTransport) -> Bool {
        let restarts =
            later.usernameFragment != nil && later.password != nil
            && (later.usernameFragment, later.password)
                != (transport.usernameFragment, transport.password)
        if restarts {
            (transport.usernameFragment, transport.password) = (
                later.usernameFragment, later.password
            )
            transport.candidates = []
        }
        for candidate in later.candidates where !transport.candidates.contains(candidate) {
            guard transport.candidates.count < JitsiLimits.candidates else { break }
            transport.candidates.append(candidate)
        }
        return restarts
    }

    /// The same contents on another transport.
    func moved(to contents: [JingleContent]) throws(JitsiFault) -> SectionPlan {
        let isWhole = contents.contains { $0.description != nil }
        guard !isWhole else { return try SectionPlan(contents) }
        guard let transport = contents.lazy.compactMap(\.transport).first(where: \.isComplete)
        else { throw .missing("transport of the bridge") }
        return try SectionPlan(
            self.contents.map { content in
                var content = content
                let port = content.transport?.sctpPort
                content.transport = transport
                content.transport?.sctpPort = transport.sctpPort ?? port
                return content
            })
    }

    /// The contents that have sections, in their order.
    var described: [JingleContent] { contents }

    /// Whether the bridge's channel is one of SCTP. It is used before a WebSocket, as many bridges
    /// have only that.
    var hasChannel: Bool { dataPort != nil }

    /// The addresses of the channel as a WebSocket.
    var sockets: [String] { transport.sockets }

    private var dataPort: UInt16? {
        contents.first { $0.kind == .application }?.transport?.sctpPort
    }

    /// How many sources have a place.
    var capacity: Int { PeerConnection.sectionsMaximum - contents.count }

    /// The offer with exactly these sources.
    ///
    /// - Parameter sources: the first ones, of kinds that the session has, get a place.
    mutating func offer(_ sources: [ConferenceSource]) -> SessionDescription {
        arrange(sources)
        version += 1
        var media = contents.map(section(of:))
        media += slots.map(section(of:))
        var offer = SessionDescription(
            origin: Origin(sessionVersion: version), attributes: [], media: media)
        offer.bundledMIDs = media.filter { !$0.isRejected }.compactMap(\.mid)
        return offer
    }

    private mutating func arrange(_ sources: [ConferenceSource]) {
        let kinds = Set(contents.compactMap { $0.description == nil ? nil : $0.kind })
        let wanted = sources.lazy.filter { kinds.contains($0.isVideo ? .video : .audio) }
            .prefix(capacity)
        var unplaced = Dictionary(uniqueKeysWithValues: wanted.map { ($0.name, $0) })
        for index in slots.indices {
            slots[index].source = slots[index].source.flatMap {
                unplaced.removeValue(forKey: $0.name)
            }
        }
        var free: [Bool: [Int]] = [:]
        for index in slots.indices.reversed() where slots[index].source == nil {
            free[slots[index].isVideo, default: []].append(index)
        }
        for source in wanted where unplaced[source.name] != nil {
            madeMIDs += 1
            let slot = Slot(mid: "s\(madeMIDs)", isVideo: source.isVideo, source: source)
            if let index = free[source.isVideo]?.popLast() {
                slots[index] = slot
            } else if slots.count < capacity {
                slots.append(slot)
            }
        }
    }

    private func section(of content: JingleContent) -> MediaSection {
        if content.kind == .application {
            guard let dataPort else {
                return .rejection(of: MediaSection(kind: .application, mid: content.name))
            }
            var section = section(.application, mid: content.name, .sendReceive)
            // Bridges state no limit of messages. Theirs are JSON, and far shorter.
            section.sctp = SCTPDescription(port: dataPort, maxMessageSize: 65_536)
            return section
        }
        return section(content.kind, mid: content.name, .receiveOnly)
    }

    private func section(of slot: Slot) -> MediaSection {
        let kind: MediaSection.Kind = slot.isVideo ? .video : .audio
        guard let source = slot.source else {
            return .rejection(of: section(kind, mid: slot.mid, .inactive))
        }
        var section = section(kind, mid: slot.mid, .sendOnly)
        let msid = MediaStreamIdentifier(stream: source.owner, track: source.name.description)
        section.rtp.msids = [msid]
        section.rtp.sources = [MediaSource(ssrc: source.ssrc)]
        if let repair = source.repairSSRC {
            section.rtp.sources.append(MediaSource(ssrc: repair))
            section.rtp.sourceGroups = [
                SourceGroup(semantics: "FID", ssrcs: [source.ssrc, repair])
            ]
        }
        return section
    }

    private func section(
        _ kind: MediaSection.Kind, mid: String, _ direction: MediaDirection
    ) -> MediaSection {
        var section = MediaSection(kind: kind, mid: mid, direction: direction)
        section.ice.usernameFragment = transport.usernameFragment
        section.ice.password = transport.password
        section.dtls.fingerprints = transport.fingerprints
        section.dtls.setup = transport.setup ?? .actpass
        // One section of the bundle is enough.
        if mid == contents[0].name {
            section.ice.candidates = transport.candidates.map { $0.rendered() }
        }
        guard let description = contents.first(where: { $0.kind == kind })?.description else {
            return section
        }
        section.rtp.codecs = description.codecs
        section.rtp.headerExtensions = description.headerExtensions
        section.rtp.allowsMixedExtensions = description.allowsMixedExtensions
        return section
    }
}
