import RTP
import SDP

/// One media section of this connection's descriptions with its transceiver, the same at the same
/// index for ever. RFC 9429 sect. 3.4.
struct Section {
    enum Use {
        case data
        case media
        /// One side refused it. Such a section may come back only under a new mid, since the
        /// refusing side has stopped its transceiver. RFC 9429 sect. 5.2.2.
        case rejected
    }

    var mid: String
    var kind: MediaSection.Kind
    var use: Use
    /// What our last description said here.
    var local: MediaSection
    /// What the remote side's last offer said here, or its answer in a section that we hold; nil in
    /// another one that only we have offered.
    var remote: MediaSection?
    /// Our track that is sent in it.
    var outgoing: OutgoingTrack?
    /// The remote side's track that comes in it.
    var incoming: IncomingTrack?
    /// Whether our offers ask the remote side to send in it.
    var receives = false
    /// Whether our descriptions agree to send in it though there is no track yet.
    var isHeld = false
    /// The newest SSRC seen or announced for each encoding of the incoming track.
    var activeSSRCs: [Int: SSRC] = [:]
    var remoteSCTPPort: UInt16 = 5000
    /// RFC 8841 sect. 6.1: 64 KiB when the remote side does not say.
    var remoteMaximumMessageBytes = 65_536

    var isRejected: Bool { use == .rejected }

    /// Whether another track of that kind may take over a section that we have offered.
    func isFree(for kind: MediaSection.Kind) -> Bool {
        self.kind == kind && use == .media && remote == nil && outgoing == nil && !receives
            && !isHeld
    }

    /// Whether the remote side's offer asks for a track of that kind and nothing is sent here.
    func isAskedFor(_ kind: MediaSection.Kind) -> Bool {
        self.kind == kind && use == .media && outgoing == nil && remote?.direction.receives == true
    }

    mutating func reject(_ description: MediaSection) {
        use = .rejected
        outgoing = nil
        incoming = nil
        local = .rejection(of: description)
    }

    /// What a remote section says of SCTP.
    mutating func readSCTP(of remote: MediaSection) {
        remoteSCTPPort = remote.sctpPort ?? 5000
        // 0 means "no limit". The channel's own limit is lower than either.
        let size = remote.maxMessageSize ?? 65_536
        remoteMaximumMessageBytes = size == 0 ? .max : Int(clamping: size)
    }
}
