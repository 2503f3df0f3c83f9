import CZlib

/// Writes the gzip format (RFC 1952), for playlists, whose lines repeat each other.
enum Gzip {
    /// Playlists of a day are below 4 MiB. Longer input is not compressed.
    static let inputBytesMaximum = 8 * 1024 * 1024

    static func compressed(_ input: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        precondition(roomcast_gzip_init(&stream) == Z_OK, "zlib has no memory")
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(input.count)))
        return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            input.withUnsafeBufferPointer { input in
                // zlib only reads there.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(bound)
                let result = deflate(&stream, Z_FINISH)
                precondition(result == Z_STREAM_END, "deflateBound is an upper bound")
            }
            count = bound - Int(stream.avail_out)
        }
    }
}
