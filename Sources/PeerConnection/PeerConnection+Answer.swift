import ICE
public import MediaKernel
import RTP
public import SDP
import SecureTransport

/// Answering: the remote side sends, we receive.
extension PeerConnection {
    /// Header extensions we understand on the way in. AV1's dependency descriptor is not one of them:
    /// it numbers the frames of one encoding and of all its layers, and would be wrong behind a
    /// forwarder that changes encodings and drops layers.
    static let receivableExtensions: [String] = [
        HeaderExtensionURI.mid, HeaderExtensionURI.rid, HeaderExtensionURI.repairedRid,
        HeaderExtensionURI.transportSequence, HeaderExtensionURI.audioLevel,
        HeaderExtensionURI.videoOrientation,
    ]

    /// What the remote side has announced, by section order.
    public var incomingTracks: [IncomingTrack] { sections.compactMap(\.remoteTrack) }

    /// Applies a remote offer and gives the answer. On an error nothing has changed.
    ///
    /// We only receive: what the remote side offers to send is accepted with the first of its
    /// codecs that we know, so that what arrives can be announced to others before it arrives.
    /// What is not wanted keeps its section, inactive, and is no track that is sending.
    public func answer(
        _ offer: SessionDescription, at now: Instant
    ) throws(PeerConnectionError) -> SessionDescription {
        guard !isOfferOutstanding else { throw .unexpectedOffer }
        let transport = try RemoteTransport(of: offer)
        guard offer.media.count <= Self.sectionsMaximum else {
            throw .tooMany(what: "media sections", maximum: Self.sectionsMaximum)
        }
        guard offer.media.count >= sections.count else {
            throw .malformedDescription("sections of an earlier description are missing")
        }
        var next: [Section] = []
        for remote in offer.media {
            let previous = sections.first { $0.mid == remote.mid }
            next.append(try makeSection(answering: remote, in: offer, previous: previous))
        }
        try apply(transport, isAnswer: false, at: now)

        for section in sections where !next.contains(where: { $0.mid == section.mid }) {
            for ssrc in section.activeSSRCs.values { forget(ssrc) }
        }
        sections = next
        for section in next {
            guard let track = section.remoteTrack else { continue }
            for entry in section.local.headerExtensions { headerExtensions[entry.uri] = entry.id }
            // What is not sent has no streams yet. They are announced again when it is.
            guard track.isSending else { continue }
            for (index, encoding) in track.encodings.enumerated() {
                guard let ssrc = encoding.ssrc else { continue }
                register(track, encoding: index, ssrc: ssrc, rtxSSRC: encoding.rtxSSRC)
            }
        }
        settleICE(at: now)
        openChannels(at: now)
        settleDTLS(at: now)
        return describe(setup: dtlsRole == .client ? .active : .passive)
    }

    private func makeSection(
        answering remote: MediaSection, in offer: SessionDescription, previous: Section?
    ) throws(PeerConnectionError) -> Section {
        guard let mid = remote.mid else { throw .missing("a=mid in every section") }
        var section = Section(
            mid: mid, kind: remote.kind, use: .rejected, local: .rejection(of: remote))
        if let previous { section.activeSSRCs = previous.activeSSRCs }
        guard !remote.isRejected, offer.bundledMIDs.contains(mid) else { return section }
        switch remote.kind {
        case .application:
            section.use = .data
            section.readSCTP(of: remote)
            section.local = MediaSection(
                kind: .application, mid: mid, sctpPort: 5000,
                maxMessageSize: Self.messageBytesMaximum)
        case .audio, .video:
            guard remote.hasRTCPMux, let agreed = Self.firstKnownCodec(of: remote) else {
                return section
            }
            accept(remote, agreed, into: &section)
        case .other:
            break
        }
        return section
    }

