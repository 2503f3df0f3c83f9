import MediaKernel
import RTP
import SDP

/// What our descriptions say of each section.
extension Negotiation {
    /// The largest message that we announce and accept. Browsers use 256 KiB too.
    static let messageBytesMaximum: UInt64 = 262_144
    static let ownSCTP = SCTPDescription(port: 5000, maxMessageSize: messageBytesMaximum)

    /// Header extensions that we understand on reception. AV1's dependency descriptor is excluded:
    /// it numbers the frames of one encoding with all its layers, and would be wrong after a
    /// forwarder has switched encodings and dropped layers.
    static let receivableExtensions: [String] = [
        HeaderExtensionURI.mid, HeaderExtensionURI.rid, HeaderExtensionURI.repairedRid,
        HeaderExtensionURI.transportSequence, HeaderExtensionURI.audioLevel,
        HeaderExtensionURI.videoOrientation,
    ]
    /// Header extensions that our packets may carry in a section without a track so far.
    static let sendableExtensions: [String] = [
        HeaderExtensionURI.mid, HeaderExtensionURI.transportSequence,
        HeaderExtensionURI.audioLevel, HeaderExtensionURI.videoOrientation,
    ]

    // MARK: Our offers

    /// Adds a section of ours, in the place of a rejected one or after all others.
    mutating func makeOwnSection(_ kind: MediaSection.Kind) throws(PeerConnectionError) -> Int {
        let maximum = PeerConnection.sectionsMaximum
        guard sections.count < maximum else {
            throw .tooMany(what: "media sections", maximum: maximum)
        }
        guard kind != .video || sections.count(where: { $0.kind == .video }) < maximum / 2 else {
            throw .tooMany(what: "video sections", maximum: maximum / 2)
        }
        let mid = takeMID()
        let section = Section(
            mid: mid, kind: kind, use: .media, local: MediaSection(kind: kind, mid: mid))
        if let index = sections.firstIndex(where: { $0.isRejected && $0.kind == kind }) {
            sections[index] = section
            return index
        }
        sections.append(section)
        return sections.count - 1
    }

    /// Adds a section for the data channels, unless there is one.
    mutating func addDataSectionIfNeeded() {
        guard !sections.contains(where: { $0.kind == .application }) else { return }
        let mid = takeMID()
        sections.append(
            Section(
                mid: mid, kind: .application, use: .data,
                local: MediaSection(
                    kind: .application, mid: mid, sctp: Self.ownSCTP)))
    }

    /// Writes what the next offer says of a section.
    ///
    /// - Parameter stream: the first stream of the section's track.
    mutating func refreshOffer(at index: Int, announcing stream: OutboundStream?) {
        let section = sections[index]
        guard section.use == .media else { return }
        if let remote = section.remote {
            // The section keeps its offered formats and payload types. RFC 3264 sect. 8.3.2.
            let wanted = MediaDirection(
                sends: section.receives || remote.direction.sends, receives: true)
            return describe(index, facing: remote, wanted, announcing: stream)
        }
        guard section.outgoing != nil || section.receives || section.isHeld else {
            sections[index].local.direction = .inactive
            sections[index].local.rtp.msids = []
            sections[index].local.rtp.sources = []
            sections[index].local.rtp.sourceGroups = []
            return
        }
        let rids = section.outgoing?.rids ?? []
        var uris = section.outgoing?.headerExtensions ?? []
        // A receiver maps a layer's SSRC by the mid and rid in its packets. RFC 8852.
        let named = [
            HeaderExtensionURI.mid, HeaderExtensionURI.rid, HeaderExtensionURI.repairedRid,
        ]
        uris += rids.isEmpty ? [] : named
        var codecs = section.outgoing.map { descriptions(of: $0) } ?? []
        if section.receives || section.isHeld {
            let known =
                (section.isHeld ? Self.sendableExtensions : [])
                + (section.receives ? Self.receivableExtensions : []).filter {
                    !own.ignoredExtensions.contains($0)
                }
            for uri in known where !uris.contains(uri) { uris.append(uri) }
            let more = payloadTypes.descriptions(
                receiving: Defaults.roomcast, kind: section.kind)
            codecs += more.filter { codec in
                !codecs.contains { $0.payloadType == codec.payloadType }
            }
        }
        let offered = uris.map { HeaderExtension(id: extensionID(of: $0), uri: $0) }
        var local = MediaSection(
            kind: section.kind, mid: section.mid,
            direction: MediaDirection(
                sends: section.outgoing != nil || section.isHeld, receives: section.receives),
            rtp: RTPDescription(
                hasReducedSizeRTCP: true, codecs: codecs,
                headerExtensions: offered,
                rids: rids.map { RestrictionIdentifier(id: $0, direction: .send) },
                simulcast: rids.isEmpty ? nil : Simulcast(sendRIDs: rids)))
        if let track = section.outgoing { announce(track, by: stream, in: &local) }
        sections[index].local = local
    }

