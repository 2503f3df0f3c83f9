import MediaKernel
import RTP

/// One received encoding of a published track: the only one, or a layer of its simulcast.
final class SourceEncoding {
    /// Packets kept while a subscriber waits for a key frame, because its first packet may arrive
    /// late. At this count the older half is dropped; a key frame fits into the other half.
    static let recentMaximum = 512
    /// An encoding counts as switched off by its publisher if it is silent for this many of its own
    /// picture intervals, within these limits, and for this many pictures of the other encodings.
    /// If all are silent, none counts as switched off.
    static let ownPicturesMissing = 8
    static let silenceLimits: ClosedRange<Duration> = .milliseconds(250) ... .seconds(1)
    static let othersPictures = 6
    /// Audio packets requested at once: one second.
    static let soundOutstandingMaximum = 50

    /// The publisher's rid; nil without simulcast.
    let rid: String?
    /// The protocol's name of the layer; nil without one.
    let name: LayerPreference?
    /// The stream's SSRC. It changes when the publisher restarts.
    private(set) var ssrc: SSRC?
    private var seen = SeenNumbers()
    private var silence = SilenceThinner()
    var reports = SourceReports()
    /// Numbers the forwarded audio packets without holes: once here, not for each of many
    /// subscribers.
    private var numbers: (unwrapper: SequenceUnwrapper, kept: NumberCompactor)?
    var keyframes = KeyframeRequests()
    /// Tracks the packets to request again from the publisher.
    var nacks: NACKGenerator
    private var lastPacket: (time: Instant, picture: Int)?
    private var lastPictureEnd: Instant?
    /// The average interval between pictures. Starts high until measured.
    private var pictureInterval: Duration = .milliseconds(100)
    /// H.264: the newest parameter sets stated or received.
    private(set) var parameterSets = H264SetMemory()
    /// Picture sizes of the last key frame by spatial layer, lowest first.
    private(set) var sizes: [PictureSize] = []
    /// By spatial layer; a single one if the stream has none.
    private var meters = [RateMeter()]
    private var baseMeter = RateMeter()
    private(set) var hasTemporalLayers = false
    /// A subscriber waits for a key frame of this encoding.
    var isAwaited = false { didSet { if !isAwaited { recent.removeAll() } } }
    private(set) var recent: [(packet: RTPPacket, summary: PayloadSummary)] = []

    init(rid: String?, name: LayerPreference? = nil, isVideo: Bool) {
        self.rid = rid
        self.name = name
        var repair = NACKGenerator.Configuration()
        // After an outage, only the last second of sound is worth repairing.
        if !isVideo { repair.outstandingMaximum = Self.soundOutstandingMaximum }
        nacks = NACKGenerator(repair)
    }

    /// Whether a packet arrives for the first time. A packet may arrive both as itself and over
    /// RTX, if it was requested needlessly or the sender probes for bandwidth.
    func isNew(_ packet: RTPPacket) -> Bool {
        if packet.ssrc != ssrc {
            ssrc = packet.ssrc
            seen = SeenNumbers()
            nacks = NACKGenerator(nacks.configuration)
            recent.removeAll()
            // The first packet then goes to all subscribers and announces the stream.
            silence = SilenceThinner()
            numbers = nil
        }
        return seen.insert(packet.sequenceNumber)
    }

    /// Whether the content of an audio packet makes it worth forwarding.
    func passes(_ packet: RTPPacket, level: AudioLevel?, at now: Instant) -> Bool {
        silence.passes(packet.payload, level: level, at: now)
    }

    /// Whether an audio track is silent.
    var isQuiet: Bool { silence.isQuiet }

    /// The number for forwarding an audio packet; nil to drop it. A late packet to be dropped still
    /// gets a number if one was reserved.
    func number(of original: SequenceNumber, isLeftOut: Bool) -> SequenceNumber? {
        var (unwrapper, kept) = numbers ?? Self.count(from: original)
        numbers = nil
        let element = unwrapper.unwrap(original)
        let number = isLeftOut ? kept.leaveOut(element) : kept.place(element)
        numbers = (unwrapper, kept)
        return number.map(SequenceNumber.init(extended:))
    }

