import ICE
public import MediaKernel
import RTP
public import SDP
import SecureTransport

/// Offering our sections, for sending, receiving, or both. RFC 9429 sect. 5.2.
extension PeerConnection {
    /// Announces a track from the next offer on. Returns the mid for sending it.
    public func add(_ track: OutgoingTrack) throws(PeerConnectionError) -> String {
        if !channels.entries.isEmpty { negotiation.addDataSectionIfNeeded() }
        guard !negotiation.descriptions(of: track).isEmpty else {
            throw .tooMany(what: "codecs", maximum: 61)
        }
        let free = sections.firstIndex { $0.isFree(for: track.kind) }
        let index = if let free { free } else { try negotiation.makeOwnSection(track.kind) }
        sections[index].outgoing = track
        let mid = sections[index].mid
        sending.add(track, mid: mid, using: &random)
        return mid
    }

    /// Withdraws a track from the next offer on. Sending stops at once.
    public func remove(mid: String) {
        sending.remove(mid: mid, keys: security.dtls)
        guard let index = sections.firstIndex(where: { $0.mid == mid }) else { return }
        sections[index].outgoing = nil
    }

    /// Creates the offer for all added tracks. A restart uses new ICE credentials.
    public func createOffer(
        restartsICE: Bool = false, at now: Instant
    ) throws(PeerConnectionError) -> SessionDescription {
        guard !negotiation.owesAnswer else { throw .unexpectedOffer }
        if !channels.entries.isEmpty { negotiation.addDataSectionIfNeeded() }
        for index in sections.indices {
            negotiation.refreshOffer(at: index, announcing: sending.stream(sections[index].mid, 0))
        }
        // Restart last, since nothing may have changed if the above throws.
        if restartsICE {
            connectivity.agent.restart(local: Self.freshCredentials(), at: now)
        }
        negotiation.offeredAt = now
        settleICE(at: now)
        return describe(setup: .actpass)
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
        for (index, remote) in answer.media.enumerated() {
            if remote.isRejected {
                sending.remove(mid: sections[index].mid, keys: security.dtls)
            }
            negotiation.settle(remote, at: index, binding: sending)
            receiving.registerAnnounced(at: index, of: &sections, keys: security.dtls)
        }
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
        let gone = negotiation.rollBack()
        for mid in gone { sending.remove(mid: mid, keys: security.dtls) }
        return gone
    }
}
