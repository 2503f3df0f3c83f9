import MediaKernel
import RTP

/// One subscriber's view of one track: picks a layer of the publisher's stream and makes one
/// continuous stream, whatever layer is chosen.
///
/// - A video begins, or switches to another encoding, at a key frame of the wanted encoding. Until
///   then the old one continues.
/// - Sequence numbers and VP8's picture ids stay continuous over a switch and where layers are
///   dropped; packets lost on the path stay missing. RFC 3550 sect. 5.1, RFC 7741 sect. 4.2.
/// - Timestamps continue by the publisher's own wall clock if its sender reports cover both
///   encodings, otherwise by arrival time. They always rise.
///
/// Packets from before a beginning are dropped: their numbers may be taken.
struct LayerForwarder {
    /// Maps a wall clock to the RTP clock of an encoding.
    struct Report: Equatable {
        var ntp: NTPTime
        var timestamp: UInt32
    }

    /// A report is wrong if its timestamp differs from the arrival time by more than this.
    static let reportErrorMaximum: Duration = .seconds(1)
    /// Packets before the first one of the first source that still get numbers.
    static let reorderingMaximum: Int64 = 256

    /// The wanted layer; nil ends the stream at once.
    var wanted: LayerChoice? {
        didSet { if wanted == nil { source = nil } }
    }
    private let clockRate: Int
    private let isVideo: Bool
    private var source: Source?
    /// The current encoding now has packets of another stream, without the start of a key frame so
    /// far.
    private var isOvertaken = false
    private var output = Output()
    /// Sent before the last forwarded packet: the parameter sets of an H.264 key frame without
    /// them. A decoder may have restarted or lost earlier ones, so each key frame gets them.
    private(set) var prologue: [RTPPacket] = []
    /// How often an encoding has begun to flow.
    private(set) var beginnings = 0

    init(clockRate: Int, isVideo: Bool, wanted: LayerChoice?) {
        self.clockRate = clockRate
        self.isVideo = isVideo
        self.wanted = wanted
    }

    /// The current layer; nil before the first key frame and while nothing is wanted.
    var current: LayerChoice? {
        source.map {
            LayerChoice(encoding: $0.encoding, spatial: $0.spatial, temporal: $0.temporal)
        }
    }

    /// Whether the stream needs a key frame of the wanted encoding to continue.
    var awaitsKeyframe: Bool {
        guard isVideo, let wanted else { return false }
        guard let source, source.encoding == wanted.encoding else { return true }
        return isOvertaken || source.needsKeyframe(for: wanted)
    }

    /// The timestamp for the subscriber's sender reports; nil if the report is of another encoding
    /// than the current one.
    mutating func timestamp(of report: Report, encoding: Int) -> UInt32? {
        guard let source, source.encoding == encoding else { return nil }
        let timestamp = report.timestamp &+ source.timestampOffset
        output.epoch = Report(ntp: report.ntp, timestamp: timestamp &- source.shift)
        return timestamp
    }

    /// Whether ``forward(_:encoding:summary:report:parameterSets:at:)`` may take packets of an
    /// encoding now: the one that it forwards, or the one that it should change to.
    func mayTake(_ encoding: Int) -> Bool {
        guard let wanted else { return false }
        return encoding == wanted.encoding || encoding == source?.encoding
    }

    /// Rewrites a packet for the subscriber. Returns false to drop it.
    ///
    /// - Parameters:
    ///   - report: the encoding's last sender report.
    ///   - parameterSets: the known H.264 parameter sets of the encoding.
    mutating func forward(
        _ packet: inout RTPPacket, encoding: Int, summary: PayloadSummary, report: Report?,
        parameterSets: H264SetMemory = .init(), at now: Instant
    ) -> Bool {
        if !prologue.isEmpty { prologue = [] }
        guard let wanted else { return false }
        let isCurrent = source?.encoding == encoding && source?.ssrc == packet.ssrc
        if isCurrent {
            if summary.isKeyframeStart { isOvertaken = false }
        } else {
            guard encoding == wanted.encoding, !isVideo || summary.isKeyframeStart else {
                isOvertaken = isOvertaken || source?.encoding == encoding
                return false
            }
            begin(packet, encoding: encoding, summary: summary, report: report, at: now)
        }
        return rewrite(&packet, summary, wanted, parameterSets, at: now)
    }

