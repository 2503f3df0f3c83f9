import MediaKernel
import RTP
public import SDP
import SecureTransport

/// The two directions of one section.
extension PeerConnection {
    /// Header extensions that our packets may carry in a section without a track so far.
    static let sendableExtensions: [String] = [
        HeaderExtensionURI.mid, HeaderExtensionURI.transportSequence,
        HeaderExtensionURI.audioLevel, HeaderExtensionURI.videoOrientation,
    ]

    /// The index of a section.
    public func section(mid: String) -> SectionIndex? {
        sections.firstIndex { $0.mid == mid }.map(SectionIndex.init)
    }

    /// The unused sections in which the remote side asks for media of that kind, in order.
    public func freeSections(for kind: MediaSection.Kind) -> [SectionIndex] {
        sections.indices.filter { sections[$0].isAskedFor(kind) }.map(SectionIndex.init)
    }

    /// Sends a track in a section that the remote side has offered, from the answer on, or at once
    /// if the last answer has agreed to send there. Returns the mid for sending it.
    ///
    /// - Throws: `mismatchedTrack` if the section is not free for the track, or the remote side
    ///   supports none of its codecs there.
    @discardableResult
    public func send(
        _ track: OutgoingTrack, on section: SectionIndex
    ) throws(PeerConnectionError) -> String {
        let index = section.rawValue
        guard sections.indices.contains(index), sections[index].isAskedFor(track.kind),
            let remote = sections[index].remote, let codec = Self.codec(for: track, in: remote)
        else { throw .mismatchedTrack(section: index) }
        sections[index].outgoing = track
        addOutbound(track, mid: sections[index].mid)
        let described = sections[index].local.rtp.codecs.map(\.payloadType)
        if !negotiation.owesAnswer, described.contains(codec.codec.payloadType) {
            bindOutgoing(at: index)
        }
        return sections[index].mid
    }

    /// Agrees to send in these sections of the remote side's offer, even without a track. A later
    /// track then needs no new description.
    public func hold(_ sections: [SectionIndex]) {
        for section in sections where self.sections.indices.contains(section.rawValue) {
            self.sections[section.rawValue].isHeld = true
        }
    }

    /// Adds a section of ours for sending from the next offer on, even without a track. Once the
    /// remote side has answered, it is one of the ``freeSections(for:)``.
    public func holdSection(_ kind: MediaSection.Kind) throws(PeerConnectionError) {
        let index = try makeOwnSection(kind)
        sections[index].isHeld = true
    }

    /// Asks the remote side to send in a section of ours, from the next offer on: in that of a
    /// track we send, or in a new one.
    ///
    /// - Parameter mid: the section of a track that was added; nil for a new one.
    @discardableResult
    public func receive(
        _ kind: MediaSection.Kind, in mid: String? = nil
    ) throws(PeerConnectionError) -> String {
        addDataSectionIfNeeded()
        if let mid, let index = sections.firstIndex(where: { $0.mid == mid && $0.kind == kind }) {
            sections[index].receives = true
            return mid
        }
        let index = try makeOwnSection(kind)
        sections[index].receives = true
        return sections[index].mid
    }

    // MARK: Descriptions

    /// Writes our side of a section with formats and payload types chosen by the remote side.
    ///
    /// - Parameter direction: the direction that the remote side asks for, from its point of view.
    func describe(_ index: Int, facing remote: MediaSection, _ direction: MediaDirection) {
        let section = sections[index]
        guard section.use == .media, let incoming = section.incoming else { return }
        let sending = section.outgoing.flatMap { Self.codec(for: $0, in: remote) }
        let agreed = direction.answer(
            sends: sending != nil || section.isHeld,
            receives: section.kind == .audio || configuration.receivesVideo)
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
            announce(track, mid: section.mid, in: &local)
        }
        sections[index].local = local
    }

    private func extensions(of section: Section, _ direction: MediaDirection) -> Set<String> {
        var known: Set<String> = []
        if direction.receives || !direction.sends {
            known.formUnion(Self.receivableExtensions)
            known.subtract(configuration.ignoredExtensions)
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
    func announce(_ track: OutgoingTrack, mid: String, in section: inout MediaSection) {
        section.rtp.msids = [MediaStreamIdentifier(stream: track.streamID, track: track.trackID)]
        guard let stream = sending.stream(mid, 0), track.rids.isEmpty else { return }
        let cname = configuration.canonicalName
        section.rtp.sources = [MediaSource(ssrc: stream.ssrc.rawValue, cname: cname)]
        guard track.isRepaired else { return }
        section.rtp.sources.append(MediaSource(ssrc: stream.rtxSSRC.rawValue, cname: cname))
        section.rtp.sourceGroups = [
            SourceGroup(semantics: "FID", ssrcs: [stream.ssrc.rawValue, stream.rtxSSRC.rawValue])
        ]
    }

    /// The codec of a track that the remote side offers to receive, under its payload type; nil if
    /// none.
    private static func codec(
        for track: OutgoingTrack, in remote: MediaSection
    ) -> NegotiatedCodec? {
        for wanted in track.codecs {
            guard var codec = remote.rtp.codecs.first(where: { $0.decodes(wanted) }) else {
                continue
            }
            codec.feedback = codec.feedback.filter(wanted.feedback.contains)
            let rtx = remote.rtp.codecs.first { $0.associatedPayloadType == codec.payloadType }
            return NegotiatedCodec(
                codec: codec, rtxPayloadType: track.isRepaired ? rtx?.payloadType : nil)
        }
        return nil
    }

    // MARK: What follows from an agreement

    /// Registers the SSRCs that the remote side announces in a section.
    func registerIncoming(at index: Int) {
        // A track that is not sent has no streams yet. It is announced again when it is sent.
        guard let track = sections[index].incoming, track.isSending else { return }
        for (encoding, announced) in track.encodings.enumerated() {
            guard let ssrc = announced.ssrc else { continue }
            register(track, encoding: encoding, ssrc: ssrc, rtxSSRC: announced.rtxSSRC)
        }
    }

    /// Binds the streams of a section offered by the remote side to our answer.
    func bindOutgoing(at index: Int) {
        let section = sections[index]
        guard let track = section.outgoing, let remote = section.remote else { return }
        let described = Set(section.local.rtp.codecs.map(\.payloadType))
        var codec = section.local.direction.sends ? Self.codec(for: track, in: remote) : nil
        if let type = codec?.codec.payloadType, !described.contains(type) { codec = nil }
        let name = section.local.rtp.headerExtensions.first { $0.uri == HeaderExtensionURI.mid }
        bind(
            sending.streams(mid: section.mid), to: codec,
            accepted: remote.rtp.simulcast?.receiveRIDs ?? [],
            counts: section.local.rtp.headerExtensions.countsTransport)
        for stream in sending.streams(mid: section.mid) {
            stream.sectionName = name.map { ($0.id, Array(section.mid.utf8)) }
        }
    }

    func bind(
        _ streams: [OutboundStream], to codec: NegotiatedCodec?, accepted: [String], counts: Bool
    ) {
        for (encoding, stream) in streams.enumerated() {
            // A receiver without simulcast takes the first layer alone. RFC 8853 sect. 5.3.2.
            let isTaken = stream.rid.map {
                accepted.contains($0) || (accepted.isEmpty && encoding == 0)
            }
            let type = isTaken != false ? codec?.codec.payloadType : nil
            stream.payloadType = type.map { PayloadType($0) }
            stream.rtxPayloadType = codec?.rtxPayloadType.map { PayloadType($0) }
            stream.countsTransport = counts
        }
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
