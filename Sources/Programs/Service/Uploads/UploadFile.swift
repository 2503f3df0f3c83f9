import Digests
import Glibc
import NIOCore
import NIOPosix
import ObjectStorage

/// A finished file to upload, and its location in the store.
struct UploadFile: Hashable, Sendable {
    /// On disk.
    var path: String
    var location: ObjectLocation
    var byteCount: Int64

    /// SHA-256 of a range of the file.
    ///
    /// - Throws: `UploadFileError`.
    func digest(_ range: Range<Int64>) async throws -> [UInt8] {
        var digest = RunningDigest(.sha256)
        for try await chunk in FileStretch(path: path, range: range) {
            digest.update(Array(chunk.readableBytesView))
        }
        return digest.hash
    }

    /// The entity tag that most stores give the file if it was sent in parts of this size.
    ///
    /// - Throws: `UploadFileError`.
    func partsTag(partBytes: Int64) async throws -> PartsTag {
        var tag = PartsTag()
        for start in stride(from: 0, to: byteCount, by: Int64.Stride(partBytes)) {
            let range = start..<min(start + partBytes, byteCount)
            for try await chunk in FileStretch(path: path, range: range) {
                tag.update(Array(chunk.readableBytesView))
            }
            tag.endPart()
        }
        return tag
    }
}

/// The file has changed since its asset was made.
enum UploadFileError: Error, CustomStringConvertible {
    case unreadable(path: String, code: Int32)
    case tooShort(path: String)

    var description: String {
        switch self {
        case .unreadable(let path, let code):
            "\(path) cannot be read: \(String(cString: strerror(code)))"
        case .tooShort(let path): "\(path) is shorter than it was made"
        }
    }
}

/// A range of a file in chunks, read from the disk on demand.
struct FileStretch: AsyncSequence, Sendable {
    /// The size of the chunks held in memory.
    static let chunkBytes = 256 * 1024

    let path: String
    let range: Range<Int64>
    /// Called whenever a chunk was taken.
    var onTaken: @Sendable () -> Void = {}

    func makeAsyncIterator() -> Iterator {
        Iterator(stretch: self, offset: range.lowerBound)
    }

    struct Iterator: AsyncIteratorProtocol {
        let stretch: FileStretch
        var offset: Int64
        var file: OpenFile?

        mutating func next() async throws -> ByteBuffer? {
            stretch.onTaken()
            guard offset < stretch.range.upperBound else { return nil }
            let path = stretch.path
            let position = offset
            let count = Int(
                Swift.min(Int64(FileStretch.chunkBytes), stretch.range.upperBound - offset))
            let known = file
            let (opened, bytes) = try await NIOThreadPool.singleton.runIfActive {
                let file = try known ?? OpenFile(path)
                return (file, try file.read(at: position, count: count))
            }
            file = opened
            offset += Int64(count)
            return ByteBuffer(bytes: bytes)
        }
    }

    final class OpenFile: Sendable {
        private let path: String
        private let descriptor: Int32

        init(_ path: String) throws {
            self.path = path
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw UploadFileError.unreadable(path: path, code: errno)
            }
        }

        deinit { close(descriptor) }

        func read(at offset: Int64, count: Int) throws -> [UInt8] {
            var code: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                while initialized < count {
                    let base = buffer.baseAddress.map { $0 + initialized }
                    let got = pread(
                        descriptor, base, count - initialized, Int(offset) + initialized)
                    if got < 0, errno == EINTR { continue }
                    guard got > 0 else {
                        code = got < 0 ? errno : 0
                        return
                    }
                    initialized += got
                }
            }
            guard code == 0 else { throw UploadFileError.unreadable(path: path, code: code) }
            guard bytes.count == count else { throw UploadFileError.tooShort(path: path) }
            return bytes
        }
    }
}

extension ObjectLocation {
    /// According to the key's suffix.
    var contentType: String {
        switch key.split(separator: ".").last {
        case "mp4": "video/mp4"
        case "m4a": "audio/mp4"
        case "zip": "application/zip"
        case "m3u8": "application/vnd.apple.mpegurl"
        case "ts": "video/mp2t"
        case "vtt": "text/vtt"
        case "csv": "text/csv"
        case "srt": "application/x-subrip"
        case "txt": "text/plain; charset=utf-8"
        case "json": "application/json"
        case "jpg", "jpeg": "image/jpeg"
        default: "application/octet-stream"
        }
    }
}
