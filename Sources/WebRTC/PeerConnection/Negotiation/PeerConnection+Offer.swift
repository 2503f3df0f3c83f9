import ICE
public import MediaKernel
import RTP
public import SDP
import SecureTransport

/// Offering: our sections, to send in, to receive in, or both. RFC 9429 sect. 5.2.
extension PeerConnection {
    /// The largest message we take, as announced. Browsers' own is 256 KiB.
    static let messageBytesMaximum: UInt64 = 262_144

    /// Announces a track from the next offer on. Gives the mid under which to send it.
    public func add(_ track: OutgoingTrack) throws(PeerConnectionError) -> String {
        addDataSectionIfNeeded()
        guard !descriptions(of: track).isEmpty else { throw .tooMany(what: "codecs", maximum: 61) }
        let free = sections.firstIndex { $0.isFree(for: track.kind) }
        let index = if let free { free } else { try makeOwnSection(track.kind) }
        sections[index].outgoing = track
        let mid = sections[index].mid
        addOutbound(track, mid: mid)
        return mid
    }

    /// A new section of ours: in the place of one that was refused, or behind all others.
    func makeOwnSection(_ kind: MediaSection.Kind) throws(PeerConnectionError) -> Int {
        let maximum = Self.sectionsMaximum
        guard sections.count < maximum else {
            throw .tooMany(what: "media sections", maximum: maximum)
        }
        guard kind != .video || sections.count(where: { $0.kind == .video }) < maximum / 2 else {
            throw .tooMany(what: "video sections", maximum: maximum / 2)
        }
        let mid = negotiation.takeMID()
        let section = Section(
            mid: mid, kind: kind, use: .media, local: MediaSection(kind: kind, mid: mid))
        if let index = sections.firstIndex(where: { $0.isRejected && $0.kind == kind }) {
            sections[index] = section
            return index
        }
        sections.append(section)
        return sections.count - 1
    }

    /// Withdraws a track from the next offer on; nothing of it is sent any more.
    public func remove(mid: String) {
        removeOutbound(mid: mid)
        guard let index = sections.firstIndex(where: { $0.mid == mid }) else { return }
        sections[index].outgoing = nil
    }

    /// Whether the remote side has agreed to receive what is sent under this mid.
    public func isWanted(mid: String) -> Bool {
        sending.stream(mid, 0)?.payloadType != nil
    }

    /// The offer for all tracks that were added. A restart takes new ICE credentials.
    public func createOffer(
        restartsICE: Bool = false, at now: Instant
    ) throws(PeerConnectionError) -> SessionDescription {
        guard !negotiation.owesAnswer else { throw .unexpectedOffer }
        addDataSectionIfNeeded()
        for index in sections.indices { refreshOffer(at: index) }
        // Last, since nothing may have changed when the above throws.
        if restartsICE {
            connectivity.agent.restart(local: Self.freshCredentials(), at: now)
        }
        negotiation.offeredAt = now
        settleICE(at: now)
        return describe(setup: .actpass)
    }

    private func refreshOffer(at index: Int) {
        let section = sections[index]
        guard section.use == .media else { return }
        if let remote = section.remote {
            // Its formats and their numbers stay as they were offered. RFC 3264 sect. 8.3.2.
            let wanted = MediaDirection(
                sends: section.receives || remote.direction.sends, receives: true)
            return describe(index, facing: remote, wanted)
        }
        guard section.outgoing != nil || section.receives || section.isHeld else {
            sections[index].local.direction = .inactive
            sections[index].local.msids = []
            sections[index].local.sources = []
            sections[index].local.sourceGroups = []
            return
        }
        let rids = section.outgoing?.rids ?? []
        var extensions = section.outgoing?.headerExtensions ?? []
        // A receiver binds a layer's SSRC by what its packets say of themselves. RFC 8852.
        let named = [
            HeaderExtensionURI.mid, HeaderExtensionURI.rid, HeaderExtensionURI.repairedRid,
        ]
        extensions += rids.isEmpty ? [] : named
        var codecs = section.outgoing.map { descriptions(of: $0) } ?? []
        if section.receives || section.isHeld {
            let known =
                (section.isHeld ? Self.sendableExtensions : [])
                + (section.receives ? Self.receivableExtensions : []).filter {
                    !configuration.ignoredExtensions.contains($0)
                }
            for uri in known where !extensions.contains(uri) { extensions.append(uri) }
            let more = negotiation.payloadTypes.descriptions(
                offering: Defaults.roomcast, kind: section.kind)
            codecs += more.filter { codec in
                !codecs.contains { $0.payloadType == codec.payloadType }
            }
        }
        var local = MediaSection(
            kind: section.kind, mid: section.mid,
            direction: MediaDirection(
                sends: section.outgoing != nil || section.isHeld, receives: section.receives),
            hasReducedSizeRTCP: true, codecs: codecs,
            headerExtensions: extensions.map { uri in
                HeaderExtension(id: negotiation.extensionID(of: uri), uri: uri)
            },
            rids: rids.map { RestrictionIdentifier(id: $0, direction: .send) },
            simulcast: rids.isEmpty ? nil : Simulcast(sendRIDs: rids))
        if let track = section.outgoing { announce(track, mid: section.mid, in: &local) }
        sections[index].local = local
    }

