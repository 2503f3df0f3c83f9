internal import CLibAV

/// Owns a copy of a container's description of one track.
struct TrackParameters: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecParameters>

    private init(adopting pointer: UnsafeMutablePointer<AVCodecParameters>) {
        self.pointer = pointer
    }

    static func copy(
        of source: UnsafePointer<AVCodecParameters>
    ) throws(CodecError) -> TrackParameters {
        guard let pointer = avcodec_parameters_alloc() else { throw .outOfMemory }
        let parameters = TrackParameters(adopting: pointer)
        try check(avcodec_parameters_copy(pointer, source), "avcodec_parameters_copy")
        return parameters
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
        avcodec_parameters_free(&pointer)
    }
}
