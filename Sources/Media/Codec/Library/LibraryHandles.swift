internal import CLibAV

// Owners of FFmpeg's objects, which are made and freed only here.

/// A codec's name in FFmpeg and its compiled-in description.
struct LibraryCodec {
    let name: String
    let pointer: UnsafePointer<AVCodec>

    static func decoder(named name: String) throws(CodecError) -> LibraryCodec {
        guard let pointer = avcodec_find_decoder_by_name(name) else {
            throw .partMissing("decoder \(name)")
        }
        return LibraryCodec(name: name, pointer: pointer)
    }

    static func decoder(for id: AVCodecID) throws(CodecError) -> LibraryCodec {
        let name = String(cString: avcodec_get_name(id))
        guard let pointer = avcodec_find_decoder(id) else {
            throw .partMissing("decoder \(name)")
        }
        return LibraryCodec(name: name, pointer: pointer)
    }

    static func encoder(named name: String) throws(CodecError) -> LibraryCodec {
        guard let pointer = avcodec_find_encoder_by_name(name) else {
            throw .partMissing("encoder \(name)")
        }
        return LibraryCodec(name: name, pointer: pointer)
    }
}

/// An opened encoder or decoder.
struct CodecContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecContext>

    /// FFmpeg writes to standard error by default. Errors come back as codes, so only messages
    /// before an abort are let through.
    private static let quietLibrary: Void = av_log_set_level(AV_LOG_FATAL)

    private init(adopting pointer: UnsafeMutablePointer<AVCodecContext>) {
        self.pointer = pointer
    }

    /// Opens `codec`. It must know every option: otherwise a misspelt one would be ignored without
    /// notice.
    static func open(
        _ codec: LibraryCodec, options: [(name: String, value: String)] = [],
        configure: (UnsafeMutablePointer<AVCodecContext>) throws(CodecError) -> Void
    ) throws(CodecError) -> CodecContext {
        _ = quietLibrary
        guard let pointer = avcodec_alloc_context3(codec.pointer) else { throw .outOfMemory }
        let context = CodecContext(adopting: pointer)
        try configure(pointer)
        var dictionary = OptionDictionary(options)
        try check(avcodec_open2(pointer, codec.pointer, &dictionary.pointer), "avcodec_open2")
        if let option = dictionary.firstKey {
            throw .optionUnused(part: codec.name, option: option)
        }
        return context
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&pointer)
    }
}

/// Options for an `open` call, which removes the ones that it understood.
struct OptionDictionary: ~Copyable {
    var pointer: OpaquePointer?

    init(_ options: [(name: String, value: String)]) {
        // The later one would replace the earlier.
        precondition(Set(options.map(\.name)).count == options.count, "an option comes twice")
        for option in options { av_dict_set(&pointer, option.name, option.value, 0) }
    }

    /// The first option that was not understood.
    var firstKey: String? {
        guard let entry = av_dict_get(pointer, "", nil, AV_DICT_IGNORE_SUFFIX),
            let key = entry.pointee.key
        else { return nil }
        return String(cString: key)
    }

    deinit {
        var pointer = pointer
        av_dict_free(&pointer)
    }
}

/// A packet that is filled and emptied again and again.
struct PacketHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(CodecError) {
        guard let pointer = av_packet_alloc() else { throw .outOfMemory }
        self.pointer = pointer
    }

    /// Copies `data` into the packet's own buffer, with the zeroed tail that FFmpeg's bit readers
    /// need beyond the last byte.
    func fill(
        _ data: [UInt8], timestamp: Int64, maximum: Int
    ) throws(CodecError) {
        guard !data.isEmpty, data.count <= maximum else {
            throw .packetSize(count: data.count, maximum: maximum)
        }
        try check(av_new_packet(pointer, Int32(data.count)), "av_new_packet")
        data.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress {
                pointer.pointee.data.update(
                    from: base.assumingMemoryBound(to: UInt8.self), count: bytes.count)
            }
        }
        pointer.pointee.pts = timestamp
        pointer.pointee.dts = timestamp
    }

    var bytes: [UInt8] {
        let packet = pointer.pointee
        guard let data = packet.data, packet.size > 0 else { return [] }
        return [UInt8](UnsafeBufferPointer(start: data, count: Int(packet.size)))
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }
}

/// A frame that is filled and emptied again and again.
struct FrameHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() throws(CodecError) {
        guard let pointer = av_frame_alloc() else { throw .outOfMemory }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }
}
