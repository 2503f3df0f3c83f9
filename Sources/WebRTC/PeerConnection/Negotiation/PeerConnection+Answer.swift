import ICE
public import MediaKernel
import RTP
public import SDP
import SecureTransport

/// Answering a remote offer. We may receive the media it offers and send the media it asks for. RFC
/// 9429 sect. 5.3.
extension PeerConnection {
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
            next.append(try Section(answering: remote, in: offer, previous: previous))
        }
        try apply(transport, isAnswer: false, at: now)

        for section in sections
        where !next.contains(where: {
            $0.mid == section.mid && $0.kind == section.kind && !$0.isRejected
        }) {
            sending.remove(mid: section.mid, keys: security.dtls)
        }
        for section in sections where !next.contains(where: { $0.mid == section.mid }) {
            for ssrc in section.activeSSRCs.values {
                receiving.forget(ssrc, keys: security.dtls)
            }
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
            let stream = sending.stream(sections[index].mid, 0)
            negotiation.describe(index, facing: remote, remote.direction, announcing: stream)
            for entry in sections[index].local.rtp.headerExtensions {
                negotiation.extensions.agree(entry.uri, id: entry.id)
            }
            let receives = sections[index].local.direction.receives
            sections[index].incoming?.isSending = receives
            receiving.registerAnnounced(at: index, of: &sections, keys: security.dtls)
            sending.bind(sections[index])
        }
        negotiation.settledMIDs = sections.map(\.mid)
        openChannels(at: now)
        settleDTLS(at: now)
        return describe(setup: security.role == .client ? .active : .passive)
    }
}
