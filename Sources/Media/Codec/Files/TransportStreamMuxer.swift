internal import CLibAV
public import MediaKernel

/// Multiplexes one H.264 and one AAC stream, or an AAC stream alone, into an MPEG transport stream
/// that is cut into HLS segments (RFC 8216 sect. 3.2).
///
/// All segments come from one continuous stream: continuity counters run on, so segments can be
/// joined byte by byte. Each begins with SDT, PAT and PMT, followed by the IDR picture, with
/// missing clock references between them (`ClockReferences`). ``SegmentPackets``
/// decides which audio belongs to a segment.
///
/// **Time.** A packet with `pts` zero always gets the PTS `timestampOffset`, and all others are
/// relative to it: nothing shifts one stream against the other. The PCR runs half of that offset
/// behind the decoding time. Pictures carry it; where there are few, packets of its own do.
///
/// Packets wait here until a cut or `finish()`. Not thread-safe: one owner at a time.
public final class TransportStreamMuxer {
    /// The PTS of time zero. Leaves room for negative timestamps: AAC's priming, reordered
    /// pictures' decoding times, the PCR's lead.
    public static let timestampOffset = MediaTime(ticks: 90_000, timescale: 90_000)
    private static let clockRate: Int32 = 90_000
    private static let ioBufferBytes: Int32 = 64 << 10
    /// Without video, the audio carries the clock, once per PES packet: at least every 100 ms
    /// (ISO/IEC 13818-1 sect. 2.7.2), which allows three AAC blocks.
    private static let blocksPerPacketAlone = 3

    private let format: UnsafeMutablePointer<AVFormatContext>
    private let packet: PacketHandle
    private let output: SegmentOutput
    private let audioStream: Int32
    private let parameterSets: H264ParameterSets?
    private var packets = SegmentPackets()
    private var clockReferences = ClockReferences()

    /// - Parameter video: nil for audio alone, which is cut by `cut(at:)`.
    /// - Throws: `.partMissing`, `.library`, `.outOfMemory`.
    public init(
        video: VideoStreamParameters?, audio: AudioStreamParameters
    ) throws(CodecError) {
        packet = try PacketHandle()
        output = try SegmentOutput(bufferBytes: Self.ioBufferBytes)
        var format: UnsafeMutablePointer<AVFormatContext>?
        let code = avformat_alloc_output_context2(&format, nil, "mpegts", nil)
        guard code >= 0, let format else { throw .partMissing("MPEG-TS muxer") }
        self.format = format
        format.pointee.pb = output.context
        format.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        // libavformat would move all timestamps so that the first is not negative.
        format.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED
        // The muxer adds twice this delay, in microseconds, to each timestamp.
        format.pointee.max_delay = Int32(Self.timestampOffset.rescaled(to: 1_000_000).ticks / 2)
        audioStream = video == nil ? 0 : 1
        parameterSets = video?.parameterSets
        if let video { try format.add(video, clockRate: Self.clockRate) }
        try format.add(audio, clockRate: Self.clockRate)
        // Tables inside a segment would be 45 kbit/s of overhead: players do not start there.
        var options = OptionDictionary([("pat_period", "86400"), ("sdt_period", "86400")])
        try check(avformat_write_header(format, &options.pointer), "avformat_write_header")
        if let option = options.firstKey {
            throw .optionUnused(part: "mpegts", option: option)
        }
    }

    deinit { avformat_free_context(format) }

    /// Takes the next video packet, in decoding order.
    ///
    /// - Throws: `.segmentWithoutKeyframe` when it is the segment's first and no IDR;
    ///   `.queueFull`.
    public func write(video packet: EncodedPacket) throws(CodecError) {
        if packets.video.isEmpty, !packet.isKeyframe { throw .segmentWithoutKeyframe }
        try packets.append(video: packet)
    }

    /// Takes the next audio packet; it may run ahead of the video by any length.
    ///
    /// - Throws: `.queueFull`.
    public func write(audio packet: EncodedPacket) throws(CodecError) {
        try packets.append(audio: packet)
    }

