import MediaKernel
import RTP

/// One encoding of a published track, as it comes in: its only form or a layer of its simulcast.
final class SourceEncoding {
    /// Packets kept while somebody waits for a key frame, whose beginning may come late. When there
    /// are as many, the older half goes; a key frame has no more than the other.
    static let recentMaximum = 512
    /// An encoding that is silent for as long as so many of its own pictures take, within these
    /// limits, and for so many pictures of the others, has been switched off by its publisher. When
    /// all are silent, nothing has happened to any of them.
    static let ownPicturesMissing = 8
    static let silenceLimits: ClosedRange<Duration> = .milliseconds(250) ... .seconds(1)
    static let othersPictures = 6
    /// Packets of sound that are asked for at once: a second of it.
    static let soundOutstandingMaximum = 50

    /// What the publisher calls it; nil without simulcast.
    let rid: String?
    /// The stream's SSRC; it changes when the publisher begins anew.
    private(set) var ssrc: SSRC?
    private var seen = SeenNumbers()
    private var silence = SilenceThinner()
    /// A sender report came while there was nothing to hear.
    var owesReport = false
    /// What of a sound is not left out, counted without holes: here once, not by each of its many
    /// subscribers.
    private var numbers: (unwrapper: SequenceUnwrapper, kept: NumberCompactor)?
    var keyframes = KeyframeRequests()
    /// What we ask the publisher to send again.
    var nacks: NACKGenerator
    private let repair: NACKGenerator.Configuration
    /// The last tie of the publisher's wall clock to the encoding's RTP clock.
    private var lastReport: (ssrc: SSRC, report: LayerForwarder.Report)?
    private var lastPacket: (time: Instant, picture: Int)?
    private var lastPictureEnd: Instant?
    /// From one picture to the next, averaged over some; slow until it is known better.
    private var pictureInterval: Duration = .milliseconds(100)
    /// H.264: the newest that were stated or sent.
    private(set) var parameterSets = H264SetMemory()
    /// Picture sizes by spatial layer, lowest first; of the last key frame.
    private(set) var sizes: [PictureSize] = []
    /// By spatial layer; one for a stream that has none.
    private var meters = [RateMeter()]
    private var baseMeter = RateMeter()
    private(set) var hasTemporalLayers = false
    /// Somebody waits for a key frame of it.
    var isAwaited = false { didSet { if !isAwaited { recent.removeAll() } } }
    private(set) var recent: [(packet: RTPPacket, summary: PayloadSummary)] = []

    init(rid: String?, isVideo: Bool) {
        self.rid = rid
        var repair = NACKGenerator.Configuration()
        // After an outage nobody wants to hear more than its last second.
        if !isVideo { repair.outstandingMaximum = Self.soundOutstandingMaximum }
        self.repair = repair
        nacks = NACKGenerator(repair)
    }

    /// Whether a packet comes for the first time. One that was asked for in vain, or whose sender
    /// tries out the way, comes twice: as itself and over RTX.
    func isNew(_ packet: RTPPacket) -> Bool {
        if packet.ssrc != ssrc {
            ssrc = packet.ssrc
            seen = SeenNumbers()
            nacks = NACKGenerator(repair)
            recent.removeAll()
            // So its first packet goes to all, who then know of it.
            silence = SilenceThinner()
            numbers = nil
        }
        return seen.insert(packet.sequenceNumber)
    }

    /// Whether a packet of a sound is to be forwarded, for what it says.
    func passes(_ packet: RTPPacket, level: AudioLevel?, at now: Instant) -> Bool {
        silence.passes(packet.payload, level: level, at: now)
    }

    /// Whether there is nothing to hear of a sound.
    var isQuiet: Bool { silence.isQuiet }

    /// The number with which a packet of a sound is forwarded; nil for one that is not. One to be
    /// left out gets one where its place was kept, since it came late.
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

    /// Gives whether the picture sizes are others than before.
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

    /// The publisher's description states these sets.
    func state(_ sets: H264SetMemory?) {
        if let sets { parameterSets = sets }
    }

    /// What came after a packet although it was sent later, in the order of sending.
    func recent(after number: SequenceNumber) -> [(packet: RTPPacket, summary: PayloadSummary)] {
        guard recent.contains(where: { $0.packet.sequenceNumber.isNewer(than: number) }) else {
            return []
        }
        return recent.filter { $0.packet.sequenceNumber.isNewer(than: number) }.sorted {
            $1.packet.sequenceNumber.isNewer(than: $0.packet.sequenceNumber)
        }
    }

    func reported(_ report: LayerForwarder.Report) {
        if let ssrc { lastReport = (ssrc, report) }
    }

    /// Nil before the first one of the stream that flows.
    var report: LayerForwarder.Report? {
        guard let lastReport, lastReport.ssrc == ssrc else { return nil }
        return lastReport.report
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

    /// Of a spatial layer with those below it.
    func bitsPerSecond(upTo spatial: Int, at now: Instant) -> Int {
        var sum = 0
        for index in meters.indices where index <= spatial {
            sum += meters[index].bitsPerSecond(at: now)
        }
        return sum
    }

    /// Of the temporal layer 0 alone.
    func baseBitsPerSecond(at now: Instant) -> Int { baseMeter.bitsPerSecond(at: now) }
}
