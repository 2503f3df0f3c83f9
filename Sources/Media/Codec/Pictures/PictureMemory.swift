internal import CLibAV
import Glibc
import Synchronization

/// Pieces of memory of one size, of which a few are kept for their next use. Each is mapped on its
/// own, so that memory from a burst returns to the system; libav's pools and the allocator would
/// keep it.
final class PictureMemory: Sendable {
    /// The number of pieces that go in and out of use while nothing is late.
    static let idleMaximum = 4

    let byteCount: Int
    private let idle = Mutex<[Piece]>([])

    /// An idle piece has no other references.
    private struct Piece: @unchecked Sendable {
        let start: UnsafeMutablePointer<UInt8>
    }

    init(byteCount: Int) { self.byteCount = byteCount }

    deinit {
        for piece in idle.withLock({ $0 }) { munmap(piece.start, byteCount) }
    }

    /// A page-aligned piece with its previous content. It comes back with its last reference,
    /// whether or not its owner still exists.
    ///
    /// - Throws: `.outOfMemory`.
    func makeBuffer() throws(CodecError) -> UnsafeMutablePointer<AVBufferRef> {
        let start = try take()
        let home = Unmanaged.passRetained(self)
        let buffer = av_buffer_create(
            start, byteCount,
            { home, start in
                guard let home, let start else { return }
                Unmanaged<PictureMemory>.fromOpaque(home).takeRetainedValue().giveBack(start)
            }, home.toOpaque(), 0)
        guard let buffer else {
            home.takeRetainedValue().giveBack(start)
            throw .outOfMemory
        }
        return buffer
    }

    private func take() throws(CodecError) -> UnsafeMutablePointer<UInt8> {
        if let piece = idle.withLock({ $0.popLast() }) { return piece.start }
        let start = mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else { throw .outOfMemory }
        return start.assumingMemoryBound(to: UInt8.self)
    }

    private func giveBack(_ start: UnsafeMutablePointer<UInt8>) {
        let piece = Piece(start: start)
        let isKept = idle.withLock { idle in
            guard idle.count < Self.idleMaximum else { return false }
            idle.append(piece)
            return true
        }
        if !isKept { munmap(start, byteCount) }
    }
}
