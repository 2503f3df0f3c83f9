import Glibc
import Recording

/// The media of a movie before its header can be written: a file without a name, which no crash
/// leaves behind.
final class MovieSpool {
    private let path: String
    private let file: Int32
    private var waiting: [UInt8] = []
    private(set) var byteCount: UInt64 = 0

    private static let waitingMaximum = 256 << 10

    /// - Parameter directory: must exist.
    /// - Throws: `.file`.
    init(_ name: String, in directory: String) throws(RecordingError) {
        path = "\(directory)/\(AssetFile.temporaryPrefix)\(name)-media"
        file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .failed("open", path) }
        unlink(path)
    }

    deinit { close(file) }

    /// - Throws: `.file`.
    func append(_ bytes: [UInt8]) throws(RecordingError) {
        waiting += bytes
        byteCount += UInt64(bytes.count)
        if waiting.count >= Self.waitingMaximum { try flush() }
    }

    private func flush() throws(RecordingError) {
        let isWhole = waiting.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
            while !rest.isEmpty {
                let count = write(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }
        guard isWhole else { throw .failed("write", path) }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Appends all of it to a file.
    ///
    /// - Throws: `.file`.
    func copy(
        to target: MeteredFile, progress: () -> Void
    ) throws(RecordingError) {
        try flush()
        var position = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while UInt64(position) < byteCount {
            let count = buffer.withUnsafeMutableBytes {
                pread(file, $0.baseAddress, $0.count, position)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .failed("read", path) }
            try target.write(buffer[..<count])
            position += count
            progress()
        }
    }
}