    /// The track's codecs under our payload types; empty if no payload types are left.
    mutating func descriptions(of track: OutgoingTrack) -> [CodecDescription] {
        track.codecs.flatMap { codec in
            payloadTypes.descriptions(for: codec, withRetransmission: track.isRepaired)
        }
    }

    // MARK: Their answers

    /// Applies the remote side's answer to a section of our offer.
    mutating func settle(_ remote: MediaSection, at index: Int, binding sending: Sending) {
        guard !remote.isRejected else { return sections[index].reject(sections[index].local) }
        switch sections[index].use {
        case .data: sections[index].readSCTP(of: remote)
        case .media: settleMedia(remote, at: index, binding: sending)
        case .rejected: break
        }
    }

    private mutating func settleMedia(
        _ remote: MediaSection, at index: Int, binding sending: Sending
    ) {
        let section = sections[index]
        // Accept only offered extensions under their offered ids. RFC 8285 sect. 6.
        let ids = Dictionary(section.local.rtp.headerExtensions.map { ($0.uri, $0.id) }) { $1 }
        let agreed = remote.rtp.headerExtensions.filter { ids[$0.uri] == $0.id }
        for entry in agreed { extensions.agree(entry.uri, id: entry.id) }
        let offered = Set(section.local.rtp.codecs.map(\.payloadType))
        let answered = remote.rtp.codecs.filter {
            !$0.isNamed("rtx") && offered.contains($0.payloadType)
        }
        func negotiated(_ codec: CodecDescription) -> NegotiatedCodec {
            let rtx = remote.rtp.codecs.first { $0.associatedPayloadType == codec.payloadType }
            return NegotiatedCodec(codec: codec, rtxPayloadType: rtx?.payloadType)
        }
        if section.isHeld {
            let codec = answered.first.map(negotiated)
            hold(index, as: remote, agreed, codec)
            if codec != nil { sending.bind(sections[index]) }
        } else if let track = section.outgoing {
            let codec = answered.first { codec in
                !section.receives || track.codecs.contains(where: codec.decodes)
            }
            sending.bind(
                section.mid, to: remote.direction.receives ? codec.map(negotiated) : nil,
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
    }

    /// Handles the answer to a held section, which says what we may send there, like an offer.
    private mutating func hold(
        _ index: Int, as remote: MediaSection, _ extensions: [HeaderExtension],
        _ codec: NegotiatedCodec?
    ) {
        sections[index].remote = remote
        sections[index].local.rtp.headerExtensions = extensions
        guard let codec else { return }
        sections[index].incoming = IncomingTrack(
            of: remote, mid: sections[index].mid, agreed: codec)
    }

    /// Withdraws the outstanding offer. Returns the mids of the sections that are removed, because
    /// the remote side never knew them.
    mutating func rollBack() -> [String] {
        offeredAt = nil
        let gone = sections.enumerated().filter { index, section in
            index >= settledMIDs.count || settledMIDs[index] != section.mid
        }.map(\.element.mid)
        sections.removeSubrange(min(settledMIDs.count, sections.count)...)
        for index in sections.indices where sections[index].mid != settledMIDs[index] {
            // The section had replaced a rejected one.
            sections[index].mid = settledMIDs[index]
            sections[index].local.mid = settledMIDs[index]
            sections[index].reject(sections[index].local)
        }
        return gone
    }

    // MARK: Our answers

    /// Writes our side of a section with formats and payload types chosen by the remote side.
    ///
    /// - Parameters:
    ///   - direction: the direction that the remote side asks for, from its point of view.
    ///   - stream: the first stream of the section's track.
    mutating func describe(
        _ index: Int, facing remote: MediaSection, _ direction: MediaDirection,
        announcing stream: OutboundStream?
    ) {
        let section = sections[index]
        guard section.use == .media, let incoming = section.incoming else { return }
        let sending = section.outgoing.flatMap { $0.codec(in: remote) }
        let agreed = direction.answer(
            sends: sending != nil || section.isHeld,
            receives: section.kind == .audio || own.receivesVideo)
        var codecs: [CodecDescription] = []
        if agreed.receives || !agreed.sends { codecs += incoming.agreedCodec.descriptions }
        if agreed.sends {
            codecs += sending?.descriptions ?? []
            if section.isHeld {
                let known = negotiate(offered: remote, capabilities: Defaults.roomcast)
                codecs += known.flatMap(\.descriptions)
            }
        }
        var taken: Set<UInt8> = []
        codecs.removeAll { !taken.insert($0.payloadType).inserted }
        let receivedRIDs =
            agreed.receives || !agreed.sends ? incoming.encodings.compactMap(\.rid) : []
        let asked = Set(remote.rtp.simulcast?.receiveRIDs ?? [])
        let sentRIDs = agreed.sends ? (section.outgoing?.rids ?? []).filter(asked.contains) : []
        var local = MediaSection(
            kind: remote.kind, mid: section.mid, direction: agreed,
            rtp: RTPDescription(
                hasReducedSizeRTCP: true, codecs: codecs,
                headerExtensions: HeaderExtension.intersection(
                    offered: remote.rtp.headerExtensions,
                    supported: extensions(of: section, agreed)),
                allowsMixedExtensions: remote.rtp.allowsMixedExtensions,
                rids: receivedRIDs.map { RestrictionIdentifier(id: $0, direction: .receive) }
                    + sentRIDs.map { RestrictionIdentifier(id: $0, direction: .send) }))
        if !receivedRIDs.isEmpty || !sentRIDs.isEmpty {
            local.rtp.simulcast = Simulcast(sendRIDs: sentRIDs, receiveRIDs: receivedRIDs)
        }
        if agreed.sends, sending != nil, let track = section.outgoing {
            announce(track, by: stream, in: &local)
        }
        sections[index].local = local
    }

    private func extensions(of section: Section, _ direction: MediaDirection) -> Set<String> {
        var known: Set<String> = []
        if direction.receives || !direction.sends {
            known.formUnion(Self.receivableExtensions)
            known.subtract(own.ignoredExtensions)
        }
        if direction.sends {
            known.insert(HeaderExtensionURI.mid)
            known.formUnion(section.outgoing?.headerExtensions ?? [])
            if section.isHeld { known.formUnion(Self.sendableExtensions) }
            if section.outgoing?.rids.isEmpty == false {
                known.formUnion([HeaderExtensionURI.rid, HeaderExtensionURI.repairedRid])
            }
        }
        return known
    }

    /// Adds the track's stream id, and its SSRCs if its packets do not carry rids.
    private func announce(
        _ track: OutgoingTrack, by stream: OutboundStream?, in section: inout MediaSection
    ) {
        section.rtp.msids = [MediaStreamIdentifier(stream: track.streamID, track: track.trackID)]
        guard let stream, track.rids.isEmpty else { return }
        let cname = own.canonicalName
        section.rtp.sources = [MediaSource(ssrc: stream.ssrc.rawValue, cname: cname)]
        guard track.isRepaired else { return }
        section.rtp.sources.append(MediaSource(ssrc: stream.rtxSSRC.rawValue, cname: cname))
        section.rtp.sourceGroups = [
            SourceGroup(semantics: "FID", ssrcs: [stream.ssrc.rawValue, stream.rtxSSRC.rawValue])
        ]
    }
}

extension OutgoingTrack {
    /// The codec that the remote side offers to receive, under its payload type; nil if none.
    func codec(in remote: MediaSection) -> NegotiatedCodec? {
        for wanted in codecs {
            guard var codec = remote.rtp.codecs.first(where: { $0.decodes(wanted) }) else {
                continue
            }
            codec.feedback = codec.feedback.filter(wanted.feedback.contains)
            let rtx = remote.rtp.codecs.first { $0.associatedPayloadType == codec.payloadType }
            return NegotiatedCodec(
                codec: codec, rtxPayloadType: isRepaired ? rtx?.payloadType : nil)
        }
        return nil
    }
}

extension IncomingTrack {
    var agreedCodec: NegotiatedCodec {
        NegotiatedCodec(codec: codec, rtxPayloadType: rtxPayloadType)
    }
}

extension [HeaderExtension] {
    /// Whether packets get transport-wide sequence numbers. We write them in the one-byte form, which
    /// has ids 1 to 14. RFC 8285 sect. 4.2.
    var countsTransport: Bool {
        contains { $0.uri == HeaderExtensionURI.transportSequence && (1...14).contains($0.id) }
    }
}