    private mutating func begin(
        _ packet: RTPPacket, encoding: Int, summary: PayloadSummary, report: Report?,
        at now: Instant
    ) {
        let timestamp = output.nextTimestamp(
            after: packet.timestamp, report: report, clockRate: clockRate,
            stepMinimum: isVideo ? 1 : clockRate / 50, at: now)
        var sequence = SequenceUnwrapper()
        let first = sequence.unwrap(packet.sequenceNumber)
        let numbers: NumberCompactor
        if let newest = output.sequence {
            numbers = NumberCompactor(first: first, as: newest + 1)
        } else {
            let earliest = isVideo ? first : first - Self.reorderingMaximum
            numbers = NumberCompactor(first: earliest, as: earliest)
        }
        source = Source(
            encoding: encoding, ssrc: packet.ssrc, unwrapper: sequence, numbers: numbers,
            timestampOffset: timestamp.value &- packet.timestamp, shift: timestamp.shift,
            pictures: PictureNumbers(
                from: summary.vp8, after: output.picture, index: output.temporalLayerZeroIndex))
        if let report { _ = self.timestamp(of: report, encoding: encoding) }
        isOvertaken = false
        beginnings += 1
    }

    private mutating func rewrite(
        _ packet: inout RTPPacket, _ summary: PayloadSummary, _ wanted: LayerChoice,
        _ parameterSets: H264SetMemory, at now: Instant
    ) -> Bool {
        guard let element = source?.arrive(packet, summary, wanted, after: output) else {
            return false
        }
        packet.timestamp &+= element.timestampOffset
        if element.isLeftOut || packet.payload.isEmpty {
            source?.pictures?.leaveOut(summary.vp8)
            guard let number = source?.numbers.leaveOut(element.number) else { return false }
            Self.empty(&packet)
            place(&packet, at: number, now)
            return true
        }
        if element.lacksSets, let payload = parameterSets.payload,
            let number = source?.numbers.insert(before: element.number)
        {
            var sets = packet
            sets.payload = payload[...]
            sets.marker = false
            place(&sets, at: number, now)
            prologue = [sets]
        }
        guard let number = source?.numbers.place(element.number) else { return false }
        if let fields = summary.vp8, source?.pictures != nil {
            if let payload = source?.pictures?.renumbered(packet.payload, fields, &output) {
                packet.payload = payload
            } else {
                Self.empty(&packet)
            }
        }
        if let fields = summary.vp9, fields.endsLayerFrame,
            Int(fields.spatialLayer) == source?.spatial
        {
            // The picture ends here for a subscriber without the layers above. RFC 9628 sect. 4.1.
            packet.marker = true
        }
        place(&packet, at: number, now)
        return true
    }

    /// Makes an empty packet, to fill a reserved number whose packet turned out to be unwanted.
    /// Otherwise the subscriber would request it again and again.
    private static func empty(_ packet: inout RTPPacket) {
        packet.payload = []
        packet.paddingLength = 1
        packet.marker = false
    }

    private mutating func place(_ packet: inout RTPPacket, at number: Int64, _ now: Instant) {
        packet.sequenceNumber = SequenceNumber(extended: number)
        if output.sequence.map({ number > $0 }) ?? true {
            output.sequence = number
            output.timestamp = packet.timestamp
            output.sentAt = now
        }
    }
}

/// A layer of a track: an encoding, and its highest spatial and temporal layers.
struct LayerChoice: Hashable {
    /// The index in the track's list of encodings.
    var encoding: Int
    /// The highest spatial layer of a scalable stream, which determines the size.
    var spatial: Int
    /// The highest temporal layer.
    var temporal: Int

    static let temporalMaximum = 7
    static let spatialMaximum = 7

    init(encoding: Int, spatial: Int = spatialMaximum, temporal: Int = temporalMaximum) {
        self.encoding = encoding
        self.spatial = spatial
        self.temporal = temporal
    }
}

