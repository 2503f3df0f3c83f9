import MediaKernel

/// An asset's file that knows its length and checksum when it is finished.
public final class MeteredFile {
    public struct Size: Hashable, Sendable {
        public var byteCount: UInt64
        /// CRC-32.
        public var checksum: UInt32
    }

    private let file: AssetFile
    private var waiting: [UInt8] = []
    private var checksum = CRC32()
    private var byteCount: UInt64 = 0

    private static let waitingMaximum = 256 << 10

    /// - Throws: `.file`.
    public init(_ place: RecordingAssets.Place) throws(RecordingError) {
        file = try AssetFile.create(place.name, in: place.directory)
    }

    /// - Throws: `.file`.
    public func write(_ bytes: some Collection<UInt8>) throws(RecordingError) {
        waiting += bytes
        if waiting.count >= Self.waitingMaximum { try flush() }
    }

    private func flush() throws(RecordingError) {
        checksum.update(waiting)
        byteCount += UInt64(waiting.count)
        try file.write(waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    /// Puts the file in its place.
    ///
    /// - Throws: `.file`.
    public func finish() throws(RecordingError) -> Size {
        try flush()
        try file.finish()
        return Size(byteCount: byteCount, checksum: checksum.value)
    }
}