    /// Whether the written audio reaches this time. `cut(before:)` does not wait for it: later
    /// audio goes into the next segment.
    public func isAudioComplete(until time: MediaTime) -> Bool {
        packets.isAudioComplete(until: time)
    }

    /// Whether all audio that belongs before this time was written: sooner than it reaches it.
    public func hasAllAudio(endingBy time: MediaTime) -> Bool {
        packets.hasAllAudio(endingBy: time)
    }

    /// Ends the segment after the video written so far.
    ///
    /// - Parameter time: of the next segment's first picture, an IDR, which is written next.
    /// - Throws: `.segmentWithoutKeyframe` when no video was written since the last cut;
    ///   `.library`.
    public func cut(before time: MediaTime) throws(CodecError) -> MultiplexedSegment {
        let (video, audio) = try packets.take(before: time)
        return try emit(video, audio)
    }

    /// Ends an audio-only segment before the first block that begins at `time` or later.
    ///
    /// - Throws: `.library`.
    public func cut(at time: MediaTime) throws(CodecError) -> MultiplexedSegment {
        let (video, audio) = packets.take(at: time)
        return try emit(video, audio)
    }

    /// Returns the last segment with everything that still waits. Empty when there is nothing.
    public func finish() throws(CodecError) -> MultiplexedSegment {
        if packets.isEmpty { return MultiplexedSegment() }
        let (video, audio) = packets.takeAll()
        return try emit(video, audio)
    }

    // MARK: Writing

    private func emit(
        _ video: [EncodedPacket], _ audio: [EncodedPacket]
    ) throws(CodecError) -> MultiplexedSegment {
        try check(
            av_opt_set(format.pointee.priv_data, "mpegts_flags", "+resend_headers", 0),
            "av_opt_set")
        var nextAudio = audio.startIndex
        for (position, packet) in video.enumerated() {
            // Merged by decoding time; the picture comes first and wins ties.
            while position > 0, nextAudio < audio.endIndex,
                Self.ticks(audio[nextAudio].dts) < Self.ticks(packet.dts)
            {
                try write(audio[nextAudio], stream: audioStream)
                nextAudio += 1
            }
            try write(packet, stream: 0)
        }
        for (position, packet) in audio[nextAudio...].enumerated() {
            try write(packet, stream: audioStream)
            let isPacketFull = (position + 1).isMultiple(of: Self.blocksPerPacketAlone)
            if audioStream == 0, isPacketFull { try flushPackets() }
        }
        // The last packet must not wait.
        try flushPackets()
        avio_flush(format.pointee.pb)
        return MultiplexedSegment(
            bytes: clockReferences.completing(output.take()), video: video, audio: audio,
            parameterSets: parameterSets)
    }

    /// Ends the PES packets in which audio blocks are collected.
    private func flushPackets() throws(CodecError) {
        try check(av_write_frame(format, nil), "av_write_frame")
    }

    private func write(_ packet: EncodedPacket, stream: Int32) throws(CodecError) {
        let code = packet.data.withUnsafeBytes { bytes -> Int32 in
            // Without a reference count the muxer reads the bytes during the call only and
            // never writes them.
            let pointer = self.packet.pointer
            let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            pointer.pointee.data = UnsafeMutablePointer(mutating: base)
            pointer.pointee.size = Int32(bytes.count)
            pointer.pointee.stream_index = stream
            pointer.pointee.pts = Self.ticks(packet.pts)
            pointer.pointee.dts = Self.ticks(packet.dts)
            pointer.pointee.duration = Self.ticks(packet.duration)
            pointer.pointee.flags = packet.isKeyframe ? AV_PKT_FLAG_KEY : 0
            defer { av_packet_unref(pointer) }
            return av_write_frame(format, pointer)
        }
        try check(code, "av_write_frame")
    }

    // MARK: Helpers

    private static func ticks(_ time: MediaTime) -> Int64 {
        time.rescaled(to: clockRate).ticks
    }
}
