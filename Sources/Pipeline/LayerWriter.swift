import Clocks
import Codec
import Compositor
import HLS
import Logging
import MediaKernel
import Recording
import Stage
import Synchronization

/// One rung of the ladder on a thread of its own: scale, encode, multiplex, cut, write.
final class LayerWriter: VariantWriter {
    /// Pictures are left out while so many items wait: with 30 pictures and 47 blocks of sound a
    /// second, about three quarters of a second. A canvas of 720p is 1.4 MB, so this bounds
    /// memory too.
    static let picturesBelow = 60
    /// Sound is small and never left out: it has room for as much again before anybody waits.
    static let inboxMaximum = 160
    /// A picture that is late by so much is left out, unless it begins a segment: what the encoder
    /// does next is nearer to the clock.
    static let pictureAgeMaximum: Duration = .seconds(2)

    let inbox = Mailbox<LayerItem>(maximum: inboxMaximum)
    private let index: Int
    private let layer: Layer
    private let planner: SegmentPlanner
    /// Nanoseconds since 1970 of frame 0. Set before the thread starts.
    var epoch: Int64 = 0
    var clock: SampleClock?
    private let pauses: RecordingPauses
    private let ledger: StreamLedger
    private let scaler: FrameScaler?
    private let encoder: H264Encoder
    private let muxer: TransportStreamMuxer
    private var directory: LayerDirectory
    /// First frame of the segment being collected.
    private var segmentStart: Int64 = 0
    /// Pictures of the next segment, held until the sound of this one is complete.
    private var held: [EncodedPacket] = []
    private var framesWritten: Int64 = 0
    /// Of the segment being collected.
    private var picturesInSegment = 0
    private let taken = Atomic<Int64>(-1)
    private let leftOut = Atomic<Int>(0)
    /// What was left out, until the first picture behind it comes out of the encoder.
    private var gaps: [(end: Int64, next: Int64)] = []
    private let now: () -> Instant

    /// The newest picture that is encoded, or waits in the encoder's look-ahead. From any thread.
    var newestTaken: Int64 { taken.load(ordering: .relaxed) }

    var picturesLeftOut: Int { leftOut.load(ordering: .relaxed) }

    init(
        index: Int, directory: LayerDirectory, configuration: PipelineConfiguration,
        planner: SegmentPlanner, audio: AudioStreamParameters, pauses: RecordingPauses,
        ledger: StreamLedger, logger: Logger, now: @escaping () -> Instant = { MonotonicClock.now }
    ) throws {
        self.index = index
        self.now = now
        self.directory = directory
        self.planner = planner
        self.pauses = pauses
        self.ledger = ledger
        let layers = configuration.ladder.layers
        layer = layers[index]
        encoder = try Self.openEncoder(
            Self.encoderSettings(of: layer, planner, preset: configuration.preset),
            configuration.encoder, layer: index, logger: logger)
        let isTop = layer.width == layers[0].width && layer.height == layers[0].height
        scaler = isTop ? nil : try FrameScaler(width: layer.width, height: layer.height)
        muxer = try TransportStreamMuxer(video: encoder.streamParameters, audio: audio)
    }

    /// The bucket is the one that the master playlist's bandwidths are computed from.
    static func encoderSettings(
        of layer: Layer, _ planner: SegmentPlanner, preset: String
    ) -> VideoEncoderSettings {
        var settings = VideoEncoderSettings(
            width: layer.width, height: layer.height, frameRate: planner.frameRate,
            bitrate: layer.videoBitrate, keyframeInterval: planner.framesPerSegment)
        settings.preset = preset
        let control = VideoRateControl.standard
        settings.bucket = VideoEncoderSettings.LeakyBucket(
            bitrateMaximum: control.bitrateMaximum(average: layer.videoBitrate),
            bufferBits: control.bufferBits(average: layer.videoBitrate))
        return settings
    }

    private static func openEncoder(
        _ settings: VideoEncoderSettings, _ choice: String, layer: Int, logger: Logger
    ) throws(CodecError) -> H264Encoder {
        guard let candidates = H264Backend.candidates(for: choice) else {
            throw .setting(name: "encoder", value: choice)
        }
        let encoder = try H264Backend.open(firstOf: candidates) { backend, error in
            logger.warning(
                "encoder not usable",
                metadata: [
                    "layer": "\(layer)", "encoder": "\(backend.rawValue)",
                    "reason": "\(error)",
                ])
        } open: { backend throws(CodecError) in
            try H264Encoder(settings, backend: backend)
        } prove: { encoder throws(CodecError) in
            try encoder.prove()
        }
        logger.info(
            "encoder opened",
            metadata: ["layer": "\(layer)", "encoder": "\(encoder.backend.rawValue)"])
        return encoder
    }

