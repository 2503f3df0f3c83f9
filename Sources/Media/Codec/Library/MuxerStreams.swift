internal import CLibAV

extension UnsafeMutablePointer<AVFormatContext> {
    /// Adds a stream of H.264 to a muxer.
    ///
    /// - Parameter clockRate: in which the muxer would like its times; it may choose another.
    func add(_ video: VideoStreamParameters, clockRate: Int32) throws(CodecError) {
        let parameters = try newStream(clockRate: clockRate)
        parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        parameters.pointee.codec_id = AV_CODEC_ID_H264
        parameters.pointee.width = Int32(video.width)
        parameters.pointee.height = Int32(video.height)
        try setExtradata(video.parameterSets.annexB, of: parameters)
    }

    /// Adds a stream of AAC to a muxer.
    func add(_ audio: AudioStreamParameters, clockRate: Int32) throws(CodecError) {
        let parameters = try newStream(clockRate: clockRate)
        parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
        parameters.pointee.codec_id = AV_CODEC_ID_AAC
        parameters.pointee.sample_rate = Int32(audio.sampleRate)
        parameters.pointee.bit_rate = Int64(audio.bitrate)
        parameters.pointee.frame_size = Int32(AACEncoder.frameSize)
        av_channel_layout_default(&parameters.pointee.ch_layout, Int32(audio.channels))
        try setExtradata(audio.audioSpecificConfig, of: parameters)
    }

    private func newStream(
        clockRate: Int32
    ) throws(CodecError) -> UnsafeMutablePointer<AVCodecParameters> {
        guard let stream = avformat_new_stream(self, nil),
            let parameters = stream.pointee.codecpar
        else { throw .outOfMemory }
        stream.pointee.time_base = AVRational(num: 1, den: clockRate)
        return parameters
    }
}

/// Gives a muxer a stream's header.
private func setExtradata(
    _ bytes: [UInt8], of parameters: UnsafeMutablePointer<AVCodecParameters>
) throws(CodecError) {
    let padded = bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
    guard let memory = av_mallocz(padded) else { throw .outOfMemory }
    memory.copyMemory(from: bytes, byteCount: bytes.count)
    parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    parameters.pointee.extradata_size = Int32(bytes.count)
}
