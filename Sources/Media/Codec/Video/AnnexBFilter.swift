internal import CLibAV

/// Converts MP4's H.264 packets (length-prefixed, separate parameter sets) to Annex B form. ISO/IEC
/// 14496-15 sect. 5.
final class AnnexBFilter {
    private let context: UnsafeMutablePointer<AVBSFContext>
    private let packet: PacketHandle

    init(_ parameters: UnsafeMutablePointer<AVCodecParameters>) throws(CodecError) {
        packet = try PacketHandle()
        guard let filter = av_bsf_get_by_name("h264_mp4toannexb") else {
            throw .partMissing("h264_mp4toannexb")
        }
        var context: UnsafeMutablePointer<AVBSFContext>?
        try check(av_bsf_alloc(filter, &context), "av_bsf_alloc")
        guard let context else { throw .outOfMemory }
        self.context = context
        try check(
            avcodec_parameters_copy(context.pointee.par_in, parameters), "avcodec_parameters_copy")
        try check(av_bsf_init(context), "av_bsf_init")
    }

    deinit {
        var context: UnsafeMutablePointer<AVBSFContext>? = context
        av_bsf_free(&context)
    }

    /// - Returns: the packet with start codes; unchanged if it had them already.
    func convert(_ data: [UInt8], isKeyframe: Bool) throws(CodecError) -> [UInt8] {
        try packet.fill(data, timestamp: 0, maximum: VideoDecoder.packetBytesMaximum)
        packet.pointer.pointee.flags = isKeyframe ? AV_PKT_FLAG_KEY : 0
        try check(av_bsf_send_packet(context, packet.pointer), "av_bsf_send_packet")
        try check(av_bsf_receive_packet(context, packet.pointer), "av_bsf_receive_packet")
        defer { av_packet_unref(packet.pointer) }
        return packet.bytes
    }
}