/// The subscriber's stream so far.
private struct Output {
    var sequence: Int64?
    var timestamp: UInt32 = 0
    var sentAt = Instant.zero
    /// The publisher's wall clock mapped to the timestamps of this stream.
    var epoch: LayerForwarder.Report?
    /// VP8: the newest picture id, unwrapped, and the newest index of temporal layer 0.
    var picture: Int64?
    var temporalLayerZeroIndex: UInt8 = 0

    /// The timestamp for the first packet of a new source, and by how much it exceeds the one that
    /// the sender reports imply.
    func nextTimestamp(
        after original: UInt32, report: LayerForwarder.Report?, clockRate: Int, stepMinimum: Int,
        at now: Instant
    ) -> (value: UInt32, shift: UInt32) {
        guard sequence != nil else { return (original, 0) }
        let rate = Double(clockRate)
        let byArrival = timestamp &+ Self.ticks((now - sentAt).inSeconds * rate)
        var value = byArrival
        if let epoch, let report {
            let apart = Double(report.ntp.nanoseconds - epoch.ntp.nanoseconds) / 1e9
            let ideal =
                epoch.timestamp &+ Self.ticks(apart * rate)
                &+ (original &- report.timestamp)
            let error = abs(Int64(Int32(bitPattern: ideal &- byArrival)))
            let maximum = Int64(LayerForwarder.reportErrorMaximum.inSeconds * rate)
            if error <= maximum { value = ideal }
        }
        let earliest = timestamp &+ UInt32(stepMinimum)
        guard Int32(bitPattern: value &- earliest) < 0 else { return (value, 0) }
        return (earliest, earliest &- value)
    }

    private static func ticks(_ count: Double) -> UInt32 {
        // Clocks far apart wrap as timestamps do; a value that is no tick count becomes 0.
        guard abs(count) < 9e15 else { return 0 }
        return UInt32(truncatingIfNeeded: Int64(count))
    }
}

/// The current encoding.
private struct Source {
    let encoding: Int
    let ssrc: SSRC
    var unwrapper: SequenceUnwrapper
    var numbers: NumberCompactor
    let timestampOffset: UInt32
    /// Ticks added to the timestamps so that they rise.
    let shift: UInt32
    var pictures: PictureNumbers?
    /// H.264: the publisher's timestamp of the last picture with parameter sets.
    var setsTimestamp: UInt32?
    private var newest: Int64?
    /// The highest layers forwarded. A source begins at a key frame, from which all may follow.
    var spatial = 0
    var temporal = LayerChoice.temporalMaximum

    init(
        encoding: Int, ssrc: SSRC, unwrapper: SequenceUnwrapper, numbers: NumberCompactor,
        timestampOffset: UInt32, shift: UInt32, pictures: PictureNumbers?
    ) {
        self.encoding = encoding
        self.ssrc = ssrc
        self.unwrapper = unwrapper
        self.numbers = numbers
        self.timestampOffset = timestampOffset
        self.shift = shift
        self.pictures = pictures
    }

    /// The role of a packet in the current stream.
    struct Element {
        /// The unwrapped sequence number.
        let number: Int64
        let timestampOffset: UInt32
        let isLeftOut: Bool
        /// H.264: a key frame begins, and its picture has had no parameter sets so far.
        let lacksSets: Bool
    }

    mutating func arrive(
        _ packet: RTPPacket, _ summary: PayloadSummary, _ wanted: LayerChoice, after output: Output
    ) -> Element {
        let number = unwrapper.unwrap(packet.sequenceNumber)
        choose(summary, wanted)
        if summary.hasSequenceSet { setsTimestamp = packet.timestamp }
        if isNewest(number), summary.isKeyframeStart,
            pictures?.isContinued(by: summary.vp8) == false
        {
            pictures = PictureNumbers(
                from: summary.vp8, after: output.picture, index: output.temporalLayerZeroIndex)
        }
        return Element(
            number: number, timestampOffset: timestampOffset, isLeftOut: isLeftOut(summary),
            lacksSets: summary.isKeyframeStart && setsTimestamp != packet.timestamp)
    }

    func needsKeyframe(for wanted: LayerChoice) -> Bool { wanted.spatial > spatial }

