public import MediaKernel
import SDP

/// What both sides have agreed upon, and which offer waits for its answer.
struct Negotiation {
    /// The sections of our descriptions, each at its place for ever.
    var sections: [Section] = []
    /// The sections that both sides know, by place.
    var settledMIDs: [String] = []
    var payloadTypes = PayloadTypeAllocator()
    /// Header extensions as agreed upon for this transport.
    var extensions = NegotiatedExtensions()
    /// Ids that our offers give to extensions, by URI.
    private var offeredExtensions: [String: UInt8] = [:]
    private var nextMID = 0
    /// When the offer was made that is to be answered; nil while there is none.
    var offeredAt: Instant?
    /// An offer of the remote side's was taken and is not answered.
    var owesAnswer = false
    private var version: UInt64 = 0

    /// The version of the next description.
    mutating func takeVersion() -> UInt64 {
        version += 1
        return version
    }

    /// Clients of 100ms parse mids as numbers (docs/PROTOCOL.md sect. 8).
    mutating func takeMID() -> String {
        // The remote side may have taken a number for a section of its own.
        while sections.contains(where: { $0.mid == String(nextMID) }) { nextMID += 1 }
        defer { nextMID += 1 }
        return String(nextMID)
    }

    /// One id per URI for the life of the connection; ids up to 14 fit the one-byte form.
    mutating func extensionID(of uri: String) -> UInt8 {
        if let id = offeredExtensions[uri] { return id }
        // Those that the remote side has offered keep their ids.
        let taken = Set(extensions.ids.values).union(offeredExtensions.values)
        let id = extensions.ids[uri] ?? (1...255).first { !taken.contains($0) } ?? 255
        offeredExtensions[uri] = id
        return id
    }
}

extension PeerConnection {
    /// Those of the negotiation. Changed in their place.
    var sections: [Section] {
        get { negotiation.sections }
        _modify { yield &negotiation.sections }
    }

    /// When the offer was made that is to be answered; nil while there is none.
    public var offeredAt: Instant? { negotiation.offeredAt }

    /// An offer of ours waits for its answer.
    public var isOfferOutstanding: Bool { offeredAt != nil }

    /// Ids of header extensions as negotiated on this transport, by URI.
    public var headerExtensions: [String: UInt8] { negotiation.extensions.ids }

    /// The id of the audio level, which is asked for with each packet.
    public var audioLevelID: UInt8? { negotiation.extensions.audioLevel }
}
