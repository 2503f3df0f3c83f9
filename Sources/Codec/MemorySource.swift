internal import CLibAV

/// Lets a demuxer read bytes that are in memory as if they were a file.
final class MemorySource {
    private static let bufferBytes: Int32 = 32 << 10

    let context: UnsafeMutablePointer<AVIOContext>
    private let cursor: Cursor

    /// What the C callbacks get hold of; kept alive by the source that owns the context.
    private final class Cursor {
        let bytes: [UInt8]
        var position = 0
        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func read(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
            let taken = min(count, bytes.count - position)
            guard taken > 0 else { return 0 }
            bytes.withUnsafeBufferPointer { source in
                guard let base = source.baseAddress else { return }
                target.update(from: base + position, count: taken)
            }
            position += taken
            return taken
        }

        /// - Parameter whence: SEEK_SET, SEEK_CUR, SEEK_END or AVSEEK_SIZE.
        func seek(by offset: Int64, whence: Int32) -> Int64 {
            let origin: Int
            switch whence & ~av_shim_seek_force {
            case av_shim_seek_size: return Int64(bytes.count)
            case 0: origin = 0
            case 1: origin = position
            case 2: origin = bytes.count
            default: return -1
            }
            let (target, overflow) = Int64(origin).addingReportingOverflow(offset)
            guard !overflow, 0...Int64(bytes.count) ~= target else { return -1 }
            position = Int(target)
            return target
        }
    }

    init(_ bytes: [UInt8]) throws(CodecError) {
        let cursor = Cursor(bytes)
        guard let memory = av_malloc(Int(Self.bufferBytes)) else { throw .outOfMemory }
        let context = avio_alloc_context(
            memory.assumingMemoryBound(to: UInt8.self), Self.bufferBytes, 0,
            Unmanaged.passUnretained(cursor).toOpaque(),
            { opaque, target, count in
                guard let opaque, let target, count > 0 else { return av_shim_error_end }
                let cursor = Unmanaged<Cursor>.fromOpaque(opaque).takeUnretainedValue()
                let taken = cursor.read(into: target, count: Int(count))
                return taken > 0 ? Int32(taken) : av_shim_error_end
            }, nil,
            { opaque, offset, whence in
                guard let opaque else { return -1 }
                let cursor = Unmanaged<Cursor>.fromOpaque(opaque).takeUnretainedValue()
                return cursor.seek(by: offset, whence: whence)
            })
        guard let context else {
            av_free(memory)
            throw .outOfMemory
        }
        self.context = context
        self.cursor = cursor
    }

    deinit {
        av_freep(&context.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&context)
    }
}
