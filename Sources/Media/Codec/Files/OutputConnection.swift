internal import CLibAV
import MediaKernel

/// Sends one H.264 and one AAC stream to a server over the network, through libavformat.
///
/// The timestamps begin at zero with the first picture. Calls block until the network has taken the
/// bytes or the interrupt is due. Not thread-safe: one owner at a time.
public final class OutputConnection {
    /// The forms in which protocols carry packets.
    public enum Container: String, Sendable {
        /// Of RTMP.
        case flv
        /// Of SRT.
        case transportStream = "mpegts"
    }

    private static let clockRate: Int32 = 90_000
    /// How long the goodbye to a server may take.
    public static let closingMaximum: Duration = .seconds(1)
    /// How far the transport stream's clock runs behind its timestamps, in microseconds.
    private static let transportStreamDelay: Int32 = 500_000

    private let format: UnsafeMutablePointer<AVFormatContext>
    private let packet: PacketHandle
    private let interrupt: OutputInterrupt
    private var isOpen = false
    /// The decoding time of the first picture, in ticks of `clockRate`.
    private var base: Int64?

    /// Connects, and writes the header.
    ///
    /// - Parameters:
    ///   - address: in libavformat's form.
    ///   - options: of its protocols. Unknown ones are ignored.
    /// - Throws: `.connection` with the reason for people, `.partMissing`, `.library`,
    ///   `.outOfMemory`.
    public init(
        to address: String, options: [(name: String, value: String)], container: Container,
        video: VideoStreamParameters, audio: AudioStreamParameters, interrupt: OutputInterrupt
    ) throws(CodecError) {
        packet = try PacketHandle()
        self.interrupt = interrupt
        LibraryComplaint.begin()
        var format: UnsafeMutablePointer<AVFormatContext>?
        let code = avformat_alloc_output_context2(&format, nil, container.rawValue, nil)
        guard code >= 0, let format else { throw .partMissing("\(container.rawValue) muxer") }
        self.format = format
        format.pointee.flags |= AVFMT_FLAG_FLUSH_PACKETS
        if container == .transportStream {
            format.pointee.max_delay = Self.transportStreamDelay
        }
        var callback = AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<OutputInterrupt>.fromOpaque(opaque).takeUnretainedValue().isDue
                    ? 1 : 0
            }, opaque: Unmanaged.passUnretained(interrupt).toOpaque())
        format.pointee.interrupt_callback = callback
        var dictionary = OptionDictionary(options)
        try attempt(
            avio_open2(
                &format.pointee.pb, address, AVIO_FLAG_WRITE, &callback, &dictionary.pointer))
        try format.add(video, clockRate: Self.clockRate)
        try format.add(audio, clockRate: Self.clockRate)
        // A live stream's length and size are not known, and could not be filled in later.
        var header = OptionDictionary(
            container == .flv ? [("flvflags", "no_duration_filesize")] : [])
        try attempt(avformat_write_header(format, &header.pointer))
        isOpen = true
        // What was said while connecting is not the reason of a later failure.
        LibraryComplaint.begin()
    }

    deinit {
        interrupt.expire(after: Self.closingMaximum)
        avio_closep(&format.pointee.pb)
        avformat_free_context(format)
    }

    /// Bytes handed to the network.
    public var bytes: Int64 { format.pointee.pb?.pointee.bytes_written ?? 0 }

    /// Sends a packet; both streams are put in order of time. The first packet must be a key frame,
    /// and the sound before it is left out.
    ///
    /// - Throws: `.connection`, `.segmentWithoutKeyframe`.
    public func send(picture packet: EncodedPacket) throws(CodecError) {
        if base == nil {
            guard packet.isKeyframe else { throw .segmentWithoutKeyframe }
            base = Self.ticks(packet.dts)
        }
        try send(packet, stream: 0)
    }

    public func send(sound packet: EncodedPacket) throws(CodecError) {
        guard let base, Self.ticks(packet.dts) >= base else { return }
        try send(packet, stream: 1)
    }

    private func send(_ packet: EncodedPacket, stream: Int32) throws(CodecError) {
        guard let base, let streams = format.pointee.streams, let track = streams[Int(stream)]
        else { return }
        let source = AVRational(num: 1, den: Self.clockRate)
        let clock = track.pointee.time_base
        let maximum = Int(Int32.max) - Int(AV_INPUT_BUFFER_PADDING_SIZE)
        try self.packet.fill(packet.data, timestamp: 0, maximum: maximum)
        let pointer = self.packet.pointer
        pointer.pointee.stream_index = stream
        pointer.pointee.pts = av_rescale_q(Self.ticks(packet.pts) - base, source, clock)
        pointer.pointee.dts = av_rescale_q(Self.ticks(packet.dts) - base, source, clock)
        pointer.pointee.duration = av_rescale_q(Self.ticks(packet.duration), source, clock)
        pointer.pointee.flags = packet.isKeyframe ? AV_PKT_FLAG_KEY : 0
        // Takes over the packet's bytes, and leaves it empty.
        try attempt(av_interleaved_write_frame(format, pointer))
    }

    /// Sends what still waits for its order, and ends the stream.
    public func finish() {
        guard isOpen else { return }
        isOpen = false
        _ = av_write_trailer(format)
    }

    private func attempt(_ code: Int32) throws(CodecError) {
        guard code < 0 else { return }
        // Nothing more can be sent, a trailer included.
        isOpen = false
        if code == av_shim_error_protocol { throw .partMissing("protocol of this address") }
        if let said = LibraryComplaint.end() { throw .connection(said) }
        if code == av_shim_error_exit { throw .connection("the server does not answer in time") }
        throw .connection(CodecError.library(call: "", code: code).reason)
    }

    private static func ticks(_ time: MediaTime) -> Int64 {
        time.rescaled(to: clockRate).ticks
    }
}
