import RTP
import SDP

/// One media section of this connection's descriptions, the same at the same index for ever.
struct Section {
    /// What `m=` line it is to each side.
    enum Use {
        case data
        /// We offered it: a track of ours, or nothing until another track takes it over.
        case outgoing(OutgoingTrack?)
        /// The remote side offered it.
        case incoming(IncomingTrack?)
        /// One side refused it. Such a section may come back only under a new mid, since the
        /// refusing side has stopped its transceiver. RFC 9429 sect. 5.2.2.
        case rejected
    }

    var mid: String
    var kind: MediaSection.Kind
    var use: Use
    /// What our last description said here.
    var local: MediaSection
    /// The newest SSRC seen or announced for each encoding of an incoming track.
    var activeSSRCs: [Int: SSRC] = [:]
    var remoteSCTPPort: UInt16 = 5000
    /// RFC 8841 sect. 6.1: 64 KiB when the remote side does not say.
    var remoteMaximumMessageBytes = 65_536

    var isRejected: Bool { if case .rejected = use { true } else { false } }

    var remoteTrack: IncomingTrack? {
        if case .incoming(let track) = use { track } else { nil }
    }

    var outgoingTrack: OutgoingTrack? {
        if case .outgoing(let track) = use { track } else { nil }
    }

    /// Whether another track of that kind may take the section over.
    func isFree(for kind: MediaSection.Kind) -> Bool {
        guard self.kind == kind, case .outgoing(nil) = use else { return false }
        return true
    }

    /// What a remote section says of SCTP.
    mutating func readSCTP(of remote: MediaSection) {
        remoteSCTPPort = remote.sctpPort ?? 5000
        // 0 means "no limit". The channel's own limit is lower than either.
        let size = remote.maxMessageSize ?? 65_536
        remoteMaximumMessageBytes = size == 0 ? .max : Int(clamping: size)
    }
}
