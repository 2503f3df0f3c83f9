import ICE
public import MediaKernel
import RTP
public import SDP
import SecureTransport

/// Offering: we send, the remote side receives.
extension PeerConnection {
    /// The largest message we take, as announced. Browsers' own is 256 KiB.
    static let messageBytesMaximum: UInt64 = 262_144

    /// Announces a track from the next offer on. Gives the mid under which to send it.
    public func add(_ track: OutgoingTrack) throws(PeerConnectionError) -> String {
        addDataSectionIfNeeded()
        guard !descriptions(of: track).isEmpty else { throw .tooMany(what: "codecs", maximum: 61) }
        let mid: String
        if let index = sections.firstIndex(where: { $0.isFree(for: track.kind) }) {
            mid = sections[index].mid
            sections[index].use = .outgoing(track)
        } else {
            let maximum = Self.sectionsMaximum
            guard sections.count < maximum else {
                throw .tooMany(what: "media sections", maximum: maximum)
            }
            guard track.kind != .video || sections.count(where: { $0.kind == .video }) < maximum / 2
            else { throw .tooMany(what: "video sections", maximum: maximum / 2) }
            mid = takeMID()
            let section = Section(
                mid: mid, kind: track.kind, use: .outgoing(track),
                local: MediaSection(kind: track.kind, mid: mid))
            if let index = sections.firstIndex(where: { $0.isRejected && $0.kind == track.kind }) {
                sections[index] = section
            } else {
                sections.append(section)
            }
        }
        // A repaired picture comes late; sound is of no use then, and repairs are in order.
        let ssrcs = DTLSTransport.outboundSSRCs(areInOrder: track.kind == .audio)
        let repairSSRCs = DTLSTransport.outboundSSRCs(areInOrder: true)
        addOutbound(
            (0..<max(track.rids.count, 1)).map { encoding in
                OutboundStream(
                    ssrc: SSRC(UInt32.random(in: ssrcs, using: &random)),
                    rtxSSRC: SSRC(UInt32.random(in: repairSSRCs, using: &random)),
                    rtxSequence: SequenceNumber(
                        UInt16.random(in: SequenceNumber.beginnings, using: &random)),
                    rid: track.rids.isEmpty ? nil : track.rids[encoding])
            }, mid: mid)
        return mid
    }

    /// Withdraws a track from the next offer on; nothing of it is sent any more.
    public func remove(mid: String) {
        removeOutbound(mid: mid)
        guard let index = sections.firstIndex(where: { $0.mid == mid }),
            sections[index].outgoingTrack != nil
        else { return }
        sections[index].use = .outgoing(nil)
    }

    /// Whether the remote side has agreed to receive what is sent under this mid.
    public func isWanted(mid: String) -> Bool { outbound[mid]?.first?.payloadType != nil }

    /// The offer for all tracks that were added. A restart takes new ICE credentials.
    public func createOffer(
        restartsICE: Bool = false, at now: Instant
    ) throws(PeerConnectionError) -> SessionDescription {
        addDataSectionIfNeeded()
        for index in sections.indices { refreshOffer(at: index) }
        // Last, since nothing may have changed when the above throws.
        if restartsICE { agent.restart(local: Self.freshCredentials(), at: now) }
        offeredAt = now
        settleICE(at: now)
        return describe(setup: .actpass)
    }

