import Clocks
import Codec
import Compositor
import HLS
import Logging
import MediaKernel
import Recording
import Stage
import Synchronization

/// One rung of the ladder on a thread of its own: scales and encodes pictures, and passes the
/// packets to its sinks.
final class LayerEncoder: VariantWriter {
    /// Pictures are left out while this many items wait: with 30 pictures and 47 blocks of sound a
    /// second, about three quarters of a second. A canvas of 720p is 1.4 MB, so this bounds memory
    /// too.
    static let picturesBelow = 60
    /// Sound is small and never left out: as many items again fit before a sender has to wait.
    static let inboxMaximum = 160
    /// A picture that is this late is left out unless it begins a segment or part, so that the encoder
    /// catches up.
    static let pictureAgeMaximum: Duration = .seconds(2)

    let inbox = Mailbox<LayerItem>(maximum: inboxMaximum)
    private let index: Int
    private let layer: Layer
    private let planner: SegmentPlanner
    var epoch: Int64 {
        get { segments[0].epoch }
        set { for sink in segments { sink.epoch = newValue } }
    }
    var clock: SampleClock?
    private let ledger: MasterPlaylistWriter
    private let scaler: FrameScaler?
    private let encoder: H264Encoder
    /// One for each container.
    private let segments: [SegmentSink]
    /// All sinks, including the segments'.
    private let sinks: [any PacketSink]
    private let taken = Atomic<Int64>(-1)
    private let leftOut = Atomic<Int>(0)
    private let now: () -> Instant

    /// The newest picture that is encoded or in the encoder's look-ahead. From any thread.
    var newestTaken: Int64 { taken.load(ordering: .relaxed) }

    var picturesLeftOut: Int { leftOut.load(ordering: .relaxed) }

    /// - Parameters:
    ///   - directory: of the main files.
    ///   - beside: of the fragments beside them.
    ///   - others: sinks besides the segments'.
    init(
        index: Int, directory: LayerDirectory, beside: LayerDirectory? = nil,
        configuration: PipelineConfiguration, planner: SegmentPlanner, audio: AudioStreamParameters,
        pauses: RecordingPauses,
        ledger: MasterPlaylistWriter, logger: Logger, others: [any PacketSink] = [],
        now: @escaping () -> Instant = { MonotonicClock.now }
    ) throws {
        self.index = index
        self.now = now
        self.planner = planner
        self.ledger = ledger
        let layers = configuration.ladder.layers
        layer = layers[index]
        encoder = try Self.openEncoder(
            Self.encoderSettings(of: layer, planner, preset: configuration.preset),
            configuration.encoder, layer: index, logger: logger)
        let isTop = layer.width == layers[0].width && layer.height == layers[0].height
        scaler = isTop ? nil : try FrameScaler(width: layer.width, height: layer.height)
        let video = encoder.streamParameters
        segments = try ContainerFiles.all(of: configuration.container).compactMap { files in
            try (files.isBeside ? beside : directory).map { directory in
                SegmentSink(
                    try files.container(video: video, audio: audio),
                    to: SegmentWriter(
                        layer: index, files: files, directory: directory, planner: planner,
                        pauses: pauses, ledger: ledger))
            }
        }
        sinks = segments + others
    }

    /// The master playlist's bandwidths are computed from the same bucket.
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
        settings.isImmediate = planner.partFrames != nil
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

    /// What those that the packets are passed to must know of them.
    var streamParameters: VideoStreamParameters { encoder.streamParameters }

    func variant(_ files: ContainerFiles) -> MasterPlaylist.Variant {
        let rate = files.bitrate(of: layer, planner)
        let codecs = "\(encoder.parameterSets.codecString),\(CodecString.aacLowComplexity)"
        return MasterPlaylist.Variant(
            uri: files.playlistPath(index), bandwidth: rate.bandwidth,
            averageBandwidth: rate.averageBandwidth, codecs: codecs,
            width: layer.width, height: layer.height, frameRate: Double(planner.frameRate))
    }

    /// The body of the layer's thread.
    func run() {
        var batch: [LayerItem] = []
        do {
            while inbox.takeAll(into: &batch, until: nil) {
                // Each item is released once it is processed: pictures are large.
                batch.reverse()
                while let item = batch.popLast() {
                    switch item {
                    case .picture(let canvas, let index): try take(canvas, index: index)
                    case .sound(let packets): for sink in sinks { try sink.take(sound: packets) }
                    case .gap(let end, let next):
                        for sink in sinks { sink.leaveOut(from: end, to: next) }
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
        try hand(packets)
        taken.store(index, ordering: .relaxed)
    }

    private func isTooLate(_ index: Int64) -> Bool {
        guard let clock, !planner.isPartStart(frame: index) else { return false }
        return now() - clock.instant(ofFrame: index) >= Self.pictureAgeMaximum
    }

    private func hand(_ packets: [EncodedPacket]) throws {
        for packet in packets {
            for sink in sinks { try sink.take(picture: packet) }
        }
    }

    private func finish(end: Int64) throws {
        try hand(try encoder.flush())
        for sink in sinks { try sink.finish(end: end) }
    }
}
