import ICE
public import MediaKernel
import RTP
public import SDP
import SecureTransport

/// Answering a remote offer. We may receive the media it offers and send the media it asks for. RFC
/// 9429 sect. 5.3.
extension PeerConnection {
    /// Header extensions that we understand on reception. AV1's dependency descriptor is excluded:
    /// it numbers the frames of one encoding with all its layers, and would be wrong after a
    /// forwarder has switched encodings and dropped layers.
    static let receivableExtensions: [String] = [
        HeaderExtensionURI.mid, HeaderExtensionURI.rid, HeaderExtensionURI.repairedRid,
        HeaderExtensionURI.transportSequence, HeaderExtensionURI.audioLevel,
        HeaderExtensionURI.videoOrientation,
    ]

    /// The tracks that the remote side has announced, by section order.
    public var incomingTracks: [IncomingTrack] { sections.compactMap(\.incoming) }

    /// Applies a remote offer and returns the answer. On an error nothing has changed.
    public func answer(
        _ offer: SessionDescription, at now: Instant
    ) throws(PeerConnectionError) -> SessionDescription {
        try take(offer, at: now)
        return try makeAnswer(at: now)
    }

    /// Applies a remote offer. On an error nothing has changed.
    ///
    /// Each offered track is accepted with the first of its codecs that we know, so that it can be
    /// announced to others before its media arrives. A section with an unwanted track stays,
    /// inactive, and its track does not count as sending.
    public func take(
        _ offer: SessionDescription, at now: Instant
    ) throws(PeerConnectionError) {
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

        for section in sections
        where !next.contains(where: {
            $0.mid == section.mid && $0.kind == section.kind && !$0.isRejected
        }) {
            removeOutbound(mid: section.mid)
        }
        for section in sections where !next.contains(where: { $0.mid == section.mid }) {
            for ssrc in section.activeSSRCs.values { forget(ssrc) }
        }
        sections = next
        // Sections must keep their indices (RFC 3264 sect. 8), but a client may violate that.
        receiving.place { section(mid: $0) }
        negotiation.owesAnswer = true
        for codec in offer.media.lazy.flatMap(\.rtp.codecs) { negotiation.payloadTypes.note(codec) }
        settleICE(at: now)
    }

    /// Returns the answer to the offer applied last.
    public func makeAnswer(at now: Instant) throws(PeerConnectionError) -> SessionDescription {
        guard negotiation.owesAnswer else { throw .unexpectedAnswer }
        negotiation.owesAnswer = false
        for index in sections.indices {
            guard let remote = sections[index].remote else { continue }
            describe(index, facing: remote, remote.direction)
            for entry in sections[index].local.rtp.headerExtensions {
                negotiation.extensions.agree(entry.uri, id: entry.id)
            }
            let receives = sections[index].local.direction.receives
            sections[index].incoming?.isSending = receives
            registerIncoming(at: index)
            bindOutgoing(at: index)
        }
        negotiation.settledMIDs = sections.map(\.mid)
        openChannels(at: now)
        settleDTLS(at: now)
        return describe(setup: security.role == .client ? .active : .passive)
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
                kind: .application, mid: mid, sctp: Self.ownSCTP)
        case .audio, .video:
            guard remote.rtp.hasRTCPMux, let agreed = Self.firstKnownCodec(of: remote) else {
                return section
            }
            section.use = .media
            section.remote = remote
            section.incoming = IncomingTrack(of: remote, mid: mid, agreed: agreed)
            if let previous, previous.kind == remote.kind, previous.use == .media {
                section.outgoing = previous.outgoing
                section.receives = previous.receives
                section.isHeld = previous.isHeld
            }
        case .other:
            break
        }
        return section
    }

    /// Chooses the offerer's first codec among those we know. RFC 3264 sect. 6.1 recommends keeping
    /// the offerer's order. But the media is offered unchanged to others, and Firefox refuses
    /// H.264's high profile, which Safari prefers. So H.264 profiles other than constrained
    /// baseline come last.
    private static func firstKnownCodec(of remote: MediaSection) -> NegotiatedCodec? {
        let known = negotiate(offered: remote, capabilities: Defaults.roomcast)
        return known.min { a, b in
            let order = remote.rtp.codecs.map(\.payloadType)
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
