import RTP
import SDP

/// A section as the remote side's offer makes it.
extension Section {
    /// - Parameter previous: the section with the same mid until now.
    init(
        answering remote: MediaSection, in offer: SessionDescription, previous: Section?
    ) throws(PeerConnectionError) {
        guard let mid = remote.mid else { throw .missing("a=mid in every section") }
        self.init(
            mid: mid, kind: remote.kind, use: .rejected, local: .rejection(of: remote))
        if let previous { activeSSRCs = previous.activeSSRCs }
        guard !remote.isRejected, offer.bundledMIDs.contains(mid) else { return }
        switch remote.kind {
        case .application:
            use = .data
            readSCTP(of: remote)
            local = MediaSection(
                kind: .application, mid: mid, sctp: Negotiation.ownSCTP)
        case .audio, .video:
            guard remote.rtp.hasRTCPMux, let agreed = Self.firstKnownCodec(of: remote) else {
                return
            }
            use = .media
            self.remote = remote
            incoming = IncomingTrack(of: remote, mid: mid, agreed: agreed)
            if let previous, previous.kind == remote.kind, previous.use == .media {
                outgoing = previous.outgoing
                receives = previous.receives
                isHeld = previous.isHeld
            }
        case .other:
            break
        }
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
