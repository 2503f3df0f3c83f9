public import MediaKernel
import RTP
import SDP

/// The negotiated state, and the offer that waits for its answer.
struct Negotiation {
    /// What our descriptions say in every section.
    struct Own {
        let canonicalName: String
        let receivesVideo: Bool
        let ignoredExtensions: Set<String>
    }

    let own: Own
    /// The sections of our descriptions. Each keeps its index forever.
    var sections: [Section] = []
    /// The mids of the sections that both sides know, by index.
    var settledMIDs: [String] = []
    var payloadTypes = PayloadTypeAllocator()
    /// The header extensions negotiated for this transport.
    var extensions = NegotiatedExtensions()
    /// The ids of extensions in our offers, by URI.
    private var offeredExtensions: [String: UInt8] = [:]
    private var nextMID = 0
    /// When the outstanding offer was made; nil while there is none.
    var offeredAt: Instant?
    /// An offer of the remote side has been applied and not answered.
    var owesAnswer = false
    private var version: UInt64 = 0

    init(_ configuration: PeerConnection.Configuration) {
        own = Own(
            canonicalName: configuration.canonicalName,
            receivesVideo: configuration.receivesVideo,
            ignoredExtensions: configuration.ignoredExtensions)
    }

    /// The version of the next description.
    mutating func takeVersion() -> UInt64 {
        version += 1
        return version
    }

    /// A mid for a section of our own. It is a decimal number, because some clients parse it as one;
    /// the remote side's mids may be any tokens.
    mutating func takeMID() -> String {
        // The remote side may have used a number for a section of its own.
        while sections.contains(where: { $0.mid == String(nextMID) }) { nextMID += 1 }
        defer { nextMID += 1 }
        return String(nextMID)
    }

    /// The newest stream of an encoding, which feedback refers to.
    func activeSSRC(in section: SectionIndex, encoding: Int) -> SSRC? {
        guard sections.indices.contains(section.rawValue) else { return nil }
        return sections[section.rawValue].activeSSRCs[encoding]
    }

    /// One id per URI for the life of the connection. Ids up to 14 fit the one-byte form.
    mutating func extensionID(of uri: String) -> UInt8 {
        if let id = offeredExtensions[uri] { return id }
        // Extensions that the remote side has offered keep their ids.
        let taken = Set(extensions.ids.values).union(offeredExtensions.values)
        let id = extensions.ids[uri] ?? (1...255).first { !taken.contains($0) } ?? 255
        offeredExtensions[uri] = id
        return id
    }
}

extension PeerConnection {
    /// The sections of the negotiation, modified in place.
    var sections: [Section] {
        get { negotiation.sections }
        _modify { yield &negotiation.sections }
    }

    /// When the outstanding offer was made; nil while there is none.
    public var offeredAt: Instant? { negotiation.offeredAt }

    /// An offer of ours waits for its answer.
    public var isOfferOutstanding: Bool { offeredAt != nil }

    /// Ids of header extensions as negotiated on this transport, by URI.
    public var headerExtensions: [String: UInt8] { negotiation.extensions.ids }

    /// The id of the audio level extension, cached because each packet needs it.
    public var audioLevelID: UInt8? { negotiation.extensions.audioLevel }
}
