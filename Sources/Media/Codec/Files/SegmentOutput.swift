internal import CLibAV

/// A muxer's output in memory, which the owner takes out.
final class SegmentOutput {
    let context: UnsafeMutablePointer<AVIOContext>
    private let sink: Sink

    /// The object that the C callback gets; the output that owns the context keeps it alive.
    private final class Sink {
        var bytes: [UInt8] = []
    }

    init(bufferBytes: Int32) throws(CodecError) {
        let sink = Sink()
        guard let memory = av_malloc(Int(bufferBytes)) else { throw .outOfMemory }
        let buffer = memory.assumingMemoryBound(to: UInt8.self)
        let context = avio_alloc_context(
            buffer, bufferBytes, 1, Unmanaged.passUnretained(sink).toOpaque(), nil,
            { opaque, bytes, count in
                guard let opaque, let bytes else { return av_shim_error_invalid_data }
                let sink = Unmanaged<Sink>.fromOpaque(opaque).takeUnretainedValue()
                sink.bytes.append(
                    contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
                return count
            }, nil)
        guard let context else {
            av_free(memory)
            throw .outOfMemory
        }
        self.context = context
        self.sink = sink
    }

    /// Returns the bytes written since the last call.
    func take() -> [UInt8] {
        let bytes = sink.bytes
        sink.bytes = []
        // The next segment will be about as large.
        sink.bytes.reserveCapacity(bytes.count)
        return bytes
    }

    deinit {
        // The library may have replaced its buffer.
        av_freep(&context.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&context)
    }
}
