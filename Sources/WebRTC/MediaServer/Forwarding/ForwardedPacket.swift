import RTP

/// One packet on its way to the subscribers of its track, with what all of them ask of it.
struct ForwardedPacket {
    let summary: PayloadSummary
    /// The place of its encoding in the track.
    let encoding: Int
    let report: LayerForwarder.Report?
    let parameterSets: H264SetMemory
    private let packet: RTPPacket
    /// With its header extensions by the ids of the latest subscriber. Those of the next are mostly
    /// the same.
    private var named: RTPPacket
    private var ids: ExtensionIDs?

    init(
        _ packet: RTPPacket, _ summary: PayloadSummary, of encoding: SourceEncoding, at place: Int
    ) {
        self.packet = packet
        self.summary = summary
        self.encoding = place
        report = encoding.report
        parameterSets = encoding.parameterSets
        named = packet
    }

    /// The packet for a subscriber with these ids.
    mutating func packet(by ids: ExtensionIDs) -> RTPPacket {
        if self.ids != ids {
            named.extensions = packet.extensions.remapped { ids.id(for: $0) }
            self.ids = ids
        }
        return named
    }
}