    /// What the master playlist says of this layer.
    var variant: MasterPlaylist.Variant {
        let rate = TransportStreamBitrate(
            layer: layer, segmentDuration: planner.segmentDuration)
        let codecs = "\(encoder.parameterSets.codecString),\(CodecString.aacLowComplexity)"
        return MasterPlaylist.Variant(
            uri: "\(StreamFolder.layerName(index))/\(StreamFolder.playlistName)",
            bandwidth: rate.bandwidth, averageBandwidth: rate.averageBandwidth, codecs: codecs,
            width: layer.width, height: layer.height, frameRate: Double(planner.frameRate))
    }

    /// The body of the layer's thread.
    func run() {
        var batch: [LayerItem] = []
        do {
            while inbox.takeAll(into: &batch, until: nil) {
                // Each goes as soon as it is done with: pictures are large.
                batch.reverse()
                while let item = batch.popLast() {
                    switch item {
                    case .picture(let canvas, let index): try take(canvas, index: index)
                    case .sound(let packets): try take(packets)
                    case .gap(let end, let next): gaps.append((end, next))
                    case .finish(let end): return try finish(end: end)
                    }
                    ledger.worked(layer: index)
                }
            }
        } catch {
            inbox.close()
            ledger.failed(PipelineFailure(error, in: "layer \(index)"))
        }
    }

    private func take(_ canvas: VideoFrame, index: Int64) throws {
        guard !isTooLate(index) else {
            leftOut.add(1, ordering: .relaxed)
            taken.store(index, ordering: .relaxed)
            return
        }
        let picture = try scaler?.scale(canvas) ?? canvas
        let packets = try encoder.encode(
            picture, index: index, forceKeyframe: planner.isSegmentStart(frame: index))
        for packet in packets { try write(packet) }
        taken.store(index, ordering: .relaxed)
    }

    private func isTooLate(_ index: Int64) -> Bool {
        guard let clock, !planner.isSegmentStart(frame: index) else { return false }
        return now() - clock.instant(ofFrame: index) >= Self.pictureAgeMaximum
    }

    private func take(_ sound: [EncodedPacket]) throws {
        for packet in sound { try muxer.write(audio: packet) }
        try releaseHeld()
    }

    /// The frame of a packet, and whether a segment begins with it.
    private func place(of packet: EncodedPacket) -> (frame: Int64, beginsSegment: Bool) {
        let frame = packet.pts.rescaled(to: Int32(planner.frameRate)).ticks
        let isCut = packet.isKeyframe && frame > segmentStart
        return (frame, isCut && planner.isSegmentStart(frame: frame))
    }

    private func write(_ packet: EncodedPacket) throws {
        // The encoder's look-ahead makes sound the earlier one as a rule, but not without it.
        let isSegmentOpen = !place(of: packet).beginsSegment
        guard held.isEmpty, isSegmentOpen || muxer.isAudioComplete(until: packet.pts) else {
            return held.append(packet)
        }
        try multiplex(packet)
    }

    private func multiplex(_ packet: EncodedPacket) throws {
        let (frame, beginsSegment) = place(of: packet)
        if beginsSegment { try endSegment(before: packet.pts, frame) }
        try muxer.write(video: packet)
        picturesInSegment += 1
        framesWritten = max(framesWritten, frame + 1)
    }

    private func endSegment(before time: MediaTime, _ frame: Int64) throws {
        guard let gap = gaps.first, gap.next <= frame else {
            return try publish(try muxer.cut(before: time), endingAt: frame)
        }
        gaps.removeFirst()
        let end = planner.duration(ofFrames: Int(gap.end))
        try publish(try muxer.cut(before: end), endingAt: gap.end)
        directory.markDiscontinuity()
        segmentStart = frame
    }

    private func releaseHeld() throws {
        guard let first = held.first, muxer.isAudioComplete(until: first.pts) else { return }
        let packets = held
        held = []
        for packet in packets { try write(packet) }
    }

    private func publish(_ segment: MultiplexedSegment, endingAt end: Int64) throws {
        let place = LayerDirectory.Place(
            epoch: epoch, frameRate: planner.frameRate, firstFrame: segmentStart,
            frameCount: Int(end - segmentStart))
        let number = try directory.publish(
            segment, place: place, duration: place.duration,
            isLeftOut: pauses.touch(segmentStart..<end))
        let rate = Double(picturesInSegment * planner.frameRate) / Double(end - segmentStart)
        picturesInSegment = 0
        segmentStart = end
        ledger.published(layer: index, segment: number, bytes: segment.bytes.count)
        if index == 0 { ledger.measured(frameRate: rate) }
    }

    private func finish(end: Int64) throws {
        for packet in try encoder.flush() { try write(packet) }
        // No more sound will come: what is held begins the last segment.
        for packet in held { try multiplex(packet) }
        held = []
        if framesWritten > segmentStart {
            try publish(try muxer.finish(), endingAt: max(framesWritten, end))
        }
        if ledger.failure == nil { try directory.end() }
        ledger.ended(layer: index, segments: directory.nextIndex)
    }
}
