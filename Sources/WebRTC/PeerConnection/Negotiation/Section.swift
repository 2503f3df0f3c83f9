import RTP
import SDP

/// One media section of this connection's descriptions with its transceiver. It keeps its index
/// forever. RFC 9429 sect. 3.4.
struct Section {
    enum Use {
        case data
        case media
        /// One side rejected the section. It may return only under a new mid, since the rejecting
        /// side has stopped its transceiver. RFC 9429 sect. 5.2.2.
        case rejected
    }

    var mid: String
    var kind: MediaSection.Kind
    var use: Use
    /// The section in our last description.
    var local: MediaSection
    /// The section in the remote side's last offer, or in its answer if we hold the section;
    /// otherwise nil if only we have offered it.
    var remote: MediaSection?
    /// Our track sent in this section.
    var outgoing: OutgoingTrack?
    /// The remote side's track received in this section.
    var incoming: IncomingTrack?
    /// Whether our offers ask the remote side to send here.
    var receives = false
    /// Whether our descriptions agree to send here although there is no track yet.
    var isHeld = false
    /// The newest SSRC seen or announced for each encoding of the incoming track.
    var activeSSRCs: [Int: SSRC] = [:]
    var remoteSCTPPort: UInt16 = 5000
    /// RFC 8841 sect. 6.1: 64 KiB if the remote side states no limit.
    var remoteMaximumMessageBytes = 65_536

    var isRejected: Bool { use == .rejected }

    /// Whether another track of that kind may reuse a section that we have offered.
    func isFree(for kind: MediaSection.Kind) -> Bool {
        self.kind == kind && use == .media && remote == nil && outgoing == nil && !receives
            && !isHeld
    }

    /// Whether the remote side's offer asks for a track of that kind and we send none here.
    func isAskedFor(_ kind: MediaSection.Kind) -> Bool {
        self.kind == kind && use == .media && outgoing == nil && remote?.direction.receives == true
    }

    mutating func reject(_ description: MediaSection) {
        use = .rejected
        outgoing = nil
        incoming = nil
        local = .rejection(of: description)
    }

    /// Reads the SCTP parameters of a remote section.
    mutating func readSCTP(of remote: MediaSection) {
        remoteSCTPPort = remote.sctp.port ?? 5000
        // 0 means "no limit". The channel's own limit is lower than either.
        let size = remote.sctp.maxMessageSize ?? 65_536
        remoteMaximumMessageBytes = size == 0 ? .max : Int(clamping: size)
    }
}