    private static func count(
        from first: SequenceNumber
    ) -> (unwrapper: SequenceUnwrapper, kept: NumberCompactor) {
        var unwrapper = SequenceUnwrapper()
        let earliest = unwrapper.unwrap(first) - LayerForwarder.reorderingMaximum
        return (unwrapper, NumberCompactor(first: earliest, as: earliest))
    }

    /// Returns whether the picture sizes have changed.
    ///
    /// - Parameter picture: the track's count of pictures over all encodings.
    func received(
        _ packet: RTPPacket, summary: PayloadSummary, repairs: Bool, picture: Int, at now: Instant
    ) -> Bool {
        lastPacket = (now, picture)
        if packet.marker { pictureEnded(at: now) }
        if repairs { nacks.received(packet.sequenceNumber, at: now) }
        let spatial = min(Int(summary.vp9?.spatialLayer ?? 0), LayerChoice.spatialMaximum)
        while meters.count <= spatial { meters.append(RateMeter()) }
        meters[spatial].count(packet.payload.count, at: now)
        if let layer = summary.vp8?.temporalLayer {
            if layer == 0 { baseMeter.count(packet.payload.count, at: now) }
            hasTemporalLayers = hasTemporalLayers || layer > 0
        }
        if summary.isKeyframeStart { keyframes.keyframeArrived() }
        if isAwaited {
            if recent.count == Self.recentMaximum { recent.removeFirst(Self.recentMaximum / 2) }
            recent.append((packet, summary))
        }
        if summary.hasSequenceSet || summary.hasPictureSet { parameterSets.read(packet.payload) }
        guard summary.isKeyframeStart else { return false }
        let sizes =
            summary.sizes.isEmpty ? parameterSets.size.map { [$0] } ?? [] : summary.sizes
        guard !sizes.isEmpty, sizes != self.sizes else { return false }
        self.sizes = sizes
        return true
    }

    /// Takes the parameter sets in the publisher's description.
    func state(_ sets: H264SetMemory?) {
        if let sets { parameterSets = sets }
    }

    /// Packets that arrived earlier but were sent after this one, in sending order.
    func recent(after number: SequenceNumber) -> [(packet: RTPPacket, summary: PayloadSummary)] {
        guard recent.contains(where: { $0.packet.sequenceNumber.isNewer(than: number) }) else {
            return []
        }
        return recent.filter { $0.packet.sequenceNumber.isNewer(than: number) }.sorted {
            $1.packet.sequenceNumber.isNewer(than: $0.packet.sequenceNumber)
        }
    }

    /// - Returns: whether subscribers may be sent the report.
    func reported(_ report: LayerForwarder.Report, at now: Instant) -> Bool {
        if let ssrc { reports.last = (ssrc, report) }
        return reports.allowance.take(at: now)
    }

    /// Nil before the first report of the current stream.
    var report: LayerForwarder.Report? {
        guard let last = reports.last, last.ssrc == ssrc else { return nil }
        return last.report
    }

    private func pictureEnded(at now: Instant) {
        defer { lastPictureEnd = now }
        guard let lastPictureEnd else { return }
        let interval = min(now - lastPictureEnd, Self.silenceLimits.upperBound)
        pictureInterval += (interval - pictureInterval) / 8
    }

    /// - Parameter picture: the track's count of pictures over all encodings.
    func isLive(picture: Int, at now: Instant) -> Bool {
        guard let lastPacket else { return false }
        let (shortest, longest) = (Self.silenceLimits.lowerBound, Self.silenceLimits.upperBound)
        let limit = min(max(pictureInterval * Self.ownPicturesMissing, shortest), longest)
        return now - lastPacket.time < limit || picture - lastPacket.picture < Self.othersPictures
    }

    /// The rate of a spatial layer with those below it.
    func bitsPerSecond(upTo spatial: Int, at now: Instant) -> Int {
        var sum = 0
        for index in meters.indices where index <= spatial {
            sum += meters[index].bitsPerSecond(at: now)
        }
        return sum
    }

    /// The rate of temporal layer 0 alone.
    func baseBitsPerSecond(at now: Instant) -> Int { baseMeter.bitsPerSecond(at: now) }
}
