import ICE
public import MediaKernel
import RTP
public import SDP
import SecureTransport

/// Offering our sections, for sending, receiving, or both. RFC 9429 sect. 5.2.
extension PeerConnection {
    /// The largest message that we announce and accept. Browsers use 256 KiB too.
    static let messageBytesMaximum: UInt64 = 262_144
    static let ownSCTP = SCTPDescription(port: 5000, maxMessageSize: messageBytesMaximum)

    /// Announces a track from the next offer on. Returns the mid for sending it.
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

    /// Adds a section of ours, in the place of a rejected one or after all others.
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

    /// Withdraws a track from the next offer on. Sending stops at once.
    public func remove(mid: String) {
        removeOutbound(mid: mid)
        guard let index = sections.firstIndex(where: { $0.mid == mid }) else { return }
        sections[index].outgoing = nil
    }

    /// Whether the remote side has agreed to receive the track with this mid.
    public func isWanted(mid: String) -> Bool {
        sending.stream(mid, 0)?.payloadType != nil
    }

    /// Creates the offer for all added tracks. A restart uses new ICE credentials.
    public func createOffer(
        restartsICE: Bool = false, at now: Instant
    ) throws(PeerConnectionError) -> SessionDescription {
        guard !negotiation.owesAnswer else { throw .unexpectedOffer }
        addDataSectionIfNeeded()
        for index in sections.indices { refreshOffer(at: index) }
        // Restart last, since nothing may have changed if the above throws.
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
            // The section keeps its offered formats and payload types. RFC 3264 sect. 8.3.2.
            let wanted = MediaDirection(
                sends: section.receives || remote.direction.sends, receives: true)
            return describe(index, facing: remote, wanted)
        }
        guard section.outgoing != nil || section.receives || section.isHeld else {
            sections[index].local.direction = .inactive
            sections[index].local.rtp.msids = []
            sections[index].local.rtp.sources = []
            sections[index].local.rtp.sourceGroups = []
            return
        }
        let rids = section.outgoing?.rids ?? []
        var extensions = section.outgoing?.headerExtensions ?? []
        // A receiver maps a layer's SSRC by the mid and rid in its packets. RFC 8852.
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
            rtp: RTPDescription(
                hasReducedSizeRTCP: true, codecs: codecs,
                headerExtensions: extensions.map { uri in
                    HeaderExtension(id: negotiation.extensionID(of: uri), uri: uri)
                },
                rids: rids.map { RestrictionIdentifier(id: $0, direction: .send) },
                simulcast: rids.isEmpty ? nil : Simulcast(sendRIDs: rids)))
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

    /// Withdraws the outstanding offer, because any answer to it is useless. The next offer
    /// includes its changes.
    public func withdrawOffer() { negotiation.offeredAt = nil }

    /// Withdraws the outstanding offer in favour of the remote side's, to resolve a glare. Returns
    /// the mids of removed sections, which the remote side never knew: their tracks must be added
    /// again. RFC 9429 sect. 4.1.10.2.
    @discardableResult
    public func rollBack() -> [String] {
        negotiation.offeredAt = nil
        let gone = sections.enumerated().filter { index, section in
            index >= negotiation.settledMIDs.count || negotiation.settledMIDs[index] != section.mid
        }.map(\.element.mid)
        for mid in gone { removeOutbound(mid: mid) }
        sections.removeSubrange(min(negotiation.settledMIDs.count, sections.count)...)
        for index in sections.indices where sections[index].mid != negotiation.settledMIDs[index] {
            // The section had replaced a rejected one.
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
        // Accept only offered extensions under their offered ids. RFC 8285 sect. 6.
        let ids = Dictionary(section.local.rtp.headerExtensions.map { ($0.uri, $0.id) }) { $1 }
        let agreed = remote.rtp.headerExtensions.filter { ids[$0.uri] == $0.id }
        for entry in agreed { negotiation.extensions.agree(entry.uri, id: entry.id) }
        let offered = Set(section.local.rtp.codecs.map(\.payloadType))
        let answered = remote.rtp.codecs.filter {
            !$0.isNamed("rtx") && offered.contains($0.payloadType)
        }
        func negotiated(_ codec: CodecDescription) -> NegotiatedCodec {
            let rtx = remote.rtp.codecs.first { $0.associatedPayloadType == codec.payloadType }
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
                accepted: remote.rtp.simulcast?.receiveRIDs ?? [],
                counts: agreed.countsTransport)
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

    /// Handles the answer to a held section, which says what we may send there, like an offer.
    private func hold(
        _ index: Int, as remote: MediaSection, _ extensions: [HeaderExtension],
        _ codec: NegotiatedCodec?
    ) {
        sections[index].remote = remote
        sections[index].local.rtp.headerExtensions = extensions
        guard let codec else { return }
        sections[index].incoming = IncomingTrack(
            of: remote, mid: sections[index].mid, agreed: codec)
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
                    kind: .application, mid: mid, sctp: Self.ownSCTP)))
    }

    /// The track's codecs under our payload types; empty if no payload types are left.
    private func descriptions(of track: OutgoingTrack) -> [CodecDescription] {
        track.codecs.flatMap { codec in
            negotiation.payloadTypes.descriptions(for: codec, withRetransmission: track.isRepaired)
        }
    }
}