    private func refreshOffer(at index: Int) {
        guard case .outgoing(let track) = sections[index].use else { return }
        guard let track else {
            sections[index].local.direction = .inactive
            sections[index].local.msids = []
            sections[index].local.sources = []
            sections[index].local.sourceGroups = []
            return
        }
        let mid = sections[index].mid
        let codecs = descriptions(of: track)
        // A receiver binds a layer's SSRC by what its packets say of themselves. RFC 8852.
        let named = [
            HeaderExtensionURI.mid, HeaderExtensionURI.rid, HeaderExtensionURI.repairedRid,
        ]
        let extensions = track.headerExtensions + (track.rids.isEmpty ? [] : named)
        var section = MediaSection(
            kind: track.kind, mid: mid, direction: .sendOnly, hasReducedSizeRTCP: true,
            codecs: codecs,
            headerExtensions: extensions.map { uri in
                HeaderExtension(id: extensionID(of: uri), uri: uri)
            },
            msids: [MediaStreamIdentifier(stream: track.streamID, track: track.trackID)],
            rids: track.rids.map { RestrictionIdentifier(id: $0, direction: .send) },
            simulcast: track.rids.isEmpty ? nil : Simulcast(sendRIDs: track.rids))
        if let stream = outbound[mid]?.first, track.rids.isEmpty {
            let cname = configuration.canonicalName
            section.sources = [MediaSource(ssrc: stream.ssrc.rawValue, cname: cname)]
            if track.isRepaired {
                section.sources.append(MediaSource(ssrc: stream.rtxSSRC.rawValue, cname: cname))
                section.sourceGroups = [
                    SourceGroup(
                        semantics: "FID", ssrcs: [stream.ssrc.rawValue, stream.rtxSSRC.rawValue])
                ]
            }
        }
        sections[index].local = section
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
        offeredAt = nil
        for index in sections.indices { settle(answer.media[index], at: index) }
        settleICE(at: now)
    }

    /// Takes the outstanding offer back, since no answer to it is of use. What it announced is in
    /// the next one.
    public func withdrawOffer() { offeredAt = nil }

    private func settle(_ remote: MediaSection, at index: Int) {
        let mid = sections[index].mid
        guard !remote.isRejected else {
            removeOutbound(mid: mid)
            sections[index].use = .rejected
            sections[index].local = .rejection(of: sections[index].local)
            return
        }
        switch sections[index].use {
        case .data:
            sections[index].readSCTP(of: remote)
        case .outgoing:
            // Those that were offered, under the ids that they were offered with. RFC 8285 sect. 6.
            let agreed = remote.headerExtensions.filter { offeredExtensions[$0.uri] == $0.id }
            for entry in agreed { headerExtensions[entry.uri] = entry.id }
            let counts = agreed.contains { $0.uri == HeaderExtensionURI.transportSequence }
            let offered = Set(sections[index].local.codecs.map(\.payloadType))
            let codec = remote.codecs.first {
                !$0.isNamed("rtx") && offered.contains($0.payloadType)
            }
            let rtx = remote.codecs.first { $0.associatedPayloadType == codec?.payloadType }
            let accepted = Set(remote.simulcast?.receiveRIDs ?? [])
            for (encoding, stream) in (outbound[mid] ?? []).enumerated() {
                // Who does not do simulcast takes the first layer alone. RFC 8853 sect. 5.3.2.
                let isTaken = stream.rid.map {
                    accepted.contains($0) || (accepted.isEmpty && encoding == 0)
                }
                let type = remote.direction.receives && isTaken != false ? codec : nil
                stream.payloadType = type.map { PayloadType($0.payloadType) }
                stream.rtxPayloadType = rtx.map { PayloadType($0.payloadType) }
                stream.countsTransport = counts
            }
        case .incoming, .rejected:
            break
        }
    }

    private func addDataSectionIfNeeded() {
        guard sections.isEmpty, configuration.dataChannel != nil else { return }
        let mid = takeMID()
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
            payloadTypes.descriptions(for: codec, withRetransmission: track.isRepaired)
        }
    }

    /// Clients of 100ms parse mids as numbers (docs/PROTOCOL.md sect. 8).
    private func takeMID() -> String {
        defer { nextMID += 1 }
        return String(nextMID)
    }

    /// One id per URI for the life of the connection; ids up to 14 fit the one-byte form.
    private func extensionID(of uri: String) -> UInt8 {
        if let id = offeredExtensions[uri] { return id }
        let id = UInt8(offeredExtensions.count + 1)
        offeredExtensions[uri] = id
        return id
    }
}
