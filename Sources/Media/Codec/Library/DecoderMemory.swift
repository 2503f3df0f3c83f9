internal import CLibAV

/// The memory for a decoder's pictures. Pictures of 4:2:0 in eight bits, the format that browsers
/// send, are in memory that shrinks again; all others are in the library's own pools, which do not.
final class DecoderMemory {
    /// The widest loads of the library's code, those of AVX-512.
    private static let alignment = 64

    private var memory: PictureMemory?

    /// Serves a decoder's requests while this object exists.
    func serve(_ context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.get_buffer2 = { context, frame, flags in
            guard let context, let frame, let own = context.pointee.opaque,
                DecoderMemory.isServed(frame, of: context)
            else { return avcodec_default_get_buffer2(context, frame, flags) }
            return Unmanaged<DecoderMemory>.fromOpaque(own).takeUnretainedValue()
                .fill(frame, of: context)
        }
    }

    private static func isServed(
        _ frame: UnsafeMutablePointer<AVFrame>, of context: UnsafeMutablePointer<AVCodecContext>
    ) -> Bool {
        let format = frame.pointee.format
        let takesOthersMemory = context.pointee.codec.pointee.capabilities & AV_CODEC_CAP_DR1 != 0
        return takesOthersMemory
            && (format == AV_PIX_FMT_YUV420P.rawValue || format == AV_PIX_FMT_YUVJ420P.rawValue)
    }

    private func fill(
        _ frame: UnsafeMutablePointer<AVFrame>, of context: UnsafeMutablePointer<AVCodecContext>
    ) -> Int32 {
        var width = frame.pointee.width
        var height = frame.pointee.height
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(AV_NUM_DATA_POINTERS)) {
            avcodec_align_dimensions2(context, &width, &height, $0.baseAddress)
        }
        // Chroma's rows are half of luma's, and have to be aligned as well.
        let lumaStride = Self.aligned(Int(width), to: 2 * Self.alignment)
        let chromaStride = lumaStride / 2
        let lumaBytes = Self.planeBytes(lumaStride, Int(height))
        let chromaBytes = Self.planeBytes(chromaStride, (Int(height) + 1) / 2)
        let byteCount = lumaBytes + 2 * chromaBytes
        let memory =
            self.memory.flatMap { $0.byteCount == byteCount ? $0 : nil }
            ?? PictureMemory(byteCount: byteCount)
        self.memory = memory
        guard let buffer = try? memory.makeBuffer(), let start = buffer.pointee.data else {
            return av_shim_error_memory
        }
        frame.pointee.buf.0 = buffer
        frame.pointee.data.0 = start
        frame.pointee.data.1 = start + lumaBytes
        frame.pointee.data.2 = start + lumaBytes + chromaBytes
        frame.pointee.linesize.0 = Int32(lumaStride)
        frame.pointee.linesize.1 = Int32(chromaStride)
        frame.pointee.linesize.2 = Int32(chromaStride)
        return 0
    }

    /// Some of the library's code reads sixteen bytes or more beyond the last row.
    private static func planeBytes(_ stride: Int, _ height: Int) -> Int {
        aligned(stride * height + 16 + alignment - 1, to: alignment)
    }

    private static func aligned(_ count: Int, to boundary: Int) -> Int {
        (count + boundary - 1) & ~(boundary - 1)
    }
}
