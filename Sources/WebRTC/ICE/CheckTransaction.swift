import MediaKernel

/// A request of ours that awaits its response.
struct CheckTransaction: Sendable {
    enum Purpose: Hashable, Sendable {
        /// Does the pair work?
        case check
        /// The same with USE-CANDIDATE: the pair shall be used.
        case nomination
        /// Does the other side still want what we send? Sent once. RFC 7675 sect. 5.1.
        case consent
    }

    let id: STUNTransactionID
    let purpose: Purpose
    let address: TransportAddress
    /// The password of the request, which also protects the response.
    let password: String
    /// The role the request claimed. RFC 8445 sect. 7.2.5.1.
    let claimedControlling: Bool
    let datagram: [UInt8]
    private(set) var transmissions = 1
    private(set) var interval: Duration
    /// When the request is sent again or given up.
    private(set) var deadline: Instant

    init(
        id: STUNTransactionID, purpose: Purpose, address: TransportAddress, password: String,
        claimedControlling: Bool, datagram: [UInt8], interval: Duration, sentAt now: Instant
    ) {
        self.id = id
        self.purpose = purpose
        self.address = address
        self.password = password
        self.claimedControlling = claimedControlling
        self.datagram = datagram
        self.interval = interval
        deadline = now + interval
    }

    var isSpent: Bool {
        purpose == .consent || transmissions >= ICETiming.transmissionsMaximum
    }

    /// The interval doubles up to a maximum. RFC 8489 sect. 6.2.1.
    mutating func retransmitted(at now: Instant) {
        transmissions += 1
        interval = min(interval * 2, ICETiming.longestRetransmission)
        deadline = now + interval
    }

    /// Lets the next transmission happen at once.
    mutating func hurry(at now: Instant) { deadline = min(deadline, now) }
}
