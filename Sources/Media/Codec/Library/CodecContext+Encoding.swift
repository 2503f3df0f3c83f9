internal import CLibAV
internal import MediaKernel

extension CodecContext {
    /// Passes in a frame (nil: the end) and collects the finished packets.
    ///
    /// - Parameter duration: of each packet, in ticks of `timescale`.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, through packet: borrowing PacketHandle,
        timescale: Int32, duration: Int64
    ) throws(CodecError) -> [EncodedPacket] {
        try check(avcodec_send_frame(pointer, frame), "avcodec_send_frame")
        var packets: [EncodedPacket] = []
        // An encoder returns at most as many packets as it got frames, so this ends.
        while true {
            let code = avcodec_receive_packet(pointer, packet.pointer)
            if code == av_shim_error_again || code == av_shim_error_end { return packets }
            try check(code, "avcodec_receive_packet")
            let raw = packet.pointer.pointee
            packets.append(
                EncodedPacket(
                    data: packet.bytes,
                    pts: MediaTime(ticks: raw.pts, timescale: timescale),
                    dts: MediaTime(ticks: raw.dts, timescale: timescale),
                    duration: MediaTime(ticks: duration, timescale: timescale),
                    isKeyframe: raw.flags & AV_PKT_FLAG_KEY != 0))
            av_packet_unref(packet.pointer)
        }
    }

    /// The codec's out-of-band header, empty when it has none.
    var extradata: [UInt8] {
        guard let data = pointer.pointee.extradata, pointer.pointee.extradata_size > 0 else {
            return []
        }
        return [UInt8](
            UnsafeBufferPointer(start: data, count: Int(pointer.pointee.extradata_size)))
    }
}
