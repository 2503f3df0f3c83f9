internal import MediaKernel

/// An animated WebP file, which the library cannot decode. RFC 9649 sect. 2.7.
enum WebPAnimation {
    /// RIFF, a size and WEBP.
    private static let fileHeaderBytes = 12
    /// A frame's fields before its chunks: its place, size and duration.
    private static let frameHeaderBytes = 16

    private struct Chunk {
        var name: ArraySlice<UInt8>
        var payload: ArraySlice<UInt8>

        func isNamed(_ text: StaticString) -> Bool {
            text.withUTF8Buffer { name.elementsEqual($0) }
        }

        /// The chunk as stored in a file. An odd size is followed by a byte that is not counted.
        var bytes: [UInt8] {
            var bytes = Array(name) + littleEndian(payload.count)
            bytes += payload
            if !payload.count.isMultiple(of: 2) { bytes.append(0) }
            return bytes
        }
    }

    /// The first picture, as a file of its own. It may be smaller than the animation.
    ///
    /// - Returns: nil for a file without an animation or without a complete picture.
    static func firstPicture(of file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file.dropFirst(fileHeaderBytes))
        guard let header = nextChunk(&reader), header.isNamed("VP8X") else { return nil }
        while let chunk = nextChunk(&reader) {
            guard chunk.isNamed("ANMF") else { continue }
            return still(of: chunk.payload.dropFirst(frameHeaderBytes))
        }
        return nil
    }

    /// A file with the picture from a frame's chunks, and its transparency.
    private static func still(of frame: ArraySlice<UInt8>) -> [UInt8]? {
        var reader = ByteReader(frame)
        var body = Array("WEBP".utf8)
        while let chunk = nextChunk(&reader) {
            let isPicture = chunk.isNamed("VP8 ") || chunk.isNamed("VP8L")
            if isPicture || chunk.isNamed("ALPH") { body += chunk.bytes }
            if isPicture { return Array("RIFF".utf8) + littleEndian(body.count) + body }
        }
        return nil
    }

    /// Nil when no complete chunk is left.
    private static func nextChunk(_ reader: inout ByteReader) -> Chunk? {
        do throws(TruncatedInput) {
            let name = try reader.readBytes(4)
            let size = Int(try reader.readUInt32().byteSwapped)
            let payload = try reader.readBytes(size)
            if !size.isMultiple(of: 2), !reader.isAtEnd { try reader.skip(1) }
            return Chunk(name: name, payload: payload)
        } catch {
            return nil
        }
    }

    private static func littleEndian(_ count: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
    }
}
