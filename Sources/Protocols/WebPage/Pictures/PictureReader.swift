import Glibc
import MediaKernel

/// Reads the pictures that a browser has written. Everything in the file is a stranger's: the
/// process that wrote it may be under a page's control.
struct PictureReader: ~Copyable {
    /// Why nothing more can be read.
    enum Failure: Error, Hashable, CustomStringConvertible {
        case notGiven
        case notAFile
        case cutOff
        case kind(Int)
        case size(width: Int, height: Int)

        var description: String {
            switch self {
            case .notGiven: "the browser writes no pictures"
            case .notAFile: "the browser's pictures are not in a file"
            case .cutOff: "the file of the browser's pictures is too short"
            case .kind(let kind): "the browser's pictures are of kind \(kind)"
            case .size(let width, let height):
                "the browser's picture of \(width)x\(height) does not fit into the stream's"
            }
        }
    }

    struct Picture: Hashable {
        var width: Int
        var height: Int
        /// I420 without gaps.
        var pixels: [UInt8]
        /// When the browser had composed it, on the monotonic clock, in µs.
        var microseconds: Int64
    }

    private let descriptor: CInt
    private let ring: PictureRing
    private var last: UInt64 = 0

    /// - Parameter descriptor: closed at the end, also when this fails.
    init(_ descriptor: CInt, _ ring: PictureRing) throws(Failure) {
        self.descriptor = descriptor
        self.ring = ring
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .notAFile
        }
    }

    deinit { close(descriptor) }

    /// The next picture; nil while there is none. The first one is the newest.
    mutating func next() throws(Failure) -> Picture? {
        let newest = try number(at: PictureRing.newestOffset)
        guard newest != last else { return nil }
        // A picture that is overwritten while it is read is left out, and the next one taken.
        var number = isNext(newest) ? last + 1 : newest
        while true {
            last = number
            if let picture = try picture(number) { return picture }
            guard number < newest else { return nil }
            number += 1
        }
    }

    /// Whether the picture after the last one is still there.
    private func isNext(_ newest: UInt64) -> Bool {
        last > 0 && newest > last && newest - last < PictureRing.slots
    }

    private func picture(_ number: UInt64) throws(Failure) -> Picture? {
        let offset = ring.offset(ofPicture: number)
        let tail = offset + ring.slotBytes - PictureRing.tailBytes
        guard try self.number(at: tail) == number else { return nil }
        let head = try bytes(PictureRing.pixelsOffset, at: offset)
        let (width, height) = (Int(head.word(at: 16)), Int(head.word(at: 20)))
        let kind = Int(head.word(at: 24))
        guard kind == PictureRing.kindI420 else { throw .kind(kind) }
        guard (1...ring.width).contains(width), (1...ring.height).contains(height) else {
            throw .size(width: width, height: height)
        }
        let pixels = try bytes(
            PictureRing.pixelBytes(width, height), at: offset + PictureRing.pixelsOffset)
        guard try self.number(at: offset) == number else { return nil }
        let microseconds = Int64(bitPattern: head.long(at: 8))
        return Picture(width: width, height: height, pixels: pixels, microseconds: microseconds)
    }

    private func number(at offset: Int) throws(Failure) -> UInt64 {
        try bytes(MemoryLayout<UInt64>.size, at: offset).long(at: 0)
    }

    private func bytes(_ count: Int, at offset: Int) throws(Failure) -> [UInt8] {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // Not mapped into memory: a file that is cut off would then end the process.
            while filled < count {
                let read = pread(
                    descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled)
                )
                if read > 0 { filled += read } else if read == 0 || errno != EINTR { return }
            }
        }
        guard bytes.count == count else { throw .cutOff }
        return bytes
    }
}

extension [UInt8] {
    fileprivate func word(at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(self[offset + $1]) << UInt32(8 * $1) }
    }

    fileprivate func long(at offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
    }
}