    /// Whether no packet with a higher number has arrived.
    mutating func isNewest(_ element: Int64) -> Bool {
        let isNewest = newest.map { element > $0 } ?? true
        if isNewest { newest = element }
        return isNewest
    }

    /// Switches layers up or down where the stream allows it.
    mutating func choose(_ summary: PayloadSummary, _ wanted: LayerChoice) {
        if summary.isKeyframeStart {
            spatial = wanted.spatial
            temporal = wanted.temporal
            return
        }
        if let fields = summary.vp9 {
            if summary.startsPicture { spatial = min(spatial, wanted.spatial) }
            // This frame depends only on the layer below, which flows. RFC 9628 sect. 4.2.
            let layer = Int(fields.spatialLayer)
            if fields.startsLayerFrame, !fields.isInterPicturePredicted, layer == spatial + 1,
                layer <= wanted.spatial
            {
                spatial = layer
            }
        }
        if let fields = summary.vp8, summary.startsPicture {
            temporal = min(temporal, wanted.temporal)
            let layer = Int(fields.temporalLayer ?? 0)
            if fields.isSync, layer > temporal, layer <= wanted.temporal {
                // At the stream's highest layer the value stays: no packet of a higher layer raises
                // it.
                temporal = layer
            }
        }
    }

    func isLeftOut(_ summary: PayloadSummary) -> Bool {
        if summary.isDispensable { return true }
        if let fields = summary.vp9 { return Int(fields.spatialLayer) > spatial }
        if let layer = summary.vp8?.temporalLayer { return Int(layer) > temporal }
        return false
    }
}

/// Makes VP8's own counters continuous.
private struct PictureNumbers {
    /// The most pictures lost between two; an encoder that restarts counts from anywhere.
    static let lostMaximum: Int64 = 1000

    private var unwrapper: WrappingCount
    private var newest: Int64?
    private var numbers: NumberCompactor
    private let indexOffset: UInt8

    /// Nil if the stream has no picture ids.
    init?(from fields: PayloadSummary.VP8Fields?, after newest: Int64?, index: UInt8) {
        guard let fields, let id = fields.pictureID else { return nil }
        unwrapper = WrappingCount(bits: fields.hasLongPictureID ? 15 : 7)
        let first = unwrapper.unwrap(Int64(id))
        numbers = NumberCompactor(first: first, as: newest.map { $0 + 1 } ?? first)
        let zero = fields.temporalLayerZeroIndex ?? 0
        indexOffset = newest == nil ? 0 : index &+ 1 &- zero
    }

    /// Whether the picture id of the newest packet continues the ids before it.
    func isContinued(by fields: PayloadSummary.VP8Fields?) -> Bool {
        guard let id = fields?.pictureID, let newest else { return true }
        var unwrapper = unwrapper
        let picture = unwrapper.unwrap(Int64(id))
        return picture > newest && picture - newest <= Self.lostMaximum
    }

    mutating func leaveOut(_ fields: PayloadSummary.VP8Fields?) {
        guard let id = fields?.pictureID else { return }
        // A picture whose number was reserved stays a lost one.
        _ = numbers.leaveOut(unwrapped(id))
    }

    private mutating func unwrapped(_ id: UInt16) -> Int64 {
        let picture = unwrapper.unwrap(Int64(id))
        newest = max(newest ?? picture, picture)
        return picture
    }

    /// Returns nil for a packet of a dropped picture.
    mutating func renumbered(
        _ payload: ArraySlice<UInt8>, _ fields: PayloadSummary.VP8Fields, _ output: inout Output
    ) -> ArraySlice<UInt8>? {
        guard let id = fields.pictureID else { return payload }
        guard let number = numbers.place(unwrapped(id)) else { return nil }
        let index = fields.temporalLayerZeroIndex.map { $0 &+ indexOffset }
        if output.picture.map({ number >= $0 }) ?? true {
            output.picture = number
            if let index { output.temporalLayerZeroIndex = index }
        }
        return fields.renumbered(
            payload, pictureID: UInt16(truncatingIfNeeded: number), temporalLayerZeroIndex: index)
    }
}