    /// Applies the answer to our outstanding offer. On an error nothing has changed.
    public func accept(
        answer: SessionDescription, at now: Instant
    ) throws(PeerConnectionError) {
        guard isOfferOutstanding else { throw .unexpectedAnswer }
        guard answer.media.count == sections.count else {
            throw .mismatchedAnswer("\(answer.media.count) sections instead of \(sections.count)")
        }
        for (section, remote) in zip(sections, answer.media) {
            guard remote.mid == section.mid, remote.kind == section.kind else {
                throw .mismatchedAnswer("section \(section.mid) is not where it was offered")
            }
        }
        let transport = try RemoteTransport(of: answer)
        try apply(transport, isAnswer: true, at: now)
        negotiation.offeredAt = nil
        for index in sections.indices { settle(answer.media[index], at: index) }
        negotiation.settledMIDs = sections.map(\.mid)
        openChannels(at: now)
        settleDTLS(at: now)
        settleICE(at: now)
    }

    /// Takes the outstanding offer back, since no answer to it is of use. What it announced is in
    /// the next one.
    public func withdrawOffer() { negotiation.offeredAt = nil }

    /// Takes the outstanding offer back and lets the remote side offer, as the one that gives way
    /// where both have offered at once. Gives the mids of sections that the remote side has never
    /// heard of, which are gone: their tracks are to be added again. RFC 9429 sect. 4.1.10.2.
    @discardableResult
    public func rollBack() -> [String] {
        negotiation.offeredAt = nil
        let gone = sections.enumerated().filter { index, section in
            index >= negotiation.settledMIDs.count || negotiation.settledMIDs[index] != section.mid
        }.map(\.element.mid)
        for mid in gone { removeOutbound(mid: mid) }
        sections.removeSubrange(min(negotiation.settledMIDs.count, sections.count)...)
        for index in sections.indices where sections[index].mid != negotiation.settledMIDs[index] {
            // It had taken the place of one that was refused.
            sections[index].mid = negotiation.settledMIDs[index]
            sections[index].local.mid = negotiation.settledMIDs[index]
            sections[index].reject(sections[index].local)
        }
        return gone
    }

    private func settle(_ remote: MediaSection, at index: Int) {
        let mid = sections[index].mid
        guard !remote.isRejected else {
            removeOutbound(mid: mid)
            sections[index].reject(sections[index].local)
            return
        }
        switch sections[index].use {
        case .data: sections[index].readSCTP(of: remote)
        case .media: settleMedia(remote, at: index)
        case .rejected: break
        }
    }

    private func settleMedia(_ remote: MediaSection, at index: Int) {
        let section = sections[index]
        // Those that were offered, under the ids that they were offered with. RFC 8285 sect. 6.
        let ids = Dictionary(section.local.headerExtensions.map { ($0.uri, $0.id) }) { $1 }
        let agreed = remote.headerExtensions.filter { ids[$0.uri] == $0.id }
        for entry in agreed { negotiation.extensions.agree(entry.uri, id: entry.id) }
        let offered = Set(section.local.codecs.map(\.payloadType))
        let answered = remote.codecs.filter {
            !$0.isNamed("rtx") && offered.contains($0.payloadType)
        }
        func negotiated(_ codec: CodecDescription) -> NegotiatedCodec {
            let rtx = remote.codecs.first { $0.associatedPayloadType == codec.payloadType }
            return NegotiatedCodec(codec: codec, rtxPayloadType: rtx?.payloadType)
        }
        if section.isHeld {
            hold(index, as: remote, agreed, answered.first.map(negotiated))
        } else if let track = section.outgoing {
            let codec = answered.first { codec in
                !section.receives || track.codecs.contains(where: codec.decodes)
            }
            bind(
                sending.streams(mid: section.mid),
                to: remote.direction.receives ? codec.map(negotiated) : nil,
                accepted: remote.simulcast?.receiveRIDs ?? [],
                counts: agreed.contains { $0.uri == HeaderExtensionURI.transportSequence })
        }
        guard section.local.direction.receives, remote.direction.sends,
            let codec = answered.first
        else {
            sections[index].incoming?.isSending = false
            return
        }
        sections[index].incoming = IncomingTrack(
            of: remote, mid: section.mid, agreed: negotiated(codec))
        registerIncoming(at: index)
    }

    /// The answer to a section that we hold says what may be sent in it, as an offer would.
    private func hold(
        _ index: Int, as remote: MediaSection, _ extensions: [HeaderExtension],
        _ codec: NegotiatedCodec?
    ) {
        sections[index].remote = remote
        sections[index].local.headerExtensions = extensions
        guard let codec else { return }
        var track = IncomingTrack(of: remote, mid: sections[index].mid, agreed: codec)
        track.isSending = false
        sections[index].incoming = track
        bindOutgoing(at: index)
    }

    func addDataSectionIfNeeded() {
        guard !channels.entries.isEmpty,
            !sections.contains(where: { $0.kind == .application })
        else { return }
        let mid = negotiation.takeMID()
        sections.append(
            Section(
                mid: mid, kind: .application, use: .data,
                local: MediaSection(
                    kind: .application, mid: mid, sctpPort: 5000,
                    maxMessageSize: Self.messageBytesMaximum)))
    }

    /// Its codecs under our payload types; none when there are no more of them.
    private func descriptions(of track: OutgoingTrack) -> [CodecDescription] {
        track.codecs.flatMap { codec in
            negotiation.payloadTypes.descriptions(for: codec, withRetransmission: track.isRepaired)
        }
    }
}
