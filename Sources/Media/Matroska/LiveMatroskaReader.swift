import MediaKernel

/// Finds the frames in a file that `LiveMatroska` has written, of which the end may be missing.
public enum LiveMatroskaReader {
    /// The beginning of an element: enough for its id and length.
    public static let headBytes = 12
    /// Of a cluster's content: a second of video at hundreds of megabits.
    public static let clusterBytesMaximum: UInt64 = 64 << 20

    /// An element of the top level.
    public struct Head: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            /// Its content consists of the elements that follow.
            case parent
            case cluster
            /// Its content is of no interest.
            case other
        }

        public var kind: Kind
        /// Of id and length.
        public var headBytes: Int
        /// Of the content.
        public var byteCount: UInt64

        /// Nil if the bytes are too few, or none that we write.
        public init?(_ bytes: some Collection<UInt8>) {
            guard let (id, idBytes) = Self.id(bytes),
                let (length, lengthBytes) = Self.length(bytes.dropFirst(idBytes))
            else { return nil }
            headBytes = idBytes + lengthBytes
            byteCount = length
            kind =
                switch id {
                case ElementID.segment.rawValue: .parent
                case ElementID.cluster.rawValue: .cluster
                default: .other
                }
        }

        static func id(_ bytes: some Collection<UInt8>) -> (UInt32, Int)? {
            guard let first = bytes.first, first != 0 else { return nil }
            let count = first.leadingZeroBitCount + 1
            guard count <= 4, bytes.count >= count else { return nil }
            return (bytes.prefix(count).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }, count)
        }

        static func length(_ bytes: some Collection<UInt8>) -> (UInt64, Int)? {
            guard let first = bytes.first, first != 0 else { return nil }
            let count = first.leadingZeroBitCount + 1
            guard bytes.count >= count else { return nil }
            let value = bytes.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return (value & ~(1 << (7 * UInt64(count))), count)
        }
    }

    /// One frame of a cluster.
    public struct Frame: Hashable, Sendable {
        /// In ticks of `LiveMatroska.timescale`.
        public var time: Int64
        public var isKeyframe: Bool
        /// In the cluster's content.
        public var range: Range<Int>
    }

    /// The frames of a cluster.
    ///
    /// - Parameter content: all of the cluster's.
    /// - Returns: nil if the bytes do not match their checksum, or are no cluster's of ours.
    public static func frames(in content: [UInt8]) -> [Frame]? {
        var position = 0
        var isChecked = false
        var timestamp: Int64?
        var frames: [Frame] = []
        while position < content.count {
            let rest = content[position...]
            guard let (id, idBytes) = Head.id(rest),
                let (length, lengthBytes) = Head.length(rest.dropFirst(idBytes)),
                length <= UInt64(content.count)
            else { return nil }
            let begin = position + idBytes + lengthBytes
            let end = begin + Int(length)
            guard end <= content.count, isChecked || id == ElementID.crc32.rawValue else {
                return nil
            }
            switch ElementID(rawValue: id) {
            case .crc32:
                let noted = content[begin..<end].reversed().reduce(UInt32(0)) {
                    $0 << 8 | UInt32($1)
                }
                guard noted == CRC32.checksum(content[end...]) else { return nil }
                isChecked = true
            case .timestamp:
                let value = content[begin..<end].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                guard let time = Int64(exactly: value) else { return nil }
                timestamp = time
            case .simpleBlock:
                guard let timestamp, length >= UInt64(ElementWriter.blockHeadBytes) else {
                    return nil
                }
                let relative = Int16(
                    bitPattern: UInt16(content[begin + 1]) << 8 | UInt16(content[begin + 2]))
                frames.append(
                    Frame(
                        time: timestamp + Int64(relative),
                        isKeyframe: content[begin + 3] & 0x80 != 0,
                        range: begin + ElementWriter.blockHeadBytes..<end))
            default: break
            }
            position = end
        }
        return frames
    }
}
