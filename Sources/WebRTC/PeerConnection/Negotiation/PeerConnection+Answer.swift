import ICE
public import MediaKernel
import RTP
public import SDP
import SecureTransport

/// Answering: the remote side offers. What it offers to send we may receive, and what it asks for
/// we may send. RFC 9429 sect. 5.3.
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
    public var incomingTracks: [IncomingTrack] { sections.compactMap(\.incoming) }

    /// Applies a remote offer and gives the answer. On an error nothing has changed.
    public func answer(
        _ offer: SessionDescription, at now: Instant
    ) throws(PeerConnectionError) -> SessionDescription {
        try take(offer, at: now)
        return try makeAnswer(at: now)
    }

    /// Applies a remote offer. On an error nothing has changed.
    ///
    /// What the remote side offers to send is accepted with the first of its codecs that we know, so
    /// that what arrives can be announced to others before it arrives. What is not wanted keeps its
    /// section, inactive, and is no track that is sending.
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
        // Sections keep their places (RFC 3264 sect. 8), but a client may not know that.
        receiving.place { section(mid: $0) }
        negotiation.owesAnswer = true
        for codec in offer.media.lazy.flatMap(\.codecs) { negotiation.payloadTypes.note(codec) }
        settleICE(at: now)
    }

    /// The answer to the offer that was taken last.
    public func makeAnswer(at now: Instant) throws(PeerConnectionError) -> SessionDescription {
        guard negotiation.owesAnswer else { throw .unexpectedAnswer }
        negotiation.owesAnswer = false
        for index in sections.indices {
            guard let remote = sections[index].remote else { continue }
            describe(index, facing: remote, remote.direction)
            for entry in sections[index].local.headerExtensions {
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
                kind: .application, mid: mid, sctpPort: 5000,
                maxMessageSize: Self.messageBytesMaximum)
        case .audio, .video:
            guard remote.hasRTCPMux, let agreed = Self.firstKnownCodec(of: remote) else {
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