    private func accept(
        _ remote: MediaSection, _ agreed: NegotiatedCodec, into section: inout Section
    ) {
        let direction = remote.direction.answer(
            sends: false, receives: remote.kind == .audio || configuration.receivesVideo)
        var track = IncomingTrack(
            mid: section.mid, streamID: "", trackID: "", kind: remote.kind, codec: agreed.codec,
            rtxPayloadType: agreed.rtxPayloadType, isSending: direction.receives)
        let msid = remote.msids.first ?? remote.sources.lazy.compactMap(\.msid).first
        track.streamID =
            msid.map { $0.stream.utf8.count > Self.streamIDBytes ? "-" : $0.stream } ?? "-"
        track.trackID = msid.map { $0.track.isEmpty ? $0.stream : $0.track } ?? section.mid
        track.parameterSets = remote.codecs.first { $0.payloadType == agreed.codec.payloadType }
            .flatMap { $0.parameters["sprop-parameter-sets"] }.flatMap(H264SetMemory.init(stated:))
        track.encodings = Self.encodings(of: remote)
        var codecs = [agreed.codec]
        if let rtx = agreed.rtxPayloadType {
            codecs.append(
                .retransmission(
                    payloadType: rtx, of: agreed.codec.payloadType,
                    clockRate: agreed.codec.clockRate))
        }
        section.use = .incoming(track)
        let rids = track.encodings.compactMap(\.rid)
        section.local = MediaSection(
            kind: remote.kind, mid: section.mid, direction: direction, hasReducedSizeRTCP: true,
            codecs: codecs,
            headerExtensions: HeaderExtension.intersection(
                offered: remote.headerExtensions,
                supported: Self.receivableExtensions.filter {
                    !configuration.ignoredExtensions.contains($0)
                }),
            allowsMixedExtensions: remote.allowsMixedExtensions,
            rids: rids.map { RestrictionIdentifier(id: $0, direction: .receive) },
            simulcast: rids.isEmpty ? nil : Simulcast(receiveRIDs: rids))
    }

    /// A longer name of a stream, which everybody is told who receives it, is none. Browsers write 36
    /// bytes.
    static let streamIDBytes = 128

    /// The layers of a section: by name (RFC 8853), by `SIM` group as browsers did before, or
    /// one and only.
    private static func encodings(of remote: MediaSection) -> [IncomingEncoding] {
        let sending = Set(remote.rids.filter { $0.direction == .send }.map(\.id))
        let rids = (remote.simulcast?.sendRIDs ?? []).filter(sending.contains)
        // Named SSRCs, which some write beside the names, do not say which layer they are.
        if !rids.isEmpty {
            return rids.prefix(OutgoingTrack.layersMaximum).map { IncomingEncoding(rid: $0) }
        }
        let pairs = remote.sourceGroups.filter { $0.semantics == "FID" && $0.ssrcs.count == 2 }
        func encoding(_ ssrc: UInt32) -> IncomingEncoding {
            let repair = pairs.first { $0.ssrcs[0] == ssrc }?.ssrcs[1]
            return IncomingEncoding(ssrc: SSRC(ssrc), rtxSSRC: repair.map { SSRC($0) })
        }
        // A group of nothing says nothing: a track without an encoding there is not.
        let layers = remote.sourceGroups.first { $0.semantics == "SIM" && !$0.ssrcs.isEmpty }
        if let layers {
            return layers.ssrcs.prefix(OutgoingTrack.layersMaximum).map(encoding)
        }
        if let pair = pairs.first { return [encoding(pair.ssrcs[0])] }
        if remote.sources.count == 1 { return [encoding(remote.sources[0].ssrc)] }
        return [IncomingEncoding()]
    }

    /// The offerer's first choice among what we know. RFC 3264 sect. 6.1 asks to keep its order; but
    /// what comes is offered to others as it is, and Firefox refuses the high profile of H.264 that
    /// Safari would like best. So other profiles than the constrained baseline come last.
    private static func firstKnownCodec(of remote: MediaSection) -> NegotiatedCodec? {
        let known = negotiate(offered: remote, capabilities: Defaults.roomcast)
        return known.min { a, b in
            let order = remote.codecs.map(\.payloadType)
            func rank(_ codec: CodecDescription) -> (Int, Int) {
                (codec.isWidelyDecoded ? 0 : 1, order.firstIndex(of: codec.payloadType) ?? .max)
            }
            return rank(a.codec) < rank(b.codec)
        }
    }
}

extension CodecDescription {
    fileprivate var isWidelyDecoded: Bool {
        !isNamed("H264") || H264ProfileLevel(of: self)?.profile == .constrainedBaseline
    }
}
