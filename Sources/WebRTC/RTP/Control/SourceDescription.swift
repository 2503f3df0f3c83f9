import MediaKernel

/// The description of one source; we use only the canonical name. RFC 3550 sect. 6.5.
///
/// ```
/// |  SSRC (32)  |  CNAME=1 (8)  |  length (8)  |  text ...  |  other items ...  |  0, padding |
/// ```
public struct SourceDescription: Hashable, Sendable {
    public var ssrc: SSRC
    /// Ties streams of one endpoint together; at most 255 bytes of UTF-8 are written.
    public var cname: String?

    public init(ssrc: SSRC, cname: String?) {
        self.ssrc = ssrc
        self.cname = cname
    }

    private static let canonicalName: UInt8 = 1

    init(parsing reader: inout ByteReader) throws(TruncatedInput) {
        ssrc = SSRC(try reader.readUInt32())
        cname = nil
        while true {
            let kind = try reader.readUInt8()
            guard kind != 0 else { break }
            let count = Int(try reader.readUInt8())
            let text = try reader.readBytes(count)
            if kind == Self.canonicalName, cname == nil {
                cname = String(decoding: text, as: UTF8.self)
            }
        }
        // The list of items ends with at least one zero and fills its last word.
        while !reader.offset.isMultiple(of: 4) { try reader.skip(1) }
    }

    func write(into writer: inout ByteWriter) {
        writer.write(ssrc.rawValue)
        if let cname {
            var text = Array(cname.utf8.prefix(255))
            // Truncation must not leave half a character behind.
            while !text.isEmpty, String(validating: text, as: UTF8.self) == nil {
                text.removeLast()
            }
            writer.write(Self.canonicalName)
            writer.write(UInt8(text.count))
            writer.write(text)
        }
        writer.write(UInt8(0))
        writer.pad(toMultipleOf: 4)
    }
}
