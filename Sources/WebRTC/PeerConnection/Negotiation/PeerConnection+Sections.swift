import MediaKernel
import RTP
public import SDP
import SecureTransport

/// The two directions of one section.
extension PeerConnection {
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
            let remote = sections[index].remote, let codec = track.codec(in: remote)
        else { throw .mismatchedTrack(section: index) }
        sections[index].outgoing = track
        sending.add(track, mid: sections[index].mid, using: &random)
        let described = sections[index].local.rtp.codecs.map(\.payloadType)
        if !negotiation.owesAnswer, described.contains(codec.codec.payloadType) {
            sending.bind(sections[index])
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
    /// remote side has answered, it is one of the ``freeSections(for:)``. One section is enough for
    /// all data channels, which the remote side may open from then on.
    public func holdSection(_ kind: MediaSection.Kind) throws(PeerConnectionError) {
        guard kind != .application else { return negotiation.addDataSectionIfNeeded() }
        let index = try negotiation.makeOwnSection(kind)
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
        if !channels.entries.isEmpty { negotiation.addDataSectionIfNeeded() }
        if let mid, let index = sections.firstIndex(where: { $0.mid == mid && $0.kind == kind }) {
            sections[index].receives = true
            return mid
        }
        let index = try negotiation.makeOwnSection(kind)
        sections[index].receives = true
        return sections[index].mid
    }
}
