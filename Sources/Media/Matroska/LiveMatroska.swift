import MediaKernel

/// A Matroska file that grows: it has no duration and no index, and any beginning of it that ends
/// with a cluster is a whole file.
///
/// Each cluster has a known length and a CRC-32, so that a reader finds the end of what was written
/// completely.
public enum LiveMatroska {
    /// Ticks per second of all times. An RTP clock's ticks are rounded by at most 50 µs, and a
    /// packet of Opus is a whole number of them.
    public static let timescale: Int64 = 10_000
    /// From a cluster's beginning to its last frame, in ticks: what 16 bits hold.
    public static let clusterTicksMaximum: Int64 = 32_767

    private static let scale: UInt64 = 100_000

    /// Everything before the first cluster.
    public static func header(of track: MatroskaTrack) -> [UInt8] {
        var writer = ElementWriter()
        FileHead.write(docType: "matroska", to: &writer)
        writer.id(.segment)
        writer.unknownLength()
        FileHead.writeInfo(scale: scale, duration: nil, to: &writer)
        MatroskaTrack.write([track], to: &writer)
        return writer.bytes
    }

    /// Frames that are written together.
    public struct Cluster: Sendable {
        /// In ticks.
        public let timestamp: Int64
        private var blocks = ElementWriter()
        /// Frames in it.
        public private(set) var count = 0

        public init(timestamp: Int64) { self.timestamp = max(0, timestamp) }

        public var byteCount: Int { blocks.bytes.count }

        /// Whether a frame of this time can be in it.
        public func takes(_ time: Int64) -> Bool {
            (-32_768...clusterTicksMaximum).contains(time - timestamp)
        }

        /// - Parameter time: in ticks; `takes` it.
        public mutating func add(_ frame: [UInt8], at time: Int64, isKeyframe: Bool) {
            blocks.block(frame.count, relative: time - timestamp, isKeyframe: isKeyframe)
            blocks.raw(frame)
            count += 1
        }

        /// The whole element.
        public var bytes: [UInt8] {
            var content = ElementWriter()
            content.unsigned(.timestamp, UInt64(timestamp))
            content.raw(blocks.bytes)
            let checksum = CRC32.checksum(content.bytes)
            var writer = ElementWriter()
            writer.element(.cluster) {
                // RFC 8794 sect. 11.3.1: little-endian, and first.
                $0.binary(
                    .crc32,
                    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: checksum >> UInt32($0)) })
                $0.raw(content.bytes)
            }
            return writer.bytes
        }
    }
}

extension ElementWriter {
    /// The head of a `SimpleBlock`; the frame's bytes follow. RFC 9559 sect. 10.2.
    /// - Parameter track: the position among those of the file; at most 126.
    mutating func block(
        _ byteCount: Int, of track: Int = 0, relative time: Int64, isKeyframe: Bool
    ) {
        id(.simpleBlock)
        length(Self.blockHeadBytes + byteCount)
        let time = UInt16(bitPattern: Int16(clamping: time))
        raw([
            0x80 | UInt8(MatroskaTrack.number(at: track)), UInt8(time >> 8),
            UInt8(truncatingIfNeeded: time),
            isKeyframe ? 0x80 : 0,
        ])
    }

    /// Track number, time and flags.
    static let blockHeadBytes = 4
}
